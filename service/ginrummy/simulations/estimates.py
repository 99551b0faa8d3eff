"""How well a figure is known: 95 % intervals from the whole numbers of a tally.

One deal is one observation. Its two matches, seats exchanged, share their cards, and the hands of a
match are played for the same target, so that neither is independent of the other.
"""

from math import sqrt
from typing import NamedTuple

Z = 1.959963984540054
"""Between -Z and Z lies 95 % of the normal distribution."""
FEWEST_DEALS = 10
"""A mean of fewer observations of any shape says too little about its own error."""


class Estimate(NamedTuple):
    """A figure with the ends of its interval, where there are enough deals for one."""

    value: float
    low: float | None = None
    high: float | None = None


NOTHING = Estimate(0.0)
"""Of nothing that was played."""


def rate_of_matches(wins: float, matches: int) -> Estimate:
    """How often matches are won that share no deal: Wilson's interval."""
    if not matches:
        return NOTHING
    rate = wins / matches
    spread = Z * sqrt(rate * (1 - rate) / matches + Z * Z / (4 * matches * matches))
    centre, scale = rate + Z * Z / (2 * matches), 1 + Z * Z / matches
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return Estimate(rate, max(low, 0.0), min(high, 1.0))


def rate_of_duplicates(surplus: int, squares: int, deals: int) -> Estimate:
    """How often matches are won of deals played twice, from the wins less the losses of each.

    The interval of Bonett and Price (2012) for the difference of two proportions of paired
    observations: as if one more deal had been won twice, and one lost twice. It holds for few
    deals too, and for such that all came out the same.
    """
    if not deals:
        return NOTHING
    mean = surplus / 2 / (deals + 2)
    variance = (squares / 4 + 2) / (deals + 2) - mean * mean
    spread = Z * sqrt(variance / (deals + 2))
    low, high = (1 + mean - spread) / 2, (1 + mean + spread) / 2
    return Estimate((1 + surplus / 2 / deals) / 2, max(low, 0.0), min(high, 1.0))


def ratio(sums: tuple[int, int], squares: tuple[int, int], products: int, deals: int) -> Estimate:
    """One sum for each unit of another, as points for each hand.

    Its error is taken from the deals: how far each deal's first number is from the ratio times its
    second, squared and added up (the ratio estimator of survey sampling).
    """
    above, below = sums
    if not below:
        return NOTHING
    value = above / below
    if deals < FEWEST_DEALS:
        return Estimate(value)
    residues = squares[0] - 2 * value * products + value * value * squares[1]
    spread = student(deals - 1) * sqrt(max(residues, 0.0) * deals / (deals - 1)) / below
    return Estimate(value, value - spread, value + spread)


def student(freedom: int) -> float:
    """Between minus this and this lies 95 % of Student's distribution, for nine degrees or more.

    Abramowitz and Stegun, 26.7.5; the error is below 0.001.
    """
    z = Z
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )
