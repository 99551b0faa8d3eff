"""Whole hands that another engine played: every action is accepted, every score agrees."""

from typing import Any

from ginrummy.engine import Action, Hand, Position, Rules, resolve_rules

from .reading import traces, unseen


def rules_of(trace: dict[str, Any]) -> Rules:
    named = trace["rules"]
    return resolve_rules(
        "solo",
        {
            "upcard_offer": named["upcard_offer"],
            "gin_bonus": named["gin_bonus"],
            "undercut_bonus": named["undercut_bonus"],
            "oklahoma": "ace_is_gin" if named["oklahoma"] else "off",
            "knocker_melds": "declared",
            "layoffs": "auto",
        },
    )


def start_of(trace: dict[str, Any]) -> Position:
    dealer = trace["dealer"] + 1
    drawn = trace["stock_draws"]
    return {
        "dealer": dealer,
        "phase": "upcard",
        "to_act": 3 - dealer,
        "hands": trace["hands"],
        "stock": [*drawn, *unseen(*trace["hands"], [trace["upcard"]], drawn)],
        "discard_pile": [trace["upcard"]],
    }


def action_of(played: dict[str, Any]) -> Action:
    match played["do"]:
        case "draw_stock":
            return {"type": "draw", "pile": "stock"}
        case "take_discard":
            return {"type": "draw", "pile": "discard"}
        case "pass":
            return {"type": "pass"}
        case "discard":
            return {"type": "discard", "card": played["card"]}
        case "knock":
            return {"type": "knock", "discard": played["card"], "melds": played["melds"]}
    raise AssertionError(played)


def test_all_750_recorded_hands_end_with_exactly_their_score() -> None:
    replayed = 0
    for trace in traces():
        name = (trace["file"], trace["id"])
        hand = Hand.from_position(rules_of(trace), start_of(trace))
        assert hand.view(0)["knock_limit"] == trace["rules"]["knock_limit"], name
        for played in trace["actions"]:
            hand.apply(played["seat"] + 1, action_of(played))
        result, expect = hand.result, trace["expect"]
        assert result is not None, name
        ended: dict[str, Any] = {"end": result["outcome"], "points": result["points"]}
        ended["winner"] = None if result["winner"] is None else result["winner"] - 1
        if result["knocker"] is not None:
            assert result["arrangements"] is not None
            knocker = result["knocker"] - 1
            ended["knocker"] = knocker
            points = [arrangement["deadwood_points"] for arrangement in result["arrangements"]]
            ended["knocker_deadwood"] = points[knocker]
            ended["defender_deadwood"] = points[1 - knocker]
        assert ended == expect, name
        replayed += 1
    assert replayed == 750
