"""Moves: the command, its answer, and its events to each seat, as a frontend's would travel."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeAlias
from uuid import uuid4

import grpc.aio

from bench_service.servers import Server
from ginrummy.v1 import action_pb2, cards_pb2, match_pb2, match_service_pb2, rules_pb2
from ginrummy.v1.match_service_pb2_grpc import MatchServiceStub

if TYPE_CHECKING:
    from ginrummy.v1.match_service_pb2_grpc import MatchServiceAsyncStub

DRAW = action_pb2.Action(draw=action_pb2.Draw(pile=action_pb2.PILE_STOCK))
SPECTATED = match_pb2.SPECTATOR_POLICY_PUBLIC_INFO
# Draws from the stock and discards that card: no pass, no knock, hand after dead hand.
ENDLESS = match_pb2.Match(
    ruleset="rulesets/solo",
    overrides=rules_pb2.Rules(upcard_offer=False, knocker_melds=rules_pb2.MELD_CHOICE_AUTO),
    seats=[match_pb2.Seat(number=n, human=match_pb2.HumanSeat()) for n in (1, 2)],
    spectators=SPECTATED,
)
TIMEOUT_S = 30
WARM_UP_S = 0.5


@dataclass(slots=True)
class Sample:
    """What one way of playing took in one round."""

    latencies_s: list[float] = field(default_factory=list)
    server_cpu_s: float = 0.0
    wall_s: float = 0.0

    @property
    def per_cpu_second(self) -> float:
        """Moves for each second of the server's CPU."""
        return len(self.latencies_s) / max(self.server_cpu_s, 1e-9)


@dataclass(slots=True)
class Seat:
    """One seat of a running match, as this client knows it."""

    match: str
    number: int
    token: str
    sequence: int = 0
    to_act: int = 0
    drawn: cards_pb2.Card.ValueType = cards_pb2.CARD_UNSPECIFIED

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Who is calling."""
        return (("authorization", f"Bearer {self.token}"),)

    def see(self, update: match_service_pb2.WatchMatchResponse) -> bool:
        """Folds one message of the stream; whether it has brought this seat's turn."""
        if update.HasField("snapshot"):
            self.sequence, self.to_act = update.snapshot.sequence, update.snapshot.to_act
        for event in update.events:
            self.sequence, self.to_act = event.sequence, event.to_act
            drew = event.WhichOneof("payload") == "card_drawn" and event.seat == self.number
            self.drawn = event.card_drawn.card if drew else cards_pb2.CARD_UNSPECIFIED
        has_news = update.HasField("snapshot") or bool(update.events)
        return has_news and self.to_act == self.number

    def act(self, *, want_view: bool = False) -> match_service_pb2.ActRequest:
        """The next move."""
        action = action_pb2.Action(discard=action_pb2.Discard(card=self.drawn))
        return match_service_pb2.ActRequest(
            name=self.match,
            action=action if self.drawn else DRAW,
            expected_sequence=self.sequence,
            request_id=str(uuid4()),
            want_view=want_view,
        )


async def act_and_watch(
    stub: MatchServiceAsyncStub, seat: Seat, sample: Sample, *, want_view: bool = False
) -> None:
    """Plays one seat through Act and WatchMatch, until it is cancelled."""
    watch = match_service_pb2.WatchMatchRequest(name=seat.match)
    async for response in stub.WatchMatch(watch, metadata=seat.metadata):
        if seat.see(response):
            start_s = time.perf_counter()
            await stub.Act(seat.act(want_view=want_view), metadata=seat.metadata, timeout=TIMEOUT_S)
            sample.latencies_s.append(time.perf_counter() - start_s)


async def play(stub: MatchServiceAsyncStub, seat: Seat, sample: Sample) -> None:
    """Plays one seat through Play, until it is cancelled."""
    call = stub.Play(metadata=seat.metadata)
    watch = match_service_pb2.WatchMatchRequest(name=seat.match)
    await call.write(match_service_pb2.PlayRequest(watch=watch))
    sent_s: dict[str, float] = {}
    async for response in call:
        for reply in response.replies:
            if reply.correlation_id in sent_s:
                took_s = time.perf_counter() - sent_s.pop(reply.correlation_id)
                sample.latencies_s.append(took_s)
        if seat.see(response.update):
            act = match_service_pb2.PlayRequest(correlation_id=str(seat.sequence), act=seat.act())
            sent_s[act.correlation_id] = time.perf_counter()
            await call.write(act)


Player: TypeAlias = "Callable[[MatchServiceAsyncStub, Seat, Sample], Coroutine[None, None, None]]"
WAYS: dict[str, Player] = {
    "Play": play,
    "Act + WatchMatch": act_and_watch,
    "Act with a view + WatchMatch": partial(act_and_watch, want_view=True),
}


async def new_match(stub: MatchServiceAsyncStub) -> tuple[list[Seat], str]:
    """The seats of a new match, and its host's token."""
    request = match_service_pb2.CreateMatchRequest(match=ENDLESS)
    created = await stub.CreateMatch(request, timeout=TIMEOUT_S)
    seats = [Seat(created.match.name, n, token) for n, token in created.seat_tokens.items()]
    return seats, created.host_token


async def end_match(stub: MatchServiceAsyncStub, seats: list[Seat], host_token: str) -> None:
    """Leaves no match behind."""
    request = match_service_pb2.AbortMatchRequest(name=seats[0].match)
    metadata = (("authorization", f"Bearer {host_token}"),)
    await stub.AbortMatch(request, metadata=metadata, timeout=TIMEOUT_S)


async def sample_moves(server: Server, player: Player, matches: int, seconds: float) -> Sample:
    """Plays that many matches for some seconds and counts what the server used meanwhile."""
    sample = Sample()
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub: MatchServiceAsyncStub = MatchServiceStub(channel)
        made = [await new_match(stub) for _ in range(matches)]
        tasks = [
            asyncio.create_task(player(stub, seat, sample)) for seats, _ in made for seat in seats
        ]
        await asyncio.sleep(WARM_UP_S)
        sample.latencies_s.clear()
        cpu_s, start_s = server.cpu_s(), time.perf_counter()
        await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
        sample.server_cpu_s = server.cpu_s() - cpu_s
        sample.wall_s = time.perf_counter() - start_s
        failed = [task.exception() for task in tasks if task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for seats, host_token in made:
            await end_match(stub, seats, host_token)
    if failed:
        raise SystemExit(f"a player stopped: {failed[0]!r}")
    return sample
