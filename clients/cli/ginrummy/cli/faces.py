"""Cards as people write and read them.

On the wire a card is a number: suit * 13 + rank + 1, clubs, diamonds, hearts, spades, ace to king.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ginrummy.v1.cards_pb2 import MELD_KIND_RUN, MELD_KIND_SET, Card, MeldKind

LATIN_RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
RUSSIAN_RANKS = ("Т", "2", "3", "4", "5", "6", "7", "8", "9", "10", "В", "Д", "К")
SUITS = ("♣", "♦", "♥", "♠")
RED_SUITS = "♦♥"

# What may be typed, in either alphabet and either case. Cyrillic А, К, Т look like Latin letters.
_TYPED_RANKS = {
    **{text.lower(): rank for rank, text in enumerate(LATIN_RANKS)},
    **{text.lower(): rank for rank, text in enumerate(RUSSIAN_RANKS)},
    "1": 0,
    "а": 0,
    "t": 9,
}
_TYPED_SUITS = {
    letter: suit for suit, letters in enumerate(("c♣т", "d♦б", "h♥ч", "s♠п")) for letter in letters
}


def rank_of(card: int) -> int:
    """0 for an ace, 12 for a king."""
    return (card - 1) % 13


def suit_of(card: int) -> int:
    """0 clubs, 1 diamonds, 2 hearts, 3 spades."""
    return (card - 1) // 13


def points(card: int) -> int:
    """Deadwood points: an ace 1, court cards 10."""
    return min(rank_of(card) + 1, 10)


def card_at(rank: int, suit: int) -> Card.ValueType:
    return Card.ValueType(suit * 13 + rank + 1)


def typed_card(text: str) -> Card.ValueType | None:
    """The card that somebody typed, or nothing.

    >>> typed_card("10h") == typed_card("TH") == typed_card("10♥") == Card.CARD_TH
    True
    >>> typed_card("11h") is None
    True
    """
    text = text.strip().lower()
    rank, suit = _TYPED_RANKS.get(text[:-1]), _TYPED_SUITS.get(text[-1:])
    return None if rank is None or suit is None else card_at(rank, suit)


def meld_kind(cards: Iterable[int]) -> MeldKind.ValueType | None:
    """What the cards are together, or nothing."""
    cards = sorted(set(cards))
    ranks = {rank_of(card) for card in cards}
    if len(cards) < 3:
        return None
    if len(ranks) == 1:
        return MELD_KIND_SET
    in_a_row = cards[-1] - cards[0] == len(cards) - 1
    return MELD_KIND_RUN if in_a_row and len({suit_of(card) for card in cards}) == 1 else None


@dataclass(frozen=True)
class Faces:
    """How cards look to one reader."""

    ranks: Sequence[str] = LATIN_RANKS

    def rank(self, card: int) -> str:
        return self.ranks[rank_of(card)]

    def text(self, card: int) -> str:
        """`10♥`; `?` for a card that the viewer may not know."""
        return f"{self.rank(card)}{SUITS[suit_of(card)]}" if card else "?"

    def row(self, cards: Iterable[int]) -> str:
        return " ".join(self.text(card) for card in cards)

    def groups(self, melds: Iterable[Iterable[int]]) -> str:
        return " · ".join(self.row(meld) for meld in melds)


def faces_for(language: str, ruleset: str) -> Faces:
    """Russian players of `kawu` read Т В Д К, everybody else A J Q K."""
    russian = language == "ru" and ruleset.removeprefix("rulesets/") == "kawu"
    return Faces(RUSSIAN_RANKS if russian else LATIN_RANKS)
