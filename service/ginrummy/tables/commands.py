"""What can be done to a table, as the log keeps it.

A stored command has all that is needed to play it again: nothing in it is looked up, chosen or
measured a second time. `deadline_us` is the deadline after it.
"""

from functools import lru_cache
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, cast

from ginrummy.engine.types import Action, Seat
from ginrummy.log import Json
from ginrummy.log.json import to_json
from ginrummy.tables.events import Occupant
from ginrummy.tables.setup import Setup


class Create(TypedDict):
    """Sets the table. `seed` is 64 hex digits, whoever chose it."""

    type: Literal["create"]
    setup: Setup
    seed: str
    deadline_us: NotRequired[int | None]


class Join(TypedDict):
    """Somebody takes an open seat; `asked` is the seat that he named, if any."""

    type: Literal["join"]
    seat: Seat
    asked: Seat | None
    occupant: Occupant
    deadline_us: NotRequired[int | None]


class Act(TypedDict):
    """A player's action."""

    type: Literal["act"]
    seat: Seat
    action: Action
    deadline_us: NotRequired[int | None]


class TimeOut(TypedDict):
    """The clock of the seat to act ran out."""

    type: Literal["time_out"]
    timeouts_to_forfeit: int
    deadline_us: NotRequired[int | None]


class Resign(TypedDict):
    """A seat gives up."""

    type: Literal["resign"]
    seat: Seat
    deadline_us: NotRequired[int | None]


class ClaimAbsence(TypedDict):
    """A seat takes the match of an opponent who has been away for too long."""

    type: Literal["claim_absence"]
    seat: Seat
    deadline_us: NotRequired[int | None]


class Abort(TypedDict):
    """The match ends without a winner."""

    type: Literal["abort"]
    deadline_us: NotRequired[int | None]


class ExtendClock(TypedDict):
    """The deadline passed while nobody served the match."""

    type: Literal["extend_clock"]
    deadline_us: NotRequired[int | None]


Command: TypeAlias = Join | Act | TimeOut | Resign | ClaimAbsence | Abort | ExtendClock
"""A command to a table that is set."""


SMALL = frozenset({"pass", "draw", "discard"})
"""Types of the actions that hold no melds."""


def to_log(command: Command) -> Json:
    """The command as an entry holds it."""
    if command["type"] != "act" or command["action"]["type"] not in SMALL:
        return Json.of(command)
    text = _small_act(command["seat"], tuple(command["action"].items()))
    deadline_us = command.get("deadline_us")
    return Json(text if deadline_us is None else f'{text[:-1]},"deadline_us":{deadline_us}}}')


@lru_cache(256)
def _small_act(seat: int, action: tuple[tuple[str, Any], ...]) -> str:
    """There are little more than a hundred of them, and a move is hardly ever another."""
    return to_json({"type": "act", "seat": seat, "action": dict(action)})


def is_same_request(stored: dict[str, Any], asked: Command) -> bool:
    """Whether a stored command came of the same request as this one.

    What the table added does not count: the deadline, and the seat that somebody got who had asked
    for any. Nor does a name that was erased since.
    """
    added = {"deadline_us", "seat"} if asked["type"] == "join" else {"deadline_us"}
    if stored.get("occupant", {}).get("erased"):
        added.add("occupant")
    mine = cast(dict[str, Any], asked)
    return _without(stored, added) == _without(mine, added)


def _without(command: dict[str, Any], keys: set[str]) -> dict[str, Any]:
    return {key: value for key, value in command.items() if key not in keys}
