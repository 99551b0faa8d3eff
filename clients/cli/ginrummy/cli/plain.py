"""The table in plain lines: for line-based terminals, narrow windows, pipes and screen readers."""

from __future__ import annotations

from ginrummy.cli.game import Game
from ginrummy.cli.phrases import Phrases
from ginrummy.cli.table import Order, Table
from ginrummy.cli.typed import allowed


def table_lines(phrases: Phrases, game: Game, table: Table) -> list[str]:
    """The table in a few short lines."""
    words, view = phrases.words, game.view
    (stock, pile), below = phrases.piles(view, 48)
    top = phrases.pile_top(view)
    lines = [
        f"{phrases.heading(game)} · {phrases.limit(view)} · {phrases.score(game)}",
        ": ".join(phrases.opponent(game)[:2])
        + "".join(f" · {x}" for x in phrases.opponent(game)[2:]),
        f"{stock} · {pile}: {top}{f' ({below})' if below else ''}",
        *(text for text, _ in phrases.standing(game)),
    ]
    if clock := phrases.clock(view):
        lines.append(clock)
    if table.choices.must_lay_off:
        lines += [line for line in phrases.showdown(view.showdown) if line]
    if view.own_hand:
        counter, good = phrases.counter(table)
        mark = f" {words('can-knock-mark')}" if good and not table.editing else ""
        lines.append(f"{words('own-cards')}: {hand_text(phrases, table)} · {counter}{mark}")
    return lines


def hand_text(phrases: Phrases, table: Table) -> str:
    """`[7♣ 7♦ 7♥] [3♠ 4♠ 5♠] 2♣ Q♥ K♦`, in the chosen order."""
    row = phrases.teller.faces.row
    groups = table.groups
    if table.order is not Order.MELDS:
        return " | ".join(row(group) for group in groups)
    melds = len(table.view.own_arrangement.melds)
    return " ".join(f"[{row(g)}]" if i < melds else row(g) for i, g in enumerate(groups))


def said_lines(phrases: Phrases, table: Table) -> list[str]:
    """What was asked, refused, hinted or explained."""
    if table.help:
        return help_lines(phrases)
    label, *prices = phrases.prices(table) or [""]
    shown = [f"{label} {' · '.join(prices)}"] if prices else []
    return [*(text for text, _ in phrases.says(table)), *shown]


def prompt(phrases: Phrases, table: Table) -> str:
    """What may be typed now: `stock, take, pass > `."""
    words = phrases.words
    if table.editing:
        return words("prompt-groups-layoff" if table.editing.kind == "lay_off" else "prompt-groups")
    commands = ", ".join(command_word(phrases, command) for command in allowed(table))
    return words("prompt", commands=commands)


def command_word(phrases: Phrases, command: str) -> str:
    """The first spelling of a command: the one that is shown."""
    spelling = phrases.words(f"typed-{command}").split()[0]
    if command == "discard":
        return f"{spelling} {phrases.words('card-example')}"
    return spelling


_EXPLAINED = (
    "stock",
    "take",
    "pass",
    "discard",
    "knock",
    "gin",
    "big-gin",
    "layoff",
    "own",
    "hint",
    "sort",
    "table",
    "resign",
    "quit",
)


def help_lines(phrases: Phrases) -> list[str]:
    rows = [(phrases.words(f"usage-{name}"), phrases.words(f"help-{name}")) for name in _EXPLAINED]
    lines = []
    for usage, meaning in rows:
        # A long usage stands alone, and its meaning below it.
        lines += (
            [f"  {usage:<14}{meaning}"] if len(usage) < 14 else [f"  {usage}", f"{'':<16}{meaning}"]
        )
    return lines
