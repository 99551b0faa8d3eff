"""What a key does at the table. Pure: a table and a key give the next table, and what to send."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ginrummy.cli.groups import Grouping
from ginrummy.cli.table import (
    Do,
    Editing,
    Effect,
    Leave,
    Table,
    ask_hint,
    ask_resign,
    edit_layoffs,
    finish_editing,
    try_big_gin,
    try_discard,
    try_gin,
    try_knock,
)
from ginrummy.client import actions
from ginrummy.v1.action_pb2 import Action

Step = tuple[Table, Effect | None]
ACCEPT = ("enter", "space")


@dataclass(frozen=True)
class Button:
    """A choice that is no card. `message` names it in the catalog."""

    key: str
    message: str
    action: Action | None = None
    """None = arrange the defence by hand."""


def buttons(table: Table) -> list[Button]:
    """The choices before a draw, and of the defender; the first is under the cursor at first."""
    choices = table.choices
    found = []
    if choices.can_draw:
        found.append(Button("s", "button-stock", actions.draw_stock()))
    if choices.can_take:
        found.append(Button("t", "button-take", actions.draw_discard()))
    if choices.can_pass:
        found.append(Button("p", "button-pass", actions.pass_upcard()))
    if choices.must_lay_off:
        found.append(Button("a", "button-auto-layoff", actions.lay_off()))
        found.append(Button("e", "button-own-layoff"))
    return found


def press(table: Table, key: str) -> Step:
    """The table after a key."""
    if table.help:
        return replace(table, help=False), None
    if table.ask:
        return _answer(table, key)
    if table.editing:
        return _edit(table, table.editing, key)
    always = _ALWAYS.get(key)
    if always:
        return always(table)
    if buttons(table):
        return _press_button(table, key)
    if table.choices.discards:
        return _press_card(table, key)
    return (table.said("wait") if len(key) == 1 else table), None


def _answer(table: Table, key: str) -> Step:
    assert table.ask is not None
    if key == "y" or key in ACCEPT:
        return table.cleared(), table.ask.effect
    if key in ("n", "escape"):
        return replace(table, ask=None, notice=None), None
    return table.said("yes-or-no"), None


def _press_button(table: Table, key: str) -> Step:
    row = buttons(table)
    at = table.cursor % len(row)
    if key in ("left", "up", "right", "down"):
        step = 1 if key in ("right", "down") else -1
        return replace(table, cursor=(at + step) % len(row), notice=None), None
    # Some press d for "draw".
    key = "s" if key == "d" and table.choices.can_draw else key
    # A layoff settles the hand: no key does it unseen.
    by_cursor = key in ACCEPT and not table.choices.must_lay_off
    chosen = row[at] if by_cursor else next((b for b in row if b.key == key), None)
    if chosen is None:
        return table.said("allowed-keys", keys=" ".join(button.key for button in row)), None
    if chosen.action is None:
        return edit_layoffs(table), None
    return table.cleared(), Do(chosen.action)


def _press_card(table: Table, key: str) -> Step:
    cards = table.cards
    at = table.cursor % len(cards)
    moves = {"left": at - 1, "right": at + 1, "home": 0, "end": len(cards) - 1}
    if key in moves:
        return replace(table, cursor=moves[key] % len(cards), notice=None), None
    card = table.under_cursor
    if key in ACCEPT and table.chosen is not None and table.chosen == card:
        return try_discard(table, table.chosen)
    if key in (*ACCEPT, "up") and card not in table.choices.discards:
        return table.said("card-just-taken"), None
    if key in (*ACCEPT, "up"):
        return replace(table, chosen=card, notice=None), None
    if key in ("escape", "down"):
        return table.cleared(), None
    knocking: dict[str, Callable[[], Step]] = {
        "d": lambda: try_discard(table, table.chosen or cards[at]),
        "k": lambda: try_knock(table, table.chosen),
        "g": lambda: try_gin(table),
        "b": lambda: try_big_gin(table),
    }
    if table.may_group:
        knocking["m"] = lambda: try_knock(table, table.chosen, own_groups=True)
    act = knocking.get(key)
    if act is None:
        return table.said("allowed-keys", keys=" ".join(knocking)), None
    return act()


def _edit(table: Table, editing: Editing, key: str) -> Step:
    grouping = editing.grouping
    cards = grouping.cards
    at = table.cursor % len(cards)
    if key in ("left", "right"):
        step = 1 if key == "right" else -1
        return replace(table, cursor=(at + step) % len(cards), notice=None), None
    if key == "enter":
        return finish_editing(table)
    if key == "escape":
        return table.cleared(), None
    if key == "r":
        return _with_grouping(table, editing, at, editing.proposal), None
    place = _place(editing, key)
    if place is None:
        return table.said("allowed-places", places=places_of(editing)), None
    moved = grouping.put(cards[at], place)
    return _with_grouping(table, editing, (at + 1) % len(cards), moved), None


def _with_grouping(table: Table, editing: Editing, cursor: int, grouping: Grouping) -> Table:
    edited = replace(editing, grouping=grouping)
    return replace(table, editing=edited, cursor=cursor, notice=None)


def _place(editing: Editing, key: str) -> int | None:
    """Where a key puts a card: 1 to 4 a group, a, b, ... a meld of the knocker's, 0 none."""
    if key in ("0", "delete"):
        return 0
    if key in "1234":
        return int(key)
    index = ord(key) - ord("a") if len(key) == 1 else -1
    return -1 - index if 0 <= index < len(editing.grouping.knockers) else None


def places_of(editing: Editing) -> str:
    """The keys that put a card somewhere."""
    return " ".join(
        ["1 2 3 4 0", *(chr(ord("a") + i) for i in range(len(editing.grouping.knockers)))]
    )


def _toggle_hint(table: Table) -> Step:
    return (replace(table, hint=False, notice=None), None) if table.hint else ask_hint(table)


def _next_order(table: Table) -> Step:
    card = table.under_cursor
    turned = replace(table, order=table.order.next, notice=None)
    if card in turned.cards and table.choices.discards:
        turned = replace(turned, cursor=turned.cards.index(card))
    return turned, None


_ALWAYS: dict[str, Callable[[Table], Step]] = {
    "h": _toggle_hint,
    "o": _next_order,
    "?": lambda table: (replace(table, help=True), None),
    "x": lambda table: (ask_resign(table), None),
    "q": lambda table: (table, Leave.QUIT),
}
