"""Rules, rulesets and clocks."""

from typing import Any, cast

from google.protobuf.duration_pb2 import Duration

from ginrummy import engine
from ginrummy.engine.types import Overrides, Rules, Ruleset
from ginrummy.server.convert.enums import (
    DEALER_RULE,
    LAYOFF_CHOICE,
    MELD_CHOICE,
    OKLAHOMA,
    PILE_VIEW,
    SHUTOUT,
    WALL,
    EnumTable,
)
from ginrummy.server.convert.times import SECOND_US, duration_from_wire, duration_to_wire
from ginrummy.server.refusals import BadField, RulesetNotFound
from ginrummy.tables.setup import ClockSetup
from ginrummy.v1 import rules_pb2 as pb

ENUMS: dict[str, EnumTable[Any]] = {
    "knocker_melds": MELD_CHOICE,
    "layoffs": LAYOFF_CHOICE,
    "oklahoma": OKLAHOMA,
    "wall": WALL,
    "dealer_rule": DEALER_RULE,
    "shutout": SHUTOUT,
    "pile_view": PILE_VIEW,
}
"""The options that are words."""

RULESETS: dict[str, Ruleset] = {ruleset["name"]: ruleset for ruleset in engine.rulesets()}

SHORTEST_TURN_US = 100_000
"""Anything shorter would be over before an answer could come; zero means no clock."""
LONGEST_TURN_S = 30 * 24 * 3600
LONGEST_PAUSE_S = 600
SHORTEST_GRACE_S = 1
LONGEST_GRACE_S = 30 * 24 * 3600
MOST_TIMEOUTS = 1000


def rules_to_wire(rules: Rules | Overrides) -> pb.Rules:
    """The options that are set."""
    options: dict[str, Any] = {}
    for name, value in rules.items():
        if value is not None:
            options[name] = ENUMS[name].number[value] if name in ENUMS else value
    return pb.Rules(**options)


def overrides_from_wire(rules: pb.Rules, path: str) -> Overrides:
    """The options that are set; whether they go together is for the engine to say."""
    options: dict[str, Any] = {}
    for field, value in rules.ListFields():
        name = field.name
        options[name] = ENUMS[name].word(value, f"{path}.{name}") if name in ENUMS else value
    return cast(Overrides, options)


def ruleset_from_wire(name: str, path: str) -> Ruleset:
    """The ruleset of this name, "rulesets/short". Raises BadField or RulesetNotFound."""
    if not name:
        raise BadField(path, "is required")
    kind, _, short = name.partition("/")
    if kind != "rulesets" or not short:
        raise BadField(path, 'has the form "rulesets/short"')
    ruleset = RULESETS.get(short)
    if ruleset is None:
        raise RulesetNotFound(name[:100])
    return ruleset


def resolve(ruleset: Ruleset, overrides: Overrides, path: str) -> Rules:
    """Base and overrides together. Raises BadField that names the option."""
    try:
        return engine.resolve_rules(ruleset["name"], overrides)
    except engine.InvalidOption as error:
        raise BadField(f"{path}.{error.option}", error.problem) from None


def clock_from_wire(clock: pb.Clock, ruleset: Ruleset, path: str) -> ClockSetup:
    """The clock that is meant, the ruleset's where nothing is said. Raises BadField."""
    turn_time_us = ruleset["turn_time_s"] * SECOND_US
    if clock.HasField("turn_time"):
        at = f"{path}.turn_time"
        turn_time_us = duration_from_wire(clock.turn_time, at, LONGEST_TURN_S)
        _check_turn_time(ruleset, turn_time_us, at)
    if clock.timeouts_to_forfeit > MOST_TIMEOUTS:
        raise BadField(f"{path}.timeouts_to_forfeit", f"is more than {MOST_TIMEOUTS}")
    setup = ClockSetup(
        turn_time_us=turn_time_us,
        timeouts_to_forfeit=clock.timeouts_to_forfeit,
        hand_pause_us=duration_from_wire(clock.hand_pause, f"{path}.hand_pause", LONGEST_PAUSE_S),
    )
    if clock.HasField("absence_grace"):
        setup["absence_grace_us"] = _grace_from_wire(clock.absence_grace, f"{path}.absence_grace")
    return setup


def _grace_from_wire(grace: Duration, path: str) -> int:
    grace_us = duration_from_wire(grace, path, LONGEST_GRACE_S)
    if grace_us < SHORTEST_GRACE_S * SECOND_US:
        raise BadField(path, f"is at least {SHORTEST_GRACE_S} s; unset for never")
    return grace_us


def _check_turn_time(ruleset: Ruleset, turn_time_us: int, path: str) -> None:
    if 0 < turn_time_us < SHORTEST_TURN_US:
        raise BadField(path, f"is 0 for no clock, or at least {SHORTEST_TURN_US // 1000} ms")
    seconds, rest = divmod(turn_time_us, SECOND_US)
    if rest and not ruleset["turn_times_s"]:
        return
    try:
        engine.check_turn_time(ruleset["name"], seconds)
    except engine.InvalidOption as error:
        raise BadField(path, error.problem) from None
    if rest:
        raise BadField(path, f"{ruleset['name']} counts whole seconds")


def clock_to_wire(clock: ClockSetup) -> pb.Clock:
    """The clock in force."""
    grace_us = clock.get("absence_grace_us")
    return pb.Clock(
        turn_time=duration_to_wire(clock["turn_time_us"]),
        timeouts_to_forfeit=clock["timeouts_to_forfeit"],
        hand_pause=duration_to_wire(clock["hand_pause_us"]),
        absence_grace=None if grace_us is None else duration_to_wire(grace_us),
    )
