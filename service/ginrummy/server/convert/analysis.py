"""What is asked about hands."""

from ginrummy.engine.types import Rules
from ginrummy.server.convert.rules import overrides_from_wire, resolve, ruleset_from_wire
from ginrummy.server.refusals import BadField
from ginrummy.v1 import analysis_service_pb2 as pb
from ginrummy.v1 import errors_pb2, rules_pb2

MOST_ITEMS = 1000
"""Hands of AnalyzeHands, problems of FindLayoffs."""
MOST_ROWS = 100_000
"""Hands of AnalyzeColumns."""
MOST_ERRORS = 100
"""Of the rows of AnalyzeColumns that could not be read, so many are told with words."""
USUAL_RULESET = "rulesets/short"

NO_CARD = 0
NO_BIT = 255
BIT_OF_NUMBER = bytes((number - 1) % 256 for number in range(256))
"""A card's bit by its number: none, which is 0 there, is 255 here."""
NUMBER_OF_BIT = bytes((bit + 1) % 256 for bit in range(256))


def rules_from_wire(ruleset: str, overrides: rules_pb2.Rules) -> Rules:
    """The rules that are meant, those of "short" unless others are named.

    Raises BadField or RulesetNotFound.
    """
    base = ruleset_from_wire(ruleset or USUAL_RULESET, "ruleset")
    return resolve(base, overrides_from_wire(overrides, "overrides"), "overrides")


def check_items(count: int, path: str) -> None:
    """Raises BadField for no items, or too many for one call."""
    if not 1 <= count <= MOST_ITEMS:
        raise BadField(path, f"1 to {MOST_ITEMS} are allowed, not {count}")


def rows_from_wire(request: pb.AnalyzeColumnsRequest) -> int:
    """How many hands there are. Raises BadField for columns that do not fit."""
    rows, rest = divmod(len(request.masks), 8)
    if rest:
        raise BadField("masks", f"{len(request.masks)} bytes are no rows of 8")
    if not 1 <= rows <= MOST_ROWS:
        raise BadField("masks", f"1 to {MOST_ROWS} hands are allowed, not {rows}")
    barred = len(request.barred_discards)
    if barred not in (0, rows):
        raise BadField("barred_discards", f"is empty or has a byte a hand: {rows}, not {barred}")
    return rows


ROW_ERRORS = {
    "no_card": ("masks", errors_pb2.ERROR_REASON_BAD_CARD),
    "too_many": ("masks", errors_pb2.ERROR_REASON_BAD_FIELD),
    "barred_no_card": ("barred_discards", errors_pb2.ERROR_REASON_BAD_CARD),
    "barred_elsewhere": ("barred_discards", errors_pb2.ERROR_REASON_BAD_FIELD),
}
"""The column and the reason, by the engine's kind of problem."""


def row_error(barred_numbers: bytes, row: int, kind: str, problem: str) -> pb.ItemError:
    """Why a row could not be read."""
    column, reason = ROW_ERRORS[kind]
    if kind == "barred_no_card":
        # The engine speaks of bits; the caller sent numbers.
        problem = f"there is no card {barred_numbers[row]}"
    return pb.ItemError(reason=reason, message=problem, field=f"{column}[{row}]")
