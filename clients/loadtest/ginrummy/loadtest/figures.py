"""What is measured: counts, and times as HdrHistograms, which keep their tails when added up.

Times are microseconds.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, Self

from hdrh.histogram import HdrHistogram  # type: ignore[import-untyped]

LONGEST_US = 120_000_000
DIGITS = 3
TIMES = ("answer", "delivery", "create")
"""From a move to its answer; from a move to its events at the other seat; of CreateMatch."""


def new_histogram() -> Any:
    """An empty histogram of times."""
    return HdrHistogram(1, LONGEST_US, DIGITS)


@dataclass(slots=True)
class Figures:
    """What happened in a length of time, in one process or in all."""

    elapsed_s: float = 0.0
    cpu_s: float = 0.0
    """Of the client's processes."""
    busiest: float = 0.0
    """The largest share of a core that one process used."""
    moves: int = 0
    events: int = 0
    begun: int = 0
    ended: int = 0
    """Matches played to their end, checked and found right."""
    audited: int = 0
    reconnects: int = 0
    open: int = 0
    """Matches that are being played now."""
    late: int = 0
    """Matches of the open model that were not begun, as too many were open."""
    errors: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    times: dict[str, Any] = field(default_factory=lambda: {name: new_histogram() for name in TIMES})

    def note(self, name: str, seconds: float) -> None:
        """Counts one time."""
        self.times[name].record_value(min(max(round(seconds * 1e6), 1), LONGEST_US))

    def add(self, other: Self) -> None:
        """Adds what happened elsewhere, or later."""
        self.cpu_s += other.cpu_s
        self.busiest = max(self.busiest, other.busiest)
        self.moves += other.moves
        self.events += other.events
        self.begun += other.begun
        self.ended += other.ended
        self.audited += other.audited
        self.reconnects += other.reconnects
        self.late += other.late
        self.errors.update(other.errors)
        self.wrong += other.wrong
        for name in TIMES:
            self.times[name].add(other.times[name])

    def take(self, elapsed_s: float, cpu_s: float) -> Self:
        """What was counted in the time that has passed; counting begins anew."""
        taken = replace(
            self, elapsed_s=elapsed_s, cpu_s=cpu_s, busiest=cpu_s / max(elapsed_s, 1e-9)
        )
        for one in fields(self):
            if one.name != "open":
                fresh = one.default if one.default_factory is MISSING else one.default_factory()
                setattr(self, one.name, fresh)
        return taken

    def to_json(self) -> dict[str, Any]:
        """As it goes from a process to the one that adds up."""
        times = {name: self.times[name].encode().decode() for name in TIMES}
        counts = {name: getattr(self, name) for name in _COUNTS}
        return counts | {"errors": dict(self.errors), "wrong": self.wrong, "times": times}

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> Self:
        """What `to_json` made."""
        figures = cls(**{name: given[name] for name in _COUNTS})
        figures.errors = Counter(given["errors"])
        figures.wrong = given["wrong"]
        figures.times = {name: HdrHistogram.decode(given["times"][name]) for name in TIMES}
        return figures

    def ms(self, name: str, percentile: float) -> float:
        """A percentile of these times, in milliseconds; 0 where there are none."""
        histogram = self.times[name]
        if not histogram.get_total_count():
            return 0.0
        return float(histogram.get_value_at_percentile(percentile)) / 1000


_COUNTS = (
    "elapsed_s",
    "cpu_s",
    "busiest",
    "moves",
    "events",
    "begun",
    "ended",
    "audited",
    "reconnects",
    "open",
    "late",
)
