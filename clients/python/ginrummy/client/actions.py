"""Short ways to write an action; cards as enum values or as text.

`View.legal_actions` holds the legal ones ready-made. These are for actions that a person chooses.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from ginrummy.client.cards import CardValue, parse_cards, to_card
from ginrummy.v1.action_pb2 import (
    Action,
    BigGin,
    Discard,
    Draw,
    Knock,
    LayOff,
    LayoffMove,
    Pile,
)
from ginrummy.v1.cards_pb2 import Meld

MeldLike: TypeAlias = "Meld | str | Iterable[str | CardValue]"
"""A meld as a message, as text `"3C 4C 5C"`, or as its cards."""


def pass_upcard() -> Action:
    """Refuses an offered upcard, or the wall's last chance."""
    action = Action()
    # `pass` is a word of Python.
    getattr(action, "pass").SetInParent()
    return action


def draw_stock() -> Action:
    """Takes the top card of the stock."""
    return Action(draw=Draw(pile=Pile.PILE_STOCK))


def draw_discard() -> Action:
    """Takes the top card of the discard pile: the upcard, too."""
    return Action(draw=Draw(pile=Pile.PILE_DISCARD))


def discard(card: str | CardValue) -> Action:
    """Puts a card on the pile and ends the turn."""
    return Action(discard=Discard(card=to_card(card)))


def knock(card: str | CardValue, melds: Iterable[MeldLike] = ()) -> Action:
    """Puts `card` down and ends the hand; gin when the other ten leave no deadwood.

    Without melds the engine arranges the hand, where the rules let it.

    >>> knock("KS", ["3C 4C 5C"]).knock.melds[0].cards == [3, 4, 5]
    True
    """
    return Action(knock=Knock(discard=to_card(card), melds=map(meld, melds)))


def big_gin(melds: Iterable[MeldLike] = ()) -> Action:
    """Declares all eleven cards in melds, without a discard."""
    return Action(big_gin=BigGin(melds=map(meld, melds)))


def lay_off(
    melds: Iterable[MeldLike] = (), moves: Iterable[tuple[str | CardValue, int]] = ()
) -> Action:
    """The defender's own melds, and his layoffs as (card, index of the knocker's meld).

    Empty: the best melds and layoffs, found by the engine.
    """
    return Action(
        lay_off=LayOff(
            melds=map(meld, melds),
            moves=[LayoffMove(card=to_card(card), meld_index=index) for card, index in moves],
        )
    )


def meld(cards: MeldLike) -> Meld:
    """A meld of these cards; the server finds out whether it is a set or a run."""
    if isinstance(cards, Meld):
        return cards
    if isinstance(cards, str):
        return Meld(cards=parse_cards(cards))
    return Meld(cards=[to_card(card) for card in cards])
