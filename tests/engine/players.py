"""Any rules and any moves, good and bad."""

from random import Random
from typing import Any

from ginrummy.engine import (
    Action,
    Hand,
    InvalidOption,
    Match,
    Rules,
    minimal_arrangements,
    resolve_rules,
    rulesets,
    types,
)

from .reading import DECK

PILES: list[types.PileName] = ["stock", "discard"]


def some_rules(random: Random) -> Rules:
    """Any ruleset with options over it that go together."""
    choices: dict[str, list[Any]] = {
        "upcard_offer": [True, False],
        "knock_limit": [0, 3, 10],
        "knocker_melds": ["auto", "declared", "either"],
        "layoffs": ["auto", "either"],
        "undercut_on_tie": [True, False],
        "big_gin": [True, False],
        "oklahoma": ["off", "ace_is_one", "ace_is_gin"],
        "spades_double": [True, False],
        "wall": ["dead", "last_chance"],
        "allow_discard_taken": [True, False],
        "layoff_on_gin": [True, False],
        "target": [0, 50, 150],
        "boxes_immediate": [True, False],
        "hollywood": [True, False],
        "pile_view": ["all", "top_only"],
        "knock_card_face_down": [True, False],
    }
    while True:
        changed = random.sample(sorted(choices), random.randrange(8))
        overrides: Any = {name: random.choice(choices[name]) for name in changed}
        try:
            return resolve_rules(random.choice(rulesets())["name"], overrides)
        except InvalidOption:
            continue


def some_action(random: Random, game: Hand | Match) -> Action:
    """A legal action: a bot's, or any of those listed, with groups of the player's own."""
    seat = game.to_act
    assert seat is not None
    if random.random() < 0.6:
        action = game.bot_action(seat, "simple")
        assert action is not None
        return action
    view = game.view(seat)
    action = random.choice(view["legal_actions"])
    if action["type"] == "lay_off" and random.random() < 0.5:
        hand = view["own_hand"] or []
        groups = random.choice(minimal_arrangements(hand))["melds"]
        action["melds"] = groups
    return action


def wild_action(random: Random) -> Action:
    """Well formed, seldom legal."""
    cards = random.sample(DECK, 4)
    groups = [cards[:3]] if random.random() < 0.5 else []
    actions: list[Action] = [
        {"type": "pass"},
        {"type": "draw", "pile": random.choice(PILES)},
        {"type": "discard", "card": cards[3]},
        {"type": "knock", "discard": cards[3], "melds": groups},
        {"type": "big_gin", "melds": groups},
        {"type": "lay_off", "melds": groups, "layoffs": [{"card": cards[3], "meld_index": 1}]},
        {"type": "lay_off", "layoffs": [{"card": cards[3], "meld_index": 1 << 40}]},
    ]
    return random.choice(actions)
