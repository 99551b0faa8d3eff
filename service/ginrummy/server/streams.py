"""Writing streams: one writer for each, which waits for its reader only so long.

A write costs the same whatever is sent: all that a watcher takes in one turn goes in one message.
"""

import asyncio
from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf.duration_pb2 import Duration

from ginrummy.server.convert.times import duration_from_wire, timestamp_to_wire
from ginrummy.server.edge import Context
from ginrummy.server.refusals import BadField, SlowConsumer
from ginrummy.tables.registry import Tables
from ginrummy.tables.watcher import Closing, Happened, PresenceChanged, Quiet, Update
from ginrummy.v1 import events_pb2
from ginrummy.v1 import match_service_pb2 as pb

SLOW_READER_S = 8.0
"""A message that cannot be written for so long ends the stream."""
RETRY_AFTER_S = 1
USUAL_HEARTBEAT_S = 10.0
SHORTEST_HEARTBEAT_S = 2
LONGEST_HEARTBEAT_S = 60
MOST_EVENTS = 64
"""In one message. The largest events have about 1 kB, so that a message stays under 64 kB."""


async def write(context: Context, message: Any) -> None:
    """Sends one message. Raises SlowConsumer if the reader does not make room for it."""
    try:
        async with asyncio.timeout(SLOW_READER_S):
            await context.write(message)
    except TimeoutError:
        raise SlowConsumer from None


def heartbeat_s_from_wire(request: pb.WatchMatchRequest, path: str) -> float:
    """The longest silence that is wanted. Raises BadField."""
    if not request.HasField("heartbeat"):
        return USUAL_HEARTBEAT_S
    length_s = duration_from_wire(request.heartbeat, path, LONGEST_HEARTBEAT_S) / 1e6
    if length_s < SHORTEST_HEARTBEAT_S:
        raise BadField(path, f"is {SHORTEST_HEARTBEAT_S} s to {LONGEST_HEARTBEAT_S} s")
    return length_s


def updates_to_wire(updates: Iterable[Update], tables: Tables) -> Iterator[pb.WatchMatchResponse]:
    """What a watcher is sent of one turn: a message, or several for a long catch-up; none of none.

    Events come encoded.
    """
    events = []
    notices = []
    for update in updates:
        if isinstance(update, Happened):
            events.append(update.encoded)
        else:
            notices.append(_notice(update, tables))
    while len(events) > MOST_EVENTS:
        yield pb.WatchMatchResponse(events=events[:MOST_EVENTS])
        del events[:MOST_EVENTS]
    if events or notices:
        yield pb.WatchMatchResponse(events=events, notices=notices)


def _notice(update: PresenceChanged | Quiet | Closing, tables: Tables) -> events_pb2.Notice:
    match update:
        case PresenceChanged(seat, connected):
            return events_pb2.Notice(presence=events_pb2.Presence(seat=seat, connected=connected))
        case Quiet(head):
            beat = events_pb2.Heartbeat(
                server_time=timestamp_to_wire(tables.now_us()), head_sequence=head
            )
            return events_pb2.Notice(heartbeat=beat)
        case Closing():
            away = events_pb2.GoingAway(retry_after=Duration(seconds=RETRY_AFTER_S))
            return events_pb2.Notice(going_away=away)
