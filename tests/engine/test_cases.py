"""Every published case, through Python."""

from collections.abc import Sequence
from typing import Any

import pytest

from ginrummy.engine import (
    Action,
    Card,
    Hand,
    Ledger,
    Match,
    Position,
    Rules,
    Seat,
    Violation,
    best_arrangement,
    best_defence,
    best_discard,
    deadwood,
    deck,
    first_dealer,
    next_dealer,
    price_discards,
    rulesets,
    score_hand,
)

from .reading import SEATS, cards_in, cases, rules_of, unseen

Case = dict[str, Any]


def of_kind(kind: str) -> pytest.MarkDecorator:
    found = cases(kind)
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


def test_there_are_217_cases_of_six_kinds() -> None:
    kinds = ("partition", "layoff", "legal", "score", "match", "deal")
    assert [len(cases(kind)) for kind in kinds] == [75, 55, 37, 18, 16, 16]


# ------------------------------------------------------------------ melds and layoffs


@of_kind("partition")
def test_a_hand_has_its_least_deadwood_and_its_best_discards(case: Case) -> None:
    cards, expect = case["input"]["cards"], case["expect"]
    barred = case["input"].get("taken_from_discard")
    assert deadwood(cards) == expect["deadwood"]
    assert best_arrangement(cards)["deadwood_points"] == expect["deadwood"]
    if len(cards) == 11:
        least = expect["best_discard_deadwood"]
        prices = price_discards(cards, barred)
        cheapest = {p["card"] for p in prices if p["deadwood_points"] == least}
        assert min(p["deadwood_points"] for p in prices) == least
        assert cheapest == set(expect["best_discards"])
        best = best_discard(cards, barred)
        assert best["card"] in cheapest
        assert best["deadwood_points"] == least


@of_kind("layoff")
def test_a_defence_is_the_joint_optimum_with_the_fewest_layoffs(case: Case) -> None:
    defence = best_defence(case["input"]["knocker_melds"], case["input"]["defender"])
    assert defence["arrangement"]["deadwood_points"] == case["expect"]["defender_deadwood"]
    assert len(defence["layoffs"]) == case["expect"]["laid_off_count_min"]


# ------------------------------------------------------------------ legal or not


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


def action_of(named: dict[str, Any]) -> Action:
    match named["type"]:
        case "draw_stock":
            return {"type": "draw", "pile": "stock"}
        case "take_discard":
            return {"type": "draw", "pile": "discard"}
        case "pass":
            return {"type": "pass"}
        case "discard":
            return {"type": "discard", "card": named["card"]}
        case "knock":
            return {"type": "knock", "discard": named["card"], "melds": named.get("melds", [])}
        case "big_gin":
            return {"type": "big_gin"}
        case "layoff":
            return {
                "type": "lay_off",
                "layoffs": [{"card": named["card"], "meld_index": named["meld"]}],
            }
    raise AssertionError(named)


def of_action_type(*types: str) -> pytest.MarkDecorator:
    found = [case for case in cases("legal") if case["input"]["action"]["type"] in types]
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


PLAYER_ACTIONS = ("draw_stock", "take_discard", "pass", "discard", "knock", "big_gin", "layoff")


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


# ------------------------------------------------------------------ scores


def points_doubled(rules: Rules, upcard: Card | None) -> bool:
    if upcard is None:
        return False
    rest = unseen([upcard])
    dealt = [rest[i // 2 if i % 2 else 10 + i // 2] for i in range(20)]
    hand = Hand.deal(rules, [*dealt, upcard, *rest[20:]], 1)
    return hand.view(0)["points_doubled"]


def scored(rules: Rules, played: dict[str, Any]) -> tuple[str, Seat | None, int]:
    """How a hand of which the deadwood is known comes out: outcome, winner, points."""
    if "end" not in played:
        return "", SEATS[played["winner"]], played["points"]
    if played["end"] == "dead":
        return "dead", None, 0
    knocker = SEATS[played["knocker"]]
    points = {SEATS[player]: points for player, points in played["deadwood"].items()}
    score = score_hand(rules, played["end"], points[knocker], points[3 - knocker])
    winner = None
    if score["knocker_wins"] is not None:
        winner = knocker if score["knocker_wins"] else 3 - knocker
    doubling = 2 if points_doubled(rules, played.get("upcard")) else 1
    return score["outcome"], winner, score["points"] * doubling


def showdown_of(rules: Rules, knocker: Seat, hands: dict[str, list[Card]]) -> Hand:
    """The hand after a knock with these ten cards against those."""
    own, other = [*hands["AB"[knocker - 1]]], hands["AB"[2 - knocker]]
    rest = unseen(own, other)
    discard = rest.pop()
    own.append(discard)
    hand = Hand.from_position(
        rules,
        {
            "dealer": 1,
            "phase": "discard",
            "to_act": knocker,
            "hands": [own, other] if knocker == 1 else [other, own],
            "discard_pile": [rest.pop()],
            "stock": rest,
            "drawn": discard,
        },
    )
    hand.apply(knocker, {"type": "knock", "discard": discard})
    return hand


@of_kind("score")
def test_a_hand_scores_for_its_winner_alone(case: Case) -> None:
    played, expect = case["input"], case["expect"]
    rules = rules_of(played["ruleset"])
    winner = SEATS.get(expect["winner"])
    if "hands" not in played:
        assert scored(rules, played) == (expect["result"], winner, expect["points"])
        return
    result = showdown_of(rules, SEATS[played["knocker"]], played["hands"]).result
    assert result is not None
    assert (result["outcome"], result["winner"]) == (expect["result"], winner)
    assert result["points"] == expect["points"]
    assert result["arrangements"] is not None
    left = [arrangement["deadwood_points"] for arrangement in result["arrangements"]]
    assert left == [expect["deadwood"][player] for player in "AB"]


# ------------------------------------------------------------------ matches


@of_kind("match")
def test_a_match_is_counted_to_its_end(case: Case) -> None:
    rules, expect = rules_of(case["input"]["ruleset"]), case["expect"]
    ledger = Ledger(rules)
    for played in case["input"]["hands"]:
        assert not ledger.is_over
        _, winner, points = scored(rules, played)
        if winner is not None:
            ledger.record(winner, points)
    assert ledger.is_over == expect["over"]
    sheets = ledger.sheets()
    if "columns" in expect:
        for column, points in enumerate(expect["columns"]):
            counted = {p: sheets[SEATS[p] - 1]["columns"][column]["hand_points"] for p in "AB"}
            assert counted == points
            winners = [p for p in "AB" if sheets[SEATS[p] - 1]["columns"][column]["won"]]
            named = expect["column_winner"][column]
            assert winners == ([] if named is None else [named])
        return
    assert ledger.winner == SEATS.get(expect["winner"])
    assert len(case["input"]["hands"]) == expect["hands_counted"]
    by_player = dict(zip("AB", sheets, strict=True))
    assert dict(zip("AB", ledger.running(), strict=True)) == expect["running"]
    assert {p: sheet["columns"][0]["boxes"] for p, sheet in by_player.items()} == expect["boxes"]
    if "shutout" in expect:
        bonuses = [sheet["columns"][0]["shutout_bonus"] for sheet in sheets]
        assert any(bonuses) == expect["shutout"]
    if "final" in expect:
        assert {p: sheet["total"] for p, sheet in by_player.items()} == expect["final"]


# ------------------------------------------------------------------ deals


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


TEN = ["5H", "6H", "7H", "QC", "QD", "QH", "2S", "2D", "2C", "2H"]
"""All in melds, so that any eleventh card may be the knock card."""
EIGHT_H, KING_S = "8H", "KS"
"""The first makes big gin of TEN, the second nothing."""
GROUPS = [["5H", "6H", "7H"], ["QC", "QD", "QH"], ["2S", "2D", "2C", "2H"]]


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
