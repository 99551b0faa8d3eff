"""Intervals: against other ways to find them, and how often they hold what is true."""

from itertools import product
from math import comb, exp, lgamma, log, pi, sqrt
from random import Random
from statistics import mean, stdev

import pytest

from ginrummy.simulations.estimates import (
    FEWEST_DEALS,
    rate_of_duplicates,
    rate_of_matches,
    ratio,
    student,
)

Z = 1.96


def ends_by_search(wins: float, matches: int) -> tuple[float, float]:
    """The rates at which so many wins are just 1.96 standard errors away: Wilson's definition."""

    def distance(rate: float) -> float:
        return abs(wins / matches - rate) - Z * sqrt(rate * (1 - rate) / matches)

    def between(near: float, far: float) -> float:
        for _ in range(100):
            middle = (near + far) / 2
            near, far = (middle, far) if distance(middle) < 0 else (near, middle)
        return near

    inside = min(max(wins / matches, 1e-12), 1 - 1e-12)
    return between(inside, 0.0), between(inside, 1.0)


@pytest.mark.parametrize(("wins", "matches"), [(0, 7), (7, 7), (1, 2), (31, 100), (5004.5, 10_000)])
def test_the_ends_of_single_matches_are_just_1_96_errors_away(wins: float, matches: int) -> None:
    value, low, high = rate_of_matches(wins, matches)
    assert value == wins / matches
    assert (low, high) == pytest.approx(ends_by_search(wins, matches), abs=1e-4)


def duplicates(both: int, none: int, level: int) -> tuple[float, float, float]:
    deals = both + none + level
    estimate = rate_of_duplicates(2 * (both - none), 4 * (both + none), deals)
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.value, estimate.low, estimate.high


@pytest.mark.parametrize(("both", "none", "level"), [(7, 3, 30), (0, 0, 50), (12, 0, 0), (1, 2, 3)])
def test_the_interval_of_duplicates_is_that_of_two_more_deals(
    both: int, none: int, level: int
) -> None:
    observed = [1.0] * (both + 1) + [-1.0] * (none + 1) + [0.0] * level
    n = len(observed)
    spread = Z * stdev(observed) * sqrt((n - 1) / n) / sqrt(n)
    value, low, high = duplicates(both, none, level)
    assert value == pytest.approx((both + level / 2) / (both + none + level))
    assert low == pytest.approx(max((1 + mean(observed) - spread) / 2, 0), abs=1e-4)
    assert high == pytest.approx(min((1 + mean(observed) + spread) / 2, 1), abs=1e-4)


@pytest.mark.parametrize("deals", [20, 60])
@pytest.mark.parametrize("chances", [(0.2, 0.1), (0.05, 0.05), (0.4, 0.35), (0.01, 0.0)])
def test_an_interval_of_duplicates_holds_the_truth_as_often_as_it_says(
    chances: tuple[float, float], deals: int
) -> None:
    """By the chance of every outcome, summed up."""
    win_both, lose_both = chances
    truth = (1 + win_both - lose_both) / 2
    held = 0.0
    for both, none in product(range(deals + 1), repeat=2):
        level = deals - both - none
        if level < 0:
            continue
        ways = comb(deals, both) * comb(deals - both, none)
        chance = ways * win_both**both * lose_both**none * (1 - win_both - lose_both) ** level
        _, low, high = duplicates(both, none, level)
        if low <= truth <= high:
            held += chance
    assert held > 0.93


@pytest.mark.parametrize("freedom", [9, 20, 100, 10_000])
def test_students_factor_leaves_a_twentieth_outside(freedom: int) -> None:
    """The density, summed up from 0 to the factor."""
    scale = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * pi) / 2)
    steps = 20_000
    width = student(freedom) / steps
    middles = ((i + 0.5) * width for i in range(steps))
    half = sum(scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2) for x in middles) * width
    assert 2 * half == pytest.approx(0.95, abs=2e-4)


def of_deals(above: list[int], below: list[int]) -> tuple[float, float | None, float | None]:
    return ratio(
        (sum(above), sum(below)),
        (sum(x * x for x in above), sum(x * x for x in below)),
        sum(x * y for x, y in zip(above, below, strict=True)),
        len(above),
    )


def test_a_ratio_to_a_constant_has_the_error_of_a_mean() -> None:
    above = [3, -10, 4, 0, 25, 7, 7, -8, 1, 12]
    value, low, high = of_deals(above, [2] * 10)
    spread = 2.2622 * stdev(above) / sqrt(10) / 2  # Student's factor for nine, from a table
    assert value == pytest.approx(mean(above) / 2)
    assert (low, high) == pytest.approx((value - spread, value + spread), abs=1e-3)


def test_a_ratio_holds_the_truth_as_often_as_it_says() -> None:
    dice = Random(5)
    held = 0
    for _ in range(1000):
        hands = [dice.randint(5, 15) for _ in range(60)]
        points = [sum(round(dice.gauss(2, 20)) for _ in range(n)) for n in hands]
        _, low, high = of_deals(points, hands)
        assert low is not None
        assert high is not None
        held += low <= 2 <= high
    assert 930 <= held <= 975


def test_few_deals_tell_no_error() -> None:
    above = list(range(FEWEST_DEALS))
    assert of_deals(above[1:], [1] * 9) == (5, None, None)
    assert of_deals(above, [1] * 10)[1] is not None


def test_nothing_played_has_no_interval() -> None:
    assert rate_of_matches(0, 0) == rate_of_duplicates(0, 0, 0) == ratio((0, 0), (0, 0), 0, 0)
    assert rate_of_matches(0, 0).low is None
