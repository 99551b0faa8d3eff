"""What has been played, in figures: each pair's matches, and each entrant's."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ginrummy.engine.types import HandEnds, TallyCounts
from ginrummy.simulations.estimates import (
    Estimate,
    rate_of_duplicates,
    rate_of_matches,
    ratio,
)
from ginrummy.simulations.spec import Spec


@dataclass(slots=True)
class Sums:
    """Numbers over deals, of one side: its own less the other's."""

    deals: int = 0
    matches: int = 0
    wins: int = 0
    losses: int = 0
    unfinished: int = 0
    hands: int = 0
    total: int = 0
    points: int = 0
    win_squares: int = 0
    total_squares: int = 0
    point_squares: int = 0
    hand_squares: int = 0
    points_times_hands: int = 0

    def add(self, counts: TallyCounts, *, is_first: bool) -> None:
        """Adds a pair's deals, as one of the two sees them."""
        own, other = (0, 1) if is_first else (1, 0)
        sign = 1 if is_first else -1
        self.deals += counts["deals"]
        self.matches += counts["matches"]
        self.wins += counts["wins"][own]
        self.losses += counts["wins"][other]
        self.unfinished += counts["unfinished"]
        self.hands += counts["hands"]
        self.total += counts["totals"][own] - counts["totals"][other]
        self.points += sign * sum(points * n for points, n in counts["hand_points"].items())
        self.win_squares += counts["win_squares"]
        self.total_squares += counts["total_squares"]
        self.point_squares += counts["point_squares"]
        self.hand_squares += counts["hand_squares"]
        self.points_times_hands += sign * counts["points_times_hands"]

    def win_rate(self, *, single_deals: bool) -> Estimate:
        """How often it wins; a match that did not end counts half."""
        if single_deals:
            return rate_of_matches(self.wins + self.unfinished / 2, self.matches)
        return rate_of_duplicates(self.wins - self.losses, self.win_squares, self.deals)

    def total_difference(self) -> Estimate:
        """Final totals, for each match."""
        return self._per_match(self.total, self.total_squares)

    def hands_per_match(self) -> Estimate:
        """Dead hands too."""
        return self._per_match(self.hands, self.hand_squares)

    def _per_match(self, total: int, squares: int) -> Estimate:
        """Every deal has as many matches as any other."""
        per_deal = self.matches // max(self.deals, 1)
        of_matches = per_deal * per_deal * self.deals
        return ratio((total, self.matches), (squares, of_matches), per_deal * total, self.deals)

    def points_per_hand(self) -> Estimate:
        """Hand points, for each hand."""
        return ratio(
            (self.points, self.hands),
            (self.point_squares, self.hand_squares),
            self.points_times_hands,
            self.deals,
        )


@dataclass(frozen=True, slots=True)
class PairFigures:
    """The matches of two entrants; differences are the first one's less the second's."""

    first: int
    second: int
    sums: Sums
    win_rate: Estimate
    total_difference: Estimate
    points_per_hand: Estimate
    hands_per_match: Estimate
    ends: Sequence[HandEnds]
    dead_hands: int
    tied_hands: int
    hand_points: Sequence[tuple[int, int]]
    """Each difference of a hand's points, and how many hands had it."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One entrant's matches against all others."""

    label: str
    sums: Sums
    win_rate: Estimate
    points_per_hand: Estimate


@dataclass(frozen=True, slots=True)
class Figures:
    """All that has been played."""

    matches: int
    standings: Sequence[Standing] = field(default_factory=tuple)
    pairs: Sequence[PairFigures] = field(default_factory=tuple)


def figures_of(spec: Spec, tallies: Sequence[TallyCounts]) -> Figures:
    """The figures of the pairs' tallies, which come in the order of the pairs."""
    entrants = [Sums() for _ in spec.entrants]
    pairs = []
    for (first, second), counts in zip(spec.pairs, tallies, strict=True):
        entrants[first].add(counts, is_first=True)
        entrants[second].add(counts, is_first=False)
        pairs.append(_pair(first, second, counts, spec))
    return Figures(
        matches=sum(pair.sums.matches for pair in pairs),
        standings=[
            Standing(
                who.label,
                sums,
                sums.win_rate(single_deals=spec.single_deals),
                sums.points_per_hand(),
            )
            for who, sums in zip(spec.entrants, entrants, strict=True)
        ],
        pairs=pairs,
    )


def _pair(first: int, second: int, counts: TallyCounts, spec: Spec) -> PairFigures:
    sums = Sums()
    sums.add(counts, is_first=True)
    return PairFigures(
        first=first,
        second=second,
        sums=sums,
        win_rate=sums.win_rate(single_deals=spec.single_deals),
        total_difference=sums.total_difference(),
        points_per_hand=sums.points_per_hand(),
        hands_per_match=sums.hands_per_match(),
        ends=counts["ends"],
        dead_hands=counts["dead_hands"],
        tied_hands=counts["tied_hands"],
        hand_points=sorted(counts["hand_points"].items()),
    )
