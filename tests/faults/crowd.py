"""Clients of a run: they play matches through any trouble, and note all that they are told."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from random import Random
from typing import TYPE_CHECKING, TypeVar, cast
from uuid import UUID

import grpc

from ginrummy.client import (
    GinRummyClient,
    GinRummyError,
    MatchClient,
    PlaySession,
    RetryPolicy,
    ServerUnavailable,
    Update,
)
from ginrummy.server.convert.actions import action_from_wire
from ginrummy.v1.action_pb2 import Action
from ginrummy.v1.events_pb2 import MatchEvent
from ginrummy.v1.match_service_pb2 import WatchMatchRequest
from ginrummy.v1.match_service_pb2_grpc import MatchServiceStub
from ginrummy.v1.view_pb2 import View

from .plans import TURN_TIME_S, Plan
from .record import Asked, Holder, Kind, Record, Sighting

if TYPE_CHECKING:
    from ginrummy.v1.match_service_pb2_grpc import MatchServiceAsyncStub

Answer = TypeVar("Answer")

PATIENCE_S = 300.0
"""How long a client comes back to a server that does not answer before that counts as a loss."""
COMES_BACK_SOON = RetryPolicy(
    max_attempts=1000,
    initial_backoff_s=0.05,
    max_backoff_s=0.3,
    reconnect_timeout_s=PATIENCE_S,
)
CONNECTS_SOON = (
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 200),
)
GOES_AND_COMES = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.INTERNAL,  # a stream cut by the end of its connection
)
CAN_BE_LATE = ("STALE_SEQUENCE", "MATCH_OVER")
"""What an action that was legal when it was chosen can be refused with."""


async def insist(call: Callable[[], Awaitable[Answer]]) -> Answer:
    """Calls until the server answers: the request_id makes it the same request."""
    began_s = time.monotonic()
    while True:
        try:
            return await call()
        except ServerUnavailable:
            if time.monotonic() - began_s > PATIENCE_S:
                raise
        await asyncio.sleep(0.05)


class Crowd:
    """A few clients, which share the matches of a run between them."""

    def __init__(self, target: str, record: Record, client_count: int = 4) -> None:
        self.record = record
        self._clients = [
            GinRummyClient(target, timeout_s=30, retry=COMES_BACK_SOON, options=CONNECTS_SOON)
            for _ in range(client_count)
        ]
        self._target = target

    async def __aenter__(self) -> "Crowd":
        self._open = AsyncExitStack()
        for client in self._clients:
            await self._open.enter_async_context(client)
        options = [*CONNECTS_SOON, ("grpc.use_local_subchannel_pool", 1)]
        channel = grpc.aio.insecure_channel(self._target, options)
        await self._open.enter_async_context(channel)
        self.stub: MatchServiceAsyncStub = MatchServiceStub(channel)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._open.aclose()

    def client(self, random: Random) -> GinRummyClient:
        return random.choice(self._clients)

    async def play_match(self, plan: Plan, random: Random) -> None:
        """Plays one match from its creation to its end. Trouble is noted."""
        table = AtTable(self, plan, random)
        try:
            await table.play()
        except Exception as error:
            name = table.holder.name if table.has_begun else "a match not created"
            self.record.troubles.append(f"{name}: {type(error).__name__}: {error}")


class AtTable:
    """Everybody at one table."""

    def __init__(self, crowd: Crowd, plan: Plan, random: Random) -> None:
        self.crowd = crowd
        self.record = crowd.record
        self.plan = plan
        self.random = random
        self.has_begun = False

    @property
    def match_id(self) -> str:
        return self.holder.name.removeprefix("matches/")

    def new_request(self, kind: Kind, seat: int = 0) -> Asked:
        request_id = str(UUID(int=self.random.getrandbits(128), version=4))
        return Asked(request_id, kind, self.match_id if self.has_begun else "", seat)

    async def play(self) -> None:
        await self._create()
        everybody = [SeatPlayer(self, 1).play()]
        if self.plan.opponent != "bot":
            everybody.append(self._sit_and_play())
        for viewer, token in self._raw_watchers():
            everybody.append(self._watch_raw(viewer, token))
        if self.plan.is_public:
            everybody.append(self._watch_from_now())
        if self.plan.end == "aborted":
            everybody.append(self._abort())
        async with asyncio.TaskGroup() as tasks:
            for each in everybody:
                tasks.create_task(each)

    async def _create(self) -> None:
        client = self.crowd.client(self.random)
        with self.record.asking(self.new_request("create")) as asked:
            match = self.plan.match()
            created = await insist(lambda: client.create_match(match, request_id=asked.request_id))
        self.holder = Holder(created.match.name, created.host_token, dict(created.seats))
        self.has_begun = True
        asked.match_id = self.match_id
        asked.is_answered = True
        self.record.matches[self.match_id] = self.holder

    async def _sit_and_play(self) -> None:
        if self.plan.opponent == "open":
            client = self.crowd.client(self.random)
            with self.record.asking(self.new_request("join", 2)) as asked:
                try:
                    joined = await insist(
                        lambda: client.join_match(
                            self.holder.name, display_name="Ben", request_id=asked.request_id
                        )
                    )
                except GinRummyError as error:
                    asked.refusal = error.reason
                    if error.reason == "MATCH_OVER":  # called off before
                        return
                    raise
            asked.is_answered, asked.last = True, None
            self.holder.seat_tokens[joined.seat] = joined.token
        await SeatPlayer(self, 2).play()

    async def _abort(self) -> None:
        host = self.crowd.client(self.random).seat(self.holder.name, self.holder.host_token)
        await asyncio.sleep(self.random.uniform(0, 5))
        with self.record.asking(self.new_request("abort")) as asked:
            try:
                match = await insist(lambda: host.abort(request_id=asked.request_id))
            except GinRummyError as error:
                asked.refusal = error.reason
                if error.reason != "MATCH_OVER":
                    raise
                return
        asked.is_answered, asked.last = True, match.sequence

    def _raw_watchers(self) -> list[tuple[int, str | None]]:
        watchers: list[tuple[int, str | None]] = []
        if self.plan.is_public:
            watchers.append((0, None))
        if self.plan.has_second_tab:
            watchers += [(1, self.holder.seat_tokens[1]), (0, self.holder.host_token)]
        return watchers

    async def _watch_raw(self, viewer: int, token: str | None) -> None:
        """Watches without the client, which would hide an event that comes twice."""
        sighting = self.record.watcher(self.match_id, viewer, "by hand")
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        began_s = time.monotonic()
        while not _is_over(sighting):
            after = sighting.events[-1].sequence if sighting.events else 0
            request = WatchMatchRequest(name=self.holder.name, after_sequence=after)
            try:
                async for response in self.crowd.stub.WatchMatch(request, metadata=metadata):
                    sighting.events.extend(response.events)
                    began_s = time.monotonic()
            except grpc.aio.AioRpcError as error:
                too_long = time.monotonic() - began_s > PATIENCE_S
                if error.code() not in GOES_AND_COMES or too_long:
                    raise
            await asyncio.sleep(0.05)

    async def _watch_from_now(self) -> None:
        match = self.crowd.client(self.random).spectate(self.holder.name)
        await note_updates(match, self.record.watcher(self.match_id, 0, "from a view on"))


async def note_updates(match: MatchClient, sighting: Sighting) -> None:
    async for update in match.watch():
        _note(sighting, update)


def _note(sighting: Sighting, update: Update) -> None:
    if isinstance(update, MatchEvent):
        sighting.events.append(update)
    elif isinstance(update, View):
        sighting.views.append(update)


def _is_over(sighting: Sighting) -> bool:
    return bool(sighting.events) and sighting.events[-1].HasField("match_ended")


class SeatPlayer:
    """Plays one seat by the client library."""

    def __init__(self, table: AtTable, seat: int) -> None:
        self.table = table
        self.record = table.record
        self.random = table.random
        self.seat = seat
        self.way = table.plan.ways[seat - 1]
        client = table.crowd.client(table.random)
        self.match = client.seat(table.holder.name, table.holder.seat_tokens[seat])
        self.sighting = self.record.watcher(table.match_id, seat, self.way)
        self.resigns_at = 0
        if table.plan.end == "resigned" and seat == 1:
            self.resigns_at = self.random.randrange(1, 40)
        self.session: PlaySession | None = None

    async def play(self) -> None:
        if self.way == "play":
            async with self.match.play(after_sequence=0) as self.session:
                async for update in self.session:
                    await self._see(update)
        else:
            async for update in self.match.watch(after_sequence=0):
                await self._see(update)

    async def _see(self, update: Update) -> None:
        _note(self.sighting, update)
        if isinstance(update, MatchEvent) and update.to_act == self.seat:
            if self.table.plan.has_clock and self.random.random() < 0.05:
                await asyncio.sleep(1.5 * TURN_TIME_S)  # lost in thought
            await self._move(update.sequence)

    async def _move(self, sequence: int) -> None:
        view = await insist(self.match.view)
        self.sighting.views.append(view)
        if view.sequence != sequence or not view.legal_actions:
            return
        if self.resigns_at and sequence >= self.resigns_at:
            await self._ask(self.table.new_request("resign", self.seat), self._resign)
            return
        action = self._choose(view)
        asked = self.table.new_request("act", self.seat)
        asked.action = cast("dict[str, object]", action_from_wire(action, "action"))
        await self._ask(asked, lambda asked: self._act(asked, action, sequence))

    def _choose(self, view: View) -> Action:
        options = view.discard_options
        if options.HasField("hint") and self.random.random() < 0.9:
            return options.hint
        return self.random.choice(view.legal_actions)

    async def _ask(self, asked: Asked, ask: Callable[[Asked], Awaitable[None]]) -> None:
        with self.record.asking(asked):
            try:
                await insist(lambda: ask(asked))
            except GinRummyError as error:
                asked.refusal = error.reason
                if error.reason not in CAN_BE_LATE:
                    raise
                return
        asked.is_answered = True

    async def _act(self, asked: Asked, action: Action, sequence: int) -> None:
        request_id = asked.request_id
        if self.session is not None:
            reply = await self.session.act(
                action, expected_sequence=sequence, request_id=request_id
            )
            asked.is_replayed, asked.last = reply.replayed, reply.sequence
        else:
            response = await self.match.act(
                action, expected_sequence=sequence, request_id=request_id
            )
            asked.is_replayed, asked.events = response.replayed, list(response.events)
            asked.last = asked.events[-1].sequence

    async def _resign(self, asked: Asked) -> None:
        if self.session is not None:
            reply = await self.session.resign(request_id=asked.request_id)
            asked.is_replayed, asked.last = reply.replayed, reply.sequence
        else:
            asked.last = (await self.match.resign(request_id=asked.request_id)).sequence
