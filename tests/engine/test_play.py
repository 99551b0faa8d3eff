"""Random hands and matches through Python."""

import copy
import json
import threading
from random import Random
from typing import Any, get_args

import pytest

from ginrummy.engine import (
    Action,
    Command,
    Event,
    Hand,
    InvalidCards,
    InvalidOption,
    Match,
    Violation,
    bots,
    deck,
    replayed_to,
    resolve_rules,
    rulesets,
    seen_by,
    types,
)

from .players import some_action, some_rules, wild_action
from .reading import DECK, cards_in
from .shapes import faults


def assert_shape(value: object, hint: Any) -> None:
    assert list(faults(value, hint)) == []


@pytest.mark.parametrize("seed", range(120))
def test_every_card_is_in_one_place_through_a_whole_hand(seed: int) -> None:
    random = Random(seed)
    rules = some_rules(random)
    cards = random.sample(DECK, 52)
    hand = Hand.deal(rules, cards, random.choice([1, 2]))
    for _ in range(200):
        position = hand.position()
        if position is None:
            break
        assert_shape(position, types.Position)
        places = [*position["hands"], position["stock"], position["discard_pile"]]
        assert sorted(card for place in places for card in place) == sorted(DECK)
        for viewer in (0, 1, 2):
            assert_shape(hand.view(viewer, hints=random.random() < 0.5), types.HandView)
        before = hand.clone()
        try:
            hand.apply(random.choice([1, 2]), wild_action(random))
        except Violation:
            assert hand == before
            assert hand.position() == position
        else:
            continue
        if random.random() < 0.05:
            hand.time_out()
        else:
            seat = hand.to_act
            assert seat is not None
            for event in hand.apply(seat, some_action(random, hand)):
                assert_shape(event, types.Event)
    assert hand.phase == "over"
    assert hand.to_act is None
    assert_shape(hand.result, types.HandResult)


def play_match(random: Random, game: Match) -> tuple[list[Command], list[Event]]:
    commands: list[Command] = []
    events: list[Event] = []
    while not game.is_over:
        before = game.clone()
        assert game.to_act is not None
        command: Command
        chance = random.random()
        if chance < 0.2:
            command = {
                "type": "act",
                "seat": random.choice([1, 2]),
                "action": wild_action(random),
            }
        elif chance < 0.23:
            command = {"type": "time_out", "timeouts_to_forfeit": random.choice([0, 3])}
        elif len(commands) > 1_500:
            command = {"type": "resign", "seat": random.choice([1, 2])}
        else:
            command = {"type": "act", "seat": game.to_act, "action": some_action(random, game)}
        try:
            caused = game.apply(command)
        except Violation:
            assert game == before
        else:
            assert caused
            assert game != before
            commands.append(command)
            events += caused
    return commands, events


@pytest.mark.parametrize("seed", range(60))
def test_the_same_commands_give_the_same_match(seed: int) -> None:
    random = Random(seed)
    rules, match_seed = some_rules(random), random.randbytes(32)
    game, dealt = Match.start(rules, match_seed)
    commands, events = play_match(random, game)
    again, dealt_again = Match.start(rules, match_seed)
    # Commands and events are kept as JSON.
    stored = json.loads(json.dumps([commands, dealt + events]))
    assert stored == [commands, dealt + events]
    assert dealt_again + [e for command in stored[0] for e in again.apply(command)] == stored[1]
    assert again == game
    assert again.view(0) == game.view(0)
    for event in dealt + events:
        assert_shape(event, types.Event)
    for viewer in (0, 1, 2):
        assert_shape(game.view(viewer), types.MatchView)
    with pytest.raises(Violation) as refused:
        game.apply({"type": "abort"})
    assert refused.value.kind == "match_over"


@pytest.mark.parametrize("seed", range(30))
def test_events_read_back_as_they_were_and_hide_what_a_viewer_may_not_know(seed: int) -> None:
    random = Random(seed)
    rules = some_rules(random)
    game, events = Match.start(rules, random.randbytes(32))
    events += play_match(random, game)[1]
    face_down = rules["knock_card_face_down"]
    for event in events:
        seen = [seen_by(event, viewer, face_down) for viewer in (0, 1, 2)]
        assert [seen_event["type"] for seen_event in seen] == [event["type"]] * 3
        if event["type"] == "hand_dealt":
            one, two = event["hands"]
            shown = [s["hands"] for s in seen if s["type"] == "hand_dealt"]
            assert shown == [[None, None], [one, None], [None, two]]
        elif event["type"] == "card_drawn" and event["pile"] == "stock":
            seat = event["seat"]
            assert seen[seat] == event
            assert list(cards_in([seen[0], seen[3 - seat]])) == []
        elif event["type"] == "knocked":
            seat = event["seat"]
            assert seen[seat] == event
            others = {**event, "discard": None} if face_down else event
            assert seen[0] == seen[3 - seat] == others
        else:
            assert seen == [event] * 3
    for viewer in (0, 1, 2):
        # The match is over: nothing of it is left out for who was not there.
        seen_later = replayed_to(viewer, events, rules["pile_view"], face_down)
        assert seen_later == [seen_by(event, viewer, face_down) for event in events]


def test_who_was_not_there_sees_only_the_pile_top_of_a_running_hand() -> None:
    rules = resolve_rules("playgridia")
    game, events = Match.start(rules, bytes(32))
    for _ in range(12):
        assert game.to_act is not None
        command: Command = {"type": "time_out", "timeouts_to_forfeit": 0}
        if game.to_act == 1:
            action: Action = {"type": "draw", "pile": "stock"}
            if game.phase == "discard":
                action = {"type": "discard", "card": (game.view(1)["own_hand"] or [])[0]}
            command = {"type": "act", "seat": 1, "action": action}
        events += game.apply(command)
    seen = replayed_to(0, events, "top_only", False)
    faces = [card for event in seen for card in cards_in(event)]
    assert set(faces) == set(game.view(0)["discard_pile"])
    assert len(list(cards_in(replayed_to(0, events, "all", False)))) > len(faces)


def test_a_bot_moves_only_in_turn_and_none_move_after_the_end() -> None:
    assert bots()[0] == "simple"
    game, _ = Match.start(resolve_rules("short"), bytes(32))
    assert game.bot_action(1, "simple") is None
    assert game.bot_action(2, "simple") is not None
    game.apply({"type": "abort"})
    assert (game.is_over, game.to_act, game.phase) == (True, None, "over")
    assert game.bot_action(2, "simple") is None
    with pytest.raises(InvalidOption, match=r"bot: .*simple"):
        game.bot_action(2, "deep blue")


def test_every_bot_plays_every_ruleset_to_its_end() -> None:
    for bot in bots():
        for ruleset in rulesets():
            game, events = Match.start(ruleset["rules"], bytes(31) + b"\1")
            while not game.is_over:
                assert game.to_act is not None
                action = game.bot_action(game.to_act, bot)
                assert action is not None
                command: Command = {"type": "act", "seat": game.to_act, "action": action}
                events = game.apply(command)
            assert events[-1]["type"] == "match_ended"
            assert events[-1]["reason"] == "target_reached"


def test_a_clone_goes_its_own_way() -> None:
    game, _ = Match.start(resolve_rules("short"), bytes(32))
    for other in (game.clone(), copy.copy(game), copy.deepcopy(game)):
        assert other == game
        other.apply({"type": "abort"})
        assert other != game
        assert not game.is_over
    hand = Hand.deal(game.rules, deck(bytes(32), 1), 1)
    assert hand == hand.clone()
    assert hand != object()
    with pytest.raises(TypeError):
        hash(hand)


def test_threads_share_a_match_one_step_at_a_time() -> None:
    game, _ = Match.start(resolve_rules("short"), bytes(32))
    start = threading.Barrier(4)
    failures: list[BaseException] = []

    def play() -> None:
        start.wait()
        for _ in range(300):
            seat = game.to_act
            if seat is None:
                return
            action = game.bot_action(seat, "simple")
            if action is None:
                continue
            try:
                game.apply({"type": "act", "seat": seat, "action": action})
                game.view(seat)
            except Violation:
                pass
            except BaseException as failure:
                failures.append(failure)
                raise

    threads = [threading.Thread(target=play) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert failures == []
    assert not any(thread.is_alive() for thread in threads)


def test_rulesets_and_rules_have_their_shapes() -> None:
    assert_shape(rulesets(), list[types.Ruleset])
    for ruleset in rulesets():
        assert_shape(resolve_rules(ruleset["name"]), types.Rules)
        assert resolve_rules(ruleset["name"], {**ruleset["rules"]}) == ruleset["rules"]
    assert {hint.__name__ for hint in get_args(types.Event)} >= {"HandDealt", "MatchEnded"}


def test_a_match_deals_its_first_hands_from_given_decks() -> None:
    rules = resolve_rules("short")
    given = deck(bytes(32), 9)
    game, events = Match.start_from_decks(rules, [given], 2, bytes(32))
    assert events[0]["type"] == "hand_dealt"
    assert (events[0]["dealer"], events[0]["upcard"]) == (2, given[20])
    assert set(game.view(2)["own_hand"] or ()) == set(given[1:20:2])
    with pytest.raises(InvalidCards, match="51 cards"):
        Match.start_from_decks(rules, [given[1:]], 2, bytes(32))
    with pytest.raises(InvalidCards):
        Match.start_from_decks(rules, [[*given[1:], given[1]]], 2, bytes(32))


def test_a_deck_as_text_is_refused_as_text_has_no_order() -> None:
    rules, given = resolve_rules("short"), " ".join(deck(bytes(32), 9))
    with pytest.raises(TypeError, match="in dealing order"):
        Match.start_from_decks(rules, [given], 2, bytes(32))
    with pytest.raises(TypeError, match="in dealing order"):
        Hand.deal(rules, given, 2)
