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
        aborted = "aborted %d matches in which nothing had happened for long"
        forgot = "forgot %d matches that had ended long ago"
        unavailable: StoreUnavailable | None = None
        for life_us, has_ended, end, said in (
            (lifetimes.idle_us, False, self._abort, aborted),
            (lifetimes.retention_us, True, self._forget, forgot),
        ):
            if life_us:
                chosen = IdleRows(ended=has_ended, until_us=now_us - life_us)
                try:
                    await self._each(chosen, end, said)
                except StoreUnavailable as error:
                    unavailable = error
        if unavailable is not None:
            raise unavailable

    async def _each(
        self, chosen: IdleRows, end: Callable[[IndexRow, int], Awaitable[None]], said: str
    ) -> None:
        """Ends the chosen matches, and says how many.

        One that the store does not give keeps no other waiting; where it gives none of a batch, it
        raises StoreUnavailable.
        """
        count = 0
        try:
            while rows := await self._tables.index.at_rest(chosen, BATCH_LEN):
                unavailable: list[StoreUnavailable] = []
                for row in rows:
                    try:
                        await end(row, chosen.until_us)
                        count += 1
                    except StoreUnavailable as error:
                        unavailable.append(error)
                    except Draining:
                        raise
                    except (Moot, Refused):
                        continue  # something has happened, or the match is set aside
                    except (Exception, Panic) as error:
                        told, match_id = "cannot end match %s: %s", row.match_id
                        lines.error(told, match_id, describe(error), extra={"match": match_id})
                if len(unavailable) == len(rows):
                    raise unavailable[0]
                chosen = replace(chosen, after=(rows[-1].updated_us, rows[-1].match_id))
                await asyncio.sleep(REST_S)
        finally:
            if count:
                lines.info(said, count)

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
