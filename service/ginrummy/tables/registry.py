"""All the matches of a server: set up, found, kept live while somebody needs them."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from ginrummy.engine import Panic
from ginrummy.log import EventLog, IndexRow, LogDamaged, LogUnavailable, Tail, UnknownMatch
from ginrummy.tables.absence import Absence, can_be_claimed
from ginrummy.tables.attendant import Attendant, extend_clock
from ginrummy.tables.audience import Sending
from ginrummy.tables.errors import Draining, LimitReached, MatchNotFound, Refused, StoreUnavailable
from ginrummy.tables.expiry import Expiry
from ginrummy.tables.faults import describe
from ginrummy.tables.index import Index, SetAside, reading
from ginrummy.tables.lifetimes import FOREVER, SECOND_US, Lifetimes
from ginrummy.tables.news import is_news
from ginrummy.tables.observer import NOBODY, Observer
from ginrummy.tables.open_matches import OpenMatches
from ginrummy.tables.replay import Disagreement, replaying
from ginrummy.tables.table import NowUs, Table
from ginrummy.tables.thinking import Thinkers
from ginrummy.tables.work import Work

lines = logging.getLogger(__name__)

IDLE_S = 60.0
"""How long a table that nobody needs stays live."""
ENDED_IDLE_S = 5.0
"""The same for one whose match has ended."""
SWEEP_S = 5.0
WAKE_S = 3 * SWEEP_S
"""So long before its clock runs out a match is live, to be loaded in time however many are."""
RETRY_S = 1.0


class _Live:
    """A table that is live, with those who use it now."""

    def __init__(self, table: Table, attendant: Attendant) -> None:
        self.table = table
        self.attendant = attendant
        self.users = 0
        self.last_used = time.monotonic()

    def let_go(self) -> None:
        """Is live no more. What it holds is freed now, and not when all memory is gone through."""
        self.attendant.leave()
        self.table.audience.leave()


class Using:
    """Keeps a match live for as long as somebody uses its table."""

    __slots__ = ("_live", "_match_id", "_tables")

    def __init__(self, tables: "Tables", match_id: str) -> None:
        self._tables = tables
        self._match_id = match_id
        self._live: _Live | None = None

    def _at_hand(self) -> Table | None:
        """Begins, if the match is live already."""
        live = self._tables.at_hand(self._match_id)
        return None if live is None else self._begin(live)

    async def _loaded(self) -> Table:
        """Begins, and loads the match if it is not live."""
        return self._begin(await self._tables.find(self._match_id))

    def _begin(self, live: _Live) -> Table:
        self._live = live
        live.users += 1
        return live.table

    def _end(self) -> None:
        if self._live is not None:
            self._live.users -= 1
            self._live.last_used = time.monotonic()

    async def __aexit__(self, *_: object) -> None:
        self._end()


class Use(Using):
    """The table of a match, for an `async with`."""

    __slots__ = ()

    async def __aenter__(self) -> Table:
        return self._at_hand() or await self._loaded()


def wall_clock_us() -> int:
    """Microseconds since the epoch."""
    return time.time_ns() // 1000


class Tables:
    """The live tables over one log. A match is loaded by whoever touches it first."""

    def __init__(
        self,
        log: EventLog,
        sending: Sending,
        now_us: NowUs = wall_clock_us,
        observer: Observer = NOBODY,
        *,
        lifetimes: Lifetimes = FOREVER,
        most_open: int | None = None,
    ) -> None:
        """`most_open`: how many matches may go on at a time."""
        self.log = log
        self.lifetimes = lifetimes
        self.open_matches = OpenMatches(log, most_open)
        self.observer = observer
        self.now_us = now_us
        self.blocks = sending.blocks
        self._sending = sending
        self._live: dict[str, _Live] = {}
        self._loading: dict[str, asyncio.Task[_Live]] = {}
        self._absences: dict[str, Absence] = {}
        """Of the matches that an absence can decide and that are not live now."""
        self._deadlines_us: dict[str, int] = {}
        """Of the matches whose clocks run and that are not live now; 0 where a bot owes a move."""
        self._set_aside = SetAside()
        self.index = Index(log, self._set_aside)
        self._background: set[asyncio.Task[None]] = set()
        self._tails: set[Tail] = set()
        self.work = Work()
        self._thinkers = Thinkers()
        self._is_closing = False

    def start(self) -> None:
        """Goes on with every match in which a bot owes a move or a clock is running.

        From then on ends those whose time is over.
        """
        for work in (self._go_on(), self._sweep_forever(), Expiry(self).look_forever()):
            task = asyncio.create_task(work)
            self._background.add(task)
            task.add_done_callback(self._background.discard)

    def use(self, match_id: str) -> "Use":
        """The live table of a match, which stays live meanwhile. Raises a Refused."""
        return Use(self, match_id)

    def is_live(self, match_id: str) -> bool:
        """Whether the match is loaded, so that looking at its table costs nothing."""
        return match_id in self._live

    async def tokens(self, match_id: str) -> dict[str, bytes]:
        """The hashes of a match's tokens, without loading it; none for an unknown match."""
        live = self._live.get(match_id)
        if live is not None:
            return live.table.tokens
        try:
            return await self.log.tokens(match_id)
        except LogDamaged as error:
            raise self._set_aside.put(match_id, error) from error
        except LogUnavailable as error:
            raise StoreUnavailable from error

    async def forget(self, match_id: str) -> None:
        """Removes an ended match from the log and from here. Raises MatchNotFound."""
        self.check_open()
        with reading(match_id):
            try:
                await self.log.forget(match_id)
            except UnknownMatch as error:
                raise MatchNotFound(match_id) from error
        if match_id in self._loading:  # it was read before
            await asyncio.wait((self._loading[match_id],))
        live = self._live.pop(match_id, None)
        if live is not None:
            await live.attendant.close()
        self.blocks.drop(match_id)
        self._set_aside.forget(match_id)
        self._absences.pop(match_id, None)
        self._deadlines_us.pop(match_id, None)

    @contextmanager
    def follow(self) -> Iterator[Tail]:
        """The news of every match from now on, until the tables close. Raises LimitReached."""
        self.check_open()
        most = self._sending.most_followers
        if len(self._tails) >= most:
            raise LimitReached("streams_of_all_matches", most)
        with self.log.tail(wanted=is_news) as tail:
            self._tails.add(tail)
            try:
                yield tail
            finally:
                self._tails.discard(tail)

    @property
    def is_closing(self) -> bool:
        """No more calls are taken."""
        return self._is_closing

    def check_open(self) -> None:
        """Raises Draining once the tables are closing."""
        if self._is_closing:
            raise Draining

    async def close(self) -> None:
        """Ends every watch with a last word, finishes the commands begun, stops all else."""
        self._is_closing = True
        for task in tuple(self._background):
            task.cancel()
        for tail in tuple(self._tails):
            tail.close()
        await self.work.finish()
        if self._loading:
            await asyncio.wait(self._loading.values())
        for live in tuple(self._live.values()):
            await live.attendant.close()
        for live in tuple(self._live.values()):
            await live.table.close()
        self._thinkers.close()

    def at_hand(self, match_id: str) -> _Live | None:
        """The match, if it is live."""
        self._set_aside.check(match_id)
        return self._live.get(match_id)

    async def find(self, match_id: str) -> _Live:
        """The match, loaded if it is not live."""
        live = self.at_hand(match_id)
        if live is not None:
            return live
        self.check_open()
        loading = self._loading.get(match_id)
        if loading is None:
            loading = asyncio.create_task(self._load(match_id))
            self._loading[match_id] = loading
            loading.add_done_callback(lambda task: self._loaded(match_id, task))
        await asyncio.wait((loading,))
        return loading.result()

    def _loaded(self, match_id: str, task: asyncio.Task[_Live]) -> None:
        self._loading.pop(match_id, None)
        if not task.cancelled():
            task.exception()  # everybody who waited may have gone

    async def _load(self, match_id: str) -> _Live:
        try:
            entries = await self.log.read(match_id)
            hashes = await self.log.tokens(match_id)
        except LogDamaged as error:
            raise self._set_aside.put(match_id, error) from error
        except LogUnavailable as error:
            raise StoreUnavailable from error
        if not entries:
            raise MatchNotFound(match_id)
        try:
            for told in replaying(entries):  # noqa: B007 - the last one is the whole
                await asyncio.sleep(0)
        except Disagreement as error:
            raise self._set_aside.put(match_id, error) from error
        absence = self._absences.pop(match_id, None)
        table = Table(self.log, told, hashes, self._sending, self.now_us, self._set_aside, absence)
        if table.state.deadline_us is not None and table.state.deadline_us <= self.now_us():
            await extend_clock(table)
        live = _Live(table, Attendant(table, self._thinkers, self.observer))
        self._live[match_id] = live
        self._deadlines_us.pop(match_id, None)
        live.attendant.look()
        return live

    async def _go_on(self) -> None:
        """Loads every match in which something has to happen by itself, when its time comes."""
        count = await self._find_deadlines()
        await self._wake()
        if count:
            lines.info("went on with %d matches", count)
        while True:
            await asyncio.sleep(SWEEP_S)
            await self._wake()

    async def _find_deadlines(self) -> int:
        """Learns from the log what has to happen when; in how many matches."""
        rows = await self._needing_attention()
        for row in rows:
            if row.match_id not in self._live:
                due_us = 0 if row.bot_owes else row.deadline_us
                self._deadlines_us[row.match_id] = due_us or 0
        return len(rows)

    async def _wake(self) -> None:
        """Loads the matches whose time comes soon."""
        soon_us = self.now_us() + WAKE_S * SECOND_US
        for match_id in [i for i, due_us in self._deadlines_us.items() if due_us <= soon_us]:
            if await self._try_to_resume(match_id):
                self._deadlines_us.pop(match_id, None)

    async def _needing_attention(self) -> list[IndexRow]:
        while True:
            try:
                return await self.index.needing_attention()
            except StoreUnavailable as error:
                lines.warning("cannot look for matches to go on with: %s", error.__cause__)
                await asyncio.sleep(RETRY_S)

    async def _try_to_resume(self, match_id: str) -> bool:
        """Loads the match. False if the store does not give it now: it keeps no other waiting."""
        try:
            async with self.use(match_id):
                return True
        except StoreUnavailable:
            return False
        except Refused:
            return True
        except (Exception, Panic) as error:
            said = "cannot go on with match %s: %s"
            lines.error(said, match_id, describe(error), extra={"match": match_id})
            return True

    async def _sweep_forever(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_S)
            self.sweep(time.monotonic())

    def sweep(self, now: float) -> None:
        """Lets go of the tables that nobody has needed for a while; `now` is monotonic."""
        for match_id, live in tuple(self._live.items()):
            has_ended = live.table.state.result is not None
            needed_until = live.last_used + (ENDED_IDLE_S if has_ended else IDLE_S)
            if not live.users and needed_until <= now and self._can_rest(live.table):
                del self._live[match_id]
                self._remember(live.table)
                live.let_go()

    def _can_rest(self, table: Table) -> bool:
        """Whether nothing will happen by itself for as long as tables that nobody needs stay."""
        deadline_us = table.state.deadline_us
        is_due = deadline_us is not None and deadline_us < self.now_us() + IDLE_S * SECOND_US
        return table.is_idle and (table.is_set_aside or not is_due)

    def _remember(self, table: Table) -> None:
        """Keeps what is needed of a table that is let go."""
        state = table.state
        if can_be_claimed(state):
            self._absences[state.match_id] = table.audience.absence
        if state.deadline_us is not None and not table.is_set_aside:
            self._deadlines_us[state.match_id] = state.deadline_us

    @property
    def live_count(self) -> int:
        """How many tables are live."""
        return len(self._live)

    @property
    def set_aside_count(self) -> int:
        """How many matches could not be read, since the start."""
        return len(self._set_aside)

    def count_watchers(self) -> Counter[str]:
        """How many streams follow matches, as a seat, host or spectator. Called in any thread."""
        counts: Counter[str] = Counter()
        for live in tuple(self._live.values()):
            counts.update(live.table.audience.count_watchers())
        return counts
