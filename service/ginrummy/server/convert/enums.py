"""Enums of the wire and the engine's words for them, by table."""

from collections.abc import Collection
from typing import Any, Generic, TypeVar, cast

from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

from ginrummy.server.refusals import BadField
from ginrummy.v1 import action_pb2, analysis_service_pb2, match_pb2, rules_pb2

Word = TypeVar("Word", bound=str)


class EnumTable(Generic[Word]):
    """An enum's values by word: `MELD_CHOICE_AUTO` is `auto`. `but_not`: values left out."""

    def __init__(self, enum: Any, prefix: str, but_not: Collection[str] = ()) -> None:
        wrapper: EnumTypeWrapper = enum
        words = {
            cast(Word, name.removeprefix(prefix).lower()): number
            for name, number in wrapper.items()
            if number and name not in but_not
        }
        self.number: dict[Word, Any] = words
        self._names = wrapper
        self._prefix = prefix
        self._word: dict[int, Word] = {number: word for word, number in words.items()}

    def word(self, number: int, path: str) -> Word:
        """The word for a number from the wire. Raises BadField for unspecified and unknown ones."""
        word = self._word.get(number)
        if word is None:
            allowed = ", ".join(f"{self._prefix}{known.upper()}" for known in self.number)
            raise BadField(path, f"is one of {allowed}, not {self._name(number)}")
        return word

    def _name(self, number: int) -> str:
        try:
            return self._names.Name(number)
        except ValueError:
            return str(number)


PILE: EnumTable[Any] = EnumTable(action_pb2.Pile, "PILE_")
MELD_CHOICE: EnumTable[Any] = EnumTable(rules_pb2.MeldChoice, "MELD_CHOICE_")
LAYOFF_CHOICE: EnumTable[Any] = EnumTable(
    rules_pb2.MeldChoice, "MELD_CHOICE_", but_not=["MELD_CHOICE_DECLARED"]
)
OKLAHOMA: EnumTable[Any] = EnumTable(rules_pb2.Oklahoma, "OKLAHOMA_")
WALL: EnumTable[Any] = EnumTable(rules_pb2.Wall, "WALL_")
DEALER_RULE: EnumTable[Any] = EnumTable(rules_pb2.DealerRule, "DEALER_RULE_")
SHUTOUT: EnumTable[Any] = EnumTable(rules_pb2.Shutout, "SHUTOUT_")
PILE_VIEW: EnumTable[Any] = EnumTable(rules_pb2.PileView, "PILE_VIEW_")
PHASE: EnumTable[Any] = EnumTable(analysis_service_pb2.SeatPhase, "SEAT_PHASE_")
REASON: EnumTable[Any] = EnumTable(analysis_service_pb2.SuggestionReason, "SUGGESTION_REASON_")
STATE: EnumTable[Any] = EnumTable(match_pb2.MatchState, "MATCH_STATE_")
SPECTATORS: EnumTable[Any] = EnumTable(match_pb2.SpectatorPolicy, "SPECTATOR_POLICY_")
