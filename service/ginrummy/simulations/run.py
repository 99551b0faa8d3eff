"""One simulation that has not ended: what is played of it, and what is still to be played.

Each pair's deals are handed out in slices, in order, to whichever threads are free. A slice that
comes back before an earlier one waits for it, so that what is done is always the first so many
deals: a number and a tally hold all of it, and nothing is counted twice after a restart.
"""

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ginrummy.engine import Cancel, Pairing, Tally
from ginrummy.simulations.spec import Spec

SLICE_S = 0.25
"""How long a slice should take: so much is lost by a crash, and so late a thread is free."""
MOST_DEALS = 5000
"""Of a slice."""
LATELY_S = 5.0
"""The rate that is told is that of so many seconds."""


class Slice(NamedTuple):
    """Deals of a pair, for one thread at one time."""

    number: int
    """Of the pair."""
    first: int
    end: int
    """The deal after the last."""


@dataclass(slots=True)
class PairRun:
    """The matches of one pair, as far as they were played and handed out."""

    pairing: Pairing
    deals: int
    """To be played."""
    done: int = 0
    handed_out: int = 0
    tally: Tally = field(default_factory=Tally)
    early: dict[int, tuple[int, Tally]] = field(default_factory=dict)
    """Slices that wait for one before them: their ends and tallies, by where they begin."""
    deal_s: float = SLICE_S
    """How long a deal takes one thread, as far as is known."""

    def hand_out(self, number: int) -> Slice | None:
        """The next slice; None when there is no more."""
        first = self.handed_out
        length = min(max(int(SLICE_S / self.deal_s), 1), MOST_DEALS, self.deals - first)
        if length <= 0:
            return None
        self.handed_out += length
        return Slice(number, first, first + length)

    def take(self, part: Slice, tally: Tally, length_s: float) -> None:
        """A slice has been played, which took so long."""
        self.deal_s = max(length_s / (part.end - part.first), 1e-6)
        self.early[part.first] = part.end, tally
        while self.done in self.early:
            self.done, tally = self.early.pop(self.done)
            self.tally.add(tally)


class Run:
    """A simulation while it is played."""

    def __init__(self, spec: Spec, progress: str) -> None:
        self.spec = spec
        self.cancel = Cancel()
        self.in_flight = 0
        """Slices that threads are at."""
        self._recent: deque[tuple[float, int]] = deque()
        done = json.loads(progress) if progress else [[0, ""]] * len(spec.pairs)
        self.pairs = [
            self._pair(number, deals, tally) for number, (deals, tally) in enumerate(done)
        ]

    def _pair(self, number: int, done: int, tally: str) -> PairRun:
        return PairRun(
            pairing=self.spec.pairing(number),
            deals=self.spec.deals_per_pairing,
            done=done,
            handed_out=done,
            tally=Tally.from_json(tally) if tally else Tally(),
        )

    def progress(self) -> str:
        """As it is stored: of each pair the deals done, and their tally."""
        return json.dumps([[pair.done, pair.tally.json()] for pair in self.pairs])

    @property
    def tallies(self) -> Sequence[Tally]:
        return [pair.tally for pair in self.pairs]

    @property
    def matches_done(self) -> int:
        return sum(pair.tally.matches for pair in self.pairs)

    @property
    def is_done(self) -> bool:
        return all(pair.done == pair.deals for pair in self.pairs)

    def hand_out(self) -> Slice | None:
        """What is to be played next, of the pair that has come least far."""
        for number in sorted(range(len(self.pairs)), key=lambda i: self.pairs[i].handed_out):
            part = self.pairs[number].hand_out(number)
            if part is not None:
                self.in_flight += 1
                return part
        return None

    def take(self, part: Slice, tally: Tally, length_s: float, now_s: float) -> None:
        """A slice has been played, which took so long."""
        self.pairs[part.number].take(part, tally, length_s)
        self._recent.append((now_s, self.matches_done))
        while self._recent[0][0] < now_s - LATELY_S and len(self._recent) > 2:
            self._recent.popleft()

    def matches_per_s(self) -> float:
        """Lately; 0 when nothing is known."""
        if len(self._recent) < 2:
            return 0.0
        (began_s, before), (ended_s, after) = self._recent[0], self._recent[-1]
        return (after - before) / (ended_s - began_s) if ended_s > began_s else 0.0


def stored_tallies(spec: Spec, progress: str) -> Sequence[Tally]:
    """The pairs' tallies, of a simulation that is not played now."""
    if not progress:
        return [Tally() for _ in spec.pairs]
    return [Tally.from_json(tally) if tally else Tally() for _, tally in json.loads(progress)]
