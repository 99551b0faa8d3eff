"""Claiming the match of an opponent who stays away, over a real socket."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import grpc
import pytest

from ginrummy.v1 import errors_pb2, events_pb2, match_pb2, rules_pb2, view_pb2
from ginrummy.v1 import match_service_pb2 as pb

from .players import (
    BOT,
    HUMAN,
    LONG,
    OPEN,
    TIMEOUT_S,
    Desk,
    Player,
    Stream,
    new_request_id,
    watch,
)
from .refusals import refusal

Code = grpc.StatusCode


def grace(seconds: int) -> rules_pb2.Clock:
    clock = rules_pb2.Clock()
    clock.absence_grace.seconds = seconds
    return clock


def claim_of(player: Player, request_id: str = "") -> pb.ClaimMatchRequest:
    return pb.ClaimMatchRequest(name=player.name, request_id=request_id)


async def claim(player: Player, request: pb.ClaimMatchRequest) -> view_pb2.View:
    response = await player.desk.matches.ClaimMatch(
        request, metadata=player.metadata, timeout=TIMEOUT_S
    )
    return response.view


async def until_time(when: datetime) -> None:
    await asyncio.sleep(max((when - datetime.now(UTC)).total_seconds(), 0) + 0.01)


async def test_an_absent_opponents_match_is_claimed_when_its_time_has_come(desk: Desk) -> None:
    one, two = await desk.new_players(clock=grace(4))
    request = claim_of(one, new_request_id())
    refused = await refusal(claim(one, request))
    assert (refused.code, refused.reason) == (Code.FAILED_PRECONDITION, "NOT_CLAIMABLE")
    assert set(refused.metadata) == {"claimable_time"}
    assert refused.metadata["claimable_time"].endswith("Z")
    claimable = datetime.fromisoformat(refused.metadata["claimable_time"])
    status = (await one.view()).seats[1]
    assert status.claimable_time.ToDatetime(UTC) == claimable
    assert not status.connected
    await until_time(claimable)
    view = await claim(one, request)
    assert view.phase == view_pb2.PHASE_MATCH_OVER
    assert view.result.winner == 1
    assert view.result.reason == match_pb2.MATCH_END_REASON_ABSENCE_CLAIMED
    assert (await claim(one, request)).sequence == view.sequence
    assert (await refusal(claim(two, claim_of(two)))).reason == "MATCH_OVER"
    match = (await desk.matches.GetMatch(pb.GetMatchRequest(name=one.name))).match
    assert match.state == match_pb2.MATCH_STATE_FINISHED
    assert match.clock.absence_grace.seconds == 4
    assert (await desk.events(one.name))[-1].match_ended == view.result


async def test_whoever_leaves_is_told_of_with_the_time_from_which_he_loses(desk: Desk) -> None:
    one, two = await desk.new_players(
        clock=grace(30), spectators=match_pb2.SPECTATOR_POLICY_PUBLIC_INFO
    )
    spectator = Player(desk, one.name, "", 0)
    spectator.metadata = ()
    watching = [watch(one), watch(spectator)]
    for call in watching:
        await call.read()
    for _ in range(2):
        other = watch(two)
        snapshot = (await other.read()).snapshot
        assert not snapshot.seats[1].HasField("claimable_time")
        for call in watching:
            back = await presence_of(2, call)
            assert back.connected
            assert not back.HasField("claimable_time")
        assert (await refusal(claim(one, claim_of(one)))).metadata == {}
        other.cancel()
        for call in watching:
            left = await presence_of(2, call)
            assert not left.connected
            away_s = left.claimable_time.ToDatetime(UTC) - datetime.now(UTC)
            assert 0 < away_s.total_seconds() <= 30
        assert (await one.view()).seats[1].claimable_time == left.claimable_time
    for call in watching:
        call.cancel()


async def presence_of(seat: int, call: Any) -> events_pb2.Presence:
    """The next notice of a seat's coming or leaving."""
    while True:
        response = await asyncio.wait_for(call.read(), 10)
        for notice in response.notices:
            if notice.presence.seat == seat:
                told: events_pb2.Presence = notice.presence
                return told


async def test_a_claim_goes_over_the_play_stream_too(desk: Desk) -> None:
    one, two = await desk.new_players(clock=grace(1))
    stream, other = Stream(one), Stream(two)
    for each in (stream, other):
        assert (await each.send(watch={"name": one.name})).ok
    refused = await stream.send("1", claim={})
    assert refused.reason == errors_pb2.ERROR_REASON_NOT_CLAIMABLE
    assert "seat 2 is there" in refused.message
    refused = await stream.send("2", claim={"name": "matches/another"})
    assert refused.reason == errors_pb2.ERROR_REASON_BAD_FIELD
    other.call.cancel()
    request_id = new_request_id()
    while not (reply := await stream.send("3", claim={"request_id": request_id})).ok:
        assert reply.reason == errors_pb2.ERROR_REASON_NOT_CLAIMABLE
        await asyncio.sleep(0.1)
    assert stream.events[-1].match_ended.winner == 1
    assert stream.events[-1].sequence == reply.sequence
    assert await stream.call.read() is grpc.aio.EOF


async def test_a_claim_is_a_seats_own(desk: Desk) -> None:
    created = await desk.create(clock=grace(30))
    host = Player(desk, created.match.name, created.host_token, 0)
    refused = await refusal(claim(host, claim_of(host)))
    assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "WRONG_SEAT")
    host.metadata = ()
    refused = await refusal(claim(host, claim_of(host)))
    assert (refused.code, refused.reason) == (Code.UNAUTHENTICATED, "BAD_TOKEN")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, "without an absence_grace"),
        ({"clock": grace(30), "seats": [HUMAN, BOT], "overrides": LONG}, "seat 2 is there"),
        ({"clock": grace(30), "seats": [HUMAN, OPEN]}, "open"),
    ],
)
async def test_where_no_claim_can_come_no_time_is_told(
    desk: Desk, fields: dict[str, object], why: str
) -> None:
    created = await desk.create(**fields)  # type: ignore[arg-type]
    one = Player(desk, created.match.name, created.seat_tokens[1], 1)
    refused = await refusal(claim(one, claim_of(one)))
    assert (refused.code, refused.reason) == (Code.FAILED_PRECONDITION, "NOT_CLAIMABLE")
    assert refused.metadata == {}
    assert why in refused.message
    assert not any(seat.HasField("claimable_time") for seat in (await one.view()).seats)
