"""A stream that begins after any event goes on from there: nothing is skipped or sent twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from random import Random
from typing import Any
from uuid import uuid4

import grpc
import pytest

from ginrummy.v1 import events_pb2, match_pb2
from ginrummy.v1 import match_service_pb2 as pb

from ..server.players import TIMEOUT_S, Desk, Player, play_out
from ..server.programs import Program
from .conftest import OWN_CONNECTION

Desks = tuple[Desk, Desk]
PUBLIC = match_pb2.SPECTATOR_POLICY_PUBLIC_INFO
LONG = 330
"""Events: more than two blocks and the ring."""


async def watched(player: Player, after: int) -> AsyncIterator[events_pb2.MatchEvent]:
    request = pb.WatchMatchRequest(name=player.name, after_sequence=after)
    call = player.desk.matches.WatchMatch(request, metadata=player.metadata)
    try:
        async for response in call:
            assert not response.HasField("snapshot")
            for event in response.events:
                yield event
    finally:
        call.cancel()


async def played(player: Player, after: int) -> AsyncIterator[events_pb2.MatchEvent]:
    call = player.desk.matches.Play(metadata=player.metadata)
    watch = pb.WatchMatchRequest(name=player.name, after_sequence=after)
    try:
        await call.write(pb.PlayRequest(watch=watch))
        async for response in call:
            assert not response.update.HasField("snapshot")
            for event in response.update.events:
                yield event
    finally:
        call.cancel()


async def patiently(following: Any, player: Player, after: int) -> Any:
    """The same, opened again while streams that were left are still open for the server."""
    while True:
        try:
            async for event in following(player, after):
                after = event.sequence
                yield event
            return
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
                raise
            await asyncio.sleep(0.05)


async def rest(player: Player, following: Any, after: int, head: int, ends: bool) -> list[Any]:
    """The events of one stream after `after`: to its end, or up to `head` where it goes on."""
    seen = []
    stream = patiently(following, player, after)
    async for event in stream:
        seen.append(event)
        if not ends and event.sequence >= head:
            break
    await stream.aclose()
    return seen


@pytest.mark.parametrize("following", [watched, played])
async def test_a_stream_from_any_event_on_has_exactly_the_rest(
    desks: Desks, following: Any
) -> None:
    one, two = await desks[0].new_players("kawu", seed=bytes([9] * 32))
    seen = {1: await play_long(one, two), 2: []}
    seen[2] = await rest(two, following, 0, len(seen[1]), ends=False)
    for ends in (False, True):
        if ends:
            resign = pb.ResignMatchRequest(name=one.name, request_id=str(uuid4()))
            await desks[0].matches.ResignMatch(resign, metadata=one.metadata, timeout=TIMEOUT_S)
            seen = {p.seat: await rest(p, following, 0, 0, ends=True) for p in (one, two)}
        head = len(seen[1])
        for player in (one, two):
            player.desk = desks[player.seat - 1]
            sequences = range(head + 1) if ends else range(head)
            for batch in range(0, len(sequences), 20):
                got = await asyncio.gather(
                    *(
                        rest(player, following, after, head, ends)
                        for after in sequences[batch:][:20]
                    )
                )
                for after, events in zip(sequences[batch:][:20], got, strict=True):
                    assert events == seen[player.seat][after:], after


async def play_long(one: Player, two: Player) -> list[events_pb2.MatchEvent]:
    """Plays so long that streams go through blocks, ring and log; what the first player saw."""
    async with asyncio.timeout(120):
        playing = [asyncio.create_task(p.play_by_act_and_watch()) for p in (one, two)]
        while one.head < LONG:
            await asyncio.sleep(0.01)
            assert not any(task.done() for task in playing), "the match is too short"
        for task in playing:
            task.cancel()
        await asyncio.wait(playing)
    head = (await one.view()).sequence
    return await rest(one, watched, 0, head, ends=False)


async def test_who_loses_the_connection_again_and_again_sees_the_whole_once(desks: Desks) -> None:
    random = Random(5)
    one, two = await desks[0].new_players("kawu", seed=bytes([4] * 32), spectators=PUBLIC)
    watchers = [Player(desks[1], one.name, "", seat) for seat in (1, 2, 0, 1, 2, 0)]
    for watcher in watchers:
        watcher.metadata = {1: one.metadata, 2: two.metadata, 0: ()}[watcher.seat]
    going = [
        asyncio.create_task(losing_the_connection(watcher, watched if i < 3 else played, random))
        for i, watcher in enumerate(watchers)
        if i < 3 or watcher.seat
    ]
    await play_out(one, two)
    told = await desks[0].events(one.name)
    connections = await asyncio.gather(*going)
    assert sum(connections) > 100
    for watcher in watchers[:5]:
        assert [event.sequence for event in watcher.events] == list(range(1, len(told) + 1))
        kinds = [event.WhichOneof("payload") for event in watcher.events]
        assert kinds == [event.WhichOneof("payload") for event in told]


async def losing_the_connection(player: Player, following: Any, random: Random) -> int:
    """Follows a match to its end over many streams; how many."""
    connections = 0
    while not player.has_seen_the_end:
        connections += 1
        left = random.randrange(1, 12)
        stream = patiently(following, player, player.head)
        async for event in stream:
            player.note(event)
            left -= 1
            if not left:
                break
        await stream.aclose()
    return connections


async def test_thousands_of_watches_opened_at_once_all_open(program: Program, desks: Desks) -> None:
    names = [(await desks[0].create(spectators=PUBLIC)).match.name for _ in range(10)]
    async with AsyncExitStack() as stack:
        channels = [
            await stack.enter_async_context(
                grpc.aio.insecure_channel(program.address, OWN_CONNECTION)
            )
            for _ in range(40)
        ]
        calls = [
            Desk(channels[i % 40]).matches.WatchMatch(pb.WatchMatchRequest(name=names[i % 10]))
            for i in range(4000)
        ]
        first: list[Any] = await asyncio.gather(*(call.read() for call in calls))
        assert sum(response.HasField("snapshot") for response in first) == 4000
        for call in calls:
            call.cancel()
