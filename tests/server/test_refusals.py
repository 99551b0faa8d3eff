"""Every way to be refused, with its code, reason and details."""

from uuid import uuid4

import grpc
import pytest

from ginrummy import engine
from ginrummy.log import LogUnavailable, MemoryLog
from ginrummy.server.serving import Serving
from ginrummy.v1 import action_pb2, cards_pb2
from ginrummy.v1 import match_service_pb2 as pb
from tests.tables.house import change_creation

from .players import BOT, HUMAN, OPEN, SEED, Desk, bearer, clock, new_request_id, to_act
from .refusals import refusal

Code = grpc.StatusCode


async def test_not_your_turn_names_whose_it_is(desk: Desk) -> None:
    acting, other, view = await to_act(*await desk.new_players())
    request = acting.act_request(view)
    refused = await refusal(other.send(request))
    assert (refused.code, refused.reason) == (Code.FAILED_PRECONDITION, "NOT_YOUR_TURN")
    assert refused.metadata == {"to_act": str(acting.seat)}


async def test_a_stale_action_is_told_where_the_match_stands(desk: Desk) -> None:
    acting, _, view = await to_act(*await desk.new_players())
    request = acting.act_request(view)
    request.expected_sequence -= 1
    refused = await refusal(acting.send(request))
    assert (refused.code, refused.reason) == (Code.ABORTED, "STALE_SEQUENCE")
    assert refused.metadata == {
        "expected": str(view.sequence - 1),
        "actual": str(view.sequence),
    }


async def test_an_illegal_action_names_the_rule_and_its_numbers(desk: Desk) -> None:
    acting, _, view = await to_act(*await desk.new_players("playgridia", seed=SEED))
    discard = action_pb2.Action(discard=action_pb2.Discard(card=cards_pb2.CARD_AS))
    refused = await refusal(acting.send(acting.act_request(view, action=discard)))
    assert (refused.code, refused.reason) == (Code.FAILED_PRECONDITION, "ILLEGAL_ACTION")
    assert refused.metadata == {"rule": "WRONG_PHASE", "phase": "draw"}
    await acting.act(view)
    view = await acting.view()
    missing = next(card for card in range(1, 53) if card not in view.own_hand)
    discard.discard.card = missing  # type: ignore[assignment]
    refused = await refusal(acting.send(acting.act_request(view, action=discard)))
    assert refused.metadata["rule"] == "CARD_NOT_IN_HAND"
    assert f"CARD_{refused.metadata['card']}" == cards_pb2.Card.Name(discard.discard.card)
    knock = action_pb2.Action(knock=action_pb2.Knock(discard=view.own_hand[0]))
    if view.barred_discard == view.own_hand[0]:
        knock.knock.discard = view.own_hand[1]
    refused = await refusal(acting.send(acting.act_request(view, action=knock)))
    assert refused.metadata["rule"] == "OVER_KNOCK_LIMIT"
    assert refused.metadata["limit"] == "10"
    assert int(refused.metadata["deadwood"]) > 10


async def test_an_ended_match_takes_no_action(desk: Desk) -> None:
    acting, other, view = await to_act(*await desk.new_players())
    resign = pb.ResignMatchRequest(name=other.name)
    await desk.matches.ResignMatch(resign, metadata=other.metadata)
    refused = await refusal(acting.act(view))
    assert (refused.code, refused.reason) == (Code.FAILED_PRECONDITION, "MATCH_OVER")


async def test_the_history_of_a_running_match_is_closed(desk: Desk) -> None:
    player, _ = await desk.new_players()
    refused = await refusal(desk.events(player.name))
    assert (refused.code, refused.reason) == (Code.FAILED_PRECONDITION, "MATCH_NOT_OVER")


async def test_a_full_table_has_no_seat(desk: Desk) -> None:
    player, _ = await desk.new_players()
    refused = await refusal(desk.matches.JoinMatch(pb.JoinMatchRequest(name=player.name)))
    assert (refused.code, refused.reason) == (Code.FAILED_PRECONDITION, "NO_OPEN_SEAT")


async def test_a_request_id_serves_one_request(desk: Desk) -> None:
    acting, _, view = await to_act(*await desk.new_players())
    request = acting.act_request(view)
    first = await acting.send(request)
    again = await acting.send(request)
    assert again.replayed
    assert list(again.events) == list(first.events)
    request.action.Clear()
    request.action.big_gin.SetInParent()
    refused = await refusal(acting.send(request))
    assert (refused.code, refused.reason) == (Code.INVALID_ARGUMENT, "REQUEST_ID_REUSED")


async def test_a_resume_past_the_head_is_told_the_head(desk: Desk) -> None:
    player, _ = await desk.new_players()
    view = await player.view()
    request = pb.WatchMatchRequest(name=player.name, after_sequence=view.sequence + 1)
    refused = await refusal(desk.matches.WatchMatch(request, metadata=player.metadata).read())
    assert (refused.code, refused.reason) == (Code.OUT_OF_RANGE, "SEQUENCE_AHEAD")
    assert refused.metadata == {"head": str(view.sequence)}


async def test_unknown_names_are_not_found(desk: Desk) -> None:
    refused = await refusal(desk.matches.GetMatch(pb.GetMatchRequest(name="matches/nothing")))
    assert (refused.code, refused.reason) == (Code.NOT_FOUND, "MATCH_NOT_FOUND")
    refused = await refusal(desk.matches.GetView(pb.GetViewRequest(name="matches/nothing")))
    assert refused.reason == "MATCH_NOT_FOUND"
    refused = await refusal(desk.create("bridge"))
    assert (refused.code, refused.reason) == (Code.NOT_FOUND, "RULESET_NOT_FOUND")
    strange = type(BOT)()
    strange.bot.bot = "bots/nobody"
    refused = await refusal(desk.create("short", seats=[HUMAN, strange]))
    assert (refused.code, refused.reason) == (Code.NOT_FOUND, "BOT_NOT_FOUND")
    assert refused.metadata == {"bot": "nobody", "known": ", ".join(engine.bots())}


async def test_a_missing_or_forged_token_is_unauthenticated(desk: Desk) -> None:
    acting, _, view = await to_act(*await desk.new_players())
    request = acting.act_request(view)
    match_id = acting.name.removeprefix("matches/")
    forged = ["", "nonsense", f"{match_id}.AAAA", "x" * 400, "f" * 32 + ".AAAA"]
    for token in forged:
        refused = await refusal(desk.matches.Act(request, metadata=bearer(token)))
        assert (refused.code, refused.reason) == (Code.UNAUTHENTICATED, "BAD_TOKEN")
    for metadata in ((), (("authorization", "Basic abc"),)):
        refused = await refusal(desk.matches.Act(request, metadata=metadata))
        assert (refused.code, refused.reason) == (Code.UNAUTHENTICATED, "BAD_TOKEN")
    for watch in (desk.matches.WatchMatch(pb.WatchMatchRequest(name=acting.name)).read(),):
        assert (await refusal(watch)).reason == "BAD_TOKEN"


async def test_a_token_of_another_match_or_of_the_host_plays_for_no_seat(desk: Desk) -> None:
    acting, _, view = await to_act(*await desk.new_players())
    stranger, _ = await desk.new_players()
    refused = await refusal(desk.matches.Act(acting.act_request(view), metadata=stranger.metadata))
    assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "WRONG_SEAT")
    created = await desk.create()
    request = pb.ResignMatchRequest(name=created.match.name)
    host = bearer(created.host_token)
    refused = await refusal(desk.matches.ResignMatch(request, metadata=host))
    assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "WRONG_SEAT")


async def test_a_seat_cannot_abort_after_its_first_action(desk: Desk) -> None:
    acting, other, view = await to_act(*await desk.new_players())
    await acting.act(view)
    request = pb.AbortMatchRequest(name=acting.name)
    refused = await refusal(desk.matches.AbortMatch(request, metadata=acting.metadata))
    assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "WRONG_SEAT")
    aborted = await desk.matches.AbortMatch(request, metadata=other.metadata)
    assert not aborted.match.result.HasField("winner")


async def test_an_old_token_stops_working_when_the_request_is_sent_again(desk: Desk) -> None:
    created = await desk.create(seats=[OPEN, HUMAN])
    request = pb.JoinMatchRequest(name=created.match.name, request_id=new_request_id())
    first = await desk.matches.JoinMatch(request)
    again = await desk.matches.JoinMatch(request)
    assert first.seat == again.seat == again.view.viewer_seat == 1
    look = pb.GetViewRequest(name=created.match.name)
    await desk.matches.GetView(look, metadata=bearer(again.token))
    refused = await refusal(desk.matches.GetView(look, metadata=bearer(first.token)))
    assert refused.reason == "BAD_TOKEN"


async def test_known_deals_between_people_need_the_servers_permission() -> None:
    strict = Serving(MemoryLog())
    port = await strict.start("127.0.0.1", 0)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        desk = Desk(channel)
        refused = await refusal(desk.create(seed=SEED))
        assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "SEEDS_NOT_ALLOWED")
        created = await desk.create(seed=SEED, seats=[HUMAN, BOT])
        assert created.match.seeded
    await strict.stop(0)


async def test_a_store_in_trouble_is_unavailable_and_comes_back(
    desk: Desk, serving: Serving
) -> None:
    acting, _, view = await to_act(*await desk.new_players())
    log = serving.tables.log
    assert isinstance(log, MemoryLog)
    log.trouble = LogUnavailable("disk full")
    request = acting.act_request(view)
    for call in (acting.send(request), desk.create(), desk.events(acting.name)):
        refused = await refusal(call)
        assert (refused.code, refused.reason) == (Code.UNAVAILABLE, "STORE_UNAVAILABLE")
        assert refused.retry_s
        assert "disk" not in refused.message
    log.trouble = None
    assert not (await acting.send(request)).replayed


async def test_a_draining_server_says_so(desk: Desk, serving: Serving) -> None:
    acting, _, view = await to_act(*await desk.new_players())
    await serving.tables.close()
    for call in (acting.act(view), desk.create()):
        refused = await refusal(call)
        assert (refused.code, refused.reason) == (Code.UNAVAILABLE, "DRAINING")
        assert refused.retry_s


async def test_an_unreadable_match_is_lost_and_the_others_are_not(
    desk: Desk, serving: Serving
) -> None:
    acting, _, view = await to_act(*await desk.new_players())
    log = serving.tables.log
    assert isinstance(log, MemoryLog)
    match_id = acting.name.removeprefix("matches/")
    change_creation(log, match_id, seed="00" * 32)
    del serving.tables._live[match_id]
    refused = await refusal(acting.act(view))
    assert (refused.code, refused.reason) == (Code.DATA_LOSS, "MATCH_UNREADABLE")
    await desk.new_players()


@pytest.mark.parametrize("kind", [RuntimeError, engine.Panic])
async def test_a_fault_of_ours_tells_only_where_the_log_has_more(
    desk: Desk,
    serving: Serving,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kind: type[BaseException],
) -> None:
    async def broken(*_: object) -> None:
        raise kind("the hand was AS KS QS")

    monkeypatch.setattr(serving.tables.index, "row", broken)
    refused = await refusal(desk.matches.GetMatch(pb.GetMatchRequest(name="matches/abc")))
    assert (refused.code, refused.reason) == (Code.INTERNAL, "INTERNAL")
    assert "AS" not in refused.message
    line = next(
        r.getMessage() for r in caplog.records if refused.metadata["fault_id"] in r.msg % r.args
    )
    assert kind.__name__ in line
    assert "KS" not in line


async def test_a_turn_time_that_is_not_listed_is_refused(desk: Desk) -> None:
    refused = await refusal(desk.create("playgridia", clock=clock(44)))
    assert (refused.reason, refused.fields) == ("BAD_FIELD", ["match.clock.turn_time"])
    assert "45" in refused.message
    refused = await refusal(desk.create("playgridia", clock=clock(45.5)))
    assert refused.fields == ["match.clock.turn_time"]
    created = await desk.create("playgridia")
    assert created.match.clock.turn_time.seconds == 45
    created = await desk.create("short", clock=clock(0.5))
    assert created.match.clock.turn_time.ToMilliseconds() == 500


async def test_request_ids_are_uuids(desk: Desk) -> None:
    player, _ = await desk.new_players()
    for request_id in ("1", "x" * 65, str(uuid4())[:-1], "00000000-0000-1000-8000-000000000000"):
        view = await player.view()
        refused = await refusal(player.send(player.act_request(view, request_id, _PASS)))
        assert (refused.reason, refused.fields) == ("BAD_FIELD", ["request_id"])


_PASS = action_pb2.Action(**{"pass": action_pb2.Pass()})  # type: ignore[arg-type]
