"""Which cards of a hand are in melds: enough to play legal hands, quickly and without a server.

A hand is a mask: bit n is the card with the number n + 1 in `enum Card`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, product
from typing import NamedTuple

SUITS = 4
RANKS = 13
SUIT_MASK = (1 << RANKS) - 1
POINTS = tuple(min(rank + 1, 10) for rank in range(RANKS)) * SUITS
RANK_MASKS = tuple(
    sum(1 << (suit * RANKS + rank) for suit in range(SUITS)) for rank in range(RANKS)
)


class Arrangement(NamedTuple):
    """Melds and what is left, as masks."""

    melds: tuple[int, ...]
    rest: int
    deadwood: int
    """Points of the rest."""


def mask_of(cards: Iterable[int]) -> int:
    """The mask of these cards."""
    mask = 0
    for card in cards:
        mask |= 1 << (card - 1)
    return mask


def cards_of(mask: int) -> list[int]:
    """The cards of a mask, in order."""
    return [bit + 1 for bit in _bits(mask)]


def points_of(mask: int) -> int:
    """The points of these cards."""
    return sum(POINTS[bit] for bit in _bits(mask))


def arrange(hand: int) -> Arrangement:
    """An arrangement of least deadwood.

    >>> arrange(mask_of([1, 2, 3, 20])).deadwood  # AC 2C 3C 7D
    7
    """
    best_points = -1
    best_melds: tuple[int, ...] = ()
    for sets in _set_choices(hand):
        left = hand
        for meld in sets:
            left &= ~meld
        melds = [*sets]
        points = sum(map(points_of, sets))
        for suit in range(SUITS):
            worth, runs = _runs(left >> (suit * RANKS) & SUIT_MASK)
            points += worth
            melds += [run << (suit * RANKS) for run in runs]
        if points > best_points:
            best_points, best_melds = points, tuple(melds)
    rest = hand
    for meld in best_melds:
        rest &= ~meld
    return Arrangement(best_melds, rest, points_of(rest))


def _set_choices(hand: int) -> Iterator[tuple[int, ...]]:
    """Every choice of sets: for each rank none, or three or four of its cards."""
    choices = []
    for mask in RANK_MASKS:
        held = hand & mask
        if held.bit_count() >= 3:
            choices.append([0, *_sets_in(held)])
    for chosen in product(*choices):
        yield tuple(meld for meld in chosen if meld)


@cache
def _sets_in(held: int) -> tuple[int, ...]:
    bits = [1 << bit for bit in _bits(held)]
    threes = [sum(three) for three in combinations(bits, 3)]
    return (*threes, held) if len(bits) == 4 else tuple(threes)


@cache
def _runs(ranks: int) -> tuple[int, tuple[int, ...]]:
    """The most points in runs of one suit, and these runs."""
    if not ranks:
        return 0, ()
    low = ranks & -ranks
    best = _runs(ranks ^ low)
    run, worth, card = 0, 0, low
    while card & ranks:
        run |= card
        worth += POINTS[card.bit_length() - 1]
        if run.bit_count() >= 3:
            others = _runs(ranks & ~run)
            if worth + others[0] > best[0]:
                best = worth + others[0], (run, *others[1])
        card <<= 1
    return best


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
