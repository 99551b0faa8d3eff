"""Readers that stop reading: they are let go, cost little, and slow nobody."""

import asyncio
import time
from typing import Any

from ginrummy.v1 import match_pb2
from ginrummy.v1 import match_service_pb2 as pb

from ..server.players import Player
from .frames import (
    DATA,
    INITIAL_WINDOW_SIZE,
    WINDOW_UPDATE,
    Wire,
    call,
    frame,
    hello,
    message,
)
from .server import FAR_S, Server

PUBLIC = match_pb2.SPECTATOR_POLICY_PUBLIC_INFO
READERS = 200
WINDOW = 1000
"""Bytes that they let come before they stop."""
MOST_OF_A_READER_KB = 400
"""128 kB that may be on the way, and what a stream and a connection cost."""


async def stuck_reader(server: Server, player: Player, pings: int) -> Wire:
    """Follows the match, asks for much, and never takes a byte of the answer."""
    wire = await Wire.open(server.port, receive_buffer=2048)
    first = pb.PlayRequest(watch=pb.WatchMatchRequest(name=player.name, after_sequence=0))
    token = dict(player.metadata)["authorization"]
    asked = message(first.SerializeToString())
    for number in range(pings):
        ping = pb.PlayRequest(ping=pb.Ping(), correlation_id=f"{number:064}")
        asked += message(ping.SerializeToString())
    await wire.send(hello({INITIAL_WINDOW_SIZE: WINDOW}), call("Play", 1, ("authorization", token)))
    for at in range(0, len(asked), 16_000):
        await wire.send(frame(DATA, 0, 1, asked[at : at + 16_000]))
    return wire


async def stuck_watcher(server: Server, name: str) -> Wire:
    """Follows a match as a spectator who never takes a byte."""
    wire = await Wire.open(server.port, receive_buffer=2048)
    request = pb.WatchMatchRequest(name=name, after_sequence=0)
    body = frame(DATA, 1, 1, message(request.SerializeToString()))
    await wire.send(hello({INITIAL_WINDOW_SIZE: WINDOW}), call("WatchMatch"), body)
    return wire


async def test_who_does_not_read_is_let_go_and_told_so_when_he_reads(server: Server) -> None:
    async with server.unharmed():
        await assert_let_go_and_told(server)


async def assert_let_go_and_told(server: Server) -> None:
    async with server.desk() as desk:
        one, two = await desk.new_players()
        watching = desk.matches.WatchMatch(
            pb.WatchMatchRequest(name=one.name), metadata=one.metadata
        )
        await watching.read()
        wire = await stuck_reader(server, two, 600)
        assert await presence(watching)
        began_s = time.monotonic()
        async with asyncio.timeout(FAR_S):
            assert not await presence(watching)
        assert time.monotonic() - began_s > 4, "he was given no time"
        # Now he reads: the window is opened, and what waited comes with the reason at its end.
        wide = (2**30).to_bytes(4)
        await wire.send(frame(WINDOW_UPDATE, 0, 0, wide), frame(WINDOW_UPDATE, 0, 1, wide))
        said = b""
        async with asyncio.timeout(FAR_S):
            while b"grpc-status\x018" not in said:  # RESOURCE_EXHAUSTED
                said += await wire.read(0.5)
        assert b"not read fast enough" in said
        watching.cancel()
        wire.close()


async def presence(watching: Any) -> bool:
    """The next coming or going that is told."""
    while True:
        response = await watching.read()
        for notice in response.notices:
            if notice.HasField("presence"):
                return bool(notice.presence.connected)


async def test_hundreds_who_do_not_read_cost_little_and_slow_nobody(server: Server) -> None:
    async with (
        server.unharmed(most_more_kb=READERS * MOST_OF_A_READER_KB),
        server.desk() as desk,
    ):
        created = await desk.create("kawu", spectators=PUBLIC, seed=bytes([4] * 32))
        name = created.match.name
        one, two = (Player(desk, name, created.seat_tokens[i], i) for i in (1, 2))
        stuck = [await stuck_watcher(server, name) for _ in range(READERS - 20)]
        stuck += [await stuck_reader(server, (one, two)[i % 2], 600) for i in range(20)]
        reader = Player(desk, name, "", 0)
        reader.metadata = ()
        async with asyncio.timeout(FAR_S):
            await asyncio.gather(
                one.play_by_act_and_watch(), two.play_by_act_and_watch(), read_all(reader)
            )
        told = await desk.events(name)
        assert [event.sequence for event in reader.events] == [event.sequence for event in told]
        for wire in stuck:
            wire.close()


async def read_all(player: Player) -> None:
    async for _ in player.watch():
        pass
