"""Two who want to move a match at the same time: one does, the other is told."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from random import Random
from typing import Any
from uuid import uuid4

import grpc

from ginrummy.v1 import events_pb2, match_pb2, view_pb2
from ginrummy.v1 import match_service_pb2 as pb

from ..server.players import HUMAN, OPEN, SEED, TIMEOUT_S, Desk, Player, bearer, clock
from ..server.refusals import refusal_of

TURNS_S = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
"""How long turns are tried to be: where all is slow, the clock always wins the short ones."""
Desks = tuple[Desk, Desk]
Outcome = tuple[str, Any]


async def outcome(call: Awaitable[Any]) -> Outcome:
    """ "OK" with the answer, or the reason of the refusal with it."""
    try:
        return "OK", await call
    except grpc.aio.AioRpcError as error:
        refused = refusal_of(error)
        return refused.reason, refused


async def made(call: Callable[[], Awaitable[Any]]) -> Any:
    return await call()


async def at_once(*calls: Callable[[], Awaitable[Any]], backwards: bool = False) -> list[Outcome]:
    """Makes the calls at the same time; `backwards`: begins with the last of them."""
    if backwards:
        return (await at_once(*reversed(calls)))[::-1]
    return list(await asyncio.gather(*(outcome(made(call)) for call in calls)))


async def log_of(desk: Desk, name: str, host_token: str) -> list[events_pb2.MatchEvent]:
    """Everything that happened; the match is called off if it has not ended."""
    abort = pb.AbortMatchRequest(name=name, request_id=str(uuid4()))
    await outcome(desk.matches.AbortMatch(abort, metadata=bearer(host_token), timeout=TIMEOUT_S))
    events = await desk.events(name)
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert [event.HasField("match_ended") for event in events].index(True) == len(events) - 1
    return events


def two_choices(random: Random, view: view_pb2.View) -> list[Any]:
    actions = list(view.legal_actions)
    return random.sample(actions, 2) if len(actions) > 1 else actions * 2


async def to_act(players: Sequence[Player]) -> tuple[Player, view_pb2.View] | None:
    """Who has to act and what he sees; None once the match is over."""
    view = await players[0].view()
    if not view.to_act:
        return None
    player = players[view.to_act - 1]
    return player, view if player is players[0] else await player.view()


async def test_of_two_clients_on_one_seat_exactly_one_acts(desks: Desks) -> None:
    random = Random(1)
    rounds = 0
    while rounds < 150:
        created = await desks[0].create(seed=random.randbytes(32))
        name = created.match.name
        players = [Player(desks[0], name, created.seat_tokens[i], i) for i in (1, 2)]
        accepted: dict[int, events_pb2.MatchEvent] = {}
        while rounds < 150 and (next_to_act := await to_act(players)) is not None:
            rounds += 1
            player, view = next_to_act
            sends = [
                partial(
                    desk.matches.Act,
                    player.act_request(view, action=action),
                    metadata=player.metadata,
                    timeout=TIMEOUT_S,
                )
                for desk, action in zip(desks, two_choices(random, view), strict=True)
            ]
            random.shuffle(sends)
            (won, answer), (lost, refused) = sorted(await at_once(*sends), key=lambda o: o[0])
            assert (won, lost) in (("OK", "STALE_SEQUENCE"), ("MATCH_OVER", "OK"))
            if lost == "STALE_SEQUENCE":
                assert refused.code is grpc.StatusCode.ABORTED
                assert refused.metadata["expected"] == str(view.sequence)
                assert int(refused.metadata["actual"]) >= answer.events[-1].sequence
            else:
                answer = refused
            assert answer.events[0].sequence == view.sequence + 1
            accepted[view.sequence + 1] = answer.events[0]
        log = await log_of(desks[0], name, created.host_token)
        for sequence, event in accepted.items():
            assert log[sequence - 1].WhichOneof("payload") == event.WhichOneof("payload")
            assert log[sequence - 1].time == event.time


async def test_of_a_move_and_a_clock_that_runs_out_one_is_in_the_log(desks: Desks) -> None:
    moved = timed_out = 0
    async with asyncio.timeout(200):
        for turn_s in TURNS_S:
            games = (race_the_clock(desks[i % 2], i, turn_s) for i in range(12))
            for by_move, by_clock in await asyncio.gather(*games):
                moved += by_move
                timed_out += by_clock
            if min(moved, timed_out) > 20:
                break
    assert moved > 20
    assert timed_out > 20


async def race_the_clock(desk: Desk, number: int, turn_s: float) -> tuple[int, int]:
    """Moves around the deadline; how often the move, and how often the clock was first."""
    random = Random(number)
    created = await desk.create("short", clock=clock(turn_s), seed=random.randbytes(32))
    name = created.match.name
    players = [Player(desk, name, created.seat_tokens[i], i) for i in (1, 2)]
    moved: dict[int, events_pb2.MatchEvent] = {}
    clock_won = set()
    for _ in range(25):
        if (next_to_act := await to_act(players)) is None:
            break
        player, view = next_to_act
        if not view.legal_actions:
            continue  # the clock has moved the match between the two views
        deadline_s = view.deadline.ToNanoseconds() / 1e9
        from_deadline_s = random.choice([-1, -0.005, -0.001, 0, 0.002])
        await asyncio.sleep(deadline_s - time.time() + from_deadline_s)
        request = player.act_request(view, action=random.choice(view.legal_actions))
        how, answer = await outcome(player.send(request))
        if how == "OK":
            moved[view.sequence + 1] = answer.events[0]
        else:
            assert how in ("STALE_SEQUENCE", "MATCH_OVER")
            clock_won.add(view.sequence + 1)
    log = await log_of(desk, name, created.host_token)
    for sequence, event in moved.items():
        assert log[sequence - 1].WhichOneof("payload") == event.WhichOneof("payload")
        assert log[sequence - 1].time == event.time
    for sequence in clock_won:
        assert log[sequence - 1].HasField("timed_out")
    # Nothing but moves that were answered, and the clock, has moved the match.
    actions = [event.sequence for event in log if event.seat and is_action(event)]
    by_clock = {event.sequence + 1 for event in log if event.HasField("timed_out")}
    assert set(actions) <= set(moved) | by_clock | {sequence + 1 for sequence in by_clock}
    return len(moved), len(clock_won)


def is_action(event: events_pb2.MatchEvent) -> bool:
    return event.WhichOneof("payload") in ("passed", "card_drawn", "card_discarded", "knocked")


async def test_of_a_knock_and_a_resignation_each_is_told_what_became_of_it(desks: Desks) -> None:
    results = await asyncio.gather(*(knock_and_resign(desks, i) for i in range(16)))
    assert "OK" in {knocked for knocked, _ in results}


async def knock_and_resign(desks: Desks, number: int) -> tuple[str, str]:
    random = Random(number)
    created = await desks[0].create("playgridia", seed=SEED)
    name = created.match.name
    players = [Player(desks[0], name, created.seat_tokens[i], i) for i in (1, 2)]
    while True:
        next_to_act = await to_act(players)
        assert next_to_act is not None
        player, view = next_to_act
        action = player.choose(view)
        if action.WhichOneof("kind") == "knock":
            break
        await player.send(player.act_request(view, action=action))
    resigning = random.choice(players)
    resign = pb.ResignMatchRequest(name=name, request_id=str(uuid4()))
    (knocked, _), (resigned, _) = await at_once(
        partial(player.send, player.act_request(view, action=action)),
        partial(
            desks[1].matches.ResignMatch, resign, metadata=resigning.metadata, timeout=TIMEOUT_S
        ),
        backwards=number % 2 == 1,
    )
    log = await log_of(desks[0], name, created.host_token)
    assert (knocked, resigned) in (("OK", "OK"), ("OK", "MATCH_OVER"), ("MATCH_OVER", "OK"))
    assert log[view.sequence].HasField("knocked" if knocked == "OK" else "match_ended")
    result = log[-1].match_ended
    assert (result.reason == match_pb2.MATCH_END_REASON_RESIGNED) is (resigned == "OK")
    if resigned == "OK":
        assert result.winner == 3 - resigning.seat
    return knocked, resigned


async def test_of_a_join_and_an_abort_the_log_tells_which_came_first(desks: Desks) -> None:
    seen = set()
    for number in range(40):
        created = await desks[0].create(seats=(HUMAN, OPEN))
        name = created.match.name
        join = pb.JoinMatchRequest(name=name, request_id=str(uuid4()))
        abort = pb.AbortMatchRequest(name=name, request_id=str(uuid4()))
        host = bearer(created.host_token)
        (joined, answer), (aborted, _) = await at_once(
            partial(desks[0].matches.JoinMatch, join, timeout=TIMEOUT_S),
            partial(desks[1].matches.AbortMatch, abort, metadata=host, timeout=TIMEOUT_S),
            backwards=number % 2 == 1,
        )
        assert aborted == "OK"
        assert joined in ("OK", "MATCH_OVER")
        log = await log_of(desks[0], name, created.host_token)
        kinds = [event.WhichOneof("payload") for event in log]
        begun = ["seat_taken", "hand_dealt"] if joined == "OK" else []
        assert kinds == ["match_created", "seat_taken", *begun, "match_ended"]
        seen.add(joined)
        if joined == "OK":
            assert (await Player(desks[1], name, answer.token, 2).view()).viewer_seat == 2
    assert seen


async def test_of_two_who_want_one_seat_one_gets_it(desks: Desks) -> None:
    for number in range(40):
        created = await desks[0].create(seats=(HUMAN, OPEN))
        name = created.match.name
        joins = [
            partial(
                desk.matches.JoinMatch,
                pb.JoinMatchRequest(
                    name=name,
                    seat=2,
                    player=match_pb2.HumanSeat(display_name=who),
                    request_id=str(uuid4()),
                ),
                timeout=TIMEOUT_S,
            )
            for desk, who in zip(desks, ("Ben", "Eve"), strict=True)
        ]
        outcomes = await at_once(*joins)
        assert sorted(how for how, _ in outcomes) == ["NO_OPEN_SEAT", "OK"]
        winner = next(i for i, (how, _) in enumerate(outcomes) if how == "OK")
        player = Player(desks[number % 2], name, outcomes[winner][1].token, 2)
        assert (await player.view()).viewer_seat == 2
        log = await log_of(desks[0], name, created.host_token)
        taken = [e.seat_taken.occupant.human.display_name for e in log if e.HasField("seat_taken")]
        assert taken == ["Ann", ("Ben", "Eve")[winner]]


async def test_a_token_replaced_on_an_actions_way_lets_it_through_before_or_not_at_all(
    desks: Desks,
) -> None:
    for number in range(40):
        created = await desks[0].create(seats=(HUMAN, OPEN), seed=bytes([number]) * 32)
        name = created.match.name
        join = pb.JoinMatchRequest(name=name, request_id=str(uuid4()))
        joined = await desks[0].matches.JoinMatch(join, timeout=TIMEOUT_S)
        one = Player(desks[0], name, created.seat_tokens[1], 1)
        two = Player(desks[0], name, joined.token, 2)
        while (view := await two.view()).to_act != 2:
            await one.act(await one.view())
        (acted, _), (renewed, answer) = await at_once(
            partial(two.act, view),
            partial(desks[1].matches.JoinMatch, join, timeout=TIMEOUT_S),
            backwards=number % 2 == 1,
        )
        assert renewed == "OK"
        assert acted in ("OK", "BAD_TOKEN")
        assert (await outcome(two.view()))[0] == "BAD_TOKEN"
        two.metadata = bearer(answer.token)
        sequence = (await two.view()).sequence
        assert (sequence > view.sequence) is (acted == "OK")
