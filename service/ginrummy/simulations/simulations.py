"""All simulations of a server: asked for, played in turn, followed, kept.

All that is decided here is decided on the event loop; threads only play the slices they are given.
"""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic, time_ns

from ginrummy.engine import RULES_VERSION, Tally
from ginrummy.engine import __version__ as engine_version
from ginrummy.simulations.errors import (
    Closing,
    NoSuchSimulation,
    OtherRequest,
    StoreTrouble,
    TooMany,
)
from ginrummy.simulations.observer import NOBODY, SimulationObserver
from ginrummy.simulations.run import Run, Slice
from ginrummy.simulations.snapshot import Live, Snapshot, snapshot_of_row
from ginrummy.simulations.spec import Spec
from ginrummy.simulations.store import Row, State, Store
from ginrummy.simulations.threads import playing, playing_threads, usual_count

lines = logging.getLogger(__name__)

KEPT_EACH_S = 1.0
"""How often what was played is stored: a crash costs so much."""
FORGOTTEN_EACH_S = 60.0
MOST_KEPT = 10_000
"""Ended simulations; of more than these the oldest are forgotten."""

UNREADABLE = "what is stored of it cannot be read"
FAULT = "a fault of the server; its log tells more"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much is done at once, and how long what ended is kept."""

    workers: int = usual_count()
    most_running: int = 2
    most_unfinished: int = 100
    most_of_a_caller: int = 10
    retention_us: int = 0
    """0: for ever."""


class Simulations:
    """The simulations of one server."""

    def __init__(
        self,
        path: Path | None,
        bounds: Bounds | None = None,
        observer: SimulationObserver = NOBODY,
    ) -> None:
        """`path`: the file, None for none."""
        self._bounds = bounds or Bounds()
        self._observer = observer
        self._store = Store(path)
        self._threads = playing_threads(self._bounds.workers)
        self._live: dict[str, Live] = {}
        """What has not ended, and what has ended and is not stored as such yet."""
        self._playing: set[asyncio.Future[tuple[Tally | None, float]]] = set()
        self._creating = asyncio.Lock()
        self._being_created: set[asyncio.Task[Snapshot]] = set()
        self._keeper: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        self._to_keep = asyncio.Event()
        """Something has ended, and whoever follows it waits for that to be stored."""

    # ------------------------------------------------------------------ from start to stop

    async def start(self) -> None:
        """Goes on with what has not ended. Raises StoreTrouble."""
        await self._store.open()
        for row in await self._store.unfinished():
            self._take_up(row)
        await self._keep()
        self._keeper = asyncio.create_task(self._keep_forever())
        self._hand_out()

    def _take_up(self, row: Row) -> None:
        """What another engine began would be a mixture if this one went on with it."""
        live: Live | None = None
        with suppress(ValueError, KeyError, TypeError):
            live = Live(row, Spec.from_json(row.spec))
        if live is None:
            lines.error("simulation %s: %s", row.id, UNREADABLE)
            live = Live(row, None)
            self._live[row.id] = live
            self._end(live, State.FAILED, UNREADABLE)
            return
        self._live[row.id] = live
        if (row.engine, row.rules_version) != (engine_version, RULES_VERSION):
            began = f"it began with engine {row.engine} and rules {row.rules_version}"
            now = f"this server has engine {engine_version} and rules {RULES_VERSION}"
            self._end(live, State.FAILED, f"{began}; {now}")

    async def close(self) -> None:
        """Stores what was played, and tells whoever follows. What has not ended goes on later."""
        self._closing.set()
        for live in self._live.values():
            live.stop()
        if self._being_created:
            await asyncio.wait(self._being_created)
        if self._playing:
            await asyncio.wait(self._playing)
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.cancel()
            await asyncio.wait((keeper,))
            await self._put_away()
        self._threads.shutdown(wait=False)

    async def _put_away(self) -> None:
        """Lets go of the file, even if it takes nothing more."""
        for put_away in (self._keep, self._store.close):
            try:
                await put_away()
            except StoreTrouble as error:
                lines.error("simulations could not be stored: %s", error)

    def check_open(self) -> None:
        """Raises Closing once nothing more is done."""
        if self._closing.is_set():
            raise Closing

    # ------------------------------------------------------------------ what callers ask for

    async def create(self, spec: Spec, request_id: str | None, caller: str) -> Snapshot:
        """Begins a simulation; or finds the one that this request began before.

        It is done whole, even if nobody waits for it any more: what is stored is played.
        """
        creating = asyncio.create_task(self._create(spec, request_id, caller))
        self._being_created.add(creating)
        creating.add_done_callback(self._created)
        # A shield would report an error that nobody waits for, from Python 3.14 on.
        await asyncio.wait((creating,))
        return creating.result()

    def _created(self, creating: asyncio.Task[Snapshot]) -> None:
        self._being_created.discard(creating)
        if not creating.cancelled():
            creating.exception()  # nobody may be waiting for it any more

    async def _create(self, spec: Spec, request_id: str | None, caller: str) -> Snapshot:
        async with self._creating:
            self.check_open()
            if request_id and (earlier := await self._store.requested_by(request_id)):
                if not Spec.from_json(earlier.spec).is_repeated_by(spec):
                    raise OtherRequest
                return self._snapshot(earlier)
            self._check_room(caller)
            row = Row(
                id=secrets.token_hex(16),
                request_id=request_id,
                caller=caller,
                state=State.QUEUED,
                spec=spec.json(),
                progress="",
                engine=engine_version,
                rules_version=RULES_VERSION,
                created_us=time_ns() // 1000,
            )
            live = Live(row, spec)
            row.number = await self._store.add(row)
            self._live[row.id] = live
        self._hand_out()
        return live.snapshot()

    def _check_room(self, caller: str) -> None:
        unfinished = [live for live in self._live.values() if not live.has_ended]
        if len(unfinished) >= self._bounds.most_unfinished:
            raise TooMany(self._bounds.most_unfinished, of_caller=False)
        own = sum(live.row.caller == caller for live in unfinished)
        if own >= self._bounds.most_of_a_caller:
            raise TooMany(self._bounds.most_of_a_caller, of_caller=True)

    async def find(self, simulation_id: str) -> Snapshot:
        """How it stands. Raises NoSuchSimulation."""
        if (live := self._live.get(simulation_id)) is not None:
            return live.snapshot()
        row = await self._store.find(simulation_id)
        if row is None:
            raise NoSuchSimulation
        return self._snapshot(row)

    async def page(self, before: int | None, size: int) -> AsyncIterator[Snapshot]:
        """The latest, or those before this number, the latest first."""
        for row in await self._store.page(before, size):
            yield self._snapshot(row)
            await asyncio.sleep(0)

    def _snapshot(self, row: Row) -> Snapshot:
        live = self._live.get(row.id)
        return snapshot_of_row(row) if live is None else live.snapshot()

    async def cancel(self, simulation_id: str) -> Snapshot:
        """Plays no more of it; nothing changes once it has ended. Raises NoSuchSimulation."""
        live = self._live.get(simulation_id)
        if live is None:
            return await self.find(simulation_id)
        if not live.has_ended:
            self._end(live, State.CANCELLED)
            self._hand_out()
        # If nobody waits for this any more, the keeper stores it.
        await self._keep_these((live,))
        return live.snapshot()

    async def follow(
        self, simulation_id: str, interval_s: float, gone: asyncio.Event
    ) -> AsyncIterator[Snapshot]:
        """How it stands, again and again, until it has ended or `gone` is set.

        Raises NoSuchSimulation, or Closing when the server stops first.
        """
        while True:
            # Before it is told: what ends while somebody reads is live no more when he has read.
            live = self._live.get(simulation_id)
            snapshot = await self.find(simulation_id)
            yield snapshot
            if snapshot.has_ended or gone.is_set():
                return
            ends = () if live is None else (live.ended,)
            await _first_of((*ends, gone, self._closing), interval_s)
            self.check_open()

    # ------------------------------------------------------------------ for those who count

    def count(self, state: State) -> int:
        """How many that have not ended are queued, or running."""
        return sum(live.row.state is state for live in tuple(self._live.values()))

    @property
    def threads_playing(self) -> int:
        """How many threads are at a slice."""
        return len(self._playing)

    # ------------------------------------------------------------------ playing

    def _hand_out(self) -> None:
        """Gives every free thread something to play."""
        if self._closing.is_set():
            return
        self._begin_queued()
        while len(self._playing) < self._bounds.workers:
            running = [live for live in self._live.values() if live.row.state is State.RUNNING]
            for live in sorted(running, key=lambda live: live.run.in_flight):
                part = live.run.hand_out()
                if part is not None:
                    self._play(live, part)
                    break
            else:
                return

    def _begin_queued(self) -> None:
        room = self._bounds.most_running - self.count(State.RUNNING)
        queued = [live for live in self._live.values() if live.row.state is State.QUEUED]
        for live in queued[: max(room, 0)]:
            live.row.state = State.RUNNING
            live.changed()

    def _play(self, live: Live, part: Slice) -> None:
        play = playing(live.run.pairs[part.number], part, live.run.cancel)
        future = asyncio.get_running_loop().run_in_executor(self._threads, play)
        self._playing.add(future)
        # Whoever created or cancelled one of them has nothing to do with what comes of it.
        future.add_done_callback(partial(self._played, live, part), context=Context())

    def _played(
        self, live: Live, part: Slice, future: "asyncio.Future[tuple[Tally | None, float]]"
    ) -> None:
        self._playing.discard(future)
        live.run.in_flight -= 1
        error = future.exception()
        if error is not None and not live.has_ended:
            # By its kind alone: the words of a panic could quote cards.
            lines.error("simulation %s: %s", live.row.id, type(error).__name__)
            self._end(live, State.FAILED, FAULT)
        elif error is None:
            tally, length_s = future.result()
            if tally is not None and not live.has_ended:
                self._take(live.run, part, tally, length_s)
                live.changed()
                if live.run.is_done:
                    self._end(live, State.SUCCEEDED)
        self._hand_out()

    def _take(self, run: Run, part: Slice, tally: Tally, length_s: float) -> None:
        run.take(part, tally, length_s, monotonic())
        self._observer.matches_simulated(tally.matches)

    def _end(self, live: Live, state: State, error: str = "") -> None:
        live.end(state, error, time_ns() // 1000)
        lines.info("simulation %s: %s", live.row.id, state.value)
        self._to_keep.set()

    # ------------------------------------------------------------------ keeping

    async def _keep_forever(self) -> None:
        looked_s = -FORGOTTEN_EACH_S
        had_trouble = False
        while True:
            self._to_keep.clear()
            try:
                await self._keep()
                if monotonic() - looked_s >= FORGOTTEN_EACH_S:
                    looked_s = monotonic()
                    await self._forget()
                had_trouble = False
            except StoreTrouble as error:
                if not had_trouble:
                    lines.error("simulations cannot be stored now: %s", error)
                had_trouble = True
            await _first_of(() if had_trouble else (self._to_keep,), KEPT_EACH_S)

    async def _keep(self) -> None:
        """Stores all that has changed. What has ended is then found in the store alone."""
        await self._keep_these(tuple(self._live.values()))

    async def _keep_these(self, lives: Iterable[Live]) -> None:
        changed = [(live, *live.to_keep()) for live in lives if live.is_changed]
        if not changed:
            return
        await self._store.keep([row for _, _, row in changed])
        for live, version, row in changed:
            live.kept(version)
            if row.ended_us is not None:
                self._live.pop(row.id, None)

    async def _forget(self) -> None:
        before_us = None
        if self._bounds.retention_us:
            before_us = time_ns() // 1000 - self._bounds.retention_us
        await self._store.forget(before_us, MOST_KEPT)


async def _first_of(events: Iterable[asyncio.Event], most_s: float) -> None:
    """Until one is set, or so long."""
    waiting = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        if waiting:
            await asyncio.wait(waiting, timeout=most_s, return_when=asyncio.FIRST_COMPLETED)
        else:
            await asyncio.sleep(most_s)
    finally:
        for task in waiting:
            task.cancel()
