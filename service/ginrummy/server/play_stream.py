"""Play: one seat's commands and events over one stream."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any, cast

from ginrummy.server.auth import Entered, Player, bearer_token, player_of
from ginrummy.server.convert.actions import action_from_wire
from ginrummy.server.convert.fields import match_id_from_wire, request_id_from_wire
from ginrummy.server.convert.views import view_to_bytes
from ginrummy.server.edge import Context, check_readable
from ginrummy.server.encoding import PLAY_REPLY, PLAY_UPDATE, SNAPSHOT, delimited
from ginrummy.server.errors import Failure, failure_of
from ginrummy.server.gate import Commands
from ginrummy.server.limits import LONGEST_CORRELATION_ID
from ginrummy.server.refusals import BadField
from ginrummy.server.streams import (
    StreamWriter,
    heartbeat_s_from_wire,
    in_own_task,
    updates_to_wire,
)
from ginrummy.tables import play
from ginrummy.tables.about import note
from ginrummy.tables.errors import Draining, Refused
from ginrummy.tables.registry import Tables
from ginrummy.tables.table import Answer, Table
from ginrummy.tables.views import view_of
from ginrummy.tables.watcher import Watcher
from ginrummy.v1 import errors_pb2
from ginrummy.v1 import match_service_pb2 as pb

MOST_REPLIES = 16
"""Replies that wait to be written before further commands are read."""


class PlayStream:
    """One call of Play.

    Commands are read and carried out in a task of their own, one after the other; its replies are
    written by the one writer, which follows the match too. An accepted command's reply is there
    when the watcher is woken for its events, so that one message carries both.
    """

    def __init__(
        self,
        tables: Tables,
        commands: Commands,
        requests: AsyncIterator[Any],
        context: Context,
    ) -> None:
        self._tables = tables
        self._commands = commands
        self._requests = requests
        self._context = context
        self._writer = StreamWriter(context)
        self._replies: deque[tuple[int, pb.PlayReply]] = deque()
        """Each with the event that it waits for."""
        self._room = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._has_read_all = False

    async def run(self) -> None:
        """Serves the stream to its end. Raises a Refused that ends it."""
        first = await self._first()
        watch = first.watch
        quiet_s = heartbeat_s_from_wire(watch, "watch.heartbeat")
        match_id = match_id_from_wire(watch.name, "watch.name")
        note(match=match_id)
        token = bearer_token(self._context)
        async with Entered(self._tables, match_id, token, player_of) as (table, player):
            seat = player.seat
            wants_snapshot = not watch.HasField("after_sequence")
            after = table.state.head if wants_snapshot else watch.after_sequence
            watching = table.audience.watch(seat, after, quiet_s, str(seat))
            with watching as watcher, self._writer:
                self._accept("watch", first, table.state.head)
                del first, watch
                if wants_snapshot:
                    view = view_to_bytes(view_of(table, seat))
                    await self._send([SNAPSHOT + delimited(view)], after)
                watcher.wake()
                reading = asyncio.create_task(self._read(table, player, watcher))
                try:
                    await in_own_task(self._write(watcher, reading))
                finally:
                    reading.cancel()
                    await asyncio.wait((reading,))

    async def _first(self) -> pb.PlayRequest:
        with suppress(StopAsyncIteration):
            request = await anext(self._requests)
            check_readable(request)
            if request.WhichOneof("command") == "watch":
                return cast(pb.PlayRequest, request)
        raise BadField("watch", "is required as the first message")

    async def _write(self, watcher: Watcher, reading: "asyncio.Task[None]") -> None:
        """Writes updates and replies as they come, and at the end the replies that are due."""
        try:
            while (news := await watcher.updates()) is not None:
                await self._send(updates_to_wire(news, self._tables), watcher.cursor)
                if self._has_read_all and not self._replies:
                    break
        except Draining:
            await self._finish(watcher)
            raise
        await self._finish(watcher)
        if reading.done():
            reading.result()

    async def _finish(self, watcher: Watcher) -> None:
        await self._idle.wait()
        await self._send([], watcher.cursor)

    async def _send(self, updates: Sequence[bytes], cursor: int) -> None:
        """Writes what has come in one turn, up to the event `cursor`, in as few messages as can be.

        A reply waits for the events that it speaks of, and goes with the last message.
        """
        told = b""
        while self._replies and self._replies[0][0] <= cursor:
            told += PLAY_REPLY + delimited(self._replies.popleft()[1].SerializeToString())
            self._room.set()
        left = len(updates)
        for update in updates:
            left -= 1
            message = PLAY_UPDATE + delimited(update)
            await self._writer.write(message if left else message + told)
        if told and not updates:
            await self._writer.write(told)

    async def _read(self, table: Table, player: Player, watcher: Watcher) -> None:
        try:
            async for request in self._requests:
                if watcher.is_dismissed:
                    return
                self._idle.clear()
                await self._answer(request, table, player)
                # Until the next one comes, which may take hours.
                del request
                self._idle.set()
                if self._replies:
                    watcher.wake()
                while len(self._replies) >= MOST_REPLIES:
                    self._room.clear()
                    await self._room.wait()
        finally:
            self._has_read_all = True
            self._idle.set()
            watcher.wake()

    def _accept(
        self, command: str, request: pb.PlayRequest, sequence: int, *, replayed: bool = False
    ) -> None:
        self._replies.append((sequence, _accepted(request, sequence, replayed=replayed)))
        self._commands.accepted(command, replayed=replayed)

    async def _answer(self, request: Any, table: Table, player: Player) -> None:
        command = _command_of(request)
        with self._commands.one(command, request) as span:
            try:
                self._commands.enter()
                check_readable(request)
                if len(request.correlation_id) > LONGEST_CORRELATION_ID:
                    at_most = f"is longer than {LONGEST_CORRELATION_ID} characters"
                    raise BadField("correlation_id", at_most)
                await self._carry_out(command, request, table, player)
            except Refused as refused:
                failure = failure_of(refused)
                head = table.state.head
                self._replies.append((head, _refusal(request, failure, head)))
                self._commands.refused(command, failure)
                span.refused(failure)

    async def _carry_out(
        self, command: str, request: pb.PlayRequest, table: Table, player: Player
    ) -> None:
        seat, by = player.seat, player.holder

        def reply(answer: Answer) -> None:
            self._accept(command, request, answer.head, replayed=answer.replayed)

        match command:
            case "act":
                act = request.act
                _check_match(act.name, table, "act.name")
                action = action_from_wire(act.action, "act.action")
                request_id = request_id_from_wire(act.request_id, "act.request_id")
                if not act.expected_sequence:
                    raise BadField("act.expected_sequence", "is required")
                expected = act.expected_sequence
                await play.act(table, seat, action, expected, request_id, reply, by=by)
            case "resign":
                _check_match(request.resign.name, table, "resign.name")
                request_id = request_id_from_wire(request.resign.request_id, "resign.request_id")
                await play.resign(table, seat, request_id, reply, by=by)
            case "claim":
                _check_match(request.claim.name, table, "claim.name")
                request_id = request_id_from_wire(request.claim.request_id, "claim.request_id")
                await play.claim(table, seat, request_id, reply, by=by)
            case "ping":
                self._accept("ping", request, table.state.head)
            case "watch":
                raise BadField("watch", "comes first, and only once")
            case _:
                raise BadField("command", "act, resign, claim or ping is required")


def _accepted(request: pb.PlayRequest, sequence: int, *, replayed: bool = False) -> pb.PlayReply:
    return pb.PlayReply(
        correlation_id=request.correlation_id, ok=True, sequence=sequence, replayed=replayed
    )


def _check_match(name: str, table: Table, path: str) -> None:
    if name and name != f"matches/{table.state.match_id}":
        raise BadField(path, "is another match than the stream's")


def _command_of(request: Any) -> str:
    """The command's name; empty for what holds none that this server knows."""
    found = request.WhichOneof("command") if isinstance(request, pb.PlayRequest) else None
    return found or ""


def _refusal(request: Any, failure: Failure, head: int) -> pb.PlayReply:
    correlation_id = request.correlation_id if isinstance(request, pb.PlayRequest) else ""
    return pb.PlayReply(
        correlation_id=correlation_id[:LONGEST_CORRELATION_ID],
        sequence=head,
        reason=errors_pb2.ErrorReason.Value(f"ERROR_REASON_{failure.reason}"),
        message=failure.message,
        rule=failure.metadata.get("rule", ""),
        metadata=failure.metadata,
    )
