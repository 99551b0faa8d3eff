"""Cards put into groups by hand: a declared knock, or a defender's melds and layoffs.

The server judges; this only shows at once what would be refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ginrummy.cli.faces import meld_kind, points
from ginrummy.client.cards import CardValue


@dataclass(frozen=True)
class Grouping:
    """Where each card goes: 1, 2, 3, ... an own group; -1, -2, ... onto a meld of the knocker's."""

    cards: tuple[CardValue, ...]
    places: Mapping[CardValue, int] = field(default_factory=dict)
    """By card; a card without a place is deadwood."""
    knockers: tuple[tuple[CardValue, ...], ...] = ()
    """The knocker's melds, where cards may be laid off."""

    @classmethod
    def proposed(
        cls,
        cards: Sequence[CardValue],
        groups: Sequence[Sequence[CardValue]],
        knockers: Sequence[Sequence[CardValue]] = (),
    ) -> Grouping:
        places = {card: n for n, group in enumerate(groups, start=1) for card in group}
        rest = sorted(set(cards) - set(places), key=lambda card: (points(card), card))
        in_order = (*(card for group in groups for card in group), *rest)
        return cls(in_order, places, tuple(tuple(meld) for meld in knockers))

    def put(self, card: CardValue, place: int) -> Grouping:
        """Moves a card; 0 = to the deadwood."""
        places = {c: p for c, p in self.places.items() if c != card}
        if place:
            places[card] = place
        return replace(self, places=places)

    @property
    def groups(self) -> list[tuple[int, list[CardValue]]]:
        """The own groups with their numbers."""
        numbers = sorted({place for place in self.places.values() if place > 0})
        return [(n, sorted(c for c in self.cards if self.places.get(c) == n)) for n in numbers]

    @property
    def melds(self) -> list[list[CardValue]]:
        return [cards for _, cards in self.groups]

    @property
    def bad_groups(self) -> list[int]:
        """The numbers of groups that are no melds."""
        return [number for number, cards in self.groups if meld_kind(cards) is None]

    @property
    def deadwood(self) -> list[CardValue]:
        return [card for card in self.cards if card not in self.places]

    @property
    def deadwood_points(self) -> int:
        """Of the deadwood, and of cards in groups that are no melds or where they do not fit."""
        bad = self.bad_groups
        unmelded = [card for card in self.cards if self.places.get(card) in bad]
        return sum(points(card) for card in (*self.deadwood, *unmelded, *self.misfits))

    def laid_on(self, index: int) -> list[CardValue]:
        """The cards meant for a meld of the knocker's."""
        return [card for card in self.cards if self.places.get(card) == -1 - index]

    @property
    def moves(self) -> list[tuple[CardValue, int]]:
        """The layoffs in an order in which each fits the meld as it then is."""
        return [move for moves, _ in self._laid() for move in moves]

    @property
    def misfits(self) -> list[CardValue]:
        """Cards that fit the knocker's meld in no order."""
        return [card for _, misfits in self._laid() for card in misfits]

    def _laid(self) -> list[tuple[list[tuple[CardValue, int]], list[CardValue]]]:
        return [
            _in_order(list(meld), self.laid_on(index), index)
            for index, meld in enumerate(self.knockers)
        ]


def _in_order(
    meld: list[CardValue], cards: list[CardValue], index: int
) -> tuple[list[tuple[CardValue, int]], list[CardValue]]:
    moves: list[tuple[CardValue, int]] = []
    left = list(cards)
    while True:
        fitting = next((card for card in left if meld_kind([*meld, card])), None)
        if fitting is None:
            return moves, left
        left.remove(fitting)
        meld = [*meld, fitting]
        moves.append((fitting, index))
