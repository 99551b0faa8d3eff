"""Ended matches, read from the log with nothing hidden."""

from ginrummy.log import IndexRow, LogDamaged, LogUnavailable
from ginrummy.tables.errors import MatchNotOver, MatchUnreadable, StoreUnavailable
from ginrummy.tables.events import Recorded, from_log_after
from ginrummy.tables.registry import Tables


async def ended_match_events(
    tables: Tables, row: IndexRow, after: int, most: int
) -> list[Recorded]:
    """At most `most` events after `after`, as they were. Raises MatchNotOver for a live match."""
    if not row.state.ended:
        raise MatchNotOver
    try:
        entries = await tables.log.read(row.match_id, after=after, limit=most)
    except LogDamaged as error:
        raise MatchUnreadable(row.match_id) from error
    except LogUnavailable as error:
        raise StoreUnavailable from error
    return from_log_after(entries, after)[:most]
