"""Writing streams: one writer for each, which waits for its reader only so long."""

import asyncio
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


def update_to_wire(update: Update, tables: Tables) -> pb.WatchMatchResponse:
    """What a watcher is sent. Events come encoded."""
    match update:
        case Happened(encoded):
            response: pb.WatchMatchResponse = encoded
            return response
        case PresenceChanged(seat, connected):
            presence = events_pb2.Presence(seat=seat, connected=connected)
            return _notice(events_pb2.Notice(presence=presence))
        case Quiet(head):
            beat = events_pb2.Heartbeat(
                server_time=timestamp_to_wire(tables.now_us()), head_sequence=head
            )
            return _notice(events_pb2.Notice(heartbeat=beat))
        case Closing():
            away = events_pb2.GoingAway(retry_after=Duration(seconds=RETRY_AFTER_S))
            return _notice(events_pb2.Notice(going_away=away))


def _notice(notice: events_pb2.Notice) -> pb.WatchMatchResponse:
    return pb.WatchMatchResponse(notice=notice)
