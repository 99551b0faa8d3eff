"""Bots and advice: seeds, samples, think times, and an end to thinking from another thread."""

import threading
import time
from typing import Any, get_args

import pytest

from ginrummy.engine import (
    Cancel,
    EngineError,
    Hand,
    InvalidPosition,
    Match,
    SeatPosition,
    Suggestion,
    bots,
    default_samples,
    resolve_rules,
)
from ginrummy.engine.types import ReasonName

RULES = resolve_rules("solo")
TEN = ["AC", "2C", "3C", "4D", "5D", "6D", "8C", "8D", "KC", "KD"]
FOR_EVER = 2**32 - 1
"""More samples than anybody waits for."""


def close_call() -> Hand:
    """A discard that takes more than a few samples to decide."""
    return Hand.from_seat_position(
        RULES,
        {
            "seat": 1,
            "dealer": 2,
            "phase": "discard",
            "hand": [*TEN, "QC"],
            "discard_pile": ["JH"],
            "drawn": "QC",
            "stock_count": 30,
        },
    )


def no_difference() -> Hand:
    """A discard that no number of samples decides: whatever it is, the hand dies of its stock."""
    seen = [rank + suit for rank in "3456789TJQK" for suit in "CDHS"]
    held = [*TEN, "QC"]
    return Hand.from_seat_position(
        RULES,
        {
            "seat": 1,
            "dealer": 2,
            "phase": "discard",
            "hand": held,
            "discard_pile": [card for card in seen if card not in held][:29],
            "drawn": "QC",
            "stock_count": 2,
        },
    )


def test_the_bots_that_think_are_told_by_their_samples() -> None:
    thinkers = {bot for bot in bots() if default_samples(bot)}
    assert {"hard", "expert"} <= thinkers
    assert not thinkers & {"simple", "heuristic", "easy", "normal"}


def test_the_same_seed_gives_the_same_advice() -> None:
    hand = close_call()
    first = hand.suggest(1, "expert", seed=5, samples=40)
    assert hand.suggest(1, "expert", seed=5, samples=40) == first
    assert hand.bot_action(1, "expert", seed=5, samples=40) == first[0]["action"]
    assert hand.suggest(1, "expert", seed=6, samples=40) != first


@pytest.mark.parametrize("bot", bots())
def test_advice_says_all_that_is_described(bot: str) -> None:
    game, _ = Match.start(RULES, bytes(32))
    seat = game.to_act or 0
    advice = game.suggest(seat, bot, samples=5)
    assert [set(line) for line in advice] == [set(Suggestion.__annotations__)] * len(advice)
    assert {line["reason"] for line in advice} <= set(get_args(ReasonName))
    thinks = default_samples(bot) > 0
    for line in advice:
        for told in ("expected_points", "hand_win_chance", "match_win_chance"):
            assert (line[told] is not None) == thinks
    assert game.suggest(3 - seat, bot) == []
    assert game.bot_action(3 - seat, bot) is None


def test_a_hand_by_itself_has_no_chance_to_win_a_match() -> None:
    advice = close_call().suggest(1, "hard")
    assert all(line["match_win_chance"] is None for line in advice)
    assert all(line["hand_win_chance"] is not None for line in advice)


def test_thinking_ends_with_its_time() -> None:
    began_s = time.monotonic()
    action = no_difference().bot_action(1, "expert", samples=FOR_EVER, think_s=0.02)
    assert 0.02 <= time.monotonic() - began_s < 20
    assert action is not None


def test_another_thread_ends_the_thinking_and_nothing_is_locked_meanwhile() -> None:
    hand = no_difference()
    cancel = Cancel()
    decided: list[Any] = []

    def think() -> None:
        decided.append(hand.bot_action(1, "expert", samples=FOR_EVER, cancel=cancel))

    thread = threading.Thread(target=think)
    thread.start()
    for _ in range(100):
        assert hand.view(1)["to_act"] == 1
    hand.apply(1, {"type": "discard", "card": "QC"})
    assert not decided
    assert not cancel.is_cancelled
    cancel.cancel()
    thread.join(timeout=60)
    assert cancel.is_cancelled
    assert decided
    assert decided[0] is not None


@pytest.mark.parametrize(
    "wrong",
    [{"samples": 0}, {"samples": -1}, {"think_s": -1.0}, {"think_s": float("nan")}, {"seed": -1}],
)
def test_what_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(EngineError):
        close_call().bot_action(1, "expert", **wrong)


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("hand", {"hand": ["AC"]}),
        ("discard_pile", {"discard_pile": ["KC"]}),
        ("known_of_opponent", {"known_of_opponent": ["KC"]}),
        ("stock_count", {"stock_count": 29}),
        ("upcard", {"phase": "upcard", "hand": TEN, "drawn": None, "upcard": "4S"}),
        (
            "upcard",
            {
                "upcard": "4S",
                "known_of_opponent": ["AD", "2D", "3D", "4H", "5H", "6H", "7H", "8H", "9H", "TH"],
            },
        ),
        ("drawn", {"drawn": None}),
        (
            "phase",
            {"phase": "over", "hand": ["AC", "2C", "3C", "4D", "5D", "6D", "8C", "8D", "KC", "KD"]},
        ),
    ],
)
def test_the_field_of_a_position_that_is_wrong_is_named(
    field: str, changes: dict[str, Any]
) -> None:
    position: dict[str, Any] = {
        "seat": 1,
        "dealer": 2,
        "phase": "discard",
        "hand": [*TEN, "QC"],
        "discard_pile": ["JH"],
        "drawn": "QC",
    }
    whole: SeatPosition = {**position, **changes}  # type: ignore[typeddict-item]
    with pytest.raises(InvalidPosition) as refused:
        Hand.from_seat_position(RULES, whole)
    assert refused.value.field == field
