"""Cards as people write them: `"AS"`, `"10h"`, `"T♥"`, and back.

A card is the enum `ginrummy.v1.Card`, which is an int; all functions here take and give that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from ginrummy.v1.cards_pb2 import Card

CardValue: TypeAlias = "Card.ValueType"
"""The type of `Card.CARD_AS` and its like."""

RANKS = "A23456789TJQK"
SUITS = "CDHS"
SUIT_SYMBOLS = "♣♦♥♠"

ALL_CARDS: tuple[CardValue, ...] = tuple(Card.values()[1:])
"""The 52 cards in the order in which the server lists them."""

_SUIT_OF_SYMBOL = str.maketrans(SUIT_SYMBOLS + "♧♢♡♤", SUITS + SUITS)


def parse_card(text: str) -> CardValue:
    """The card of `"AS"`, `"as"`, `"10S"`, `"TS"` or `"A♠"`.

    Raises ValueError, with what is allowed, for anything else.

    >>> parse_card("10s") == Card.CARD_TS
    True
    """
    name = text.strip().upper().translate(_SUIT_OF_SYMBOL)
    if name.startswith("10"):
        name = "T" + name[2:]
    if len(name) != 2 or name[0] not in RANKS or name[1] not in SUITS:
        raise ValueError(
            f"{text!r} is no card: a rank (A 2-10 J Q K) and a suit (C D H S), as in KS or 10H"
        )
    return ALL_CARDS[SUITS.index(name[1]) * 13 + RANKS.index(name[0])]


def parse_cards(text: str) -> list[CardValue]:
    """The cards of `"3C 4C 5C"`; spaces or commas between them.

    >>> card_names(parse_cards("3c, 4c 10c"))
    '3C 4C TC'
    """
    return [parse_card(word) for word in text.replace(",", " ").split()]


def to_card(card: str | CardValue) -> CardValue:
    """The card itself, or the one that the text names."""
    return parse_card(card) if isinstance(card, str) else card


def card_name(card: CardValue) -> str:
    """Rank and suit in two letters, `"TS"`.

    >>> card_name(Card.CARD_TS)
    'TS'
    """
    return RANKS[rank(card)] + SUITS[suit(card)]


def card_names(cards: Iterable[CardValue]) -> str:
    """The names with spaces between them; `parse_cards` reads it."""
    return " ".join(card_name(card) for card in cards)


def rank(card: CardValue) -> int:
    """0 for an ace to 12 for a king.

    >>> rank(Card.CARD_KD)
    12
    """
    return _bit(card) % 13


def suit(card: CardValue) -> int:
    """0 clubs, 1 diamonds, 2 hearts, 3 spades.

    >>> suit(Card.CARD_KD)
    1
    """
    return _bit(card) // 13


def points(card: CardValue) -> int:
    """What the card counts as deadwood: ace 1, two to ten by their pips, court cards 10.

    >>> points(Card.CARD_AH), points(Card.CARD_QH)
    (1, 10)
    """
    return min(rank(card) + 1, 10)


def _bit(card: CardValue) -> int:
    if not 1 <= card <= 52:
        raise ValueError(f"{card} is no card: cards are numbered 1 to 52")
    return card - 1
