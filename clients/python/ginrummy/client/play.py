"""Playing one seat over one stream."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import grpc
from grpc import aio

from ginrummy.client.connection import Connection, new_request_id
from ginrummy.client.errors import GinRummyError, ServerUnavailable, error_from_reply
from ginrummy.client.watch import Cursor, Follower, Update, watch_request
from ginrummy.v1.action_pb2 import Action
from ginrummy.v1.events_pb2 import Notice
from ginrummy.v1.match_service_pb2 import (
    ActRequest,
    ClaimMatchRequest,
    PlayReply,
    PlayRequest,
    PlayResponse,
    ResignMatchRequest,
    WatchMatchRequest,
    WatchMatchResponse,
)

_PlayCall = aio.StreamStreamCall[PlayRequest, PlayResponse]


@dataclass(frozen=True, slots=True)
class _Pending:
    """A command without its reply."""

    request: PlayRequest
    reply: asyncio.Future[PlayReply]


class PlaySession:
    """Commands and updates of one seat over one stream. Made by `MatchClient.play`.

    Iterate it for the updates, as `MatchClient.watch` gives them; call `act`, `resign` and `claim`
    from the same task or another. When the connection is lost it comes back by itself: the updates
    go on with the next event, and commands without a reply are sent again with their request_id, so
    that each takes effect once. Updates wait until they are read; a session that is never iterated
    keeps the match's events, not its heartbeats.

    Iteration ends after the match's last event, and raises what `watch` would raise; so do
    commands that are still without a reply then.
    """

    def __init__(
        self,
        connection: Connection,
        name: str,
        token: str | None,
        after_sequence: int | None,
        heartbeat_s: float | None,
    ) -> None:
        self._connection = connection
        self._name = name
        self._token = token
        self._heartbeat_s = heartbeat_s
        self._cursor = Cursor(after_sequence)
        # None: no more will come.
        self._updates: asyncio.Queue[Update | None] = asyncio.Queue()
        self._pending: dict[str, _Pending] = {}
        self._last_correlation_id = 0
        self._outbox: asyncio.Queue[PlayRequest] | None = None
        self._accepted = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None
        self._follower: asyncio.Task[None] | None = None
        self._failure: Exception | None = None

    def __repr__(self) -> str:
        return f"<PlaySession {self._name} at {self._connection.target}>"

    async def __aenter__(self) -> Self:
        if self._follower is not None:
            raise RuntimeError("a play session can be entered once")
        self._follower = asyncio.create_task(self._follow())
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the stream. Commands without a reply raise; the match goes on."""
        for task in (self._follower, self._writer):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Update:
        update = await self._updates.get()
        if update is not None:
            return update
        self._updates.put_nowait(None)
        if self._failure is not None:
            raise self._failure
        raise StopAsyncIteration

    async def act(
        self, action: Action, *, expected_sequence: int, request_id: str | None = None
    ) -> PlayReply:
        """One action, decided on the state after `expected_sequence`.

        The reply tells the sequence number of the last event that it caused; the events themselves
        come as updates. Raises as `MatchClient.act` does; the session stays open.
        """
        act = ActRequest(
            action=action,
            expected_sequence=expected_sequence,
            request_id=request_id or new_request_id(),
        )
        return await self._command(PlayRequest(act=act))

    async def resign(self, *, request_id: str | None = None) -> PlayReply:
        """Gives up; the other seat wins."""
        resign = ResignMatchRequest(request_id=request_id or new_request_id())
        return await self._command(PlayRequest(resign=resign))

    async def claim(self, *, request_id: str | None = None) -> PlayReply:
        """Wins the match of an opponent who has been away for long enough; else NotClaimable."""
        claim = ClaimMatchRequest(request_id=request_id or new_request_id())
        return await self._command(PlayRequest(claim=claim))

    async def _command(self, request: PlayRequest) -> PlayReply:
        """Sends a command until it is answered for good."""
        deadline_s = asyncio.get_running_loop().time() + self._connection.timeout_s
        failures = 0
        while True:
            reply = await self._exchange(request, deadline_s)
            if reply.ok:
                return reply
            failures += 1
            await self._connection.wait_to_retry(error_from_reply(reply), failures, deadline_s)

    async def _exchange(self, request: PlayRequest, deadline_s: float) -> PlayReply:
        """One command and its reply, over the stream while there is one."""
        if self._follower is None:
            raise RuntimeError("a play session has to be entered: async with match.play() as ...")
        if self._follower.cancelled():
            raise RuntimeError("the play session is closed")
        if self._follower.done():
            return await self._call_instead(request)
        self._last_correlation_id += 1
        request.correlation_id = str(self._last_correlation_id)
        pending = _Pending(request, asyncio.get_running_loop().create_future())
        self._pending[request.correlation_id] = pending
        if self._outbox is not None:
            self._outbox.put_nowait(request)
        try:
            async with asyncio.timeout_at(deadline_s):
                return await pending.reply
        except TimeoutError:
            raise ServerUnavailable(
                f"the server at {self._connection.target} did not answer in time",
                code=grpc.StatusCode.DEADLINE_EXCEEDED,
            ) from None
        finally:
            self._pending.pop(request.correlation_id, None)

    async def _follow(self) -> None:
        """Hands out updates and replies until the match is over or the stream cannot come back."""
        try:
            updates = Follower[PlayRequest, PlayResponse](
                self._connection,
                self._name,
                self._cursor,
                self._heartbeat_s,
                self._open_stream,
                self._update_in,
                is_settled=lambda: not self._pending,
            ).updates()
            async for update in updates:
                if not (_is_heartbeat(update) and self._updates.qsize()):
                    self._updates.put_nowait(update)
            await self._settle()
        except Exception as error:
            self._failure = error
        finally:
            self._end()

    def _open_stream(self) -> _PlayCall:
        """A stream that goes on after the last update and asks again for every missing reply."""
        if self._writer is not None:
            self._writer.cancel()
        call: _PlayCall = self._connection.matches.Play(
            metadata=self._connection.metadata(self._token)
        )
        self._outbox = asyncio.Queue()
        for pending in self._pending.values():
            self._outbox.put_nowait(pending.request)
        self._accepted = asyncio.Event()
        watch = watch_request(self._name, self._cursor, self._heartbeat_s)
        self._writer = asyncio.create_task(_write(call, watch, self._accepted, self._outbox))
        return call

    def _update_in(self, response: PlayResponse) -> WatchMatchResponse:
        """Hands out the replies; whoever waits for one goes on after the message's updates."""
        self._accepted.set()
        for reply in response.replies:
            pending = self._pending.pop(reply.correlation_id, None)
            if pending is not None and not pending.reply.done():
                pending.reply.set_result(reply)
        return response.update

    async def _settle(self) -> None:
        """Gets the replies that the stream ended without."""
        while self._pending:
            _, pending = self._pending.popitem()
            try:
                reply = await self._call_instead(pending.request)
            except GinRummyError as error:
                if not pending.reply.done():
                    pending.reply.set_exception(error)
            else:
                if not pending.reply.done():
                    pending.reply.set_result(reply)

    async def _call_instead(self, request: PlayRequest) -> PlayReply:
        """The command as a call of its own: the request_id makes it the same command."""
        connection = self._connection
        if self._failure is not None:
            raise self._failure
        if request.HasField("act"):
            request.act.name = self._name
            done = await connection.call(connection.matches.Act, request.act, self._token)
            sequence = done.events[-1].sequence if done.events else request.act.expected_sequence
            return PlayReply(ok=True, sequence=sequence, replayed=done.replayed)
        if request.HasField("claim"):
            request.claim.name = self._name
            claimed = await connection.call(
                connection.matches.ClaimMatch, request.claim, self._token
            )
            return PlayReply(ok=True, sequence=claimed.view.sequence)
        request.resign.name = self._name
        resigned = await connection.call(
            connection.matches.ResignMatch, request.resign, self._token
        )
        return PlayReply(ok=True, sequence=resigned.view.sequence)

    def _end(self) -> None:
        self._outbox = None
        if self._writer is not None:
            self._writer.cancel()
        closed = ServerUnavailable("the play session was closed", code=grpc.StatusCode.CANCELLED)
        for pending in self._pending.values():
            if not pending.reply.done():
                pending.reply.set_exception(self._failure or closed)
        self._updates.put_nowait(None)


async def _write(
    call: _PlayCall,
    watch: WatchMatchRequest,
    accepted: asyncio.Event,
    outbox: asyncio.Queue[PlayRequest],
) -> None:
    """Sends the commands in their order. Whoever reads the stream finds out how it ended.

    They wait until the server has accepted the stream, which its first message shows (the reply to
    `watch`, if nothing else): grpc forgets why a stream was refused when more is written to it.
    """
    try:
        await call.write(PlayRequest(watch=watch))
        await accepted.wait()
        while True:
            await call.write(await outbox.get())
    except (aio.AioRpcError, asyncio.InvalidStateError):
        return


def _is_heartbeat(update: Update) -> bool:
    return isinstance(update, Notice) and update.HasField("heartbeat")
