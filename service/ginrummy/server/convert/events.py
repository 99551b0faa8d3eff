"""Events, results and score sheets."""

from collections.abc import Callable, Iterable
from typing import Any, cast

from ginrummy.engine.types import MatchResult, ScoredHand, ScoreSheet, Showdown
from ginrummy.server.convert.actions import layoffs_to_wire
from ginrummy.server.convert.cards import (
    arrangement_to_wire,
    card_to_wire,
    cards_to_wire,
    melds_to_wire,
)
from ginrummy.server.convert.enums import END_REASON, KNOCK_KIND, OUTCOME, PILE
from ginrummy.server.convert.seats import seat_to_wire
from ginrummy.server.convert.times import timestamp_to_wire
from ginrummy.tables.events import Recorded
from ginrummy.v1 import cards_pb2, match_pb2
from ginrummy.v1 import events_pb2 as pb


def event_to_wire(recorded: Recorded) -> pb.MatchEvent:
    """An event with what its viewer may see of it, as it was projected before."""
    event = cast(dict[str, Any], recorded.event)
    field, payload = PAYLOADS[event["type"]]
    return pb.MatchEvent(
        sequence=recorded.sequence,
        time=timestamp_to_wire(recorded.time_us),
        seat=event.get("seat", 0),
        to_act=recorded.to_act,
        deadline=timestamp_to_wire(recorded.deadline_us),
        **{field: payload(event)},
    )


def _hand_dealt(event: dict[str, Any]) -> pb.HandDealt:
    hands = [cards_pb2.CardList(cards=cards_to_wire(hand or ())) for hand in event["hands"]]
    return pb.HandDealt(
        hand_number=event["hand_number"],
        dealer=event["dealer"],
        upcard=card_to_wire(event["upcard"]),
        hands=hands,
        stock_count=event["stock_count"],
        knock_limit=event["knock_limit"],
        points_doubled=event["points_doubled"],
    )


def _card_drawn(event: dict[str, Any]) -> pb.CardDrawn:
    return pb.CardDrawn(pile=PILE.number[event["pile"]], card=card_to_wire(event["card"]))


def showdown_to_wire(showdown: Showdown) -> pb.Showdown:
    """The knocker's cards, laid open."""
    return pb.Showdown(
        knocker=showdown["seat"],
        kind=KNOCK_KIND.number[showdown["kind"]],
        knocker_melds=melds_to_wire(showdown["melds"]),
        knocker_deadwood=cards_to_wire(showdown["deadwood"]),
        deadwood_points=showdown["deadwood_points"],
        knock_card=card_to_wire(showdown["discard"]),
    )


def _laid_off(event: dict[str, Any]) -> pb.LaidOff:
    return pb.LaidOff(
        moves=layoffs_to_wire(event["layoffs"]),
        melds=melds_to_wire(event["melds"]),
        deadwood=cards_to_wire(event["deadwood"]),
        deadwood_points=event["deadwood_points"],
    )


def hand_result_to_wire(result: ScoredHand) -> pb.HandScored:
    """How a hand came out."""
    reveals = result["arrangements"] or []
    return pb.HandScored(
        hand_number=result["hand_number"],
        outcome=OUTCOME.number[result["outcome"]],
        winner=result["winner"] or 0,
        knocker=result["knocker"] or 0,
        points=result["points"],
        bonus=result["bonus"],
        doubled=result["doubled"],
        reveals=[arrangement_to_wire(arrangement) for arrangement in reveals],
        layoffs=layoffs_to_wire(result["layoffs"]),
        deadwood_points=[arrangement["deadwood_points"] for arrangement in reveals],
        sheets=sheets_to_wire(result["sheets"]),
    )


def match_result_to_wire(result: MatchResult) -> match_pb2.MatchResult:
    """How a match ended, with the seed."""
    return match_pb2.MatchResult(
        winner=result["winner"],
        reason=END_REASON.number[result["reason"]],
        sheets=sheets_to_wire(result["sheets"]),
        seed=bytes.fromhex(result["seed"]),
    )


def sheets_to_wire(sheets: Iterable[ScoreSheet]) -> list[match_pb2.ScoreSheet]:
    """The score sheets by seat."""
    return [
        match_pb2.ScoreSheet(
            columns=[match_pb2.ScoreColumn(**column) for column in sheet["columns"]],
            total=sheet["total"],
        )
        for sheet in sheets
    ]


Payload = Callable[[dict[str, Any]], Any]

PAYLOADS: dict[str, tuple[str, Payload]] = {
    "match_created": ("match_created", lambda _: pb.MatchCreated()),
    "seat_taken": (
        "seat_taken",
        lambda event: pb.SeatTaken(occupant=seat_to_wire(event["seat"], event["occupant"])),
    ),
    "clock_extended": ("clock_extended", lambda _: pb.ClockExtended()),
    "hand_dealt": ("hand_dealt", _hand_dealt),
    "passed": ("passed", lambda _: pb.Passed()),
    "card_drawn": ("card_drawn", _card_drawn),
    "card_discarded": (
        "card_discarded",
        lambda event: pb.CardDiscarded(card=card_to_wire(event["card"])),
    ),
    "knocked": ("knocked", cast(Payload, showdown_to_wire)),
    "laid_off": ("laid_off", _laid_off),
    "hand_scored": ("hand_scored", cast(Payload, hand_result_to_wire)),
    "timed_out": ("timed_out", lambda event: pb.TimedOut(timeouts=event["timeouts"])),
    "match_ended": ("match_ended", cast(Payload, match_result_to_wire)),
}
"""The engine's and the table's events, each with its field of MatchEvent."""
