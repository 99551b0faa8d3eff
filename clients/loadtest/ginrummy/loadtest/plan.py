"""What is to be loaded, how, and what counts as good."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Self


class Way(StrEnum):
    """How a seat sends its moves and hears of the other's."""

    PLAY = "play"
    """Both over one stream."""
    ACT = "act"
    """Act for moves, WatchMatch for events."""
    MIXED = "mixed"
    """Every second match by each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One run: `matches` side by side (closed model), or `rate` begun a second (open model)."""

    address: str
    duration_s: float
    ramp_s: float = 0.0
    """Matches, or their rate, grow from nothing to all for so long."""
    matches: int = 0
    """At once; 0 = open model."""
    rate: float = 0.0
    """Matches begun a second, at random moments; 0 = closed model."""
    way: Way = Way.PLAY
    rulesets: dict[str, float] = field(default_factory=lambda: {"short": 1.0})
    """Names with their shares."""
    spectators: int = 0
    """Of each match."""
    think_s: float = 0.0
    """Mean of the time before each move."""
    reconnect_every: int = 0
    """A seat's stream is broken off and opened anew after so many of its moves; 0 = never."""
    audit: float = 1.0
    """Share of the ended matches whose log is read and compared."""
    connections: int = 4
    """Of each process."""
    processes: int = 1
    seed: int = 0
    timeout_s: float = 10.0
    api_key: str | None = field(default=None, repr=False)

    @property
    def is_open(self) -> bool:
        """Whether matches begin at a rate, whether or not others have ended."""
        return self.rate > 0

    def share(self, process: int) -> Self:
        """The part of the plan that process number 0, 1, 2, ... carries out."""
        extra = process < self.matches % self.processes
        return replace(
            self,
            matches=self.matches // self.processes + extra,
            rate=self.rate / self.processes,
            seed=self.seed * 1000 + process,
        )

    def to_json(self) -> str:
        """One line, for a process of its own."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Self:
        """What `to_json` wrote."""
        given: dict[str, Any] = json.loads(line)
        return cls(**(given | {"way": Way(given["way"])}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What a run must keep to; None is not asked for."""

    max_p99_ms: float | None = None
    """Of the time from a move to its answer."""
    min_rate: float | None = None
    """Moves a second, after the ramp."""
    max_errors: int = 0
