"""Clocks and absence over the death of a real server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc

from ginrummy.v1 import match_pb2
from ginrummy.v1 import match_service_pb2 as pb

from .players import TIMEOUT_S, Desk, play_out
from .programs import data_flags, running
from .refusals import refusal
from .test_clocks import allowed, clock, kinds

PATIENCE_S = 60


@asynccontextmanager
async def a_server(folder: Path) -> AsyncIterator[Desk]:
    """A server on this folder, which is killed in the end."""
    async with (
        running(*data_flags(folder)) as program,
        grpc.aio.insecure_channel(program.address) as channel,
    ):
        yield Desk(channel)
        await program.kill()


async def later(when: datetime) -> None:
    await asyncio.sleep(max((when - datetime.now(UTC)).total_seconds(), 0) + 0.05)


async def test_a_deadline_ahead_stands_over_a_kill(tmp_path: Path) -> None:
    async with a_server(tmp_path) as desk:
        one, two = await desk.new_players("playgridia")
        deadline = (await one.view()).deadline
    async with a_server(tmp_path) as desk:
        one.desk = two.desk = desk
        view = await one.view()
        assert view.deadline == deadline
        assert view.server_time.ToDatetime() < deadline.ToDatetime()
        await play_out(one, two)
        assert "clock_extended" not in kinds(await desk.events(one.name))


async def test_a_deadline_that_passed_while_nobody_served_is_extended_by_an_event(
    tmp_path: Path,
) -> None:
    turn_s = 1.0
    async with a_server(tmp_path) as desk:
        one, _ = await desk.new_players("short", clock=clock(turn_s))
    killed = datetime.now(UTC)
    await later(killed + timedelta(seconds=turn_s))
    async with a_server(tmp_path) as desk:
        one.desk = desk
        async with asyncio.timeout(PATIENCE_S):
            async for event in one.watch():
                if event.HasField("timed_out") and "clock_extended" in kinds(one.events):
                    break
    i = kinds(one.events).index("clock_extended")
    before, extended, timed_out = one.events[i - 1 : i + 2]
    assert before.time.ToDatetime(UTC) <= killed
    assert extended.time.ToDatetime(UTC) >= before.deadline.ToDatetime(UTC)
    assert allowed(extended) == timedelta(seconds=turn_s)
    assert (extended.seat, extended.to_act) == (0, before.to_act)
    assert timed_out.seat == extended.to_act
    assert timed_out.time.ToDatetime() >= extended.deadline.ToDatetime()


async def test_clocks_run_out_after_a_kill_without_anybodys_call(tmp_path: Path) -> None:
    turn_s = 0.3
    async with asyncio.timeout(PATIENCE_S):
        while True:
            async with a_server(tmp_path) as desk:
                one, _ = await desk.new_players("short", clock=clock(turn_s))
            killed = datetime.now(UTC)
            await later(killed + timedelta(seconds=turn_s))
            async with a_server(tmp_path) as desk:
                await aborted(desk, one.name)
                events = await desk.events(one.name)
            # A slow machine may let the whole match run out before the kill.
            if events[-1].time.ToDatetime(UTC) > killed:
                break
    assert "clock_extended" in kinds(events)


async def aborted(desk: Desk, name: str) -> None:
    """Waits until the match is, by calls that read the index alone."""
    request = pb.GetMatchRequest(name=name)
    while True:
        match = (await desk.matches.GetMatch(request, timeout=TIMEOUT_S)).match
        if match.state == match_pb2.MATCH_STATE_ABORTED:
            return
        await asyncio.sleep(0.1)


async def test_after_a_kill_absence_counts_anew(tmp_path: Path) -> None:
    grace = clock(0)
    grace.absence_grace.seconds = 2
    async with a_server(tmp_path) as desk:
        one, _ = await desk.new_players("short", clock=grace)
        claimable = (await one.view()).seats[1].claimable_time.ToDatetime(UTC)
    await later(claimable)
    async with a_server(tmp_path) as desk:
        restarted = datetime.now(UTC)
        claim = pb.ClaimMatchRequest(name=one.name)

        async def try_it() -> pb.ClaimMatchResponse:
            return await desk.matches.ClaimMatch(claim, metadata=one.metadata, timeout=TIMEOUT_S)

        refused = await refusal(try_it())
        assert refused.reason == "NOT_CLAIMABLE"
        again = datetime.fromisoformat(refused.metadata["claimable_time"])
        assert again >= restarted + timedelta(seconds=2)
        await later(again)
        assert (await try_it()).view.result.winner == 1
    async with a_server(tmp_path) as desk:
        events = await desk.events(one.name)
        assert events[-1].match_ended.reason == match_pb2.MATCH_END_REASON_ABSENCE_CLAIMED
