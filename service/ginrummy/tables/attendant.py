"""What happens at a table by itself: bots move, clocks run out, a failed store is asked again."""

import asyncio
import logging

from ginrummy.engine import Panic
from ginrummy.tables.about import apart
from ginrummy.tables.clock import deadline_after_restart
from ginrummy.tables.commands import Act, Command, ExtendClock, TimeOut
from ginrummy.tables.errors import Draining, MatchUnreadable, StoreUnavailable
from ginrummy.tables.faults import describe
from ginrummy.tables.observer import NOBODY, Observer
from ginrummy.tables.state import TableState
from ginrummy.tables.table import Asked, Table
from ginrummy.tables.thinking import Thinkers, choose, thinks

lines = logging.getLogger(__name__)

FIRST_RETRY_S = 0.5
LONGEST_RETRY_S = 10.0


class Moot(Exception):  # noqa: N818 - as it is read
    """What was to be done is not needed any more."""


class Attendant:
    """Attends to one table as long as it is live. Nothing runs while nothing is owed."""

    def __init__(self, table: Table, thinkers: Thinkers, observer: Observer = NOBODY) -> None:
        self._table = table
        self._thinkers = thinkers
        self._observer = observer
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        table.on_change = self.look

    def look(self) -> None:
        """Sees to what the table owes now, or to the clock that will run out next."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._table.is_closing or self._task is not None:
            return
        wait_s = self._wait_s()
        if wait_s is None:
            return
        if wait_s <= 0:
            self._begin()
        else:
            self._timer = asyncio.get_running_loop().call_later(wait_s, self._begin)

    async def close(self) -> None:
        """Stops attending: no bot thinks on; the table finishes a move that has begun."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))

    def leave(self) -> None:
        """Attends no more to a table that is let go, at which nothing is being done."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:  # it only waits to try again
            self._task.cancel()
        del self._table.on_change, self._table

    def _wait_s(self) -> float | None:
        """How long until something is owed; None if nothing will be."""
        table = self._table
        if table.is_set_aside:
            return None
        if table.is_unsure or table.state.bot_to_act is not None:
            return 0
        if table.state.deadline_us is None:
            return None
        return max((table.state.deadline_us - table.now_us()) / 1e6, 0)

    def _begin(self) -> None:
        self._timer = None
        if self._task is None and not self._table.is_closing:
            # Whoever began it, by a move or by loading the match, has nothing to do with it.
            context = apart(match=self._table.state.match_id)
            self._task = asyncio.create_task(self._attend(), context=context)

    async def _attend(self) -> None:
        """Does what is owed, until nothing is; what fails is tried again, less and less often."""
        retry_s = FIRST_RETRY_S
        reported = ""
        while self._wait_s() == 0 and not self._table.is_closing:
            try:
                await self._do_next()
                retry_s, reported = FIRST_RETRY_S, ""
            except Moot:
                continue
            except Draining:
                break
            except (Exception, Panic) as error:
                is_told = isinstance(error, (StoreUnavailable, MatchUnreadable))
                fault = "" if is_told else describe(error)
                if fault and fault != reported:
                    lines.error("match %s stands still: %s", self._table.state.match_id, fault)
                reported = fault
                await asyncio.sleep(retry_s)
                retry_s = min(2 * retry_s, LONGEST_RETRY_S)
        self._task = None
        self.look()

    async def _do_next(self) -> None:
        """Does what is owed where the match stands, which is read again first if that is unsure."""
        table = self._table
        if table.is_unsure:
            await table.settle()
        if table.state.bot_to_act is not None:
            self._observer.bot_moved(await play_bot(table, self._thinkers))
        else:
            await time_out(table)
            self._observer.timed_out()


async def play_bot(table: Table, thinkers: Thinkers) -> float:
    """Plays one action of the bot that has to act. Returns in how many seconds it was chosen.

    A bot that thinks does so outside the table's turn, on the match as it stands: if somebody has
    moved it meanwhile, by resigning or by the clock, the choice is moot.
    """
    state = table.state
    if state.bot_to_act is None or state.game is None:
        raise Moot
    chosen = await thinkers.choose(state) if thinks(state.bot_to_act) else None
    think_s = 0.0

    def settle(now: TableState, _: int) -> Command:
        nonlocal think_s
        if now.bot_to_act is None or now.game is None or (chosen and now.head != state.head):
            raise Moot
        choice = chosen or choose(now)
        think_s = choice.think_s
        return Act(type="act", seat=now.to_act, action=choice.action)

    await table.carry_out(Asked(Act(type="act", seat=0, action={"type": "pass"}), settle))
    return think_s


async def time_out(table: Table) -> None:
    """Lets the engine act for the seat whose time has run out."""
    timeouts = table.state.setup["clock"]["timeouts_to_forfeit"]
    command = TimeOut(type="time_out", timeouts_to_forfeit=timeouts)

    def settle(state: TableState, now_us: int) -> Command:
        if state.deadline_us is None or state.deadline_us > now_us:
            raise Moot
        return command

    await table.carry_out(Asked(command, settle))


async def extend_clock(table: Table) -> None:
    """Gives the seat to act a little time if its deadline passed while nobody served the match."""
    clock = table.state.setup["clock"]
    command = ExtendClock(type="extend_clock")

    def settle(state: TableState, now_us: int) -> Command:
        if state.deadline_us is None or state.deadline_us > now_us:
            raise Moot
        new_us = deadline_after_restart(clock, now_us)
        return ExtendClock(type="extend_clock", deadline_us=new_us)

    try:
        await table.carry_out(Asked(command, settle))
    except Moot:
        return
