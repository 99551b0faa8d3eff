"""What one server is kept busy with, while it may run: its matches and who watches them."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import grpc.aio
from bench_service.fan_out import CHANNELS, Count, spectate
from bench_service.moves import WAYS, Sample, act_and_watch, new_match
from bench_service.servers import Server

from ginrummy.v1.match_service_pb2_grpc import MatchServiceStub

if TYPE_CHECKING:
    from ginrummy.v1.match_service_pb2_grpc import MatchServiceAsyncStub

FAN_OUT = "fan-out"
SHAPES = ("Play", "Act + WatchMatch", FAN_OUT)
OPENING_S = 60


@dataclass(slots=True)
class Games:
    """Matches of one server that go on for as long as they are open."""

    server: Server
    shape: str
    channels: list[grpc.aio.Channel]
    sample: Sample = field(default_factory=Sample)
    messages: Count = field(default_factory=Count)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def done(self) -> int:
        """Moves so far; in the fan-out, messages that spectators were sent."""
        is_fan_out = self.shape == FAN_OUT
        return self.messages.messages if is_fan_out else len(self.sample.latencies_s)

    @contextmanager
    def running(self) -> Iterator[None]:
        """The time in which their server runs. SystemExit if a match has ended."""
        os.kill(self.server.pid, signal.SIGCONT)
        try:
            yield
        finally:
            os.kill(self.server.pid, signal.SIGSTOP)
        self._check()

    async def start(self, matches: int, spectators: int) -> None:
        """Makes the matches, and begins to play them."""
        stubs: list[MatchServiceAsyncStub] = [MatchServiceStub(each) for each in self.channels]
        player = WAYS.get(self.shape, act_and_watch)
        made = [await new_match(stubs[0]) for _ in range(matches)]
        seats = [seat for seats, _ in made for seat in seats]
        watching = [
            spectate(self.channels[i % len(self.channels)], seats[0], self.messages)
            for i in range(spectators)
        ]
        self.tasks = [asyncio.create_task(each) for each in watching]
        async with asyncio.timeout(OPENING_S):
            while self.messages.messages < spectators:
                await asyncio.sleep(0.01)
                self._check()
        self.tasks += [asyncio.create_task(player(stubs[0], seat, self.sample)) for seat in seats]

    def _check(self) -> None:
        for task in self.tasks:
            if task.done():
                raise SystemExit(f"{self.server.name} stopped playing: {task.exception()!r}")


@asynccontextmanager
async def open_games(
    server: Server, shape: str, *, matches: int, spectators: int
) -> AsyncIterator[Games]:
    """Games whose server is stopped, but while it is told to run. It need not live longer."""
    is_fan_out = shape == FAN_OUT
    channels = [
        grpc.aio.insecure_channel(server.address, [("grpc.use_local_subchannel_pool", 1)])
        for _ in range(CHANNELS if is_fan_out else 1)
    ]
    games = Games(server, shape, channels)
    try:
        await games.start(1 if is_fan_out else matches, spectators if is_fan_out else 0)
        os.kill(server.pid, signal.SIGSTOP)
        yield games
    finally:
        os.kill(server.pid, signal.SIGCONT)
        for task in games.tasks:
            task.cancel()
        await asyncio.gather(*games.tasks, return_exceptions=True)
        for channel in channels:
            await channel.close()
