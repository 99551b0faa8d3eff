"""ListMatchEvents: the events of an ended match, each block of them converted once for all."""

from functools import partial

from ginrummy.log import IndexRow
from ginrummy.server.convert.events import event_to_wire
from ginrummy.server.convert.matches import match_to_wire
from ginrummy.server.refusals import BadField
from ginrummy.tables.blocks import BLOCK_LEN, block_end
from ginrummy.tables.errors import MatchNotOver
from ginrummy.tables.history import ended_match_events
from ginrummy.tables.registry import Tables
from ginrummy.v1 import match_service_pb2 as pb


async def list_events(
    tables: Tables, row: IndexRow, after: int, page_size: int
) -> pb.ListMatchEventsResponse:
    """At most `page_size` events after `after`. Raises MatchNotOver and other Refused."""
    if not row.state.ended:
        raise MatchNotOver
    parts: list[bytes] = []
    end = min(after + page_size, row.head)
    cursor = after
    while cursor < end:
        last = min(block_end(cursor), end)
        parts.append(await _packed(tables, row, cursor, last))
        cursor = last
    # The bytes of messages, joined, are the message with the contents of all.
    response = pb.ListMatchEventsResponse.FromString(b"".join(parts))
    show = partial(match_to_wire, lifetimes=tables.lifetimes)
    response.match.CopyFrom(await tables.index.shown(row, show))
    response.next_page_token = str(cursor) if parts and cursor < row.head else ""
    return response


async def _packed(tables: Tables, row: IndexRow, cursor: int, last: int) -> bytes:
    """The events after `cursor` up to `last`; whole blocks are kept."""

    async def make() -> bytes:
        events = await ended_match_events(tables, row, cursor, last - cursor)
        message = pb.ListMatchEventsResponse(events=map(event_to_wire, events))
        return message.SerializeToString()

    if last - cursor < BLOCK_LEN:
        return await make()
    packed: bytes = await tables.blocks.get((row.match_id, last, "everything"), make)
    return packed


def page_from_wire(page_token: str) -> int:
    """The event after which the page begins. Raises BadField."""
    if not page_token:
        return 0
    if not page_token.isascii() or not page_token.isdigit() or len(page_token) > 18:
        raise BadField("page_token", "is not one of this server's")
    return int(page_token)
