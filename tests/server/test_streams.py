"""Watching and playing over streams."""

import asyncio
from typing import Any

import grpc
import pytest

from ginrummy.server import streams
from ginrummy.server.serving import Serving
from ginrummy.tables import audience, ring
from ginrummy.v1 import (
    action_pb2,
    errors_pb2,
    events_pb2,
    match_pb2,
    view_pb2,
)
from ginrummy.v1 import (
    match_service_pb2 as pb,
)

from .players import (
    BOT,
    HUMAN,
    LONG,
    OPEN,
    SEED,
    Desk,
    Player,
    Stream,
    bearer,
    new_request_id,
    play_out,
    read_to_end,
    watch,
)
from .refusals import refusal

PUBLIC = match_pb2.SPECTATOR_POLICY_PUBLIC_INFO


async def next_notice(call: Any) -> events_pb2.Notice:
    """The next notice of a stream; events before it are passed over."""
    while True:
        response = await asyncio.wait_for(call.read(), 60)
        for notice in response.notices:
            only: events_pb2.Notice = notice
            return only


async def next_events(call: Any) -> list[events_pb2.MatchEvent]:
    """The events of the next message that has any."""
    while True:
        response = await asyncio.wait_for(call.read(), 60)
        if response.events:
            return list(response.events)


async def test_a_watch_begins_with_a_snapshot_and_goes_on_from_it(desk: Desk) -> None:
    one, two = await desk.new_players()
    call = watch(one)
    snapshot = (await call.read()).snapshot
    assert snapshot.viewer_seat == 1
    assert snapshot.phase == view_pb2.PHASE_UPCARD
    assert len(snapshot.own_hand) == 10
    view = await one.view()
    await (one if view.to_act == 1 else two).act(view if view.to_act == 1 else await two.view())
    assert [event.sequence for event in await next_events(call)] == [snapshot.sequence + 1]
    call.cancel()


async def test_an_open_match_can_be_watched_until_it_begins_or_is_called_off(desk: Desk) -> None:
    created = await desk.create(seats=[HUMAN, OPEN])
    one = Player(desk, created.match.name, created.seat_tokens[1], 1)
    call = watch(one)
    snapshot = (await call.read()).snapshot
    assert snapshot.phase == view_pb2.PHASE_WAITING
    assert not snapshot.own_hand
    await desk.matches.JoinMatch(
        pb.JoinMatchRequest(name=one.name, player=match_pb2.HumanSeat(display_name="Ben"))
    )
    taken, dealt = await next_events(call)
    assert taken.seat_taken.occupant.human.display_name == "Ben"
    assert len(dealt.hand_dealt.hands[0].cards) == 10
    call.cancel()


async def test_a_match_called_off_before_the_deal_is_over_for_all(desk: Desk) -> None:
    created = await desk.create(seats=[HUMAN, OPEN])
    one = Player(desk, created.match.name, created.seat_tokens[1], 1)
    request = pb.AbortMatchRequest(name=one.name, request_id=new_request_id())
    for _ in range(2):
        response = await desk.matches.AbortMatch(request, metadata=bearer(created.host_token))
        assert response.match.state == match_pb2.MATCH_STATE_ABORTED
    view = await one.view()
    assert view.phase == view_pb2.PHASE_MATCH_OVER
    assert len(view.sheets) == 2
    assert not view.own_hand
    kinds = [event.WhichOneof("payload") for event in await desk.events(one.name)]
    assert kinds == ["match_created", "seat_taken", "match_ended"]


async def test_comings_and_goings_are_told(desk: Desk) -> None:
    one, two = await desk.new_players()
    call = watch(one)
    assert not (await call.read()).snapshot.seats[1].connected
    other = watch(two)
    assert (await other.read()).snapshot.seats[0].connected
    assert (await next_notice(call)).presence == events_pb2.Presence(seat=2, connected=True)
    other.cancel()
    assert (await next_notice(call)).presence == events_pb2.Presence(seat=2, connected=False)
    call.cancel()


async def test_a_silent_stream_beats_as_often_as_asked(desk: Desk) -> None:
    one, _ = await desk.new_players()
    call = watch(one, heartbeat={"seconds": 2})
    await call.read()
    beat = (await next_notice(call)).heartbeat
    assert beat.head_sequence == (await one.view()).sequence
    assert beat.server_time.seconds > 0
    call.cancel()


async def test_spectators_watch_where_the_match_lets_them_in(desk: Desk) -> None:
    shown = await desk.create(spectators=PUBLIC)
    hidden = await desk.create()
    view = (await desk.matches.GetView(pb.GetViewRequest(name=shown.match.name))).view
    assert view.viewer_seat == 0
    assert not view.own_hand
    assert not view.legal_actions
    refused = await refusal(desk.matches.GetView(pb.GetViewRequest(name=hidden.match.name)))
    assert refused.reason == "BAD_TOKEN"
    host = bearer(hidden.host_token)
    request = pb.GetViewRequest(name=hidden.match.name)
    view = (await desk.matches.GetView(request, metadata=host)).view
    assert view.viewer_seat == 0
    assert not view.own_hand


async def test_a_reader_that_stops_is_let_go_and_slows_nobody(
    desk: Desk, serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "SLOW_READER_S", 4)
    one, _ = await desk.new_players()
    table = serving.tables._live[one.name.removeprefix("matches/")].table
    stuck = desk.matches.Play(metadata=one.metadata)
    await stuck.write(pb.PlayRequest(watch=pb.WatchMatchRequest(name=one.name)))
    # More replies than fit on the way, fewer pings than fit on theirs.
    for i in range(1000):
        await stuck.write(pb.PlayRequest(ping=pb.Ping(), correlation_id=f"{i:064}"))
    assert table.audience.is_connected(1)
    await play_out(*await desk.new_players("playgridia"))
    async with asyncio.timeout(60):
        while table.audience.is_connected(1):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    refused = await refusal(read_to_end(stuck))
    assert refused.reason == "SLOW_CONSUMER"
    assert refused.code is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_refused_command_is_answered_and_the_stream_stays_open(desk: Desk) -> None:
    one, two = await desk.new_players()
    view = await one.view()
    acting, other = (one, two) if view.to_act == 1 else (two, one)
    stream, idle = Stream(acting), Stream(other)
    for each in (stream, idle):
        assert (await each.send(watch={"name": one.name, "after_sequence": 0})).ok
    view = await acting.view()
    act = acting.act_request(view)
    refused = await idle.send("1", act=act)
    assert not refused.ok
    assert refused.reason == errors_pb2.ERROR_REASON_NOT_YOUR_TURN
    assert refused.metadata == {"to_act": str(acting.seat)}
    big_gin = acting.act_request(
        await acting.view(), action=action_pb2.Action(big_gin=action_pb2.BigGin())
    )
    refused = await stream.send("2", act=big_gin)
    assert refused.reason == errors_pb2.ERROR_REASON_ILLEGAL_ACTION
    assert (refused.rule, refused.metadata["phase"]) == ("WRONG_PHASE", "upcard")
    refused = await stream.send("3", act=pb.ActRequest())
    assert refused.reason == errors_pb2.ERROR_REASON_BAD_FIELD
    refused = await stream.send("4", watch={"name": one.name})
    assert refused.reason == errors_pb2.ERROR_REASON_BAD_FIELD
    accepted = await stream.send("5", act=act)
    assert accepted.ok
    assert accepted.sequence == stream.events[-1].sequence
    assert (await stream.send("6", act=act)).replayed
    stale = acting.act_request(view)
    assert (await stream.send("7", act=stale)).metadata["expected"] == str(view.sequence)
    assert (await stream.send("8", ping={})).sequence == accepted.sequence
    assert [event.sequence for event in stream.events] == list(range(1, accepted.sequence + 1))


def watch_from(player: Player, after_sequence: int | None = None) -> pb.WatchMatchRequest:
    return pb.WatchMatchRequest(name=player.name, after_sequence=after_sequence)


async def test_an_actions_reply_and_its_events_are_one_message(desk: Desk) -> None:
    one, two = await desk.new_players()
    view = await one.view()
    acting, other = (one, two) if view.to_act == 1 else (two, one)
    stream, idle = Stream(acting), Stream(other)
    await stream.call.write(pb.PlayRequest(watch=watch_from(one), correlation_id="watch"))
    first = await stream.read()
    assert first.update.snapshot.viewer_seat == acting.seat
    assert [reply.correlation_id for reply in first.replies] == ["watch"]
    await idle.send(watch={"name": one.name})
    await stream.read()  # the other one's coming
    for correlation_id in "ab":
        act = acting.act_request(view := await acting.view())
        await stream.call.write(pb.PlayRequest(act=act, correlation_id=correlation_id))
        message = await stream.read()
        [reply] = message.replies
        assert (reply.correlation_id, reply.ok) == (correlation_id, True)
        assert message.update.events[0].sequence == view.sequence + 1
        assert message.update.events[-1].sequence == reply.sequence
        if message.update.events[-1].to_act != acting.seat:
            break


async def test_a_reply_waits_for_the_events_before_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ring, "RING_LEN", 4)
    monkeypatch.setattr(audience, "READ_LEN", 3)
    monkeypatch.setattr(ring, "MOST_TOGETHER", 2)
    one, two = await desk.new_players("kawu", overrides=LONG)
    for _ in range(20):
        view = await one.view()
        acting = one if view.to_act == 1 else two
        await acting.act(await acting.view())
    stream = Stream(one)
    await stream.call.write(pb.PlayRequest(watch=watch_from(one, 0)))
    for i in range(5):
        await stream.call.write(pb.PlayRequest(ping=pb.Ping(), correlation_id=str(i)))
    answered: list[str] = []
    while len(answered) < 6:
        message = await stream.read()
        assert len(message.update.events) <= 2
        for reply in message.replies:
            assert reply.sequence <= stream.events[-1].sequence
            answered.append(reply.correlation_id)
    assert answered == ["", *"01234"]
    assert [event.sequence for event in stream.events] == list(range(1, len(stream.events) + 1))
    stream.call.cancel()


async def test_the_last_actions_reply_comes_before_the_stream_ends(desk: Desk) -> None:
    one, _ = await desk.new_players()
    stream = Stream(one)
    await stream.send(watch={"name": one.name})
    reply = await stream.send("bye", resign={"request_id": new_request_id()})
    assert reply.ok
    assert await stream.call.read() is grpc.aio.EOF
    assert await stream.call.code() is grpc.StatusCode.OK


async def test_closing_ones_side_ends_the_stream_when_all_is_answered(desk: Desk) -> None:
    one, _ = await desk.new_players()
    stream = Stream(one)
    await stream.call.write(pb.PlayRequest(watch=pb.WatchMatchRequest(name=one.name)))
    for i in range(40):
        await stream.call.write(pb.PlayRequest(ping=pb.Ping(), correlation_id=str(i)))
    await stream.call.done_writing()
    replies = []
    async for response in stream.call:
        replies += [reply.correlation_id for reply in response.replies]
    assert replies == ["", *map(str, range(40))]


async def test_a_play_stream_begins_with_watch(desk: Desk) -> None:
    one, _ = await desk.new_players()
    call = desk.matches.Play(metadata=one.metadata)
    await call.write(pb.PlayRequest(ping=pb.Ping()))
    refused = await refusal(call.read())
    assert (refused.reason, refused.fields) == ("BAD_FIELD", ["watch"])
    call = desk.matches.Play()
    await call.write(pb.PlayRequest(watch=pb.WatchMatchRequest(name=one.name)))
    assert (await refusal(call.read())).reason == "BAD_TOKEN"


async def test_backends_are_told_as_matches_start_and_end(desk: Desk) -> None:
    news = desk.matches.WatchMatches(pb.WatchMatchesRequest(labels={"room": "7"}))
    everything = desk.matches.WatchMatches(pb.WatchMatchesRequest())
    await news.initial_metadata()
    await everything.initial_metadata()
    other = await desk.create(labels={"room": "8"})
    mine = await desk.create(seats=[HUMAN, OPEN], labels={"room": "7"}, unlisted=True)
    name = mine.match.name
    joined = await desk.matches.JoinMatch(pb.JoinMatchRequest(name=name))
    await Player(desk, name, joined.token, 2).view()
    request = pb.ResignMatchRequest(name=name)
    await desk.matches.ResignMatch(request, metadata=bearer(joined.token))
    states = []
    for _ in range(3):
        match = (await read_news(news)).match
        assert match.name == name
        states.append(match.state)
    assert states == [
        match_pb2.MATCH_STATE_OPEN,
        match_pb2.MATCH_STATE_RUNNING,
        match_pb2.MATCH_STATE_FINISHED,
    ]
    shown = (await read_news(everything)).match
    assert shown.name == other.match.name, "an unlisted match is for those who ask for its labels"
    news.cancel()
    everything.cancel()


async def read_news(call: Any) -> Any:
    return await asyncio.wait_for(call.read(), 60)


async def test_a_bots_reply_comes_by_the_stream(desk: Desk) -> None:
    created = await desk.create(seats=[HUMAN, BOT], seed=SEED)
    player = Player(desk, created.match.name, created.seat_tokens[1], 1)
    await play_out(player)
    assert {event.seat for event in player.events if event.HasField("card_discarded")} == {1, 2}
