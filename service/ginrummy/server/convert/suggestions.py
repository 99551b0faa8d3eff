"""Suggestions, ready to be sent."""

from collections.abc import Sequence

from ginrummy.engine import wire
from ginrummy.engine.types import Suggestion
from ginrummy.server.advice import in_words
from ginrummy.server.convert.cards import NUMBERS
from ginrummy.server.convert.enums import REASON
from ginrummy.v1 import action_pb2
from ginrummy.v1 import analysis_service_pb2 as pb


def suggestions_to_wire(
    suggestions: Sequence[Suggestion], is_only: bool, most: int, language: str, ruleset: str
) -> list[pb.Suggestion]:
    """The best `most` of them, or all for 0. `is_only`: there is nothing else to do."""
    return [
        _suggestion(suggestion, _reason(suggestion, is_only), language, ruleset)
        for suggestion in suggestions[: most or None]
    ]


def _reason(suggestion: Suggestion, is_only: bool) -> str:
    """As the API has it: whoever has no choice needs no reason."""
    if is_only and suggestion["action"]["type"] in ("pass", "draw", "discard"):
        return "only_action"
    return "gin" if suggestion["reason"] == "big_gin" else suggestion["reason"]


def _suggestion(suggestion: Suggestion, reason: str, language: str, ruleset: str) -> pb.Suggestion:
    card = suggestion["card"]
    return pb.Suggestion(
        action=action_pb2.Action.FromString(wire.action(suggestion["action"])),
        expected_points=suggestion["expected_points"],
        win_chance=suggestion["hand_win_chance"],
        reason=REASON.number[reason],
        text=in_words(suggestion, reason, language, ruleset),
        card=NUMBERS[card] if card else None,
        deadwood_before=suggestion["deadwood_before"],
        deadwood_after=suggestion["deadwood_after"],
        knock_limit=suggestion["knock_limit"],
        improving_cards=suggestion["improving_cards"],
        danger_melds=suggestion["danger_melds"],
        undercut_chance=suggestion["undercut_chance"],
        match_win_chance=suggestion["match_win_chance"],
    )
