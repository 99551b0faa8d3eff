"""Positions of the caller's own, as one seat knows them."""

from ginrummy import engine
from ginrummy.engine import wire
from ginrummy.engine.types import Card, Rules, Seat, SeatPosition
from ginrummy.server.convert.analysis import USUAL_RULESET
from ginrummy.server.convert.cards import card_from_wire, cards_from_wire
from ginrummy.server.convert.enums import PHASE, PILE
from ginrummy.server.convert.rules import overrides_from_wire, resolve, ruleset_from_wire
from ginrummy.server.refusals import BadCard, BadField
from ginrummy.v1 import analysis_service_pb2 as pb
from ginrummy.v1 import errors_pb2

OWN: Seat = 1
"""The seat whose position it is."""
DECK = 52
OPPONENTS = 10
"""Cards that the opponent holds while this seat is to act."""
FIELDS = {"known_of_opponent": "opponent_known", "stock": "discard_pile", "dealer": "is_dealer"}
"""Fields of the engine's positions that have other names in the API."""


def hand_from_wire(hand: pb.HandInput, path: str) -> list[Card]:
    """At most eleven cards. Raises BadCard or BadField."""
    read = wire.hand_cards(hand.SerializeToString(), path)
    if isinstance(read, bytes):
        error = pb.ItemError.FromString(read)
        is_card = error.reason == errors_pb2.ERROR_REASON_BAD_CARD
        raise (BadCard if is_card else BadField)(error.field, error.message)
    return read


def position_from_wire(position: pb.SeatPosition, path: str) -> tuple[str, engine.Hand]:
    """The ruleset's name, and a hand in which the seat `OWN` knows what is told, and is to act.

    Raises BadField, BadCard or RulesetNotFound.
    """
    ruleset = ruleset_from_wire(position.ruleset or USUAL_RULESET, f"{path}.ruleset")
    at = f"{path}.overrides"
    rules = resolve(ruleset, overrides_from_wire(position.overrides, at), at)
    return ruleset["name"], _hand(rules, _plain(position, path), path)


def _hand(rules: Rules, position: SeatPosition, path: str) -> engine.Hand:
    try:
        return engine.Hand.from_seat_position(rules, position)
    except engine.InvalidPosition as error:
        field, problem = FIELDS.get(error.field, error.field), error.problem
        if error.field == "stock":
            problem = f"leaves {_in_stock(position)} cards in the stock, which {problem}"
        raise BadField(f"{path}.{field}", problem) from None


def _in_stock(position: SeatPosition) -> int:
    """Callers tell of the stock by the pile alone: what neither seat nor the pile has is in it."""
    return DECK - OPPONENTS - len(position["hand"]) - len(position["discard_pile"])


def _plain(position: pb.SeatPosition, path: str) -> SeatPosition:
    hand = hand_from_wire(position.hand, f"{path}.hand")
    phase = "discard" if len(hand) == 11 else "draw"
    if position.phase:
        phase = PHASE.word(position.phase, f"{path}.phase")
    plain = SeatPosition(
        seat=OWN,
        dealer=OWN if position.is_dealer else 2,
        phase=phase,  # type: ignore[typeddict-item]
        hand=hand,
        discard_pile=cards_from_wire(position.discard_pile, f"{path}.discard_pile"),
        known_of_opponent=cards_from_wire(position.opponent_known, f"{path}.opponent_known"),
        must_draw_stock=position.must_draw_stock,
    )
    if position.HasField("upcard"):
        plain["upcard"] = card_from_wire(position.upcard, f"{path}.upcard")
    if position.drawn_from:
        plain["drawn_from"] = PILE.word(position.drawn_from, f"{path}.drawn_from")
        if phase != "discard":
            raise BadField(f"{path}.drawn_from", "is for the discard phase alone")
    if position.HasField("drawn"):
        plain["drawn"] = card_from_wire(position.drawn, f"{path}.drawn")
    elif phase == "discard":
        if plain.get("drawn_from") == "discard":
            raise BadField(f"{path}.drawn", "is required when it came from the pile")
        # A card from the stock bars no discard: any stands for it.
        plain["drawn"] = next(iter(hand), None)
    return plain
