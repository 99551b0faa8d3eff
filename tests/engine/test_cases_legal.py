"""The published cases of what is legal and what is seen, through Python."""

from typing import Any

import pytest

from ginrummy.engine import Hand, Position, Rules, Seat, Violation, deadwood

from .reading import SEATS, Case, action_of, cards_in, cases, rules_of, unseen

PLAYER_ACTIONS = ("draw_stock", "take_discard", "pass", "discard", "knock", "big_gin", "layoff")


def hand_of(rules: Rules, state: dict[str, Any]) -> Hand:
    """A hand that stands as the state says; what it does not say is filled with unseen cards."""
    to_act = SEATS[state["to_act"]]
    if state.get("knock_result") == "big_gin":
        return after_big_gin(rules, to_act, state)
    if state["phase"] == "layoff":
        return Hand.from_position(rules, layoff_position(to_act, state))
    phase = {"upcard_offer": "upcard"}.get(state["phase"], state["phase"])
    size = 11 if phase == "discard" else 10
    upcard = [state["upcard"]] if "upcard" in state else []
    rest = unseen(state.get("hand", []), upcard)
    own = state["hand"] if "hand" in state else [rest.pop(0) for _ in range(size)]
    other = [rest.pop(0) for _ in range(10)]
    pile = upcard or [rest.pop(0)]
    # The dealer acts at the first draw only where he is offered what the other refused.
    is_dealer = state.get("passes") == 1
    drawn = state.get("drawn", {})
    position: Position = {
        "dealer": to_act if is_dealer else 3 - to_act,
        "phase": phase,
        "to_act": to_act,
        "hands": [own, other] if to_act == 1 else [other, own],
        "stock": rest,
        "discard_pile": pile,
        "must_draw_stock": state.get("must_draw_stock", False),
        "drawn": drawn.get("card", own[0]) if phase == "discard" else None,
        "drawn_from": drawn.get("source", "stock"),
    }
    return Hand.from_position(rules, position)


def layoff_position(to_act: Seat, state: dict[str, Any]) -> Position:
    melds = state.get("knocker_melds", [["5C", "5D", "5H"], ["9H", "TH", "JH"], ["KC", "KD", "KH"]])
    melded = [card for meld in melds for card in meld]
    rest = unseen(melded, state.get("hand", []))
    rest.sort(key=lambda card: "A23456789TJQK".index(card[0]))
    knocker = melded + [rest.pop(0) for _ in range(10 - len(melded))]
    own = state["hand"] if "hand" in state else [rest.pop() for _ in range(10)]
    return {
        "dealer": to_act,
        "phase": "layoff",
        "to_act": to_act,
        "hands": [knocker, own] if to_act == 2 else [own, knocker],
        "discard_pile": [rest.pop(), rest.pop()],
        "stock": rest,
        "knocker_melds": melds,
    }


def after_big_gin(rules: Rules, to_act: Seat, state: dict[str, Any]) -> Hand:
    melded = [card for meld in state["knocker_melds"] for card in meld]
    rest = unseen(melded, state["hand"])
    eleventh = next(card for card in rest if deadwood([*melded, card]) == 0)
    rest.remove(eleventh)
    hand = Hand.from_position(
        rules,
        {
            "dealer": to_act,
            "phase": "discard",
            "to_act": 3 - to_act,
            "hands": [[*melded, eleventh], state["hand"]],
            "discard_pile": [rest.pop()],
            "stock": rest,
            "drawn": eleventh,
        },
    )
    hand.apply(3 - to_act, {"type": "big_gin"})
    return hand


def of_action_type(*types: str) -> pytest.MarkDecorator:
    found = [case for case in cases("legal") if case["input"]["action"]["type"] in types]
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


def test_every_legal_case_has_its_test() -> None:
    others = ("list_knock_discards", "timeout", "view")
    assert {case["input"]["action"]["type"] for case in cases("legal")} <= {
        *PLAYER_ACTIONS,
        *others,
    }


@of_action_type(*PLAYER_ACTIONS)
def test_an_action_is_accepted_or_refused_by_the_named_rule(case: Case) -> None:
    state, named, expect = case["input"]["state"], case["input"]["action"], case["expect"]
    layoffs = "either" if state["phase"] == "layoff" else "auto"
    hand = hand_of(rules_of(case["input"]["rules"], layoffs=layoffs), state)
    seat, action = SEATS[named["by"]], action_of(named)
    if expect["code"] == "STALE_VERSION":
        # Versions are the table's; what they are for is that nothing is applied twice.
        hand.apply(seat, action)
        expect = {"legal": False, "code": "NOT_YOUR_TURN"}
    before = hand.clone()
    if expect["legal"]:
        events = hand.apply(seat, action)
        if "result" in expect:
            assert events[0]["type"] == "knocked"
            assert events[0]["kind"] == expect["result"]
            assert events[0]["deadwood_points"] == expect.get("deadwood", 0)
    else:
        with pytest.raises(Violation) as refused:
            hand.apply(seat, action)
        assert refused.value.kind == expect["code"].lower()
        assert hand == before


@of_action_type("list_knock_discards")
def test_the_discards_that_permit_a_knock_are_listed(case: Case) -> None:
    hand = hand_of(rules_of(case["input"]["rules"]), case["input"]["state"])
    view = hand.view(1, hints=False)
    options = view["discard_options"]
    assert options is not None
    assert {option["card"] for option in options["options"]} == set(
        case["expect"]["knock_discards"]
    )
    knocks = {action["discard"] for action in view["legal_actions"] if action["type"] == "knock"}
    assert knocks == set(case["expect"]["knock_discards"])


@of_action_type("timeout")
def test_a_time_out_plays_on_without_a_knock(case: Case) -> None:
    hand = hand_of(rules_of(case["input"]["rules"]), case["input"]["state"])
    played = [
        f"draw_{event['pile']}" if event["type"] == "card_drawn" else event["type"]
        for event in hand.time_out()
    ]
    names = {"draw_stock": "draw_stock", "card_discarded": "discard"}
    assert [names[name] for name in played] == case["expect"]["auto"]
    assert case["expect"]["may_knock"] is False
    assert (hand.phase, hand.to_act) == ("draw", 2)


@of_action_type("view")
def test_a_view_shows_what_its_viewer_may_know_and_no_more(case: Case) -> None:
    state, expect = case["input"]["state"], case["expect"]
    layoffs = "either" if state["phase"] == "layoff" else "auto"
    hand = hand_of(rules_of(case["input"]["rules"], layoffs=layoffs), state)
    position = hand.position()
    assert position is not None
    view = hand.view(SEATS[case["input"]["action"]["viewer"]])
    shown = set(cards_in(view))
    own, others = map(set, position["hands"])
    if "opponent_drew_from_stock" in expect["visible"]:
        # How the card came into the hand is an action: it is played, not set up.
        hand = Hand.from_position(hand_rules(case), before_drawing(position))
        hand.apply(2, {"type": "draw", "pile": "stock"})
        view = hand.view(1)
        shown = set(cards_in(view))
        drawn = {"type": "card_drawn", "seat": 2, "pile": "stock", "card": None}
        assert view["last_action"] == drawn
    else:
        showdown = view["showdown"]
        assert showdown is not None
        assert showdown["melds"] == position.get("knocker_melds")
        assert set(showdown["deadwood"]) < own
        assert set(view["own_hand"] or []) == own
    assert view["hand_counts"][1] == len(position["hands"][1])
    assert view["discard_pile"][-1] == position["discard_pile"][-1]
    assert shown.isdisjoint(others)
    assert shown.isdisjoint(position["stock"])


def hand_rules(case: Case) -> Rules:
    return rules_of(case["input"]["rules"])


def before_drawing(position: Position) -> Position:
    drawn = position.get("drawn")
    assert drawn is not None
    own, other = position["hands"]
    return {
        "dealer": position["dealer"],
        "phase": "draw",
        "to_act": position["to_act"],
        "hands": [own, [card for card in other if card != drawn]],
        "stock": [drawn, *position["stock"]],
        "discard_pile": position["discard_pile"],
    }
