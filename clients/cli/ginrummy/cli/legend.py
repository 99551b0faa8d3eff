"""Which keys do what now, and the page that explains all of them."""

from __future__ import annotations

from rich.text import Text

from ginrummy.cli.paint import flowed, painted
from ginrummy.cli.phrases import Phrases
from ginrummy.cli.pressing import buttons, places_of
from ginrummy.cli.table import Table

HELP = (
    "arrows",
    "enter",
    "escape",
    "stock",
    "take",
    "pass",
    "discard",
    "knock",
    "gin",
    "big-gin",
    "own-groups",
    "layoff",
    "hint",
    "order",
    "resign",
    "quit",
)


def key_lines(phrases: Phrases, table: Table, width: int) -> list[Text]:
    """The keys that do something now, with what each would leave."""
    return flowed((_key(key, label) for key, label in _keys(phrases, table)), width)


def _key(key: str, label: str) -> Text:
    return Text.assemble((key, "key"), " ", painted(label))


def _keys(phrases: Phrases, table: Table) -> list[tuple[str, str]]:
    words = phrases.words
    if table.ask:
        return [("y", words("key-yes")), ("n", words("key-no"))]
    if table.editing:
        return [
            ("← →", words("key-move")),
            (places_of(table.editing), words("key-place")),
            ("r", words("key-reset")),
            ("Enter", words(f"key-send-{table.editing.kind.replace('_', '-')}")),
            ("Esc", words("key-back")),
        ]
    keys = [
        (button.key, words(button.message, card=phrases.pile_top(table.view)))
        for button in buttons(table)
    ]
    keys += _card_keys(phrases, table)
    if table.view.hints_allowed and table.view.legal_actions:
        keys.append(("h", words("key-hint")))
    keys += [("o", words("key-order")), ("?", words("key-help"))]
    return [*keys, ("x", words("key-resign")), ("q", words("key-quit"))]


def _card_keys(phrases: Phrases, table: Table) -> list[tuple[str, str]]:
    words, choices = phrases.words, table.choices
    if not choices.discards:
        return []
    if table.chosen is None:
        keys = [("← → Enter", words("key-choose"))]
    else:
        keys = [("Enter", words("key-discard", card=phrases.card(table.chosen)))]
        keys.append(("Esc", words("key-unchoose")))
    card = table.chosen or choices.best_knock
    if card in choices.knocks:
        left = choices.leaves.get(card, 0)
        verb = "key-gin" if choices.is_gin(card) else "key-knock"
        key = "k/g" if choices.is_gin(card) else "k"
        keys.append((key, words(verb, card=phrases.card(card), left=left)))
        if table.may_group and not table.declared:
            keys.append(("m", words("key-own-groups")))
    if choices.big_gin is not None:
        keys.append(("b", words("key-big-gin")))
    return keys


def help_lines(phrases: Phrases, table: Table) -> list[Text]:
    """All keys on one page."""
    words = phrases.words
    rows = [(words(f"help-key-{name}"), words(f"help-{name}")) for name in HELP]
    width = max(len(key) for key, _ in rows)
    lines = [Text(), Text(f"  {words('help-title')}", "title"), Text()]
    for key, meaning in rows:
        lines.append(Text.assemble("  ", (f"{key:<{width}}", "key"), "  ", painted(meaning)))
    lines.append(Text())
    limit = words("help-limit", limit=table.view.knock_limit)
    lines += [painted(f"  {limit}"), painted(f"  {words('help-points')}")]
    return [*lines, painted(f"  {words('help-close')}", "muted")]
