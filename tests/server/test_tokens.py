"""New tokens for old: who may ask for one, and what becomes of the one before."""

import asyncio
from pathlib import Path

import grpc
import pytest

from ginrummy.server.serving import Serving
from ginrummy.tables.tokens import HOST, digest
from ginrummy.v1 import match_pb2
from ginrummy.v1 import match_service_pb2 as pb

from .players import (
    BOT,
    HUMAN,
    OPEN,
    TIMEOUT_S,
    Desk,
    Player,
    Stream,
    bearer,
    play_out,
    read_to_end,
    watch,
)
from .programs import data_flags, running
from .refusals import refusal

Code = grpc.StatusCode


async def reissue(desk: Desk, name: str, token: str, seat: int = 0) -> str:
    request = pb.ReissueTokenRequest(name=name, seat=seat)
    response = await desk.matches.ReissueToken(request, metadata=bearer(token), timeout=TIMEOUT_S)
    return response.token


async def look(desk: Desk, name: str, token: str) -> int:
    """As which seat the token's owner sees the match."""
    request = pb.GetViewRequest(name=name)
    response = await desk.matches.GetView(request, metadata=bearer(token), timeout=TIMEOUT_S)
    return response.view.viewer_seat


@pytest.mark.parametrize("seat", [0, 1, 2])
async def test_a_new_token_works_and_the_old_one_does_not(desk: Desk, seat: int) -> None:
    created = await desk.create()
    name, old = created.match.name, {0: created.host_token, **created.seat_tokens}
    new = old | {seat: await reissue(desk, name, old[0], seat)}
    assert len(set(new.values()) | {old[seat]}) == 4
    for role, token in new.items():
        assert await look(desk, name, token) == role
    refused = await refusal(look(desk, name, old[seat]))
    assert (refused.code, refused.reason) == (Code.UNAUTHENTICATED, "BAD_TOKEN")
    again = await reissue(desk, name, new[0], seat)
    assert (await refusal(look(desk, name, new[seat]))).reason == "BAD_TOKEN"
    assert await look(desk, name, again) == seat


async def test_a_new_token_ends_the_streams_of_the_old_one_and_no_other(desk: Desk) -> None:
    created = await desk.create()
    name = created.match.name
    one, two = (Player(desk, name, created.seat_tokens[seat], seat) for seat in (1, 2))
    play, seeing, other = Stream(two), watch(two), watch(one, heartbeat={"seconds": 2})
    assert (await play.send(watch={"name": name})).ok
    for call in (seeing, other):
        await call.read()
    two.metadata = bearer(await reissue(desk, name, created.host_token, 2))
    for ended in (play.call, seeing):
        refused = await refusal(read_to_end(ended))
        assert (refused.code, refused.reason) == (Code.UNAUTHENTICATED, "BAD_TOKEN")
    assert (await Stream(two).send(watch={"name": name})).ok
    while not any(n.HasField("heartbeat") for n in (await other.read()).notices):
        pass
    other.cancel()


async def test_only_the_host_renews_tokens(desk: Desk) -> None:
    created = await desk.create()
    another = await desk.create()
    name = created.match.name
    refused = await refusal(reissue(desk, name, created.seat_tokens[1], 1))
    assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "WRONG_SEAT")
    refused = await refusal(reissue(desk, name, another.host_token, 1))
    assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "WRONG_SEAT")
    refused = await refusal(reissue(desk, name, "nonsense", 1))
    assert (refused.code, refused.reason) == (Code.UNAUTHENTICATED, "BAD_TOKEN")
    call = desk.matches.ReissueToken(pb.ReissueTokenRequest(name=name, seat=1), timeout=TIMEOUT_S)
    assert (await refusal(call)).reason == "BAD_TOKEN"
    refused = await refusal(reissue(desk, "matches/nothing", created.host_token))
    assert (refused.code, refused.reason) == (Code.NOT_FOUND, "MATCH_NOT_FOUND")
    assert await look(desk, name, created.seat_tokens[1]) == 1


@pytest.mark.parametrize(
    ("seat", "other", "problem"),
    [
        (2, BOT, "seat 2 is a bot's, which has no token"),
        (2, OPEN, "seat 2 is open; JoinMatch gives its token"),
        (3, HUMAN, "is 1 or 2, or 0 for the host, not 3"),
    ],
)
async def test_a_seat_without_a_token_is_refused_by_its_field(
    desk: Desk, seat: int, other: match_pb2.Seat, problem: str
) -> None:
    created = await desk.create(seats=[HUMAN, other])
    refused = await refusal(reissue(desk, created.match.name, created.host_token, seat))
    assert (refused.code, refused.reason) == (Code.INVALID_ARGUMENT, "BAD_FIELD")
    assert refused.fields == ["seat"]
    assert refused.message == f"seat: {problem}"


async def test_who_joined_gets_a_new_token_too(desk: Desk) -> None:
    created = await desk.create(seats=[HUMAN, OPEN])
    name = created.match.name
    joined = await desk.matches.JoinMatch(pb.JoinMatchRequest(name=name), timeout=TIMEOUT_S)
    new = await reissue(desk, name, created.host_token, joined.seat)
    assert await look(desk, name, new) == 2
    assert (await refusal(look(desk, name, joined.token))).reason == "BAD_TOKEN"


async def test_only_a_hash_of_the_new_token_is_kept(desk: Desk, serving: Serving) -> None:
    created = await desk.create()
    name = created.match.name
    new = await reissue(desk, name, created.host_token, 1)
    kept = await serving.tables.log.tokens(name.removeprefix("matches/"))
    assert kept["1"] == digest(new)
    assert len(new.partition(".")[2]) >= 43, "256 bits"


async def test_a_host_token_that_was_replaced_while_it_waited_renews_nothing(
    desk: Desk, serving: Serving
) -> None:
    created = await desk.create()
    name, old = created.match.name, created.host_token
    async with serving.tables.use(name.removeprefix("matches/")) as table, table._lock:
        first = asyncio.create_task(reissue(desk, name, old, 0))
        while len(table._work._tasks) < 1:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        second = asyncio.create_task(reissue(desk, name, old, 0))
        while len(table._work._tasks) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    assert (await refusal(second)).reason == "BAD_TOKEN"
    assert table.tokens[HOST] == digest(await first)


async def test_after_a_kill_the_new_tokens_work_and_the_old_ones_do_not(tmp_path: Path) -> None:
    async with running(*data_flags(tmp_path)) as program:
        async with grpc.aio.insecure_channel(program.address) as channel:
            desk = Desk(channel)
            created = await desk.create("playgridia")
            name, old = created.match.name, {0: created.host_token, **created.seat_tokens}
            new = {seat: await reissue(desk, name, old[0], seat) for seat in (1, 2)}
            new[0] = await reissue(desk, name, old[0])
        await program.kill()
    async with (
        running(*data_flags(tmp_path)) as program,
        grpc.aio.insecure_channel(program.address) as channel,
    ):
        desk = Desk(channel)
        for role in (0, 1, 2):
            assert (await refusal(look(desk, name, old[role]))).reason == "BAD_TOKEN"
            assert await look(desk, name, new[role]) == role
        new[1] = await reissue(desk, name, new[0], 1)
        await play_out(*(Player(desk, name, new[seat], seat) for seat in (1, 2)))
