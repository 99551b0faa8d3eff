"""The clock as players see it: deadlines, and what the engine does when they pass."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import grpc

from ginrummy import engine
from ginrummy.v1 import action_pb2, events_pb2, match_pb2, rules_pb2, view_pb2
from ginrummy.v1 import match_service_pb2 as pb

from .players import LONG, SEED, TIMEOUT_S, Desk, Player, name_of, names, play_out, watch

Events = Sequence[events_pb2.MatchEvent]
PATIENCE_S = 60


def clock(turn_s: float, pause_s: float = 0, **fields: int) -> rules_pb2.Clock:
    clock = rules_pb2.Clock(**fields)  # type: ignore[arg-type]
    clock.turn_time.FromMilliseconds(int(turn_s * 1000))
    clock.hand_pause.FromMilliseconds(int(pause_s * 1000))
    return clock


def allowed(event: events_pb2.MatchEvent) -> timedelta:
    """How long the decision may take that an event leads to."""
    return event.deadline.ToDatetime() - event.time.ToDatetime()


async def events_until_the_end(player: Player) -> Events:
    """Watches until the match ends, and gives its events with nothing hidden."""
    async with asyncio.timeout(PATIENCE_S):
        async for _ in player.watch():
            pass
    return await player.desk.events(player.name)


def kinds(events: Events) -> list[str]:
    return [event.WhichOneof("payload") or "" for event in events]


async def turn_of(*players: Player) -> tuple[Player, view_pb2.View]:
    view = await players[0].view()
    player = players[view.to_act - 1]
    return player, await player.view()


async def test_a_deadline_is_a_point_in_time_that_view_and_event_agree_on(real_desk: Desk) -> None:
    players = await real_desk.new_players("playgridia", seed=SEED)
    call = watch(players[0], after_sequence=0)
    last = list((await call.read()).events)[-1]
    player, view = await turn_of(*players)
    assert last.to_act == view.to_act == player.seat
    assert last.deadline == view.deadline
    assert allowed(last) == timedelta(seconds=45)
    assert last.time.ToDatetime() <= view.server_time.ToDatetime() < view.deadline.ToDatetime()
    [drawn] = (await player.act(view)).events
    assert drawn.deadline == last.deadline, "draw and discard share one allowance"
    view = await player.view()
    assert view.deadline == last.deadline
    [discarded] = (await player.act(view)).events
    assert discarded.to_act == 3 - player.seat
    assert allowed(discarded) == timedelta(seconds=45)
    call.cancel()


async def test_a_heartbeat_tells_the_servers_time(real_desk: Desk) -> None:
    one, _ = await real_desk.new_players("playgridia")
    call = watch(one, heartbeat={"seconds": 2})
    before = (await call.read()).snapshot.server_time.ToDatetime()
    [notice] = (await asyncio.wait_for(call.read(), PATIENCE_S)).notices
    told = notice.heartbeat.server_time.ToDatetime()
    assert told - before >= timedelta(seconds=1.9)
    assert abs(datetime.now(UTC).replace(tzinfo=None) - told) < timedelta(seconds=PATIENCE_S)
    call.cancel()


async def test_without_a_clock_there_is_no_deadline(real_desk: Desk) -> None:
    one, two = await real_desk.new_players("short", clock=clock(0), overrides=LONG)
    for _ in range(6):
        player, view = await turn_of(one, two)
        events = (await player.act(view)).events
        assert events[-1].to_act
        assert not any(event.HasField("deadline") for event in events)
    assert not any(view.HasField("deadline") for view in one.views + two.views)


async def test_the_engine_plays_for_two_who_have_left_and_then_aborts(real_desk: Desk) -> None:
    one, _ = await real_desk.new_players("short", clock=clock(0.2))
    told = await events_until_the_end(one)
    turns = split_at_time_outs(told)
    assert [kinds(turn) for turn in turns] == [
        ["timed_out", "passed"],
        ["timed_out", "passed"],
        ["timed_out", "card_drawn", "card_discarded"],
        ["timed_out", "card_drawn", "card_discarded"],
        ["timed_out", "card_drawn", "card_discarded"],
        ["timed_out", "match_ended"],
    ]
    assert [turn[0].timed_out.timeouts for turn in turns] == [1, 1, 2, 2, 3, 3]
    assert told[-1].match_ended.reason == match_pb2.MATCH_END_REASON_ABORTED
    assert not told[-1].match_ended.HasField("winner")
    assert_each_waited_for_its_deadline(told)
    assert_the_best_was_discarded(told)


def split_at_time_outs(told: Events) -> list[Events]:
    starts = [i for i, event in enumerate(told) if event.HasField("timed_out")]
    return [told[start:end] for start, end in zip(starts, [*starts[1:], len(told)], strict=True)]


def assert_each_waited_for_its_deadline(told: Events) -> None:
    for before, event in pairwise(told):
        if event.HasField("timed_out"):
            assert event.seat == before.to_act
            assert event.time.ToDatetime() >= before.deadline.ToDatetime()


def assert_the_best_was_discarded(told: Events) -> None:
    """Who ran out of time drew from the stock, and discarded as RULES.md says."""
    hands: list[set[int]] = [set(), set()]
    for event in told:
        match event.WhichOneof("payload"):
            case "hand_dealt":
                hands = [set(hand.cards) for hand in event.hand_dealt.hands]
            case "card_drawn":
                assert event.card_drawn.pile == action_pb2.PILE_STOCK
                hands[event.seat - 1].add(event.card_drawn.card)
            case "card_discarded":
                best = engine.best_discard(names(hands[event.seat - 1]), None)
                assert name_of(event.card_discarded.card) == best["card"]
                hands[event.seat - 1].remove(event.card_discarded.card)


async def test_who_has_drawn_when_his_time_runs_out_has_his_discard_chosen(
    real_desk: Desk,
) -> None:
    one, two = await real_desk.new_players(
        "solo", clock=clock(1, timeouts_to_forfeit=1000), overrides={"upcard_offer": False}
    )
    while True:  # time and again, should this machine be too slow to draw in time
        player, view = await turn_of(one, two)
        draw = action_pb2.Action(draw=action_pb2.Draw(pile=action_pb2.PILE_STOCK))
        with suppress(grpc.aio.AioRpcError):
            drawn = (await player.send(player.act_request(view, action=draw))).events[-1]
            break
    async for event in player.watch():
        if event.sequence > drawn.sequence + 1:
            break
    timed_out, discarded = player.events[drawn.sequence :]
    assert timed_out.timed_out.timeouts == 1
    assert (discarded.seat, discarded.WhichOneof("payload")) == (player.seat, "card_discarded")
    assert discarded.to_act == 3 - player.seat


async def test_who_runs_out_of_time_too_often_in_a_row_forfeits(real_desk: Desk) -> None:
    """A move in between, and the count begins anew."""
    moves, was_late = 0, True
    async with asyncio.timeout(PATIENCE_S):
        while was_late:  # a new match, should this machine be too slow to play in time
            one, two = await real_desk.new_players(
                "short", clock=clock(1.5, timeouts_to_forfeit=2), overrides={"upcard_offer": False}
            )
            moves, was_late = 0, False
            async for event in two.watch():
                was_late |= event.HasField("timed_out") and (event.seat == 2 or moves == 1)
                if was_late:
                    break
                if event.to_act == 2 or (event.to_act == 1 and event.seat != 1 and moves == 1):
                    await play_turn(one if event.to_act == 1 else two)
                moves += event.HasField("card_discarded") and event.seat == 1
    told = await real_desk.events(one.name)
    counts = [event.timed_out.timeouts for event in told if event.HasField("timed_out")]
    assert counts == [1, 1, 2]
    assert told[-1].match_ended.reason == match_pb2.MATCH_END_REASON_CLOCK_EXPIRED
    assert told[-1].match_ended.winner == 2


async def play_turn(player: Player) -> None:
    """Draws from the stock and discards what it can, as fast as can be; unless it is too late."""
    draw = action_pb2.Action(draw=action_pb2.Draw(pile=action_pb2.PILE_STOCK))
    view = await player.view()
    if view.phase == view_pb2.PHASE_DRAW and view.to_act == player.seat:
        with suppress(grpc.aio.AioRpcError):
            await player.send(player.act_request(view, action=draw))
            view = await player.view()
            discards = [a for a in view.legal_actions if a.HasField("discard")]
            if discards:
                await player.send(player.act_request(view, action=discards[0]))


async def test_who_does_not_lay_off_in_time_has_the_best_done_for_him(real_desk: Desk) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:  # a new match, should this machine be too slow to play in time
            players = await real_desk.new_players(
                "solo", clock=clock(3), overrides={"target": 0}, seed=bytes([3] * 32)
            )
            view = await play_to_the_layoff(*players)
            told = await events_until_the_end(players[0])
            if view.to_act and kinds(told).count("timed_out") == 1:
                break
    i = kinds(told).index("laid_off")
    assert kinds(told[i - 1 : i + 2]) == ["timed_out", "laid_off", "hand_scored"]
    assert told[i - 1].seat == told[i].seat == view.to_act
    melds = [names(meld.cards) for meld in view.showdown.knocker_melds]
    best = engine.best_defence(melds, names(view.own_hand))["arrangement"]
    assert told[i].laid_off.deadwood_points == best["deadwood_points"]


async def play_to_the_layoff(*players: Player) -> view_pb2.View:
    """What who may lay off sees; or what is seen in the end if it did not come to that."""
    while True:
        player, view = await turn_of(*players)
        if view.phase == view_pb2.PHASE_LAYOFF or not view.to_act:
            return view
        if view.to_act == player.seat:
            with suppress(grpc.aio.AioRpcError):
                await player.act(view)


async def test_the_first_decision_of_a_next_hand_has_the_pause_on_top(real_desk: Desk) -> None:
    players = await real_desk.new_players(
        "short", clock=clock(60, pause_s=7), overrides=rules_pb2.Rules(target=150)
    )
    await play_out(*players)
    told = await real_desk.events(players[0].name)
    deals = [allowed(event) for event in told if event.HasField("hand_dealt")]
    assert len(deals) > 1
    assert deals == [timedelta(seconds=60)] + [timedelta(seconds=67)] * (len(deals) - 1)
    assert {allowed(e) for e in told if e.HasField("card_discarded") and e.to_act} == {
        timedelta(seconds=60)
    }


async def test_the_clock_in_force_is_told(real_desk: Desk) -> None:
    asked = clock(60, pause_s=7, timeouts_to_forfeit=3)
    asked.absence_grace.seconds = 90
    one, _ = await real_desk.new_players("short", clock=asked)
    request = pb.GetMatchRequest(name=one.name)
    assert (await real_desk.matches.GetMatch(request, timeout=TIMEOUT_S)).match.clock == asked
