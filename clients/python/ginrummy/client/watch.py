"""Following a match over connections that come and go: nothing twice, nothing skipped."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from typing import Generic, TypeAlias, TypeVar

from google.protobuf.duration_pb2 import Duration
from grpc import aio

from ginrummy.client.connection import Connection, StreamReader
from ginrummy.client.errors import GinRummyError, SequenceGap
from ginrummy.client.retry import Patience, connection_lost, is_lost_stream
from ginrummy.v1.events_pb2 import MatchEvent, Notice
from ginrummy.v1.match_pb2 import MatchState
from ginrummy.v1.match_service_pb2 import GetMatchRequest, WatchMatchRequest, WatchMatchResponse
from ginrummy.v1.view_pb2 import Phase, View

Update: TypeAlias = View | MatchEvent | Notice
"""What a watched match sends: a view first, then events, notices between them."""

_Request = TypeVar("_Request")
_Response = TypeVar("_Response")
_StreamCall: TypeAlias = (
    "aio.UnaryStreamCall[_Request, _Response] | aio.StreamStreamCall[_Request, _Response]"
)

# What the server uses when the request does not say.
DEFAULT_HEARTBEAT_S = 10.0


class Cursor:
    """How far a watcher has read."""

    def __init__(self, after_sequence: int | None) -> None:
        self.sequence = after_sequence
        """Number of the last event seen; None before the first view."""
        self.over = False
        """The match's last event was seen."""

    def admit(self, update: Update) -> bool:
        """Moves on to `update`; False when it was seen before. Raises SequenceGap."""
        if isinstance(update, Notice):
            return True
        if isinstance(update, View):
            if self.sequence is not None:
                return False
            self.over = update.phase == Phase.PHASE_MATCH_OVER
        else:
            if self.sequence is None:
                raise SequenceGap(0, update.sequence)
            if update.sequence <= self.sequence:
                return False
            if update.sequence > self.sequence + 1:
                raise SequenceGap(self.sequence + 1, update.sequence)
            self.over = update.HasField("match_ended")
        self.sequence = update.sequence
        return True


class Follower(Generic[_Request, _Response]):
    """Keeps a stream of one match's updates open, and ends when the match does."""

    def __init__(
        self,
        connection: Connection,
        name: str,
        cursor: Cursor,
        heartbeat_s: float | None,
        open_stream: Callable[[], _StreamCall[_Request, _Response]],
        update_in: Callable[[_Response], WatchMatchResponse],
        is_settled: Callable[[], bool] = lambda: True,
        on_connection: Callable[[bool], None] = lambda _: None,
    ) -> None:
        """`open_stream` opens it after the cursor; `update_in` takes out what else it carries;
        `is_settled` tells whether it may end with the match; `on_connection` is called with False
        when the connection is lost, and with True when it is back."""
        self._connection = connection
        self._name = name
        self._cursor = cursor
        self._open_stream = open_stream
        self._update_in = update_in
        self._is_settled = is_settled
        self._on_connection = on_connection
        self._is_lost = False
        self._patience = Patience(connection.retry, connection.timeout_s)
        silence_limit_s = (heartbeat_s or DEFAULT_HEARTBEAT_S) * connection.retry.missed_heartbeats
        self._reader = StreamReader(connection.target, silence_limit_s)

    async def updates(self) -> AsyncGenerator[Update, None]:
        """Every update once, over as many streams as it takes."""
        while True:
            loss: GinRummyError | None = None
            with self._connection.stream(self._open_stream()) as call:
                try:
                    async with aclosing(self._updates_of(call)) as updates:
                        async for update in updates:
                            yield update
                except GinRummyError as error:
                    loss = error
            if self._cursor.over:
                return
            if loss is None:
                if await self._is_over():
                    return
                loss = connection_lost(f"the server at {self._connection.target} ended the stream")
            self._tell_connection(is_lost=is_lost_stream(loss))
            await self._patience.wait(loss)

    def _tell_connection(self, *, is_lost: bool) -> None:
        if is_lost != self._is_lost:
            self._is_lost = is_lost
            self._on_connection(not is_lost)

    async def _updates_of(
        self, call: _StreamCall[_Request, _Response]
    ) -> AsyncGenerator[Update, None]:
        while not (self._cursor.over and self._is_settled()):
            response = await self._reader.read(call)
            if response is None:
                return
            self._patience.heard()
            self._tell_connection(is_lost=False)
            for update in _unpacked(self._update_in(response)):
                if isinstance(update, Notice) and update.HasField("going_away"):
                    retry_after = update.going_away.retry_after
                    self._patience.sent_away(retry_after.ToTimedelta().total_seconds())
                if self._cursor.admit(update):
                    yield update

    async def _is_over(self) -> bool:
        """Whether a stream that ended without the match's last event has nothing more to tell.

        That is so after a resume from the last event. Everything else is a server that stops.
        """
        request = GetMatchRequest(name=self._name)
        try:
            match = (await self._connection.call(self._connection.matches.GetMatch, request)).match
        except GinRummyError:
            # The next stream tells.
            return False
        ended = match.state in (MatchState.MATCH_STATE_FINISHED, MatchState.MATCH_STATE_ABORTED)
        return (
            ended and self._cursor.sequence is not None and match.sequence <= self._cursor.sequence
        )


def watch_request(name: str, cursor: Cursor, heartbeat_s: float | None) -> WatchMatchRequest:
    """The request that goes on where the cursor is."""
    request = WatchMatchRequest(name=name, after_sequence=cursor.sequence)
    if heartbeat_s is not None:
        heartbeat = Duration()
        heartbeat.FromNanoseconds(round(heartbeat_s * 1e9))
        request.heartbeat.CopyFrom(heartbeat)
    return request


def _unpacked(response: WatchMatchResponse) -> Iterator[Update]:
    """What the message carries, one by one; nothing of what only a newer server sends."""
    if response.HasField("snapshot"):
        yield response.snapshot
    yield from response.events
    yield from response.notices
