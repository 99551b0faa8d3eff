"""Ended matches, read from the log with nothing hidden."""

from ginrummy.log import IndexRow
from ginrummy.tables.errors import MatchNotFound, MatchNotOver
from ginrummy.tables.events import Recorded, from_log_after
from ginrummy.tables.index import reading
from ginrummy.tables.registry import Tables


async def ended_match_events(
    tables: Tables, row: IndexRow, after: int, most: int
) -> list[Recorded]:
    """At most `most` events after `after`, as they were. Raises MatchNotOver for a live match."""
    if not row.state.ended:
        raise MatchNotOver
    with reading(row.match_id):
        entries = await tables.log.read(row.match_id, after=after, limit=most)
    if not entries and after < row.head:
        raise MatchNotFound(row.match_id)  # forgotten meanwhile
    return from_log_after(entries, after)[:most]
