"""ListMatchEvents: the events of an ended match, each of them serialised once for all readers."""

from functools import partial

from ginrummy.log import IndexRow
from ginrummy.server.convert.matches import match_to_wire
from ginrummy.server.encoding import LISTED_EVENT, EventEncoder
from ginrummy.server.refusals import BadField
from ginrummy.tables.blocks import BLOCK_LEN, block_end
from ginrummy.tables.errors import MatchNotOver
from ginrummy.tables.history import ended_match_events
from ginrummy.tables.registry import Tables
from ginrummy.v1 import match_service_pb2 as pb

ENCODER = EventEncoder()


async def list_events(tables: Tables, row: IndexRow, after: int, page_size: int) -> bytes:
    """A ListMatchEventsResponse with at most `page_size` events after `after`, serialised.

    The bytes of messages, joined, are the message with the contents of all; so a page of events
    that are ready costs little more than copying them. Raises MatchNotOver and other Refused.
    """
    if not row.state.ended:
        raise MatchNotOver
    parts: list[bytes] = []
    end = min(after + page_size, row.head)
    cursor = after
    while cursor < end:
        first = block_end(cursor) - BLOCK_LEN
        block = await _block(tables, row, first)
        last = min(first + BLOCK_LEN, end)
        parts += block[cursor - first : last - first]
        cursor = last
    show = partial(match_to_wire, lifetimes=tables.lifetimes)
    rest = pb.ListMatchEventsResponse(
        next_page_token=str(cursor) if parts and cursor < row.head else "",
        match=await tables.index.shown(row, show),
    )
    return b"".join((*parts, rest.SerializeToString()))


async def _block(tables: Tables, row: IndexRow, first: int) -> list[bytes]:
    """The events of the block that begins after event `first`, each as a page holds it.

    It is kept event by event, as a page begins and ends where its reader likes and must not cost
    more for that. The last block of a match is kept too: it will get no more events.
    """
    last = min(first + BLOCK_LEN, row.head)

    async def make() -> list[bytes]:
        events = await ended_match_events(tables, row, first, last - first)
        return [LISTED_EVENT + ENCODER.event(event) for event in events]

    block: list[bytes] = await tables.blocks.get((row.match_id, last, "everything"), make)
    return block


def page_from_wire(page_token: str) -> int:
    """The event after which the page begins. Raises BadField."""
    if not page_token:
        return 0
    if not page_token.isascii() or not page_token.isdigit() or len(page_token) > 18:
        raise BadField("page_token", "is not one of this server's")
    return int(page_token)
