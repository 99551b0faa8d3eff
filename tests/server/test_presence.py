"""Who comes and who leaves is told to the others, however he leaves: over real sockets."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from ginrummy.log import MemoryLog
from ginrummy.server import serving
from ginrummy.server.serving import channel_options
from ginrummy.v1 import events_pb2, match_pb2

from .players import Desk, Player, watch

PROGRAM = Path(__file__).with_name("watching_program.py")
PATIENCE_S = 50
"""Less than the minute that gRPC waits for a ping if nobody says otherwise."""
SOONER = {
    "grpc.keepalive_time_ms": 10,
    "grpc.keepalive_timeout_ms": 5,
    "grpc.http2.ping_timeout_ms": 5,
}
"""How many times sooner a connection is looked after here."""
PUBLIC = match_pb2.SPECTATOR_POLICY_PUBLIC_INFO


@asynccontextmanager
async def a_client(address: str, player: Player, call: str) -> AsyncIterator[Process]:
    """A process of its own that follows the match for `player`, and has begun to."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, PROGRAM, address, player.name, call), stdin=PIPE, stdout=PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    token = dict(player.metadata)["authorization"].removeprefix("Bearer ")
    process.stdin.write(f"{token}\n".encode())
    assert await asyncio.wait_for(process.stdout.readline(), PATIENCE_S) == b"watching\n"
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def told(call: Any) -> tuple[int, bool]:
    """The next coming or leaving that a watcher is told of: whose, and whether he is there."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            for notice in (await call.read()).notices:
                if notice.HasField("presence"):
                    presence: events_pb2.Presence = notice.presence
                    return presence.seat, presence.connected


async def onlookers(desk: Desk, one: Player) -> list[Any]:
    """Streams of the opponent and of a spectator that have begun."""
    spectator = Player(desk, one.name, "", 0)
    spectator.metadata = ()
    calls = []
    for who in (one, spectator):
        calls.append(watch(who))
        snapshot = (await calls[-1].read()).snapshot
        assert not snapshot.seats[1].connected
    return calls


@pytest.mark.parametrize("call", ["WatchMatch", "Play"])
async def test_a_client_that_is_killed_has_left_and_one_that_returns_is_back(
    real_desk: Desk, program: Any, call: str
) -> None:
    one, two = await real_desk.new_players(spectators=PUBLIC)
    calls = await onlookers(real_desk, one)
    for _ in range(2):
        async with a_client(program.address, two, call) as client:
            for each in calls:
                assert await told(each) == (2, True)
            assert (await one.view()).seats[1].connected
            client.kill()
            for each in calls:
                assert await told(each) == (2, False)
            assert not (await one.view()).seats[1].connected
    for each in calls:
        each.cancel()


async def test_a_client_that_has_died_without_a_word_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As when a network goes away: no reset comes, and no ping is answered."""
    options = tuple((name, value // SOONER.get(name, 1)) for name, value in channel_options())
    monkeypatch.setattr(serving, "channel_options", lambda: options)
    server = serving.Serving(MemoryLog())
    port = await server.start("127.0.0.1", 0)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        desk = Desk(channel)
        one, two = await desk.new_players(spectators=PUBLIC)
        calls = await onlookers(desk, one)
        async with a_client(f"127.0.0.1:{port}", two, "WatchMatch") as client:
            for each in calls:
                assert await told(each) == (2, True)
            os.kill(client.pid, signal.SIGSTOP)
            for each in calls:
                assert await told(each) == (2, False)
    await server.stop(0.2)
