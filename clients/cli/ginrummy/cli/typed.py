"""What a typed line does at the table, for terminals without keys and for programs.

The same moves as by keys. Words of both languages are understood, whatever is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from ginrummy.cli.faces import typed_card
from ginrummy.cli.groups import Grouping
from ginrummy.cli.pressing import Step
from ginrummy.cli.table import (
    Do,
    Editing,
    Leave,
    Notice,
    Order,
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
from ginrummy.cli.words import LANGUAGES, words_for
from ginrummy.client import actions
from ginrummy.client.cards import CardValue
from ginrummy.v1.action_pb2 import Action

COMMANDS = (
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
    "help",
    "table",
    "resign",
    "quit",
    "yes",
    "no",
)


class MisreadError(Exception):
    """A line that means nothing here; `message` of the catalog says what is allowed."""

    def __init__(self, message: str, **values: str | int) -> None:
        super().__init__(message)
        self.message = message
        self.values = values


@cache
def _spellings() -> dict[str, str]:
    return {
        spelling: command
        for language in LANGUAGES
        for command in COMMANDS
        for spelling in words_for(language)(f"typed-{command}").split()
    }


@dataclass(frozen=True)
class Line:
    """A line taken apart: the command, and the cards after it."""

    command: str
    rest: str

    @classmethod
    def of(cls, text: str) -> Line:
        first, _, rest = text.strip().partition(" ")
        command = _spellings().get(first.lower(), "")
        return cls(command, rest.strip()) if command else cls("", text.strip())


def enter(table: Table, text: str) -> Step:
    """The table after a typed line. Bad input leaves it as it was and says what is allowed."""
    line = Line.of(text)
    # The page of help is for the line that asked for it.
    table = replace(table, help=False)
    try:
        if table.ask:
            return _answer(table, line)
        if table.editing and line.command not in ("help", "table", "quit", "resign"):
            return _edit(table, table.editing, line)
        return _command(table, line)
    except MisreadError as misread:
        return replace(table, notice=Notice(misread.message, misread.values)), None


def allowed(table: Table) -> list[str]:
    """The commands that make sense now."""
    choices = table.choices
    if table.ask or table.editing:
        return ["yes", "no"]
    found = {
        "stock": choices.can_draw,
        "take": choices.can_take,
        "pass": choices.can_pass,
        "discard": bool(choices.discards),
        "knock": bool(choices.knocks),
        "gin": any(choices.is_gin(card) for card in choices.knocks),
        "big-gin": choices.big_gin is not None,
        "layoff": choices.must_lay_off,
        "own": choices.must_lay_off or bool(choices.knocks and table.may_group),
        "hint": table.view.hints_allowed and bool(table.view.legal_actions),
    }
    return [command for command, possible in found.items() if possible]


def _answer(table: Table, line: Line) -> Step:
    assert table.ask is not None
    if line.command == "yes":
        return table.cleared(), table.ask.effect
    if line.command == "no":
        return replace(table, ask=None, notice=None), None
    raise MisreadError("yes-or-no")


def _command(table: Table, line: Line) -> Step:
    if not line.command:
        return _card_alone(table, line.rest)
    run = _RUN.get(line.command)
    if run is None:
        raise MisreadError("nothing-asked")
    return run(table, line.rest)


def _card_alone(table: Table, text: str) -> Step:
    card = typed_card(text)
    if card is None:
        raise MisreadError("not-understood", text=text) if text else MisreadError("nothing-typed")
    return try_discard(table, card)


def _one(text: str) -> CardValue:
    card = typed_card(text)
    if card is None:
        raise MisreadError("no-card", text=text or "-")
    return card


def _groups(text: str) -> list[list[CardValue]]:
    """`7c 7d 7h, 3s 4s 5s`."""
    groups = ([_one(word) for word in part.split()] for part in text.split(","))
    return [group for group in groups if group]


def _do(table: Table, possible: bool, action: Action) -> Step:
    if not possible:
        raise MisreadError("not-now")
    return table.cleared(), Do(action)


def _knock(table: Table, rest: str) -> Step:
    card, _, groups = rest.partition(":")
    step = try_knock(table, _one(card) if card.strip() else None, own_groups=bool(groups.strip()))
    if groups.strip() and step[0].editing:
        edited = _regroup(step[0].editing, _groups(groups), [])
        return finish_editing(replace(step[0], editing=edited))
    return step


def _layoff(table: Table, rest: str) -> Step:
    """`layoff`, `layoff 5h>a 6h>a`, `layoff 5h>a : 7c 7d 7s`."""
    if not table.choices.must_lay_off:
        raise MisreadError("not-now")
    if not rest:
        return table.cleared(), Do(actions.lay_off())
    laid, _, groups = rest.partition(":")
    moves = _moves(laid, len(table.view.showdown.knocker_melds))
    if not groups.strip():
        # Moves alone leave the melds of the rest to the table.
        return table.cleared(), Do(actions.lay_off((), moves))
    return table.cleared(), Do(actions.lay_off(_groups(groups), moves))


def _moves(text: str, melds: int) -> list[tuple[CardValue, int]]:
    moves = []
    for word in text.split():
        card, _, letter = word.partition(">")
        index = "abcdefgh".find(letter.lower()) if len(letter) == 1 else -1
        if not 0 <= index < melds:
            raise MisreadError("no-meld", text=word, letters=" ".join("abcdefgh"[:melds]))
        moves.append((_one(card), index))
    return moves


def _own(table: Table, rest: str) -> Step:
    if table.choices.must_lay_off:
        return edit_layoffs(table), None
    return try_knock(table, _one(rest) if rest else None, own_groups=True)


def _edit(table: Table, editing: Editing, line: Line) -> Step:
    if line.command == "yes" or not (line.command or line.rest):
        return finish_editing(table)
    if line.command == "no":
        return table.cleared(), None
    if line.command:
        raise MisreadError("groups-or-yes")
    laid, colon, groups = line.rest.rpartition(":")
    if ">" in groups and not colon:
        laid, groups = groups, ""
    moves = _moves(laid, len(editing.grouping.knockers))
    edited = _regroup(editing, _groups(groups), moves)
    return replace(table, editing=edited, notice=None), None


def _regroup(
    editing: Editing,
    groups: Sequence[Sequence[CardValue]],
    moves: Sequence[tuple[CardValue, int]],
) -> Editing:
    grouping = editing.grouping
    named = [card for group in groups for card in group] + [card for card, _ in moves]
    if lacking := [card for card in named if card not in grouping.cards]:
        raise MisreadError("card-not-in-groups", card=lacking[0])
    if twice := [card for card in named if named.count(card) > 1]:
        raise MisreadError("card-twice", card=twice[0])
    made = Grouping.proposed(grouping.cards, groups, grouping.knockers)
    for card, index in moves:
        made = made.put(card, -1 - index)
    return replace(editing, grouping=made)


def _sort(table: Table, rest: str) -> Step:
    """`sort` takes the next order, `sort suit` that one."""
    names = {
        words_for(language)(f"order-{order.value}"): order
        for language in LANGUAGES
        for order in Order
    }
    order = names.get(rest.lower()) if rest else table.order.next
    if order is None:
        raise MisreadError("no-order")
    return replace(table, order=order, notice=None), None


_RUN: dict[str, Callable[[Table, str], Step]] = {
    "stock": lambda t, _: _do(t, t.choices.can_draw, actions.draw_stock()),
    "take": lambda t, _: _do(t, t.choices.can_take, actions.draw_discard()),
    "pass": lambda t, _: _do(t, t.choices.can_pass, actions.pass_upcard()),
    "discard": lambda t, rest: try_discard(t, _one(rest)),
    "knock": _knock,
    "gin": lambda t, _: try_gin(t),
    "big-gin": lambda t, _: try_big_gin(t),
    "layoff": _layoff,
    "own": _own,
    "hint": lambda t, _: ask_hint(t),
    "sort": _sort,
    "help": lambda t, _: (replace(t, help=True), None),
    "table": lambda t, _: (t.cleared(), None),
    "resign": lambda t, _: (ask_resign(t), None),
    "quit": lambda t, _: (t, Leave.QUIT),
}
