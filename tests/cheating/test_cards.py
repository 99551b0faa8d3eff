"""Tries to learn cards that are not the caller's to know."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import grpc
import pytest

from ginrummy.v1 import action_pb2, cards_pb2, match_pb2, view_pb2
from ginrummy.v1 import match_service_pb2 as pb

from ..server.players import (
    BOT,
    HUMAN,
    OPEN,
    TIMEOUT_S,
    Desk,
    Player,
    bearer,
    cards_in,
    name_of,
    names,
    new_request_id,
    read_to_end,
)
from ..server.refusals import Refusal, refusal

Code = grpc.StatusCode
DECK = [number for number in cards_pb2.Card.values() if number]
RULESETS = ("short", "solo", "kawu", "playgridia")
SPECTATORS = (match_pb2.SPECTATOR_POLICY_PUBLIC_INFO, match_pb2.SPECTATOR_POLICY_DELAYED_FULL)

Answer = tuple[Code, str, str, tuple[tuple[str, str], ...]]


def discard(card: int) -> action_pb2.Action:
    return action_pb2.Action(discard=action_pb2.Discard(card=cards_pb2.Card.Name(card)))  # type: ignore[arg-type]


def knock(card: int) -> action_pb2.Action:
    return action_pb2.Action(knock=action_pb2.Knock(discard=cards_pb2.Card.Name(card)))  # type: ignore[arg-type]


def draw(pile: str) -> action_pb2.Action:
    return action_pb2.Action(draw=action_pb2.Draw(pile=action_pb2.Pile.Value(pile)))


def lay_off(card: int) -> action_pb2.Action:
    move = action_pb2.LayoffMove(card=cards_pb2.Card.Name(card), meld_index=0)  # type: ignore[arg-type]
    return action_pb2.Action(lay_off=action_pb2.LayOff(moves=[move]))


def without_card(refused: Refusal, card: int) -> Answer:
    """All that was answered, but for the name of the card that the caller had named himself."""
    name = name_of(card)
    metadata = {key: value.replace(name, "?") for key, value in refused.metadata.items()}
    message = refused.message.replace(name, "?")
    return refused.code, refused.reason, message, tuple(sorted(metadata.items()))


async def answers(
    player: Player, view: view_pb2.View, action: Any, cards: Iterable[int]
) -> set[Answer]:
    """What is answered to an action with each of these cards, none of which may be accepted."""
    return {
        without_card(
            await refusal(player.send(player.act_request(view, action=action(card)))), card
        )
        for card in cards
    }


async def play_until(players: Sequence[Player], phases: Iterable[int]) -> Player:
    """Who is to act in one of these phases, once the match has come to it."""
    for _ in range(400):
        views = [await player.view() for player in players]
        to_act = players[views[0].to_act - 1]
        view = views[to_act.seat - 1]
        if view.phase in phases:
            return to_act
        await to_act.act(view)
    raise AssertionError("the match does not come to it")


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_a_card_that_is_not_ones_own_is_refused_alike_wherever_it_lies(
    desk: Desk, ruleset: str
) -> None:
    players = await desk.new_players(ruleset)
    player = await play_until(players, [view_pb2.PHASE_DISCARD])
    view = await player.view()
    others = [card for card in DECK if card not in view.own_hand]
    assert len(others) == 41
    assert len(await answers(player, view, discard, others)) == 1
    assert len(await answers(player, view, knock, others)) == 1
    assert (await player.view()).own_hand == view.own_hand


@pytest.mark.parametrize("ruleset", ["solo", "kawu"])
async def test_a_card_that_is_not_the_defenders_is_refused_alike_wherever_it_lies(
    seeding_desk: Desk, ruleset: str
) -> None:
    for number in range(40):
        players = await seeding_desk.new_players(ruleset, seed=bytes([number] * 32))
        phases = [view_pb2.PHASE_LAYOFF, view_pb2.PHASE_MATCH_OVER]
        defender = await play_until(players, phases)
        view = await defender.view()
        if view.phase == view_pb2.PHASE_LAYOFF:
            break
    others = [card for card in DECK if card not in view.own_hand]
    assert len(await answers(defender, view, lay_off, others)) == 1


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_out_of_turn_every_action_is_refused_alike(desk: Desk, ruleset: str) -> None:
    players = await desk.new_players(ruleset)
    to_act = await play_until(players, [view_pb2.PHASE_DISCARD])
    waiting = players[2 - to_act.seat]
    view = await waiting.view()
    found = await answers(waiting, view, discard, DECK) | await answers(waiting, view, knock, DECK)
    for action in (
        draw("PILE_STOCK"),
        draw("PILE_DISCARD"),
        action_pb2.Action(big_gin=action_pb2.BigGin()),
        action_pb2.Action(lay_off=action_pb2.LayOff()),
    ):
        refused = await refusal(waiting.send(waiting.act_request(view, action=action)))
        found.add(without_card(refused, DECK[0]))
    [(code, reason, _, metadata)] = found
    assert (code, reason) == (Code.FAILED_PRECONDITION, "NOT_YOUR_TURN")
    assert metadata == (("to_act", str(to_act.seat)),)


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("spectators", SPECTATORS)
async def test_a_player_who_watches_his_match_without_his_token_learns_nothing(
    desk: Desk, ruleset: str, spectators: match_pb2.SpectatorPolicy
) -> None:
    created = await desk.create(ruleset, spectators=spectators)
    name = created.match.name
    players = [Player(desk, name, created.seat_tokens[seat], seat) for seat in (1, 2)]
    shown = (view_pb2.PHASE_LAYOFF, view_pb2.PHASE_MATCH_OVER)
    for _ in range(9):
        to_act = players[(await players[0].view()).to_act - 1]
        await to_act.act(await to_act.view())
        views = [await player.view() for player in players]
        if views[0].hand_number > 1 or views[0].phase in shown:
            break  # by the rules hands lie open
        taken = {card for status in views[0].seats for card in status.known_cards}
        last = views[2 - to_act.seat].last_action
        drawn = last.card_drawn.card if last.HasField("card_drawn") else 0
        upcard = {drawn} if drawn else set()
        hidden = {card for view in views for card in view.own_hand} - taken - upcard
        for metadata in ((), bearer(created.host_token)):
            request = pb.GetViewRequest(name=name)
            seen = (await desk.matches.GetView(request, metadata=metadata)).view
            assert not cards_in(seen) & hidden
            assert not seen.legal_actions
            assert not seen.HasField("discard_options")


async def end(desk: Desk, created: pb.CreateMatchResponse) -> match_pb2.Match:
    request = pb.AbortMatchRequest(name=created.match.name)
    metadata = bearer(created.host_token)
    return (await desk.matches.AbortMatch(request, metadata=metadata)).match


def again(name: str, *seats: match_pb2.Seat) -> pb.CreateMatchRequest:
    match = match_pb2.Match(ruleset="rulesets/short", seats=seats)
    return pb.CreateMatchRequest(match=match, replay_of=name, request_id=new_request_id())


@pytest.mark.parametrize("seats", [(HUMAN, HUMAN), (HUMAN, OPEN), (OPEN, HUMAN), (OPEN, OPEN)])
async def test_cards_that_were_shown_are_not_dealt_again_to_two_people(
    desk: Desk, seats: tuple[match_pb2.Seat, match_pb2.Seat]
) -> None:
    created = await desk.create()
    seed = (await end(desk, created)).result.seed
    refused = await refusal(desk.matches.CreateMatch(again(created.match.name, *seats)))
    assert refused.reason == "SEEDS_NOT_ALLOWED"
    assert (await refusal(desk.create(seats=seats, seed=seed))).reason == "SEEDS_NOT_ALLOWED"


async def test_a_running_match_is_dealt_again_to_nobody(seeding_desk: Desk) -> None:
    created = await seeding_desk.create()
    for seats in ((HUMAN, HUMAN), (HUMAN, BOT), (BOT, BOT)):
        request = again(created.match.name, *seats)
        assert (await refusal(seeding_desk.matches.CreateMatch(request))).reason == "MATCH_NOT_OVER"


async def test_who_plays_cards_that_he_may_know_is_told_of(seeding_desk: Desk) -> None:
    first = await seeding_desk.create()
    await end(seeding_desk, first)
    replayed = await seeding_desk.matches.CreateMatch(again(first.match.name, HUMAN, OPEN))
    chosen = await seeding_desk.create(seats=(HUMAN, OPEN), seed=bytes(range(32)))
    for created in (replayed, chosen):
        join = pb.JoinMatchRequest(name=created.match.name, player=HUMAN.human)
        await seeding_desk.matches.JoinMatch(join)
        request = pb.GetMatchRequest(name=created.match.name)
        assert (await seeding_desk.matches.GetMatch(request)).match.seeded


async def test_nothing_that_is_shown_before_the_end_tells_the_seed(desk: Desk) -> None:
    seeds = []
    for _ in range(40):
        created = await desk.create()
        match = created.match
        assert not match.HasField("result")
        ended = await end(desk, created)
        seed = ended.result.seed
        assert len(seed) == 32
        assert hashlib.sha256(seed).digest() == match.deal_commitment == ended.deal_commitment
        shown = match.SerializeToString() + created.SerializeToString()
        assert seed not in shown
        assert seed.hex().encode() not in shown
        seeds.append(seed)
    assert len(set(seeds)) == len(seeds)
    for column in zip(*seeds, strict=True):
        assert len(set(column)) > 20, "a byte of the seed can be guessed"


async def test_events_of_a_running_match_are_listed_to_nobody(desk: Desk) -> None:
    created = await desk.create(spectators=match_pb2.SPECTATOR_POLICY_DELAYED_FULL)
    everybody = ("", created.host_token, *created.seat_tokens.values())
    for token in everybody:
        for page_token in ("", "3", "999999"):
            request = pb.ListMatchEventsRequest(name=created.match.name, page_token=page_token)
            metadata = bearer(token) if token else ()
            call = desk.matches.ListMatchEvents(request, metadata=metadata, timeout=TIMEOUT_S)
            assert (await refusal(call)).reason == "MATCH_NOT_OVER"


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_the_opponents_stream_from_any_event_on_hides_the_hand(
    desk: Desk, ruleset: str
) -> None:
    players = await desk.new_players(ruleset)
    to_act = await play_until(players, [view_pb2.PHASE_DISCARD])
    waiting = players[2 - to_act.seat]
    view = await to_act.view()
    if not view.HasField("last_drawn"):
        return  # it was taken from the pile, where everybody saw it
    hidden = set(view.own_hand)
    for after in range(view.sequence + 1):
        request = pb.WatchMatchRequest(name=waiting.name, after_sequence=after)
        call = desk.matches.WatchMatch(request, metadata=waiting.metadata)
        seen: set[int] = set()
        head = after
        while head < view.sequence:
            response: Any = await call.read()
            assert response is not grpc.aio.EOF
            seen |= cards_in(response)
            head = response.events[-1].sequence if response.events else head
        call.cancel()
        assert not seen & hidden, names(seen & hidden)


async def test_a_stream_without_a_token_opens_no_match_that_lets_nobody_in(desk: Desk) -> None:
    created = await desk.create(spectators=match_pb2.SPECTATOR_POLICY_NONE)
    name = created.match.name
    from_now, from_the_start = (
        pb.WatchMatchRequest(name=name),
        pb.WatchMatchRequest(name=name, after_sequence=0),
    )
    for request in (from_now, from_the_start):
        assert (await refusal(read_to_end(desk.matches.WatchMatch(request)))).reason == "BAD_TOKEN"
