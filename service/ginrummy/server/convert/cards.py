"""Cards and melds."""

from collections.abc import Sequence

from ginrummy.engine.types import Card
from ginrummy.server.refusals import BadCard, BadField
from ginrummy.v1 import cards_pb2 as pb

NAMES: dict[int, Card] = {
    number: name.removeprefix("CARD_") for name, number in pb.Card.items() if number
}
"""`CARD_AS` is `"AS"`."""
NUMBERS = {name: pb.Card.Value(f"CARD_{name}") for name in NAMES.values()}
"""`"AS"` is `CARD_AS`."""

MOST_CARDS = 11
"""More are in nobody's hand."""


def card_from_wire(number: int, path: str) -> Card:
    """The card's name. Raises BadCard."""
    name = NAMES.get(number)
    if name is None:
        raise BadCard(path, "a card is required" if number == 0 else f"there is no card {number}")
    return name


def cards_from_wire(numbers: Sequence[int], path: str) -> list[Card]:
    """Different cards in their order. Raises BadCard."""
    read: list[Card] = []
    # A doubled card ends the loop: there are 52.
    for i, number in enumerate(numbers):
        card = card_from_wire(number, f"{path}[{i}]")
        if card in read:
            raise BadCard(f"{path}[{i}]", f"{card} is there twice")
        read.append(card)
    return read


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
