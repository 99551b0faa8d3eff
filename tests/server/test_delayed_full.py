"""Spectators of a match that opens scored hands to those who come later, over a real server."""

from typing import Any

from ginrummy.v1 import events_pb2, match_pb2, rules_pb2
from ginrummy.v1 import match_service_pb2 as pb

from .players import TIMEOUT_S, Desk, Player
from .test_matches import covered


async def past_of(desk: Desk, name: str, after: int, head: int) -> list[events_pb2.MatchEvent]:
    """What somebody without a token is sent of the events after `after`, up to `head`."""
    call = desk.matches.WatchMatch(pb.WatchMatchRequest(name=name, after_sequence=after))
    events: list[events_pb2.MatchEvent] = []
    while after + len(events) < head:
        response: Any = await call.read()
        events += response.events
    call.cancel()
    return events


async def test_whoever_comes_later_reads_scored_hands_in_full_and_the_running_one_covered(
    real_desk: Desk,
) -> None:
    one, two = await real_desk.new_players(
        "kawu",
        seed=bytes([7] * 32),
        spectators=match_pb2.SPECTATOR_POLICY_DELAYED_FULL,
        overrides=rules_pb2.Rules(target=50),
    )
    live = real_desk.matches.WatchMatch(pb.WatchMatchRequest(name=one.name, after_sequence=0))
    pasts: list[tuple[int, list[events_pb2.MatchEvent]]] = []
    to_act = (await one.view()).to_act
    moves = 0
    while to_act:
        player = (one, two)[to_act - 1]
        last = (await player.act(await player.view())).events[-1]
        to_act = last.to_act
        moves += 1
        if moves % 15 == 0 or not to_act:
            after = moves % 4 * 20
            if after < last.sequence:
                pasts.append((after, await past_of(real_desk, one.name, after, last.sequence)))
    seen_live = [event async for response in live for event in response.events]
    look = pb.GetMatchRequest(name=one.name)
    match = (await real_desk.matches.GetMatch(look, timeout=TIMEOUT_S)).match
    told = await real_desk.events(one.name)
    in_sight = [covered(event, 0, match) for event in told]
    assert seen_live == in_sight
    for after, events in pasts:
        head = after + len(events)
        scored = [event.sequence for event in told[:head] if event.HasField("hand_scored")]
        opened = head if head == len(told) else max(scored, default=0)
        assert not any(is_dead(event) for event in told)
        assert events == (told[:opened] + in_sight[opened:head])[after:]
    assert any(events != in_sight[after : after + len(events)] for after, events in pasts[:-1])


def is_dead(event: events_pb2.MatchEvent) -> bool:
    return event.hand_scored.outcome == events_pb2.HAND_OUTCOME_DEAD


async def test_the_policy_lets_everybody_watch_who_knows_the_name(real_desk: Desk) -> None:
    policy = match_pb2.SPECTATOR_POLICY_DELAYED_FULL
    created = await real_desk.create(spectators=policy)
    assert created.match.spectators == policy
    spectator = Player(real_desk, created.match.name, "", 0)
    spectator.metadata = ()
    view = await spectator.view()
    assert view.viewer_seat == 0
    assert not view.own_hand
