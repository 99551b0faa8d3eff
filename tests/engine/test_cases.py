"""The published cases of melds, layoffs, scores and matches, through Python."""

from typing import Any

from ginrummy.engine import (
    Card,
    Hand,
    Ledger,
    Rules,
    Seat,
    best_arrangement,
    best_defence,
    best_discard,
    deadwood,
    price_discards,
    score_hand,
)

from .reading import SEATS, Case, cases, of_kind, rules_of, unseen


def test_there_are_217_cases_of_six_kinds() -> None:
    kinds = ("partition", "layoff", "legal", "score", "match", "deal")
    assert [len(cases(kind)) for kind in kinds] == [75, 55, 37, 18, 16, 16]


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
