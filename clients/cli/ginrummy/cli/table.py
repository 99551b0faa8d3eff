"""The player's side of the table: what is chosen, asked and shown. Pure; screens draw it, keys and
typed lines change it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeAlias

from ginrummy.cli.choices import Choices, choices_of, groups_of
from ginrummy.cli.defence import best_defence
from ginrummy.cli.faces import meld_kind, points, rank_of, suit_of
from ginrummy.cli.groups import Grouping
from ginrummy.client import actions
from ginrummy.client.cards import CardValue
from ginrummy.v1.action_pb2 import Action
from ginrummy.v1.analysis_service_pb2 import Suggestion
from ginrummy.v1.match_pb2 import Match
from ginrummy.v1.rules_pb2 import MELD_CHOICE_AUTO, MELD_CHOICE_DECLARED, MeldChoice
from ginrummy.v1.view_pb2 import View


class Order(Enum):
    """How the own hand is sorted."""

    MELDS = "melds"
    SUIT = "suit"
    RANK = "rank"

    @property
    def next(self) -> Order:
        orders = list(Order)
        return orders[(orders.index(self) + 1) % len(orders)]


@dataclass(frozen=True)
class Do:
    """Send this action."""

    action: Action


class Hint(Enum):
    """Ask the server what to do."""

    ASK = "ask"


class Leave(Enum):
    """CommandError playing here."""

    QUIT = "quit"
    RESIGN = "resign"


Effect: TypeAlias = Do | Hint | Leave


@dataclass(frozen=True)
class Notice:
    """A message of the catalog, to be said once."""

    message: str
    values: dict[str, str | int] = field(default_factory=dict)
    good: bool = False


@dataclass(frozen=True)
class Ask:
    """A question to be answered with yes or no."""

    notice: Notice
    effect: Effect


@dataclass(frozen=True)
class Editing:
    """Groups being made, for a knock with a card, a big gin, or the defence."""

    kind: str
    """`knock`, `big_gin` or `lay_off`."""
    grouping: Grouping
    proposal: Grouping
    card: CardValue | None = None


@dataclass(frozen=True)
class Table:
    view: View
    choices: Choices
    knocker_melds: MeldChoice.ValueType = MELD_CHOICE_AUTO
    order: Order = Order.MELDS
    cursor: int = 0
    chosen: CardValue | None = None
    hint: bool = False
    """Advice is shown."""
    advice: tuple[Suggestion, ...] = ()
    """The server's, best first; without it the view's own hint is what there is."""
    help: bool = False
    notice: Notice | None = None
    ask: Ask | None = None
    editing: Editing | None = None
    lost: bool = False
    """The server is away."""

    @property
    def declared(self) -> bool:
        """The player makes the groups himself, and confirms what he does."""
        return self.knocker_melds == MELD_CHOICE_DECLARED

    @property
    def may_group(self) -> bool:
        return self.knocker_melds != MELD_CHOICE_AUTO

    @property
    def groups(self) -> list[list[CardValue]]:
        """The hand as it is shown: melds, then deadwood; or suits; or ranks."""
        return arranged(self.view, self.order)

    @property
    def cards(self) -> list[CardValue]:
        return [card for group in self.groups for card in group]

    @property
    def under_cursor(self) -> CardValue | None:
        cards = self.editing.grouping.cards if self.editing else self.cards
        return cards[self.cursor % len(cards)] if cards else None

    def said(self, message: str, good: bool = False, **values: str | int) -> Table:
        return replace(self, notice=Notice(message, values, good))

    def cleared(self) -> Table:
        """Nothing chosen, asked or edited."""
        return replace(self, chosen=None, ask=None, editing=None, notice=None, help=False)

    def advised(self, advice: Iterable[Suggestion]) -> Table:
        """With what the server suggests; an older one suggests nothing, but its views may."""
        advice = tuple(advice)
        if not advice and not self.choices.hint:
            return self.said("hint-later")
        return replace(self, hint=True, advice=advice, notice=None)

    def seen(self, view: View) -> Table:
        """The table after something happened. The cursor lies on a card just drawn."""
        table = replace(self, view=view, choices=choices_of(view), hint=False, advice=())
        table = table.cleared()
        cards = table.cards
        if not table.choices.discards:
            return replace(table, cursor=0)
        if view.last_drawn in cards and view.last_drawn in table.choices.discards:
            return replace(table, cursor=cards.index(view.last_drawn))
        # The dearest card, but never the one that has to stay.
        may_go = [at for at, card in enumerate(cards) if card in table.choices.discards]
        return replace(table, cursor=may_go[-1] if may_go else 0)


def table_for(match: Match, view: View) -> Table:
    rules = match.effective_rules
    return Table(view, Choices(), rules.knocker_melds or MELD_CHOICE_AUTO).seen(view)


def arranged(view: View, order: Order) -> list[list[CardValue]]:
    hand = list(view.own_hand)
    if order is Order.SUIT:
        suits = ([card for card in hand if suit_of(card) == suit] for suit in range(4))
        return [cards for cards in suits if cards]
    if order is Order.RANK:
        return [sorted(hand, key=lambda card: (rank_of(card), card))] if hand else []
    arrangement = view.own_arrangement
    deadwood = sorted(arrangement.deadwood, key=lambda card: (points(card), rank_of(card), card))
    groups = [*(list(meld.cards) for meld in arrangement.melds), deadwood]
    return [group for group in groups if group]


# ------------------------------------------------------------------ moves, from keys or typed lines


def try_discard(table: Table, card: CardValue) -> tuple[Table, Effect | None]:
    """Discards, after a question where discards are confirmed."""
    if card not in table.choices.discards:
        return table.said(_why_not(table, card)), None
    action = Do(actions.discard(card))
    if table.declared:
        notice = Notice("ask-discard", {"card": card})
        return replace(table.cleared(), chosen=card, ask=Ask(notice, action)), None
    return table.cleared(), action


def try_knock(
    table: Table, card: CardValue | None = None, own_groups: bool = False
) -> tuple[Table, Effect | None]:
    """Knocks with a card, or with the best one. Declared melds are looked over first."""
    choices = table.choices
    card = card or choices.best_knock
    if card is None:
        limit = table.view.knock_limit
        return table.said(
            "no-knock", left=table.view.discard_options.best_deadwood, limit=limit
        ), None
    if card not in choices.knocks:
        return table.said("no-knock-with", card=card), None
    proposed = choices.knocks[card]
    if not (table.declared or own_groups):
        return table.cleared(), Do(proposed)
    hand = [held for held in table.view.own_hand if held != card]
    groups = groups_of(proposed) or _melds_without(table.view, card)
    return _edit(table, "knock", Grouping.proposed(hand, groups), card), None


def try_gin(table: Table) -> tuple[Table, Effect | None]:
    gin = next((card for card in table.choices.knocks if table.choices.is_gin(card)), None)
    return try_knock(table, gin) if gin else (table.said("no-gin"), None)


def try_big_gin(table: Table) -> tuple[Table, Effect | None]:
    proposed = table.choices.big_gin
    if proposed is None:
        return table.said("no-big-gin"), None
    if not table.declared:
        return table.cleared(), Do(proposed)
    groups = groups_of(proposed) or [list(m.cards) for m in table.view.own_arrangement.melds]
    return _edit(table, "big_gin", Grouping.proposed(list(table.view.own_hand), groups)), None


def edit_layoffs(table: Table) -> Table:
    """Begins with the best defence."""
    knockers = [list(meld.cards) for meld in table.view.showdown.knocker_melds]
    return _edit(table, "lay_off", best_defence(list(table.view.own_hand), knockers))


def _edit(table: Table, kind: str, grouping: Grouping, card: CardValue | None = None) -> Table:
    editing = Editing(kind, grouping, grouping, card)
    return replace(table.cleared(), chosen=card, cursor=0, editing=editing)


def finish_editing(table: Table) -> tuple[Table, Effect | None]:
    """Sends the groups, or says what is wrong with them."""
    editing = table.editing
    if editing is None:
        return table, None
    grouping = editing.grouping
    if grouping.bad_groups:
        return table.said("bad-group", number=grouping.bad_groups[0]), None
    if grouping.misfits:
        return table.said("does-not-fit", card=grouping.misfits[0]), None
    if editing.kind == "lay_off":
        return table.cleared(), Do(actions.lay_off(grouping.melds, grouping.moves))
    if editing.kind == "big_gin":
        if grouping.deadwood:
            return table.said("not-all-melded", left=grouping.deadwood_points), None
        return table.cleared(), Do(actions.big_gin(grouping.melds))
    limit = table.view.knock_limit
    if grouping.deadwood_points > limit or editing.card is None:
        return table.said("over-limit", left=grouping.deadwood_points, limit=limit), None
    return table.cleared(), Do(actions.knock(editing.card, grouping.melds))


def ask_hint(table: Table) -> tuple[Table, Effect | None]:
    """Shows advice; it is asked for once in each position."""
    if not table.view.hints_allowed:
        return table.said("no-hints-here"), None
    if not table.view.legal_actions:
        return table.said("hint-not-now"), None
    if table.advice:
        return replace(table, hint=True, notice=None), None
    return replace(table, notice=None), Hint.ASK


def ask_resign(table: Table) -> Table:
    return replace(table.cleared(), ask=Ask(Notice("ask-resign"), Leave.RESIGN))


def _melds_without(view: View, card: CardValue) -> list[list[CardValue]]:
    """What is left of the hand's melds when a card has gone."""
    left = ([held for held in meld.cards if held != card] for meld in view.own_arrangement.melds)
    return [cards for cards in left if meld_kind(cards)]


def _why_not(table: Table, card: CardValue) -> str:
    if not table.choices.discards:
        return "not-now"
    return "card-just-taken" if card == table.view.barred_discard else "card-not-held"
