"""Writing streams: one writer for each, which waits for its reader only so long.

A write costs the same whatever is sent: all that a watcher takes in one turn goes in one message.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, Self

import grpc
from google.protobuf.duration_pb2 import Duration

from ginrummy.server.convert.times import duration_from_wire, timestamp_to_wire
from ginrummy.server.edge import Context
from ginrummy.server.refusals import BadField, SlowConsumer
from ginrummy.tables.registry import Tables
from ginrummy.tables.watcher import Closing, News, Notice, PresenceChanged, Quiet
from ginrummy.v1 import events_pb2
from ginrummy.v1 import match_service_pb2 as pb

SLOW_READER_S = 8.0
"""A message that cannot be written for so long ends the stream."""
RETRY_AFTER_S = 1
USUAL_HEARTBEAT_S = 10.0
SHORTEST_HEARTBEAT_S = 2
LONGEST_HEARTBEAT_S = 60


async def in_own_task(following: Coroutine[Any, Any, None]) -> None:
    """Follows a match for as long as the stream is open; ends with the call.

    Whenever something happens the task is woken through its own few frames, instead of all those
    that the call has gone through before it came so far.
    """
    await asyncio.create_task(following)


class StreamWriter:
    """Writes one stream, and gives up when its reader makes no room for a message.

    One timer looks after all writes: a timer for each costs a twentieth of a move.

        with StreamWriter(context) as writer:
            await writer.write(message)
    """

    __slots__ = ("_began_s", "_context", "_has_given_up", "_loop", "_task", "_timer")

    def __init__(self, context: Context) -> None:
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[Any] | None = None
        """The one that is writing, or was the last to."""
        self._began_s: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._has_given_up = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._task = None  # which may hold what has just been raised, and that this writer

    async def write(self, message: Any) -> None:
        """Sends one message. Raises SlowConsumer if the reader does not make room for it."""
        self._task = asyncio.current_task(self._loop)
        self._began_s = self._loop.time()
        if self._timer is None:
            self._look_again_at(self._began_s + SLOW_READER_S)
        try:
            await self._context.write(message)
        except asyncio.CancelledError:
            # As asyncio.timeout does: somebody else may have cancelled the task too.
            if self._has_given_up and self._task is not None and self._task.uncancel() == 0:
                raise SlowConsumer from None
            raise
        except grpc.aio.InternalError:
            # The connection broke a moment ago, and the call has not heard of it yet.
            raise asyncio.CancelledError from None
        finally:
            self._began_s = None

    def _look_again_at(self, when_s: float) -> None:
        self._timer = self._loop.call_at(when_s, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._began_s is None or self._task is None:
            return
        due_s = self._began_s + SLOW_READER_S
        if self._loop.time() < due_s:
            self._look_again_at(due_s)
        else:
            self._has_given_up = True
            self._task.cancel()


def heartbeat_s_from_wire(request: pb.WatchMatchRequest, path: str) -> float:
    """The longest silence that is wanted. Raises BadField."""
    if not request.HasField("heartbeat"):
        return USUAL_HEARTBEAT_S
    length_s = duration_from_wire(request.heartbeat, path, LONGEST_HEARTBEAT_S) / 1e6
    if length_s < SHORTEST_HEARTBEAT_S:
        raise BadField(path, f"is {SHORTEST_HEARTBEAT_S} s to {LONGEST_HEARTBEAT_S} s")
    return length_s


def updates_to_wire(news: News, tables: Tables) -> Sequence[bytes]:
    """What a watcher is sent of one turn: a message, or several for a long catch-up; none of none.

    Each is a WatchMatchResponse that is serialised already.
    """
    messages, notices = news
    if not notices:
        return messages
    told = pb.WatchMatchResponse(notices=[_notice(notice, tables) for notice in notices])
    *others, last = messages or (b"",)
    return [*others, last + told.SerializeToString()]


def _notice(update: Notice, tables: Tables) -> events_pb2.Notice:
    match update:
        case PresenceChanged(seat, connected, claimable_us):
            presence = events_pb2.Presence(
                seat=seat,
                connected=connected,
                claimable_time=timestamp_to_wire(claimable_us),
            )
            return events_pb2.Notice(presence=presence)
        case Quiet(head):
            beat = events_pb2.Heartbeat(
                server_time=timestamp_to_wire(tables.now_us()), head_sequence=head
            )
            return events_pb2.Notice(heartbeat=beat)
        case Closing():
            away = events_pb2.GoingAway(retry_after=Duration(seconds=RETRY_AFTER_S))
            return events_pb2.Notice(going_away=away)
