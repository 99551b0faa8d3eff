"""The published cases of deals, through Python."""

from collections.abc import Sequence

import pytest

from ginrummy.engine import (
    Action,
    Card,
    Hand,
    Match,
    Position,
    Rules,
    deck,
    first_dealer,
    next_dealer,
    rulesets,
)

from .reading import SEATS, Case, action_of, cases, rules_of, unseen

TEN = ["5H", "6H", "7H", "QC", "QD", "QH", "2S", "2D", "2C", "2H"]
"""All in melds, so that any eleventh card may be the knock card."""
EIGHT_H, KING_S = "8H", "KS"
"""The first makes big gin of TEN, the second nothing."""
GROUPS = [["5H", "6H", "7H"], ["QC", "QD", "QH"], ["2S", "2D", "2C", "2H"]]


def of_check(check: str) -> pytest.MarkDecorator:
    found = [case for case in cases("deal") if case["input"]["check"] == check]
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


def test_every_deal_case_has_its_test() -> None:
    assert {case["input"]["check"] for case in cases("deal")} == {
        "initial_layout",
        "dealer_rotation",
        "dead_hand",
        "offer_flow",
        "seed_replay",
        "card_conservation",
    }


def all_cards(position: Position) -> list[Card]:
    return [
        *position["hands"][0],
        *position["hands"][1],
        *position["stock"],
        *position["discard_pile"],
    ]


@of_check("initial_layout")
@pytest.mark.parametrize("name", [ruleset["name"] for ruleset in rulesets()])
def test_a_deal_lays_out_the_whole_deck(case: Case, name: str) -> None:
    rules = next(ruleset["rules"] for ruleset in rulesets() if ruleset["name"] == name)
    position = Hand.deal(rules, deck(bytes(32), 1), 1).position()
    assert position is not None
    expect = case["expect"]
    assert [len(hand) for hand in position["hands"]] == expect["hand_sizes"]
    assert len(position["discard_pile"]) == expect["discard"]
    assert len(position["stock"]) == expect["stock"]
    assert len(set(all_cards(position))) == expect["total"] == len(all_cards(position))


@of_check("dealer_rotation")
def test_the_deal_passes_on_by_the_dealer_rule(case: Case) -> None:
    rules = rules_of(case["input"]["rules"])
    dealer = SEATS[case["input"]["first_dealer"]]
    dealers, first = [], []
    for winner in [*case["input"]["results"], None]:
        dealers.append("AB"[dealer - 1])
        to_act = Hand.deal(rules, deck(bytes(32), 1), dealer).to_act
        assert to_act is not None
        first.append("AB"[to_act - 1])
        dealer = next_dealer(rules["dealer_rule"], dealer, SEATS.get(winner))
    assert dealers == case["expect"]["dealers"]
    assert first == case["expect"]["first_to_act"]


def near_the_wall(rules: Rules, stock_len: int, top: Card, other: Sequence[Card]) -> Hand:
    """Player A is to draw with TEN; this card tops the stock and another king the pile."""
    rest = [card for card in unseen(TEN, [top], other, ["KD"]) if card != "KD"]
    pile, stock = rest[: len(rest) - stock_len + 1], rest[len(rest) - stock_len + 1 :]
    return Hand.from_position(
        rules,
        {
            "dealer": 2,
            "phase": "draw",
            "to_act": 1,
            "hands": [TEN, list(other)],
            "stock": [top, *stock],
            "discard_pile": [*pile, "KD"],
        },
    )


@of_check("dead_hand")
def test_the_hand_is_dead_when_a_discard_leaves_two_cards(case: Case) -> None:
    given, expect = case["input"], case["expect"]
    rules = rules_of(given["rules"])
    top = EIGHT_H if given["then"] == "big_gin" else KING_S
    other = ["AC", "AD", "AH", "3C", "4C", "5C", "9S", "TS", "JS", "QS"]
    hand = near_the_wall(rules, given["stock_before"], top, other)
    hand.apply(1, {"type": "draw", "pile": given["draw"]})
    action: Action
    if given["then"] == "discard":
        # A low card, after which the opponent's own hand and this card allow a knock.
        action = {"type": "discard", "card": "2D"}
    elif given["then"] == "knock":
        melds = GROUPS if rules["knocker_melds"] == "declared" else []
        action = {"type": "knock", "discard": top, "melds": melds}
    else:
        action = {"type": "big_gin"}
    hand.apply(1, action)
    view, result = hand.view(2), hand.result
    assert (result is not None and result["outcome"] == "dead") == expect["dead"]
    if "stock_after" in expect:
        assert view["stock_count"] == expect["stock_after"]
    if "points" in expect:
        assert result is not None
        assert result["points"] == expect["points"]
    if expect.get("hand_scored"):
        assert result is not None
        assert result["winner"] == 1
    if "next_phase" in expect:
        assert hand.phase == expect["next_phase"]
    if "next_actions" in expect:
        assert view["legal_actions"] == [{"type": "pass"}, {"type": "draw", "pile": "discard"}]
        hand.apply(2, {"type": "draw", "pile": "discard"})
        assert {a["type"] for a in hand.view(2)["legal_actions"]} == {"knock"}


def name_of(action: Action) -> str:
    if action["type"] == "draw":
        return "draw_stock" if action["pile"] == "stock" else "take_discard"
    return action["type"]


@of_check("offer_flow")
def test_the_upcard_is_offered_to_both_in_turn(case: Case) -> None:
    given, expect = case["input"], case["expect"]
    hand = Hand.deal(rules_of(given["rules"]), deck(bytes(32), 1), SEATS[given["dealer"]])
    for played in given["events"]:
        player, named = played.split(":")
        hand.apply(SEATS[player], action_of({"type": named}))
    assert hand.to_act == SEATS[expect["to_act"]]
    allowed = {name_of(action) for action in hand.view(hand.to_act)["legal_actions"]}
    assert set(expect["allowed"]) <= allowed
    assert allowed <= {*expect["allowed"], *expect.get("allowed_if_eligible", [])}


@of_check("seed_replay")
def test_the_same_seed_deals_the_same_match(case: Case) -> None:
    seed = case["input"]["seed"].to_bytes(32, "big")
    rules = rules_of(case["input"]["rules"])
    assert case["expect"]["same_seed_same_deals"]
    dealt = []
    for may_draw in (True, False):
        # One match between bots, one in which seat 1 lets its time run out: other play.
        game, events = Match.start(rules, seed)
        while not game.is_over and game.hand_number < 4:
            assert game.to_act is not None
            action = game.bot_action(game.to_act, "simple")
            assert action is not None
            if game.to_act == 1 and not may_draw:
                events += game.apply({"type": "time_out", "timeouts_to_forfeit": 0})
            else:
                events += game.apply({"type": "act", "seat": game.to_act, "action": action})
        dealt.append([event for event in events if event["type"] == "hand_dealt"][:2])
    for one, other in zip(*dealt, strict=True):
        assert one["upcard"] == other["upcard"] == deck(seed, one["hand_number"])[20]
        if one["dealer"] == other["dealer"]:
            assert one["hands"] == other["hands"]
    assert dealt[0][0] == dealt[1][0]
    assert dealt[0][0]["dealer"] == first_dealer(seed)


@of_check("card_conservation")
def test_all_cards_stay_in_play_after_any_action(case: Case) -> None:
    hand = Hand.deal(rules_of(case["input"]["rules"]), deck(bytes(32), 1), 1)
    while (position := hand.position()) is not None:
        assert len(all_cards(position)) == case["expect"]["total"]
        assert len(set(all_cards(position))) == case["expect"]["total"]
        assert hand.to_act is not None
        action = hand.bot_action(hand.to_act, "simple")
        assert action is not None
        hand.apply(hand.to_act, action)
