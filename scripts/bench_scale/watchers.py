"""What an idle watcher holds of a server's memory, beside a stream of a bare server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import grpc.aio
from bench_service.fan_out import WATCH
from bench_service.servers import Server, skeleton

from bench_scale.crowd import new_matches, seconds
from bench_scale.report import Figure, tell
from bench_scale.servers import service
from ginrummy.v1 import match_service_pb2

AIM = 1.3
CONNECTIONS = 40
MATCHES = 100
IDLE_S = 12
"""After the last has come, so that each has had a heartbeat."""


def measure(folder: Path, count: int) -> list[Figure]:
    """A bare server's stream and ours."""
    with ExitStack() as stack:
        bare = stack.enter_context(skeleton())
        ours = stack.enter_context(service("SQLite FULL", folder)).server
        bare_kb, ours_kb = (asyncio.run(each_kb(server, count)) for server in (bare, ours))
    return [
        Figure("a stream of a bare server", bare_kb, "kB"),
        Figure("an idle watcher", ours_kb, "kB", AIM * bare_kb),
        Figure("times a bare stream", ours_kb / bare_kb, "", AIM),
    ]


async def each_kb(server: Server, count: int) -> float:
    """Memory for each of so many streams that follow a few matches in which nothing happens."""
    made = await new_matches(server, MATCHES)
    # Spectators, as a match has two seats only.
    watched = [Watched(seats[0].match) for seats, _ in made.matches]
    names = [watched[i // CONNECTIONS % MATCHES] for i in range(count)]
    async with Streams(server.address) as streams:
        await streams.open(names[:CONNECTIONS])
        before_kb = server.memory_kb()
        await streams.open(names[CONNECTIONS:])
        tell(f"{count} streams are open in {server.name}")
        await asyncio.sleep(IDLE_S)
        kb = (server.memory_kb() - before_kb) / (count - CONNECTIONS)
    await made.end(server)
    return kb


@dataclass(frozen=True, slots=True)
class Watched:
    """What a stream follows."""

    match: str
    metadata: tuple[tuple[str, str], ...] = ()
    """Of a seat; a spectator has none."""
    heartbeat_s: float = 10


class Streams:
    """Streams over a few connections, whose client does not look at what comes."""

    def __init__(self, address: str) -> None:
        self._channels = [
            grpc.aio.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)])
            for _ in range(CONNECTIONS)
        ]
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for channel in self._channels:
            await channel.close()

    async def open(self, watched: Sequence[Watched]) -> None:
        """Opens one more for each, and waits until all are there."""
        here = [asyncio.Event() for _ in watched]
        for i, (one, event) in enumerate(zip(watched, here, strict=True)):
            channel = self._channels[i % CONNECTIONS]
            self._tasks.append(asyncio.create_task(_follow(channel, one, event)))
            if i % CONNECTIONS == 0:
                await asyncio.sleep(0)
        for event in here:
            await event.wait()
        failed = [task.exception() for task in self._tasks if task.done()]
        if failed:
            raise SystemExit(f"a watcher stopped: {failed[0]!r}")


async def _follow(channel: grpc.aio.Channel, watched: Watched, here: asyncio.Event) -> None:
    watch: Any = channel.unary_stream(WATCH)
    request = match_service_pb2.WatchMatchRequest(
        name=watched.match, heartbeat=seconds(watched.heartbeat_s)
    )
    try:
        async for _ in watch(request.SerializeToString(), metadata=watched.metadata):
            here.set()
    finally:
        here.set()
