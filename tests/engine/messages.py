"""What the engine tells, as messages of the API: built slowly, from plain objects, field by field.

The bytes that the engine makes itself are compared with these.
"""

from collections.abc import Iterable
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from ginrummy.v1 import action_pb2, cards_pb2, events_pb2, match_pb2, view_pb2


def number(enum: Any, prefix: str, word: str) -> Any:
    """`auto` is `MELD_CHOICE_AUTO`."""
    return enum.Value(f"{prefix}_{word.upper()}")


def timestamp(time_us: int | None) -> Timestamp | None:
    if time_us is None:
        return None
    return Timestamp(seconds=time_us // 1_000_000, nanos=time_us % 1_000_000 * 1000)


def card(name: str | None) -> Any:
    return None if name is None else cards_pb2.Card.Value(f"CARD_{name}")


def cards(names: Iterable[str] | None) -> list[Any]:
    return [card(name) for name in names or ()]


def melds(groups: Iterable[list[str]]) -> list[cards_pb2.Meld]:
    kinds = {True: cards_pb2.MELD_KIND_SET, False: cards_pb2.MELD_KIND_RUN}
    return [
        cards_pb2.Meld(kind=kinds[len({name[0] for name in group}) == 1], cards=cards(group))
        for group in groups
    ]


def arrangement(value: Any) -> cards_pb2.Arrangement:
    return cards_pb2.Arrangement(
        melds=melds(value["melds"]),
        deadwood=cards(value["deadwood"]),
        deadwood_points=value["deadwood_points"],
    )


def layoffs(moves: Iterable[Any]) -> list[action_pb2.LayoffMove]:
    return [
        action_pb2.LayoffMove(card=card(move["card"]), meld_index=move["meld_index"])
        for move in moves
    ]


def sheets(values: Iterable[Any]) -> list[match_pb2.ScoreSheet]:
    return [
        match_pb2.ScoreSheet(
            columns=[match_pb2.ScoreColumn(**column) for column in sheet["columns"]],
            total=sheet["total"],
        )
        for sheet in values
    ]


def hand_dealt(event: Any) -> events_pb2.HandDealt:
    return events_pb2.HandDealt(
        hand_number=event["hand_number"],
        dealer=event["dealer"],
        upcard=card(event["upcard"]),
        hands=[cards_pb2.CardList(cards=cards(hand)) for hand in event["hands"]],
        stock_count=event["stock_count"],
        knock_limit=event["knock_limit"],
        points_doubled=event["points_doubled"],
    )


def card_drawn(event: Any) -> events_pb2.CardDrawn:
    pile = number(action_pb2.Pile, "PILE", event["pile"])
    return events_pb2.CardDrawn(pile=pile, card=card(event["card"]))


def showdown(event: Any) -> events_pb2.Showdown:
    return events_pb2.Showdown(
        knocker=event["seat"],
        kind=number(events_pb2.KnockKind, "KNOCK_KIND", event["kind"]),
        knocker_melds=melds(event["melds"]),
        knocker_deadwood=cards(event["deadwood"]),
        deadwood_points=event["deadwood_points"],
        knock_card=card(event["discard"]),
    )


def laid_off(event: Any) -> events_pb2.LaidOff:
    return events_pb2.LaidOff(
        moves=layoffs(event["layoffs"]),
        melds=melds(event["melds"]),
        deadwood=cards(event["deadwood"]),
        deadwood_points=event["deadwood_points"],
    )


def hand_scored(event: Any) -> events_pb2.HandScored:
    shown = event["arrangements"] or []
    return events_pb2.HandScored(
        hand_number=event["hand_number"],
        outcome=number(events_pb2.HandOutcome, "HAND_OUTCOME", event["outcome"]),
        winner=event["winner"] or 0,
        knocker=event["knocker"] or 0,
        points=event["points"],
        bonus=event["bonus"],
        doubled=event["doubled"],
        reveals=[arrangement(value) for value in shown],
        layoffs=layoffs(event["layoffs"]),
        deadwood_points=[value["deadwood_points"] for value in shown],
        sheets=sheets(event["sheets"]),
    )


def match_result(event: Any) -> match_pb2.MatchResult:
    return match_pb2.MatchResult(
        winner=event["winner"],
        reason=number(match_pb2.MatchEndReason, "MATCH_END_REASON", event["reason"]),
        sheets=sheets(event["sheets"]),
        seed=bytes.fromhex(event["seed"]),
    )


PAYLOADS: dict[str, Any] = {
    "hand_dealt": hand_dealt,
    "passed": lambda _: events_pb2.Passed(),
    "card_drawn": card_drawn,
    "card_discarded": lambda event: events_pb2.CardDiscarded(card=card(event["card"])),
    "knocked": showdown,
    "laid_off": laid_off,
    "hand_scored": hand_scored,
    "timed_out": lambda event: events_pb2.TimedOut(timeouts=event["timeouts"]),
    "match_ended": match_result,
}


def match_event(
    event: Any, sequence: int, time_us: int, to_act: int = 0, deadline_us: int | None = None
) -> events_pb2.MatchEvent:
    """An event in its place."""
    kind = event["type"]
    return events_pb2.MatchEvent(
        sequence=sequence,
        time=timestamp(time_us),
        seat=event.get("seat", 0),
        to_act=to_act,
        deadline=timestamp(deadline_us),
        **{kind: PAYLOADS[kind](event)},
    )


def action(value: Any) -> action_pb2.Action:
    groups = melds(value.get("melds", ()))
    kinds: dict[str, Any] = {
        "pass": lambda: action_pb2.Pass(),
        "draw": lambda: action_pb2.Draw(pile=number(action_pb2.Pile, "PILE", value["pile"])),
        "discard": lambda: action_pb2.Discard(card=card(value["card"])),
        "knock": lambda: action_pb2.Knock(discard=card(value["discard"]), melds=groups),
        "big_gin": lambda: action_pb2.BigGin(melds=groups),
        "lay_off": lambda: action_pb2.LayOff(melds=groups, moves=layoffs(value.get("layoffs", ()))),
    }
    return action_pb2.Action(**{value["type"]: kinds[value["type"]]()})


def discard_options(value: Any) -> view_pb2.DiscardOptions:
    return view_pb2.DiscardOptions(
        options=[
            view_pb2.DiscardOption(
                card=card(option["card"]),
                deadwood_points=option["deadwood_points"],
                can_knock=option["can_knock"],
            )
            for option in value["options"]
        ],
        best_deadwood=value["best_deadwood"],
        can_knock=value["can_knock"],
        can_gin=value["can_gin"],
        can_big_gin=value["can_big_gin"],
        hint=value["hint"] and action(value["hint"]),
    )


def match_view(
    table: view_pb2.View, game: Any, last_action: tuple[int, int, int, int | None] | None
) -> view_pb2.View:
    """A table's View with what a match's view tells."""
    shown = game["last_action"] if last_action else None
    phase = "match_over" if game["phase"] == "over" else game["phase"]
    view = view_pb2.View(
        phase=number(view_pb2.Phase, "PHASE", phase),
        hand_number=game["hand_number"],
        dealer=game["dealer"],
        knock_limit=game["knock_limit"],
        points_doubled=game["points_doubled"],
        sheets=sheets(game["sheets"]),
        own_hand=cards(game["own_hand"]),
        own_arrangement=game["own_arrangement"] and arrangement(game["own_arrangement"]),
        last_drawn=card(game["last_drawn"]),
        barred_discard=card(game["barred_discard"]),
        discard_pile=cards(game["discard_pile"]),
        discard_count=game["discard_count"],
        stock_count=game["stock_count"],
        legal_actions=[action(value) for value in game["legal_actions"]],
        discard_options=game["discard_options"] and discard_options(game["discard_options"]),
        last_action=match_event(shown, *last_action) if shown and last_action else None,
        showdown=game["showdown"] and showdown(game["showdown"]),
        last_hand=game["last_hand"] and hand_scored(game["last_hand"]),
        result=game["result"] and match_result(game["result"]),
    )
    view.MergeFrom(table)
    for status, held, known in zip(
        view.seats, game["hand_counts"], game["known_cards"], strict=True
    ):
        status.hand_count = held
        status.known_cards.extend(cards(known))
    return view
