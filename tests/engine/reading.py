"""The published cases, the recorded hands and the measured hands, in our names."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ginrummy.engine import Action, Card, Overrides, Rules, Seat, resolve_rules

Case = dict[str, Any]

FILES = Path(__file__).parents[1] / "data"

SEATS: dict[str, Seat] = {"A": 1, "B": 2}
"""Players of the cases."""

DECK: list[Card] = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
"""All 52 cards in card order."""

_DEALER_RULES = {"alternate": "alternate", "winner_deals": "winner", "loser_deals": "loser"}
_SAME_NAME = (
    "knock_limit",
    "gin_bonus",
    "undercut_bonus",
    "undercut_on_tie",
    "box_bonus",
    "game_bonus",
    "boxes_immediate",
    "layoff_on_gin",
    "allow_discard_taken",
)


def cases(kind: str) -> list[dict[str, Any]]:
    lines = (FILES / "cases" / "cases.jsonl").read_text().splitlines()
    return [case for line in lines if (case := json.loads(line))["kind"] == kind]


def traces() -> Iterator[dict[str, Any]]:
    for path in sorted((FILES / "traces").glob("*.jsonl")):
        for line in path.read_text().splitlines():
            yield {**json.loads(line), "file": path.name}


def rules_of(named: dict[str, Any], **also: Any) -> Rules:
    """A case's rules in our names; what it does not say is as in `solo`."""
    ours: dict[str, Any] = {name: named[name] for name in _SAME_NAME if name in named}
    if "big_gin_bonus" in named:
        ours["big_gin"] = named["big_gin_bonus"] is not None
        ours["big_gin_bonus"] = named["big_gin_bonus"] or 0
    if "shutout" in named:
        shutout = named["shutout"]
        is_flat = isinstance(shutout, list)
        ours["shutout"] = "flat_bonus" if is_flat else shutout
        ours["shutout_flat_bonus"] = shutout[1] if is_flat else 0
    if named.get("single_hand"):
        ours["target"] = 0
    elif "target" in named:
        ours["target"] = named["target"]
    if named.get("oklahoma"):
        ours["oklahoma"] = "ace_is_" + named["oklahoma"]["ace"]
    if named.get("spade_doubles"):
        ours["spades_double"] = True
    if "first_upcard_offer" in named:
        ours["upcard_offer"] = named["first_upcard_offer"]
    if "dealer_rule" in named:
        ours["dealer_rule"] = _DEALER_RULES[named["dealer_rule"]]
    if named.get("fiftieth_card"):
        ours["wall"] = "last_chance"
    if named.get("columns") == 3:
        ours["hollywood"] = True
    ours["knocker_melds"] = named.get("melds", "auto")
    ours["layoffs"] = "auto"
    overrides: Overrides = {**ours, **also}  # type: ignore[typeddict-item]
    return resolve_rules("solo", overrides)


def unseen(*seen: Iterable[Card]) -> list[Card]:
    """The other cards of the deck, in card order."""
    taken = {card for cards in seen for card in cards}
    return [card for card in DECK if card not in taken]


def cards_in(shown: object) -> Iterator[Card]:
    """Every card named anywhere in plain values."""
    if isinstance(shown, str):
        if shown in DECK:
            yield shown
    elif isinstance(shown, dict):
        for value in shown.values():
            yield from cards_in(value)
    elif isinstance(shown, list):
        for value in shown:
            yield from cards_in(value)


def of_kind(kind: str) -> pytest.MarkDecorator:
    found = cases(kind)
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


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
