"""Servers that take turns, each stopped while another one runs, so that a busy machine spoils none
alone."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import grpc.aio
from bench_service.moves import Player, Sample, Seat
from bench_service.servers import Server

from bench_scale.crowd import Made, look_again
from ginrummy.v1.match_service_pb2_grpc import MatchServiceStub

if TYPE_CHECKING:
    from ginrummy.v1.match_service_pb2_grpc import MatchServiceAsyncStub

WARM_UP_S = 0.1
TURN_S = 0.4
"""Of what is measured in one turn."""


@dataclass(slots=True)
class Games:
    """The matches of one server that are played whenever it runs."""

    server: Server
    sample: Sample = field(default_factory=Sample)
    """Of all turns, those of the warm-up too."""
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    async def turn(self, taken: Sample) -> None:
        """Lets the server run for a turn, and adds to `taken` what was done in it."""
        os.kill(self.server.pid, signal.SIGCONT)
        await asyncio.sleep(WARM_UP_S)
        first, cpu_s, start_s = len(self.sample.latencies_s), self.server.cpu_s(), time.monotonic()
        await asyncio.sleep(TURN_S)
        # A move that was under way when the server was stopped has waited for the others' turns.
        taken.latencies_s += [
            each for each in self.sample.latencies_s[first:] if each < WARM_UP_S + TURN_S
        ]
        taken.server_cpu_s += self.server.cpu_s() - cpu_s
        taken.wall_s += time.monotonic() - start_s
        os.kill(self.server.pid, signal.SIGSTOP)
        for task in self.tasks:
            if task.done():
                raise SystemExit(f"{self.server.name} stopped playing: {task.exception()!r}")


@asynccontextmanager
async def games(server: Server, player: Player, seats: Sequence[Seat]) -> AsyncIterator[Games]:
    """Matches of a server that go on where they stand; it is stopped but in its turns."""
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub: MatchServiceAsyncStub = MatchServiceStub(channel)
        for seat in seats:
            await look_again(stub, seat)
        playing = Games(server)
        playing.tasks = [asyncio.create_task(player(stub, seat, playing.sample)) for seat in seats]
        await asyncio.sleep(WARM_UP_S)
        os.kill(server.pid, signal.SIGSTOP)
        try:
            yield playing
        finally:
            os.kill(server.pid, signal.SIGCONT)
            for task in playing.tasks:
                task.cancel()
            await asyncio.gather(*playing.tasks, return_exceptions=True)


async def in_turns(
    player: Player, games_of: Sequence[tuple[Server, Made]], rounds: int, length_s: float
) -> list[list[Sample]]:
    """What was done in each server in each round, in which it runs for so long altogether."""
    taken: list[list[Sample]] = [[] for _ in games_of]
    async with AsyncExitStack() as stack:
        playing = [
            await stack.enter_async_context(games(server, player, made.seats))
            for server, made in games_of
        ]
        for _ in range(rounds):
            for samples in taken:
                samples.append(Sample())
            for _ in range(max(round(length_s / TURN_S), 1)):
                for one, samples in zip(playing, taken, strict=True):
                    await one.turn(samples[-1])
            if not all(samples[-1].latencies_s for samples in taken):
                raise SystemExit("a server has done nothing in its turns: the machine is too busy")
    return taken
