"""Callers of the service, by the generated stubs alone."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from functools import partial
from random import Random
from typing import Any
from uuid import uuid4

import grpc
from google.protobuf.message import Message

from ginrummy import engine
from ginrummy.server.methods import METHODS
from ginrummy.v1 import (
    action_pb2,
    analysis_service_pb2_grpc,
    cards_pb2,
    catalog_service_pb2_grpc,
    events_pb2,
    match_pb2,
    rules_pb2,
    view_pb2,
)
from ginrummy.v1 import (
    match_service_pb2 as pb,
)
from ginrummy.v1 import (
    match_service_pb2_grpc as pb_grpc,
)

TIMEOUT_S = 20
SEED = bytes([2] * 32)
LONG = rules_pb2.Rules(target=500)
"""Of a match that no single hand ends, however it is dealt."""
HUMAN = match_pb2.Seat(human=match_pb2.HumanSeat(display_name="Ann"))
OPEN = match_pb2.Seat(open=match_pb2.OpenSeat())
BOT = match_pb2.Seat(bot=match_pb2.BotSeat(bot="bots/simple"))

Metadata = tuple[tuple[str, str], ...]


def bearer(token: str) -> Metadata:
    return (("authorization", f"Bearer {token}"),)


def new_request_id() -> str:
    return str(uuid4())


class Desk:
    """A connection to a server."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.channel = channel
        self.matches: pb_grpc.MatchServiceAsyncStub = pb_grpc.MatchServiceStub(channel)
        for method in METHODS.values():
            if method.changes and hasattr(self.matches, method.name):  # they need a deadline
                call = getattr(self.matches, method.name)
                setattr(self.matches, method.name, partial(call, timeout=TIMEOUT_S))
        self.analysis: analysis_service_pb2_grpc.AnalysisServiceAsyncStub = (
            analysis_service_pb2_grpc.AnalysisServiceStub(channel)
        )
        self.catalog: catalog_service_pb2_grpc.CatalogServiceAsyncStub = (
            catalog_service_pb2_grpc.CatalogServiceStub(channel)
        )

    async def create(
        self,
        ruleset: str = "short",
        seats: Iterable[match_pb2.Seat] = (HUMAN, HUMAN),
        seed: bytes = b"",
        **fields: Any,
    ) -> pb.CreateMatchResponse:
        match = match_pb2.Match(ruleset=f"rulesets/{ruleset}", seats=seats, **fields)
        request = pb.CreateMatchRequest(match=match, request_id=new_request_id(), seed=seed)
        return await self.matches.CreateMatch(request, timeout=TIMEOUT_S)

    async def new_players(self, ruleset: str = "short", **fields: Any) -> tuple["Player", "Player"]:
        created = await self.create(ruleset, **fields)
        one, two = (Player(self, created.match.name, created.seat_tokens[i], i) for i in (1, 2))
        return one, two

    async def events(self, name: str) -> list[events_pb2.MatchEvent]:
        """Every event of an ended match, page by page."""
        events: list[events_pb2.MatchEvent] = []
        request = pb.ListMatchEventsRequest(name=name, page_size=100)
        while True:
            response = await self.matches.ListMatchEvents(request, timeout=TIMEOUT_S)
            events += response.events
            if not response.next_page_token:
                return events
            request.page_token = response.next_page_token


class Player:
    """Who plays a seat: chooses from legal actions, and keeps all that was shown to him."""

    def __init__(self, desk: Desk, name: str, token: str, seat: int) -> None:
        self.desk = desk
        self.name = name
        self.metadata = bearer(token)
        self.seat = seat
        self.events: list[events_pb2.MatchEvent] = []
        self.views: list[view_pb2.View] = []
        self._random = Random(seat)

    @property
    def head(self) -> int:
        return self.events[-1].sequence if self.events else 0

    @property
    def has_seen_the_end(self) -> bool:
        return bool(self.events) and self.events[-1].HasField("match_ended")

    async def view(self) -> view_pb2.View:
        request = pb.GetViewRequest(name=self.name)
        response = await self.desk.matches.GetView(
            request, metadata=self.metadata, timeout=TIMEOUT_S
        )
        self.views.append(response.view)
        return response.view

    def act_request(
        self, view: view_pb2.View, request_id: str = "", action: Any = None
    ) -> pb.ActRequest:
        return pb.ActRequest(
            name=self.name,
            action=action or self.choose(view),
            expected_sequence=view.sequence,
            request_id=request_id or new_request_id(),
        )

    async def act(self, view: view_pb2.View, request_id: str = "") -> pb.ActResponse:
        return await self.send(self.act_request(view, request_id))

    async def send(self, request: pb.ActRequest) -> pb.ActResponse:
        return await self.desk.matches.Act(request, metadata=self.metadata, timeout=TIMEOUT_S)

    def choose(self, view: view_pb2.View) -> action_pb2.Action:
        """A knock when there is one, else the best discard; draws as it happens."""
        actions = list(view.legal_actions)
        ends = [a for a in actions if a.WhichOneof("kind") in ("knock", "big_gin", "lay_off")]
        if ends:
            return ends[-1]
        if view.phase != view_pb2.PHASE_DISCARD:
            return self._random.choice(actions)
        barred = view.barred_discard if view.HasField("barred_discard") else 0
        best = engine.best_discard(names(view.own_hand), name_of(barred) if barred else None)
        return next(a for a in actions if name_of(a.discard.card) == best["card"])

    def note(self, event: events_pb2.MatchEvent) -> None:
        assert event.sequence == self.head + 1, "events have a gap"
        self.events.append(event)

    async def watch(self) -> AsyncIterator[events_pb2.MatchEvent]:
        """Every event after the last one seen, until the stream ends."""
        request = pb.WatchMatchRequest(name=self.name, after_sequence=self.head)
        async for response in self.desk.matches.WatchMatch(request, metadata=self.metadata):
            for event in response.events:
                self.note(event)
                yield event

    async def play_by_act_and_watch(self, most_actions: int = 10_000) -> None:
        """Plays until the match ends, or so many actions are done."""
        view = await self.view()
        if view.to_act == self.seat and view.sequence == self.head:
            await self.act(view)  # nothing new would come by the stream
        async for event in self.watch():
            if event.to_act == self.seat:
                view = await self.view()
                if view.sequence == event.sequence:
                    await self.act(view)
                    most_actions -= 1
                    if not most_actions:
                        return

    async def play_by_stream(self) -> None:
        """Plays the whole match over one Play stream."""
        call = self.desk.matches.Play(metadata=self.metadata)
        watch = pb.WatchMatchRequest(name=self.name, after_sequence=self.head)
        await call.write(pb.PlayRequest(watch=watch, correlation_id="watch"))
        sent = 0
        async for response in call:
            for event in response.update.events:
                self.note(event)
            for reply in response.replies:
                assert reply.ok, reply
                assert reply.sequence <= self.head, "a reply came before its events"
            if response.update.events and self.events[-1].to_act == self.seat:
                view = await self.view()
                if view.sequence == self.head:
                    sent += 1
                    act = self.act_request(view)
                    await call.write(pb.PlayRequest(act=act, correlation_id=str(sent)))
        assert await call.code() is grpc.StatusCode.OK


def watch(player: Player, **fields: Any) -> Any:
    request = pb.WatchMatchRequest(name=player.name, **fields)
    return player.desk.matches.WatchMatch(request, metadata=player.metadata)


async def read_to_end(call: Any) -> None:
    while await asyncio.wait_for(call.read(), 60) is not grpc.aio.EOF:
        pass


class Stream:
    """A Play stream, read by hand."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.call = player.desk.matches.Play(metadata=player.metadata)
        self.events: list[events_pb2.MatchEvent] = []

    async def read(self) -> pb.PlayResponse:
        response: Any = await asyncio.wait_for(self.call.read(), 60)
        assert response is not grpc.aio.EOF
        self.events += response.update.events
        return response  # type: ignore[no-any-return]

    async def send(self, correlation_id: str = "", **command: Any) -> pb.PlayReply:
        await self.call.write(pb.PlayRequest(correlation_id=correlation_id, **command))
        while not (replies := (await self.read()).replies):
            pass
        [reply] = replies
        assert reply.correlation_id == correlation_id
        return reply


async def to_act(*players: Player) -> tuple[Player, Player, view_pb2.View]:
    """Who has to act, who has not, and what the first sees."""
    one, two = players
    view = await one.view()
    if view.to_act == one.seat:
        return one, two, view
    return two, one, await two.view()


async def play_out(*players: Player) -> None:
    """Plays the match to its end, everybody at once."""
    async with asyncio.timeout(240):
        await asyncio.gather(*(player.play_by_act_and_watch() for player in players))


def name_of(card: int) -> str:
    return cards_pb2.Card.Name(card).removeprefix("CARD_")  # type: ignore[arg-type]


def names(cards: Iterable[int]) -> list[str]:
    return [name_of(card) for card in cards]


def cards_in(message: Message) -> set[int]:
    """Every card anywhere in a message."""
    found: set[int] = set()
    for field, value in message.ListFields():
        many = value if field.is_repeated else [value]
        if field.enum_type is not None and field.enum_type.name == "Card":
            found.update(many)
        elif field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for part in many:
                found |= cards_in(part)
    return found


def clock(turn_time_s: float) -> rules_pb2.Clock:
    length = rules_pb2.Clock()
    length.turn_time.FromMilliseconds(int(turn_time_s * 1000))
    return length
