"""How long matches and names live, as clients see it."""

import asyncio
from pathlib import Path

import grpc
import pytest

from ginrummy.log import MemoryLog
from ginrummy.server.serving import Serving
from ginrummy.server.settings import Lifetime, Settings
from ginrummy.v1 import catalog_service_pb2, match_pb2
from ginrummy.v1 import match_service_pb2 as pb

from .players import HUMAN, OPEN, TIMEOUT_S, Desk, Player, bearer, new_request_id, play_out
from .programs import data_flags, running
from .refusals import refusal

Code = grpc.StatusCode

ANN = match_pb2.Seat(human=match_pb2.HumanSeat(display_name="Ann Private", external_id="private-1"))


async def match_of(desk: Desk, name: str) -> match_pb2.Match:
    response = await desk.matches.GetMatch(pb.GetMatchRequest(name=name), timeout=TIMEOUT_S)
    return response.match


async def until_it_fails(desk: Desk, name: str) -> None:
    while await match_of(desk, name):  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.1)


async def test_a_server_ends_matches_at_rest_and_then_forgets_them(tmp_path: Path) -> None:
    flags = ("--idle-expiry-s", "0.5", "--retention-s", "5")
    async with (
        running(*data_flags(tmp_path), *flags) as program,
        grpc.aio.insecure_channel(program.address) as channel,
    ):
        desk = Desk(channel)
        info = await desk.catalog.GetServerInfo(catalog_service_pb2.GetServerInfoRequest())
        assert info.match_ttl.ToMilliseconds() == 5000
        created = await desk.create(seats=[HUMAN, OPEN])
        life_ms = (
            created.match.expire_time.ToMilliseconds() - created.match.update_time.ToMilliseconds()
        )
        assert life_ms == 500
        player = Player(desk, created.match.name, created.seat_tokens[1], 1)
        events = [event async for event in player.watch()]
        assert events[-1].match_ended.winner == 0
        match = await match_of(desk, created.match.name)
        assert match.state == match_pb2.MATCH_STATE_ABORTED
        assert match.expire_time.seconds - match.update_time.seconds == 5
        gone = await refusal(until_it_fails(desk, match.name))
        assert (gone.code, gone.reason) == (grpc.StatusCode.NOT_FOUND, "MATCH_NOT_FOUND")
        assert (await refusal(player.view())).reason == "MATCH_NOT_FOUND"
        assert await program.stop() == 0


async def test_a_match_that_is_kept_for_ever_has_no_end(desk: Desk) -> None:
    settings = Settings(lifetime=Lifetime(idle_expiry_s=0, retention_s=0))
    serving = Serving(MemoryLog(), settings)
    port = await serving.start("127.0.0.1", 0)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        forever = Desk(channel)
        assert not (await forever.create()).match.HasField("expire_time")
        info = await forever.catalog.GetServerInfo(catalog_service_pb2.GetServerInfoRequest())
        assert not info.HasField("match_ttl")
    await serving.stop(0.2)
    # By default a match at rest ends after a week.
    match = (await desk.create()).match
    assert match.expire_time.seconds - match.update_time.seconds == 7 * 86400


async def erase(desk: Desk, name: str, seat: int, token: str) -> match_pb2.Match:
    request = pb.ErasePlayerRequest(name=name, seat=seat)
    response = await desk.matches.ErasePlayer(request, metadata=bearer(token), timeout=TIMEOUT_S)
    return response.match


@pytest.mark.parametrize("who", ["host", "seat"])
async def test_an_erased_player_is_shown_by_name_no_more(desk: Desk, who: str) -> None:
    created = await desk.create(
        "short", seats=[ANN, HUMAN], spectators="SPECTATOR_POLICY_PUBLIC_INFO"
    )
    name = created.match.name
    one, two = (Player(desk, name, created.seat_tokens[i], i) for i in (1, 2))
    token = created.host_token if who == "host" else created.seat_tokens[1]
    if who == "seat":
        refused = await refusal(erase(desk, name, 1, token))
        assert (refused.code, refused.reason) == (Code.FAILED_PRECONDITION, "MATCH_NOT_OVER")
        await play_out(one, two)
        one.events.clear()
        two.events.clear()
    assert created.match.seats[0].human.external_id == "private-1"
    for _ in range(2):
        match = await erase(desk, name, 1, token)
        assert match.seats[0] == match_pb2.Seat(number=1, human=match_pb2.HumanSeat())
        assert match.seats[1].human.display_name == "Ann"
    await play_out(one, two)
    shown = [
        await two.view(),
        *two.events,
        *await desk.events(name),
        await match_of(desk, name),
        await desk.matches.ListMatches(pb.ListMatchesRequest(), timeout=TIMEOUT_S),
    ]
    assert not [message for message in shown if "rivate" in str(message)]


async def test_only_the_host_and_the_player_himself_can_erase_him(desk: Desk) -> None:
    created = await desk.create(seats=[ANN, OPEN])
    other = await desk.create()
    name, mine = created.match.name, created.seat_tokens[1]
    join = pb.JoinMatchRequest(name=name, request_id=new_request_id())
    joined = await desk.matches.JoinMatch(join, timeout=TIMEOUT_S)
    cases = [
        (1, joined.token, "WRONG_SEAT"),
        (2, mine, "WRONG_SEAT"),
        (1, other.host_token, "WRONG_SEAT"),
        (1, "nobody's", "BAD_TOKEN"),
    ]
    for seat, token, reason in cases:
        assert (await refusal(erase(desk, name, seat, token))).reason == reason
    assert (await match_of(desk, name)).seats[0] == created.match.seats[0]


async def test_only_a_persons_seat_can_be_erased(desk: Desk) -> None:
    created = await desk.create(seats=[ANN, OPEN])
    for seat in (0, 2, 3):
        refused = await refusal(erase(desk, created.match.name, seat, created.host_token))
        assert (refused.reason, refused.fields) == ("BAD_FIELD", ["seat"])
