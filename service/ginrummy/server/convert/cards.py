"""Cards, melds and arrangements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from ginrummy.engine.types import Arrangement, Card
from ginrummy.server.refusals import BadCard, BadField
from ginrummy.v1 import cards_pb2 as pb

CardNumber: TypeAlias = "pb.Card.ValueType"

NUMBERS: dict[Card, CardNumber] = {
    name.removeprefix("CARD_"): pb.Card.Value(name)
    for name in pb.Card.keys()  # noqa: SIM118 - a wrapper, not a dictionary
    if pb.Card.Value(name)
}
"""`"AS"` is `CARD_AS`."""
NAMES: dict[int, Card] = {number: name for name, number in NUMBERS.items()}

MOST_CARDS = 11
"""More are in nobody's hand."""


def card_to_wire(card: Card | None) -> CardNumber | None:
    """The card, or None for one that is not shown."""
    return None if card is None else NUMBERS[card]


def cards_to_wire(cards: Iterable[Card]) -> list[CardNumber]:
    """Cards in the order given."""
    return [NUMBERS[card] for card in cards]


def card_from_wire(number: int, path: str) -> Card:
    """The card's name. Raises BadCard."""
    name = NAMES.get(number)
    if name is None:
        raise BadCard(path, "a card is required" if number == 0 else f"there is no card {number}")
    return name


def meld_to_wire(cards: Sequence[Card]) -> pb.Meld:
    """A meld with what it is made of."""
    is_set = cards[0][0] == cards[1][0]
    kind = pb.MELD_KIND_SET if is_set else pb.MELD_KIND_RUN
    return pb.Meld(kind=kind, cards=cards_to_wire(cards))


def melds_to_wire(melds: Iterable[Sequence[Card]]) -> list[pb.Meld]:
    """Melds in the order given."""
    return [meld_to_wire(meld) for meld in melds]


def melds_from_wire(melds: Sequence[pb.Meld], path: str) -> list[list[Card]]:
    """The cards of each meld; whether they are melds is for the engine to say."""
    # The melds first: counting the cards of as many as a request can hold takes long.
    if len(melds) > MOST_CARDS or sum(len(meld.cards) for meld in melds) > MOST_CARDS:
        raise BadField(path, f"melds hold at most {MOST_CARDS} cards together")
    read = []
    for i, meld in enumerate(melds):
        if not meld.cards:
            raise BadField(f"{path}[{i}].cards", "a meld holds three cards or more")
        at = f"{path}[{i}].cards"
        cards = [card_from_wire(card, f"{at}[{j}]") for j, card in enumerate(meld.cards)]
        if len(set(cards)) < len(cards):
            raise BadCard(at, "a card is there twice")
        read.append(cards)
    return read


def arrangement_to_wire(arrangement: Arrangement) -> pb.Arrangement:
    """A hand sorted into melds and deadwood."""
    return pb.Arrangement(
        melds=melds_to_wire(arrangement["melds"]),
        deadwood=cards_to_wire(arrangement["deadwood"]),
        deadwood_points=arrangement["deadwood_points"],
    )
