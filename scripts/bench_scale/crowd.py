"""Many matches at once, made as a lobby would make them, in folders that are kept for a run."""

from __future__ import annotations

import asyncio
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import grpc.aio
from bench_service.moves import ENDLESS, TIMEOUT_S, Seat, end_match, new_match
from bench_service.servers import Server
from google.protobuf.duration_pb2 import Duration

from bench_scale.report import tell
from bench_scale.servers import Service, service
from ginrummy.v1 import match_pb2, match_service_pb2, rules_pb2, view_pb2
from ginrummy.v1.match_service_pb2_grpc import MatchServiceStub

if TYPE_CHECKING:
    from ginrummy.v1.match_service_pb2_grpc import MatchServiceAsyncStub

AT_ONCE = 64
"""Matches that are being made at a time."""
TURNS = 2
"""Played in each, a draw and a discard: each seat has had one."""
TURN_TIME_S = 24 * 3600
"""Of a clock that runs and does not run out."""
TOLD_EACH = 2500


@dataclass(frozen=True, slots=True)
class Kind:
    """How the matches of a folder are made."""

    name: str
    text: str
    turn_time_s: float = 0
    turns: int = TURNS
    is_ended: bool = False


RESTING = Kind("resting", "open, no clock")
CLOCKED = Kind("clocked", "open, a clock running", TURN_TIME_S)
OVERDUE = Kind("overdue", "open, clocks run out while it was down", 10, 0)
ENDED = Kind("ended", "finished", turns=0, is_ended=True)


class Crowds:
    """Folders with many matches, each made when it is first needed, and kept."""

    def __init__(self, root: Path, count: int) -> None:
        self.root = root
        self.count = count

    def new_folder(self, name: str) -> Path:
        """An empty folder."""
        folder = self.root / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def folder(self, kind: Kind) -> Path:
        """The folder of these matches; makes them if nobody has."""
        folder = self.root / f"{kind.name}-{self.count}"
        if not (folder / "made").exists():
            folder = self.new_folder(folder.name)
            with service(kind.name, folder) as running:
                self.fill(running, kind)
            self.keep(folder)
        return folder

    def fill(self, running: Service, kind: Kind) -> float:
        """Makes the matches in a server; in how many seconds."""
        return asyncio.run(make(running.server.address, kind, self.count))

    def keep(self, folder: Path) -> None:
        """Marks a folder as whole."""
        (folder / "made").touch()


async def make(address: str, kind: Kind, count: int) -> float:
    """Makes so many matches through the API, several at once; in how many seconds."""
    began_s = time.perf_counter()
    numbers = iter(range(count))
    async with grpc.aio.insecure_channel(address) as channel:
        stub: MatchServiceAsyncStub = MatchServiceStub(channel)

        async def make_some() -> None:
            for number in numbers:
                await make_one(stub, kind)
                if number and number % TOLD_EACH == 0:
                    tell(f"made {number} matches ({kind.text})")

        await asyncio.gather(*(make_some() for _ in range(AT_ONCE)))
    took_s = time.perf_counter() - began_s
    tell(f"made {count} matches ({kind.text}) in {took_s:.0f} s")
    return took_s


async def make_one(stub: MatchServiceAsyncStub, kind: Kind) -> None:
    """One match, with what is to happen in it."""
    match = match_pb2.Match()
    match.CopyFrom(ENDLESS)
    if kind.turn_time_s:
        match.clock.CopyFrom(rules_pb2.Clock(turn_time=seconds(kind.turn_time_s)))
    request = match_service_pb2.CreateMatchRequest(match=match)
    created = await stub.CreateMatch(request, timeout=TIMEOUT_S)
    seats = [Seat(created.match.name, n, token) for n, token in created.seat_tokens.items()]
    if kind.is_ended:
        resign = match_service_pb2.ResignMatchRequest(name=seats[0].match)
        await stub.ResignMatch(resign, metadata=seats[0].metadata, timeout=TIMEOUT_S)
    elif kind.turns:
        await play_turns(stub, seats, kind.turns)


async def play_turns(stub: MatchServiceAsyncStub, seats: list[Seat], turns: int) -> None:
    """Plays some whole turns through Act."""
    view = match_service_pb2.GetViewRequest(name=seats[0].match)
    answer = await stub.GetView(view, metadata=seats[0].metadata, timeout=TIMEOUT_S)
    update = match_service_pb2.WatchMatchResponse(snapshot=answer.view)
    for seat in seats:
        seat.see(update)
    by_number = {seat.number: seat for seat in seats}
    for _ in range(2 * turns):
        seat = by_number[seats[0].to_act]
        acted = await stub.Act(seat.act(), metadata=seat.metadata, timeout=TIMEOUT_S)
        for each in seats:
            each.see(match_service_pb2.WatchMatchResponse(events=acted.events))


def seconds(length_s: float) -> Duration:
    """A length on the wire."""
    length = Duration()
    length.FromNanoseconds(round(length_s * 1e9))
    return length


@dataclass(frozen=True, slots=True)
class Made:
    """Some new matches of a server."""

    matches: list[tuple[list[Seat], str]]
    """The seats and the host's token of each."""

    @property
    def seats(self) -> list[Seat]:
        """Of all of them."""
        return [seat for seats, _ in self.matches for seat in seats]

    async def end(self, server: Server) -> None:
        """Leaves none of them behind."""
        async with grpc.aio.insecure_channel(server.address) as channel:
            stub: MatchServiceAsyncStub = MatchServiceStub(channel)
            for seats, host_token in self.matches:
                await end_match(stub, seats, host_token)


async def new_matches(server: Server, count: int) -> Made:
    """So many matches that are about to be played."""
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub: MatchServiceAsyncStub = MatchServiceStub(channel)
        return Made([await new_match(stub) for _ in range(count)])


async def look_again(stub: MatchServiceAsyncStub, seat: Seat) -> view_pb2.View:
    """The match as it stands: a player who stopped in a turn has to know what he had drawn."""
    request = match_service_pb2.GetViewRequest(name=seat.match)
    view = (await stub.GetView(request, metadata=seat.metadata, timeout=TIMEOUT_S)).view
    seat.drawn = view.last_drawn
    return view
