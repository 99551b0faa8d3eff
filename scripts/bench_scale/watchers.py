"""What an idle watcher holds of a server's memory, beside a stream of a bare server."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc.aio
from bench_service.fan_out import WATCH
from bench_service.moves import end_match, new_match
from bench_service.servers import Server, skeleton

from bench_scale.report import Figure, tell
from bench_scale.servers import service
from ginrummy.v1 import match_service_pb2
from ginrummy.v1.match_service_pb2_grpc import MatchServiceStub

if TYPE_CHECKING:
    from ginrummy.v1.match_service_pb2_grpc import MatchServiceAsyncStub

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
    channels = [
        grpc.aio.insecure_channel(server.address, [("grpc.use_local_subchannel_pool", 1)])
        for _ in range(CONNECTIONS)
    ]
    stub: MatchServiceAsyncStub = MatchServiceStub(channels[0])
    made = [await new_match(stub) for _ in range(MATCHES)]
    tasks: list[asyncio.Task[None]] = []

    async def follow(more: int) -> None:
        here = [asyncio.Event() for _ in range(more)]
        for i, event in enumerate(here):
            number = len(tasks)
            name = made[number // CONNECTIONS % MATCHES][0][0].match
            tasks.append(asyncio.create_task(_watch(channels[number % CONNECTIONS], name, event)))
            if i % CONNECTIONS == 0:
                await asyncio.sleep(0)
        for event in here:
            await event.wait()
        failed = [task.exception() for task in tasks if task.done()]
        if failed:
            raise SystemExit(f"a watcher stopped: {failed[0]!r}")

    await follow(CONNECTIONS)
    before_kb = server.memory_kb()
    await follow(count - CONNECTIONS)
    tell(f"{count} streams are open in {server.name}")
    await asyncio.sleep(IDLE_S)
    kb = (server.memory_kb() - before_kb) / (count - CONNECTIONS)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for seats, host_token in made:
        await end_match(stub, seats, host_token)
    for channel in channels:
        await channel.close()
    return kb


async def _watch(channel: grpc.aio.Channel, name: str, here: asyncio.Event) -> None:
    watch: Any = channel.unary_stream(WATCH)
    try:
        async for _ in watch(match_service_pb2.WatchMatchRequest(name=name).SerializeToString()):
            here.set()
    finally:
        here.set()
