"""A server that is told to stop: everybody is told, nothing is lost, and clients go on."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc  # type: ignore[import-untyped]

from ginrummy.v1 import match_service_pb2 as pb
from tests.server.players import Desk, Player, watch
from tests.server.refusals import refusal_of

from .crash_run import Run, crash_run
from .pairs import Pair, desk_at
from .record import Record
from .servers import Server

GRACE_S = 5
SLOWEST_S = 60
"""How much longer than its grace a stop may take on a machine that is busy."""
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


@pytest.mark.parametrize(("number", "matches"), [(signal.SIGTERM, 50), (signal.SIGINT, 8)])
async def test_matches_in_flight_go_on_at_the_next_server_and_nothing_is_lost(
    tmp_path: Path, number: int, matches: int
) -> None:
    run = Run(matches, kills=1, seed=1, stop_with=number, has_short_matches=True)
    outcome = await crash_run(run, tmp_path)
    assert outcome.differences == []
    assert outcome.interrupted[0] > 0
    assert len(outcome.record.matches) >= matches


@asynccontextmanager
async def one_match(tmp_path: Path) -> AsyncIterator[tuple[Server, Desk, Pair]]:
    server = Server(tmp_path / "data", "--grace-s", str(GRACE_S))
    async with server, desk_at(server) as desk:
        pair = await Pair.sit_down(desk, Record())
        await pair.act(3)
        yield server, desk, pair


async def farewell(call: Any) -> str:
    """Reads a stream to its end, whose last notice has to be GoingAway; the reason of the end."""
    last: Any = None
    try:
        while True:
            response = await call.read()
            assert response is not grpc.aio.EOF, "the stream ended as that of an ended match"
            last = response
    except grpc.aio.AioRpcError as error:
        notices = getattr(last, "update", last).notices
        assert notices[-1].going_away.HasField("retry_after")
        return refusal_of(error).reason


async def test_every_watcher_is_told_and_health_says_so_before(tmp_path: Path) -> None:
    async with one_match(tmp_path) as (server, desk, pair):
        health = health_pb2_grpc.HealthStub(desk.channel)
        states = health.Watch(health_pb2.HealthCheckRequest())
        assert (await states.read()).status == SERVING
        streams = [watch(player) for player in pair.players for _ in range(5)]
        for stream in streams:
            await stream.read()
        play = desk.matches.Play(metadata=pair.players[0].metadata)
        await play.write(pb.PlayRequest(watch=pb.WatchMatchRequest(name=pair.name)))
        await play.read()
        told = watch(pair.players[0])
        await told.read()
        first = asyncio.create_task(health_at_the_first_farewell(told, health))
        server.send(signal.SIGTERM)
        reasons = await asyncio.gather(*map(farewell, [*streams, play]))
        assert reasons == ["DRAINING"] * 11
        assert (await states.read()).status == NOT_SERVING
        assert await first in (NOT_SERVING, None)
        assert await server.ended(GRACE_S + SLOWEST_S) == 0
        assert "Traceback" not in server.said


async def health_at_the_first_farewell(call: Any, health: Any) -> int | None:
    """What a check says right after a watcher was told; None if it came too late for an answer."""
    while not any(notice.HasField("going_away") for notice in (await call.read()).notices):
        pass
    try:
        checked = await health.Check(health_pb2.HealthCheckRequest(), timeout=SLOWEST_S)
    except grpc.aio.AioRpcError:
        return None
    return int(checked.status)


async def hold_a_stream_open(player: Player) -> Any:
    """A Play stream whose caller neither ends nor goes on."""
    call = player.desk.matches.Play(metadata=player.metadata)
    await call.write(pb.PlayRequest(watch=pb.WatchMatchRequest(name=player.name)))
    await call.read()
    return call


async def never_read(server: Server, pair: Pair, open_until_end: AsyncExitStack) -> None:
    """Streams that are full of what nobody reads."""
    options = [
        ("grpc.http2.bdp_probe", 0),
        ("grpc.http2.lookahead_bytes", 1000),
        ("grpc.use_local_subchannel_pool", 1),
    ]
    channel = grpc.aio.insecure_channel(server.address, options)
    desk = Desk(await open_until_end.enter_async_context(channel))
    for _ in range(30):
        call = desk.matches.WatchMatch(
            pb.WatchMatchRequest(name=pair.name, after_sequence=0),
            metadata=pair.players[0].metadata,
        )
        await call.initial_metadata()
        open_until_end.callback(call.cancel)


@pytest.mark.parametrize("signals", [1, 2])
async def test_clients_that_do_not_read_or_hold_on_do_not_keep_it_from_ending(
    tmp_path: Path, signals: int
) -> None:
    async with one_match(tmp_path) as (server, _, pair), AsyncExitStack() as open_until_end:
        await pair.act(40)
        held = await hold_a_stream_open(pair.players[1])
        await never_read(server, pair, open_until_end)
        began_s = time.monotonic()
        for _ in range(signals):
            server.send(signal.SIGTERM)
            await asyncio.sleep(0.05)
        assert await server.ended(GRACE_S + SLOWEST_S) == 0
        assert time.monotonic() - began_s < GRACE_S + SLOWEST_S
        assert "Traceback" not in server.said
        held.cancel()
