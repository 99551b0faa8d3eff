"""The index rows of all matches, read so that a match whose storage is damaged troubles no other.

A damaged or lost row is made anew from the match's entries; where those cannot be played again
either, the match is set aside.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from ginrummy.log import (
    EventLog,
    IdleRows,
    IndexRow,
    LogDamaged,
    LogUnavailable,
    RowFilter,
    RowPage,
    UnknownMatch,
)
from ginrummy.tables.errors import MatchNotFound, MatchUnreadable, StoreUnavailable
from ginrummy.tables.replay import Disagreement, row_from_log

lines = logging.getLogger(__name__)

Found = TypeVar("Found")

SENSELESS = (LookupError, TypeError, ValueError, AttributeError)
"""What reading a JSON object raises that has not the parts it should have."""


@contextmanager
def reading(match_id: str) -> Iterator[None]:
    """Turns what the log raises about one match into a Refused."""
    try:
        yield
    except LogDamaged as error:
        raise MatchUnreadable(match_id) from error
    except LogUnavailable as error:
        raise StoreUnavailable from error


class SetAside:
    """The matches that cannot be read, each reported once; they stay so until a restart."""

    def __init__(self) -> None:
        self._match_ids: set[str] = set()

    def __contains__(self, match_id: str) -> bool:
        return match_id in self._match_ids

    def __len__(self) -> int:
        return len(self._match_ids)

    def check(self, match_id: str) -> None:
        """Raises MatchUnreadable for a match that is set aside."""
        if match_id in self._match_ids:
            raise MatchUnreadable(match_id)

    def forget(self, match_id: str) -> None:
        """The match is gone, and a new one of its name would be another."""
        self._match_ids.discard(match_id)

    def put(self, match_id: str, reason: Exception) -> MatchUnreadable:
        """Sets a match aside; what to raise."""
        if match_id not in self._match_ids:
            extra = {"match": match_id}
            lines.error("match %s is set aside: %s", match_id, reason, extra=extra)
            self._match_ids.add(match_id)
        return MatchUnreadable(match_id)


class Index:
    """The rows of one log."""

    def __init__(self, log: EventLog, set_aside: SetAside) -> None:
        self._log = log
        self._set_aside = set_aside

    async def row(self, match_id: str) -> IndexRow:
        """The row of one match. Raises MatchNotFound or MatchUnreadable."""
        self._set_aside.check(match_id)
        with reading(match_id):
            try:
                row = await self._log.row(match_id)
            except LogDamaged:
                await self.mend(match_id)
                row = await self._log.row(match_id)
            if row is None and await self._log.entry_at(match_id, 1) is not None:
                await self.mend(match_id)
                row = await self._log.row(match_id)
        if row is None:
            raise MatchNotFound(match_id)
        return row

    async def rows(self, chosen: RowFilter, page_size: int, page_token: str) -> RowPage:
        """A page of rows. Raises BadPageToken as the log does."""
        return await self._mending(lambda: self._log.list_rows(chosen, page_size, page_token))

    async def needing_attention(self) -> list[IndexRow]:
        """The rows of the matches in which something has to happen without anybody's call."""
        return await self._mending(self._log.rows_needing_attention)

    async def at_rest(self, chosen: IdleRows, limit: int) -> list[IndexRow]:
        """At most `limit` of the rows of matches that rest, the one longest at rest first."""
        return await self._mending(lambda: self._log.idle_rows(chosen, limit))

    async def mend(self, match_id: str) -> None:
        """Makes a damaged row anew. Raises MatchUnreadable where the entries are damaged too."""
        self._set_aside.check(match_id)
        try:
            await self._log.rebuild_row(match_id, row_from_log)
        except (LogDamaged, Disagreement, UnknownMatch, ValueError) as error:
            raise self._set_aside.put(match_id, error) from error
        except LogUnavailable as error:
            raise StoreUnavailable from error
        said = "the index row of match %s was damaged or lost and is made anew"
        lines.warning(said, match_id, extra={"match": match_id})

    async def shown(self, row: IndexRow, show: Callable[[IndexRow], Found]) -> Found:
        """What `show` makes of a row; of the row made anew, if it makes no sense as it is.

        Raises MatchUnreadable.
        """
        with suppress(*SENSELESS):
            return show(row)
        await self.mend(row.match_id)
        row = await self.row(row.match_id)
        try:
            return show(row)
        except SENSELESS as error:
            reason = Disagreement("its entries make a row that cannot be shown")
            raise self._set_aside.put(row.match_id, reason) from error

    async def _mending(self, look: Callable[[], Awaitable[Found]]) -> Found:
        """What `look` finds; once more, if damaged rows that it passed over could be mended."""
        try:
            found = await look()
            if await self._mend_passed_over():
                found = await look()
                self._log.take_damaged()
        except LogUnavailable as error:
            raise StoreUnavailable from error
        return found

    async def _mend_passed_over(self) -> bool:
        has_mended = False
        for match_id in self._log.take_damaged():
            try:
                await self.mend(match_id)
                has_mended = True
            except (MatchUnreadable, StoreUnavailable):
                continue  # it stays passed over; if the store is away, the next look tells
        return has_mended
