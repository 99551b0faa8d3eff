"""Matches whose time is over: the server aborts those at rest, and forgets those long ended.

A little at a time, one match after the other, so that nobody's move waits for it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ginrummy.engine import Panic
from ginrummy.log import IdleRows, IndexRow
from ginrummy.tables.attendant import Moot
from ginrummy.tables.commands import Abort, Command
from ginrummy.tables.errors import Draining, Refused, StoreUnavailable
from ginrummy.tables.faults import describe
from ginrummy.tables.lifetimes import SECOND_US
from ginrummy.tables.state import TableState
from ginrummy.tables.table import Asked, Table

if TYPE_CHECKING:
    from ginrummy.tables.registry import Tables

lines = logging.getLogger(__name__)

BATCH_LEN = 32
"""Matches looked up at a time."""
REST_S = 0.02
"""Between two batches."""
LONGEST_WAIT_S = 60.0
SHORTEST_WAIT_S = 0.1


class Expiry:
    """Ends the lives of the matches of some tables, by `tables.lifetimes`."""

    def __init__(self, tables: "Tables") -> None:
        self._tables = tables

    async def look_forever(self) -> None:
        """Looks again and again; a match is late by a tenth of the shorter life at most."""
        shortest_s = self._tables.lifetimes.shortest_us / SECOND_US
        wait_s = min(max(shortest_s / 10, SHORTEST_WAIT_S), LONGEST_WAIT_S)
        while shortest_s:
            await asyncio.sleep(wait_s)
            try:
                await self.look(self._tables.now_us())
            except (StoreUnavailable, Draining):
                continue  # others tell of it
            except (Exception, Panic) as error:
                lines.error("cannot look for matches at rest: %s", describe(error))

    async def look(self, now_us: int) -> None:
        """Ends every life that is over at `now_us`. Raises StoreUnavailable or Draining."""
        lifetimes = self._tables.lifetimes
        if lifetimes.idle_us:
            at_rest = IdleRows(ended=False, until_us=now_us - lifetimes.idle_us)
            count = await self._each(at_rest, self._abort)
            if count:
                lines.info("aborted %d matches in which nothing had happened for long", count)
        if lifetimes.retention_us:
            long_ended = IdleRows(ended=True, until_us=now_us - lifetimes.retention_us)
            count = await self._each(long_ended, self._forget)
            if count:
                lines.info("forgot %d matches that had ended long ago", count)

    async def _each(self, chosen: IdleRows, end: Callable[[IndexRow, int], Awaitable[None]]) -> int:
        """Ends the chosen matches; how many it was possible for."""
        count = 0
        while rows := await self._tables.index.at_rest(chosen, BATCH_LEN):
            for row in rows:
                try:
                    await end(row, chosen.until_us)
                    count += 1
                except (StoreUnavailable, Draining):
                    raise
                except (Moot, Refused):
                    continue  # something has happened, or the match is set aside
                except (Exception, Panic) as error:
                    said, match_id = "cannot end match %s: %s", row.match_id
                    lines.error(said, match_id, describe(error), extra={"match": match_id})
            chosen = replace(chosen, after=(rows[-1].updated_us, rows[-1].match_id))
            await asyncio.sleep(REST_S)
        return count

    async def _abort(self, row: IndexRow, until_us: int) -> None:
        async with self._tables.use(row.match_id) as table:
            await abort_at_rest(table, until_us)
        self._tables.observer.expired()

    async def _forget(self, row: IndexRow, _: int) -> None:
        await self._tables.forget(row.match_id)
        self._tables.observer.forgotten()


async def abort_at_rest(table: Table, until_us: int) -> None:
    """Ends a match in which nothing has happened after `until_us`. Raises Moot if it has."""
    command = Abort(type="abort")

    def settle(state: TableState, _: int) -> Command:
        if state.result is not None or state.updated_us > until_us:
            raise Moot
        return command

    await table.carry_out(Asked(command, settle))
