"""The best defence against a knock: own melds and layoffs together, for the least deadwood.

What a defender is proposed to begin with. The server finds its own when nothing is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ginrummy.cli.faces import meld_kind, rank_of, suit_of
from ginrummy.cli.groups import Grouping
from ginrummy.client.cards import CardValue
from ginrummy.v1.cards_pb2 import MELD_KIND_RUN

Melds = list[list[CardValue]]


def best_defence(hand: Sequence[CardValue], knockers: Sequence[Sequence[CardValue]]) -> Grouping:
    """Least deadwood; among equals the fewest layoffs, then the smallest cards laid off."""
    found = (_defended(hand, melds, knockers) for melds in _arrangements(possible_melds(hand)))
    return min(found, key=_worth)


def _worth(grouping: Grouping) -> tuple[int, int, list[CardValue]]:
    moves = grouping.moves
    return grouping.deadwood_points, len(moves), sorted(card for card, _ in moves)


def possible_melds(hand: Sequence[CardValue]) -> Melds:
    """Every set and run that the cards hold."""
    found: Melds = []
    for rank in range(13):
        same = [card for card in sorted(hand) if rank_of(card) == rank]
        found += [list(cards) for size in (3, 4) for cards in combinations(same, size)]
    for suit in range(4):
        suited = [card for card in sorted(hand) if suit_of(card) == suit]
        parts = (suited[i:j] for i in range(len(suited)) for j in range(i + 3, len(suited) + 1))
        found += [cards for cards in parts if meld_kind(cards) == MELD_KIND_RUN]
    return found


def _arrangements(melds: Melds) -> Iterator[Melds]:
    """Every choice of melds that share no card; none at all, too."""
    yield []
    for at, meld in enumerate(melds):
        others = [other for other in melds[at + 1 :] if not set(other) & set(meld)]
        for rest in _arrangements(others):
            yield [meld, *rest]


def _defended(
    hand: Sequence[CardValue], melds: Melds, knockers: Sequence[Sequence[CardValue]]
) -> Grouping:
    """With these melds, all else laid off that fits. Runs come first: they grow."""
    grouping = Grouping.proposed(hand, sorted(melds), knockers)
    onto = [list(meld) for meld in knockers]
    in_order = sorted(range(len(onto)), key=lambda index: meld_kind(onto[index]) != MELD_KIND_RUN)
    for index in in_order:
        while True:
            fitting = (card for card in grouping.deadwood if meld_kind([*onto[index], card]))
            card = next(fitting, None)
            if card is None:
                break
            onto[index].append(card)
            grouping = grouping.put(card, -1 - index)
    return grouping
