"""What was agreed when a match was created."""

from functools import lru_cache
from sys import intern
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, cast

from ginrummy.engine.types import Overrides, Rules
from ginrummy.tables.events import Occupant

SHARED = ("overrides", "rules", "clock")
"""Parts of a setup that many matches have in common. Their values are numbers, words and flags."""
MOST_SHARED = 1024
"""Those that were used last."""

SpectatorPolicy: TypeAlias = Literal["none", "public_info", "delayed_full"]


class ClockSetup(TypedDict):
    """The allowance for one decision and what goes with it."""

    turn_time_us: int
    """0: no clock."""
    timeouts_to_forfeit: int
    """0: never."""
    hand_pause_us: int
    absence_grace_us: NotRequired[int]
    """After so long an absence the other seat may claim the match; missing: never."""


class Setup(TypedDict):
    """A match before anything has happened: JSON, and the same for the same request."""

    ruleset: str
    overrides: Overrides
    rules: Rules
    """Base and overrides together."""
    clock: ClockSetup
    seats: list[Occupant]
    spectators: SpectatorPolicy
    labels: dict[str, str]
    unlisted: bool
    hints: bool
    seed: str | None
    """The seed that the caller chose, as 64 hex digits."""
    replay_of: str | None
    """The match whose deals are dealt again."""


def is_seeded(setup: Setup) -> bool:
    """Whether the caller can know every deal."""
    return setup["seed"] is not None or setup["replay_of"] is not None


def shared(setup: Setup) -> Setup:
    """The same setup in less memory: nearly all matches agree on one of a few rules and clocks."""
    parts = {
        intern(name): _kept(tuple(part.items())) if name in SHARED else part
        for name, part in cast(dict[str, Any], setup).items()
    }
    return cast(Setup, parts)


@lru_cache(MOST_SHARED)
def _kept(items: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    return dict(items)
