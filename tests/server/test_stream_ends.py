"""How streams end: with their match, with their token, or with the server."""

import asyncio
import gc
import weakref
from typing import cast

import grpc
import pytest

from ginrummy import engine
from ginrummy.server import streams
from ginrummy.server.edge import Context
from ginrummy.server.refusals import SlowConsumer
from ginrummy.server.serving import Serving
from ginrummy.server.streams import StreamWriter, in_own_task
from ginrummy.tables import play
from ginrummy.tables.errors import Draining, Refused
from ginrummy.v1 import match_pb2, view_pb2
from ginrummy.v1 import match_service_pb2 as pb

from .players import (
    HUMAN,
    OPEN,
    Desk,
    Player,
    Stream,
    bearer,
    new_request_id,
    play_out,
    read_to_end,
    to_act,
    watch,
)
from .refusals import refusal

PUBLIC = match_pb2.SPECTATOR_POLICY_PUBLIC_INFO


async def test_a_stream_ends_with_ok_after_the_last_event(desk: Desk) -> None:
    one, two = await desk.new_players("playgridia")
    await play_out(one, two)
    for after in (0, one.head - 1, one.head):
        call = watch(one, after_sequence=after)
        seen = [event.sequence async for response in call for event in response.events]
        assert seen == list(range(after + 1, one.head + 1))
        assert await call.code() is grpc.StatusCode.OK
    call = watch(one)
    [only] = [response async for response in call]
    assert (only.HasField("snapshot"), len(only.events)) == (True, 0)


async def test_going_away_is_the_last_word_of_a_draining_server(
    desk: Desk, serving: Serving
) -> None:
    one, _ = await desk.new_players()
    call = watch(one)
    await call.read()
    playing = desk.matches.Play(metadata=one.metadata)
    await playing.write(pb.PlayRequest(watch=pb.WatchMatchRequest(name=one.name)))
    await playing.read()
    news = desk.matches.WatchMatches(pb.WatchMatchesRequest())
    await news.initial_metadata()
    stopping = asyncio.create_task(serving.stop(30))
    for stream in (call, playing):
        notice = None
        while notice is None:
            message = await asyncio.wait_for(stream.read(), 60)
            notices = message.notices if stream is call else message.update.notices
            notice = next((n for n in notices if n.HasField("going_away")), None)
        assert notice.going_away.HasField("retry_after")
    for ended in (news, call, playing):
        refused = await refusal(ended.read())
        assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
        assert refused.retry_s
    await stopping


async def test_who_calls_a_draining_server_is_told_so(desk: Desk, serving: Serving) -> None:
    one, _ = await desk.new_players()
    request = pb.GetMatchRequest(name=one.name)
    stopping = asyncio.create_task(serving.stop(30))
    while not serving.tables.is_closing:  # noqa: ASYNC110
        await asyncio.sleep(0)
    for call in (desk.matches.GetMatch(request), desk.create(), one.view(), watch(one).read()):
        refused = await refusal(call)
        assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
        assert refused.retry_s
    await stopping


async def test_a_match_that_is_over_ends_its_streams_with_ok_on_a_draining_server(
    desk: Desk, serving: Serving
) -> None:
    one, two = await desk.new_players("playgridia")
    async with serving.tables.use(one.name.removeprefix("matches/")) as table:
        with table.audience.watch(0, table.state.head, 10) as watcher:
            await play_out(one, two)
            watcher.close()
            while await watcher.updates() is not None:
                pass


async def test_a_replaced_token_ends_its_streams_and_no_other(desk: Desk) -> None:
    request_id = new_request_id()
    match = match_pb2.Match(ruleset="rulesets/short", seats=[HUMAN, OPEN], spectators=PUBLIC)
    create = pb.CreateMatchRequest(match=match, request_id=request_id)
    created = await desk.matches.CreateMatch(create)
    name = created.match.name
    join = pb.JoinMatchRequest(name=name, request_id=new_request_id())
    joined = await desk.matches.JoinMatch(join)
    one = Player(desk, name, created.seat_tokens[1], 1)
    two = Player(desk, name, joined.token, 2)
    host = Player(desk, name, created.host_token, 0)
    playing, seeing, other, spectating = Stream(two), watch(two), watch(one), watch(host)
    assert (await playing.send(watch={"name": name})).ok
    for call in (seeing, other, spectating):
        await call.read()
    renewed = await desk.matches.JoinMatch(join)
    assert (await refusal(read_to_end(seeing))).reason == "BAD_TOKEN"
    refused = await refusal(read_to_end(playing.call))
    assert (refused.code, refused.reason) == (grpc.StatusCode.UNAUTHENTICATED, "BAD_TOKEN")
    two.metadata = bearer(renewed.token)
    assert (await Stream(two).send(watch={"name": name})).ok
    await desk.matches.CreateMatch(create)
    for call in (other, spectating):
        assert (await refusal(read_to_end(call))).reason == "BAD_TOKEN"


async def test_a_command_that_meets_a_replaced_token_is_not_carried_out(
    desk: Desk, serving: Serving
) -> None:
    one, two = await desk.new_players()
    stream = Stream(one)
    assert (await stream.send(watch={"name": one.name})).ok
    async with serving.tables.use(one.name.removeprefix("matches/")) as table:
        head = table.state.head
        await table.replace_tokens({"1": bytes(32)})
        await stream.call.write(pb.PlayRequest(resign=pb.ResignMatchRequest()))
        assert (await refusal(read_to_end(stream.call))).reason == "BAD_TOKEN"
        assert table.state.head == head
    assert (await two.view()).phase == view_pb2.PHASE_UPCARD


@pytest.mark.parametrize("kind", [RuntimeError, engine.Panic])
async def test_a_fault_of_ours_ends_the_stream_of_its_command_alone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]
) -> None:
    one, two, view = await to_act(*await desk.new_players())
    failing, other = Stream(one), Stream(two)
    for stream in (failing, other):
        assert (await stream.send(watch={"name": one.name})).ok

    async def broken(*_: object, **__: object) -> None:
        raise kind("the hand was AS KS QS")

    with monkeypatch.context() as patch:
        patch.setattr(play, "act", broken)
        await failing.call.write(pb.PlayRequest(act=one.act_request(view)))
        refused = await refusal(read_to_end(failing.call))
    assert (refused.code, refused.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert "AS" not in refused.message
    assert (await other.send(ping={})).ok
    again = Stream(one)
    assert (await again.send(watch={"name": one.name})).ok
    assert (await again.send(resign={"request_id": new_request_id()})).ok


async def test_a_connection_that_broke_a_moment_ago_is_no_fault_of_ours() -> None:
    class Broken:
        async def write(self, _: object) -> None:
            raise grpc.aio.InternalError("the connection is gone, and the call has not heard of it")

    with StreamWriter(cast(Context, Broken())) as writer, pytest.raises(asyncio.CancelledError):
        await writer.write(b"")


class Slow:
    """A call whose reader makes no room after the first message."""

    def __init__(self) -> None:
        self._has_room = True

    async def write(self, _: object) -> None:
        if not self._has_room:
            await asyncio.get_running_loop().create_future()
        self._has_room = False


@pytest.mark.parametrize("reason", [Draining, SlowConsumer])
async def test_what_a_stream_held_is_free_as_soon_as_it_is_refused(
    reason: type[Refused], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "SLOW_READER_S", 0.05)

    async def follow(writer: StreamWriter) -> None:
        await writer.write(b"")
        if reason is Draining:
            raise Draining
        await writer.write(b"")

    async def serve(call: Slow) -> None:
        with StreamWriter(cast(Context, call)) as writer:
            await in_own_task(follow(writer))

    call = Slow()
    is_there = weakref.ref(call)
    gc.collect()
    gc.disable()
    try:
        try:
            await asyncio.create_task(serve(call))
        except reason:
            del call
        await asyncio.sleep(0)
        assert is_there() is None
    finally:
        gc.enable()
