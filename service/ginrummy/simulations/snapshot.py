"""How a simulation stands at one moment."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ginrummy.engine import Tally
from ginrummy.simulations.run import Run, stored_tallies
from ginrummy.simulations.spec import Spec
from ginrummy.simulations.standings import Figures, figures_of
from ginrummy.simulations.store import Row, State


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True, kw_only=True)
class Snapshot:
    """What callers are shown. The same object is given out for as long as nothing changes."""

    id: str
    number: int
    state: State
    spec: Spec | None
    """None when it cannot be read any more."""
    figures: Figures
    matches_per_s: float
    time_left_s: float | None
    created_us: int
    ended_us: int | None
    error: str
    engine: str

    @property
    def has_ended(self) -> bool:
        return self.ended_us is not None


class Live:
    """A simulation in memory: its row, and what is played of it."""

    def __init__(self, row: Row, spec: Spec | None) -> None:
        """Without a spec it cannot be played.

        Raises ValueError, KeyError or TypeError if what is stored cannot be read.
        """
        self.row = row
        self.ended = asyncio.Event()
        """Set when its end is stored; until then nobody is told of it, as a crash would undo it."""
        self._state_before = row.state
        self._spec = spec
        self._run = None if spec is None else Run(spec, row.progress)
        self._version = 0
        self._kept_version = 0
        self._snapshot: Snapshot | None = None

    @property
    def run(self) -> Run:
        """What is played of it."""
        assert self._run is not None, "it has failed"
        return self._run

    @property
    def has_ended(self) -> bool:
        return self.row.ended_us is not None

    def stop(self) -> None:
        """Lets threads leave off what they are at."""
        if self._run is not None:
            self._run.cancel.cancel()

    def changed(self) -> None:
        """It does not stand as it stood."""
        self._version += 1
        self._snapshot = None

    def end(self, state: State, error: str, now_us: int) -> None:
        """Nothing more is played of it."""
        self.stop()
        self._state_before = self.row.state
        self.row.state, self.row.error, self.row.ended_us = state, error, now_us
        self.row.caller = ""
        self.changed()

    @property
    def is_changed(self) -> bool:
        """There is something to be stored."""
        return self._version != self._kept_version

    def to_keep(self) -> tuple[int, Row]:
        """The row as it is to be stored now, and which version of it that is."""
        if self._run is not None:
            self.row.progress = self._run.progress()
        return self._version, replace(self.row)

    def kept(self, version: int) -> None:
        """That version has been stored."""
        self._kept_version = version
        if self.has_ended and not self.is_changed:
            self._snapshot = None
            self.ended.set()

    def snapshot(self) -> Snapshot:
        """How it stands."""
        if self._snapshot is None:
            row = self.row
            if self.has_ended and not self.ended.is_set():
                row = replace(row, state=self._state_before, ended_us=None, error="")
            tallies = () if self._run is None else self._run.tallies
            rate = 0.0 if self._run is None or self.has_ended else self._run.matches_per_s()
            self._snapshot = _snapshot(row, self._spec, tallies, rate)
        return self._snapshot


def snapshot_of_row(row: Row) -> Snapshot:
    """Of a simulation that is in the store alone."""
    try:
        spec = Spec.from_json(row.spec)
        return _snapshot(row, spec, stored_tallies(spec, row.progress), 0.0)
    except (ValueError, KeyError, TypeError):
        return _snapshot(row, None, (), 0.0)


def _snapshot(
    row: Row, spec: Spec | None, tallies: Sequence[Tally], matches_per_s: float
) -> Snapshot:
    figures = Figures(0)
    time_left_s = None
    if spec is not None:
        figures = figures_of(spec, [tally.counts() for tally in tallies])
        if matches_per_s:
            time_left_s = (spec.matches_total - figures.matches) / matches_per_s
    return Snapshot(
        id=row.id,
        number=row.number,
        state=row.state,
        spec=spec,
        figures=figures,
        matches_per_s=matches_per_s,
        time_left_s=time_left_s,
        created_us=row.created_us,
        ended_us=row.ended_us,
        error=row.error,
        engine=row.engine,
    )
