"""What was agreed when a match was created."""

from typing import Literal, NotRequired, TypeAlias, TypedDict

from ginrummy.engine.types import Overrides, Rules
from ginrummy.tables.events import Occupant

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
