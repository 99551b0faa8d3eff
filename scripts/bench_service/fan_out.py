"""One match, many spectators: what an event costs for each who sees it."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import grpc.aio

from bench_service.moves import (
    WARM_UP_S,
    Sample,
    Seat,
    act_and_watch,
    end_match,
    new_match,
)
from bench_service.servers import Server
from ginrummy.v1 import match_service_pb2
from ginrummy.v1.match_service_pb2_grpc import MatchServiceStub

if TYPE_CHECKING:
    from ginrummy.v1.match_service_pb2_grpc import MatchServiceAsyncStub

CHANNELS = 10
"""Spectators come over so many connections."""
WATCH = "/ginrummy.v1.MatchService/WatchMatch"


class Count:
    """Messages that spectators were sent."""

    def __init__(self) -> None:
        self.messages = 0


async def spectate(channel: grpc.aio.Channel, seat: Seat, count: Count) -> None:
    """Follows the match without looking at what comes, so that the client keeps up."""
    watch: Any = channel.unary_stream(WATCH)
    request = match_service_pb2.WatchMatchRequest(name=seat.match)
    call = watch(request.SerializeToString())
    async for _ in call:
        count.messages += 1


async def sample_fan_out(server: Server, spectators: int, seconds: float) -> Sample:
    """Plays one match before its spectators. A sample's latencies stand for messages delivered."""
    count, sample, moves = Count(), Sample(), Sample()
    channels = [
        grpc.aio.insecure_channel(server.address, [("grpc.use_local_subchannel_pool", 1)])
        for _ in range(CHANNELS)
    ]
    stub: MatchServiceAsyncStub = MatchServiceStub(channels[0])
    seats, host_token = await new_match(stub)
    tasks = [
        asyncio.create_task(spectate(channels[i % CHANNELS], seats[0], count))
        for i in range(spectators)
    ]
    while count.messages < spectators:
        await asyncio.sleep(0.05)
        _check(tasks)
    tasks += [asyncio.create_task(act_and_watch(stub, seat, moves)) for seat in seats]
    await asyncio.sleep(WARM_UP_S)
    before, cpu_s, start_s = count.messages, server.cpu_s(), time.perf_counter()
    await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
    sample.server_cpu_s, sample.wall_s = server.cpu_s() - cpu_s, time.perf_counter() - start_s
    sample.latencies_s = [0.0] * (count.messages - before)
    _check(tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await end_match(stub, seats, host_token)
    for channel in channels:
        await channel.close()
    return sample


def _check(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        if task.done():
            raise SystemExit(f"a stream stopped: {task.exception()!r}")
