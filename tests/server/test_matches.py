"""Whole matches over a real socket, and what each player saw of them."""

import asyncio
import hashlib
from collections.abc import Sequence

import pytest

from ginrummy import engine
from ginrummy.v1 import action_pb2, events_pb2, match_pb2, view_pb2
from ginrummy.v1 import match_service_pb2 as pb

from .players import BOT, HUMAN, TIMEOUT_S, Desk, Player, cards_in, names, play_out

RULESETS = ["playgridia", "solo", "kawu", "short"]
Events = Sequence[events_pb2.MatchEvent]


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_a_whole_match_by_act_and_watch(real_desk: Desk, ruleset: str) -> None:
    players = await real_desk.new_players(ruleset, seed=bytes([5] * 32))
    await play_out(*players)
    await assert_fair_and_square(real_desk, *players)


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_a_whole_match_by_play(real_desk: Desk, ruleset: str) -> None:
    players = await real_desk.new_players(ruleset, seed=bytes([7] * 32))
    async with asyncio.timeout(240):
        await asyncio.gather(*(player.play_by_stream() for player in players))
    await assert_fair_and_square(real_desk, *players)


async def test_a_whole_match_against_a_bot(real_desk: Desk) -> None:
    created = await real_desk.create("short", seats=[HUMAN, BOT])
    player = Player(real_desk, created.match.name, created.seat_tokens[1], 1)
    await play_out(player)
    await assert_fair_and_square(real_desk, player)


async def test_a_whole_match_against_a_bot_that_thinks(real_desk: Desk) -> None:
    options = {"samples": "3"}
    bot = match_pb2.BotSeat(bot="bots/expert", options=options)
    bot.think_time.FromMilliseconds(50)
    created = await real_desk.create("solo", seats=[HUMAN, match_pb2.Seat(bot=bot)])
    assert created.match.seats[1].bot == bot
    player = Player(real_desk, created.match.name, created.seat_tokens[1], 1)
    await play_out(player)
    await assert_fair_and_square(real_desk, player)


async def test_spectators_see_what_lies_face_up(real_desk: Desk) -> None:
    policy = match_pb2.SPECTATOR_POLICY_PUBLIC_INFO
    created = await real_desk.create("kawu", seats=[BOT, BOT], spectators=policy)
    spectator = Player(real_desk, created.match.name, "", 0)
    spectator.metadata = ()
    async for _ in spectator.watch():
        await spectator.view()
    await assert_fair_and_square(real_desk, spectator)


async def assert_fair_and_square(desk: Desk, *viewers: Player) -> None:
    """Everybody saw all that he may and nothing else; the deals are those promised."""
    name = viewers[0].name
    told = await desk.events(name)
    match = (await desk.matches.GetMatch(pb.GetMatchRequest(name=name), timeout=TIMEOUT_S)).match
    assert match.state == match_pb2.MATCH_STATE_FINISHED
    assert [event.sequence for event in told] == list(range(1, match.sequence + 1))
    assert_promised_deals(match, told)
    for viewer in viewers:
        assert [covered(event, viewer.seat, match) for event in told] == viewer.events
        assert viewer.views
        for view in viewer.views:
            assert_nothing_hidden_shows(view, told)


def covered(
    event: events_pb2.MatchEvent, seat: int, match: match_pb2.Match
) -> events_pb2.MatchEvent:
    """The event as that seat may see it, by the words of the rules."""
    seen = events_pb2.MatchEvent()
    seen.CopyFrom(event)
    match event.WhichOneof("payload"):
        case "hand_dealt":
            for i, hand in enumerate(seen.hand_dealt.hands):
                if i + 1 != seat:
                    hand.Clear()
        case "card_drawn":
            if event.card_drawn.pile == action_pb2.PILE_STOCK and event.seat != seat:
                seen.card_drawn.ClearField("card")
        case "knocked":
            if match.effective_rules.knock_card_face_down and event.seat != seat:
                seen.knocked.ClearField("knock_card")
    return seen


def assert_promised_deals(match: match_pb2.Match, told: Events) -> None:
    seed = match.result.seed
    assert hashlib.sha256(seed).digest() == match.deal_commitment
    for event in told:
        if event.HasField("hand_dealt"):
            dealt = event.hand_dealt
            deck = engine.deck(seed, dealt.hand_number)
            others, dealers = dealt.hands[2 - dealt.dealer], dealt.hands[dealt.dealer - 1]
            assert sorted(names(others.cards)) == sorted(deck[0:20:2])
            assert sorted(names(dealers.cards)) == sorted(deck[1:20:2])
            assert names([dealt.upcard]) == deck[20:21]


def assert_nothing_hidden_shows(view: view_pb2.View, told: Events) -> None:
    """No card of the stock, nor of another's hand that he did not take in sight, is in a view."""
    shown = view_pb2.View()
    shown.CopyFrom(view)
    for open_part in ("last_hand", "result"):
        shown.ClearField(open_part)
    hidden = hidden_from(view.viewer_seat, told[: view.sequence])
    assert not cards_in(shown) & hidden


def hidden_from(seat: int, told: Events) -> set[int]:
    """The cards that this seat cannot know after these events."""
    if told[-1].HasField("match_ended"):
        return set()
    known: set[int] = set()
    for event in told:
        match event.WhichOneof("payload"):
            case "hand_dealt":
                own = event.hand_dealt.hands[seat - 1].cards if seat else []
                known = {event.hand_dealt.upcard, *own}
            case "card_drawn" if event.seat == seat:
                known.add(event.card_drawn.card)
            case "card_discarded":
                known.add(event.card_discarded.card)
            case "knocked":
                known |= cards_in(event.knocked)
    return set(range(1, 53)) - known
