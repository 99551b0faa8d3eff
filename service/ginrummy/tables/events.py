"""A match's events with their numbers: the engine's, and the table's own.

In the log the last event of an entry also says who has to act after it, and until when, so that
an event can be shown from the log without playing the match again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, cast

from ginrummy import engine
from ginrummy.engine.types import Event, PileView, Seat
from ginrummy.log import Entry


class Occupant(TypedDict):
    """Who sits in a seat."""

    kind: Literal["open", "human", "bot"]
    display_name: NotRequired[str]
    external_id: NotRequired[str]
    bot: NotRequired[str]
    options: NotRequired[dict[str, str]]
    think_time_us: NotRequired[int | None]
    erased: NotRequired[bool]
    """A person whose name was taken out of everything."""


class MatchCreated(TypedDict):
    """The table was set; always the first event."""

    type: Literal["match_created"]


class SeatTaken(TypedDict):
    """Somebody sat down."""

    type: Literal["seat_taken"]
    seat: Seat
    occupant: Occupant


class ClockExtended(TypedDict):
    """The deadline passed while nobody served the match; there is a new one."""

    type: Literal["clock_extended"]


TableEvent: TypeAlias = Event | MatchCreated | SeatTaken | ClockExtended

TABLE_EVENTS = frozenset({"match_created", "seat_taken", "clock_extended"})
"""Types of the events that the engine does not know."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event in its place. Only the last one of an entry has `to_act` and `deadline_us`."""

    sequence: int
    time_us: int
    event: TableEvent
    to_act: int = 0
    deadline_us: int | None = None


def number(
    events: Sequence[TableEvent],
    first: int,
    time_us: int,
    to_act: int,
    deadline_us: int | None,
) -> list[Recorded]:
    """The events of one command, numbered from `first`."""
    recorded = [Recorded(first + i, time_us, event) for i, event in enumerate(events[:-1])]
    last = first + len(events) - 1
    return [*recorded, Recorded(last, time_us, events[-1], to_act, deadline_us)]


def to_log(recorded: Sequence[Recorded]) -> list[dict[str, Any]]:
    """The events as an entry holds them."""
    objects = [cast(dict[str, Any], event.event) for event in recorded]
    last = recorded[-1]
    marks: dict[str, Any] = {}
    if last.to_act:
        marks["to_act"] = last.to_act
    if last.deadline_us is not None:
        marks["deadline_us"] = last.deadline_us
    return [*objects[:-1], objects[-1] | marks]


def from_log(entry: Entry) -> list[Recorded]:
    """The events of an entry; undoes `to_log`."""
    *others, last = entry.events.value
    final = dict(last)
    to_act = final.pop("to_act", 0)
    deadline_us = final.pop("deadline_us", None)
    events = cast(list[TableEvent], [*others, final])
    return number(events, entry.first, entry.time_us, to_act, deadline_us)


def from_log_after(entries: Iterable[Entry], after: int) -> list[Recorded]:
    """The events of these entries with a number over `after`."""
    return [event for entry in entries for event in from_log(entry) if event.sequence > after]


def seen_live(event: TableEvent, viewer: int, knock_card_face_down: bool) -> TableEvent:
    """The event as somebody at the table saw it happen."""
    if event["type"] in TABLE_EVENTS:
        return event
    return engine.seen_by(cast(Event, event), viewer, knock_card_face_down)


def seen_live_by_each(event: TableEvent, knock_card_face_down: bool) -> Sequence[TableEvent]:
    """The event as it is seen from the table by a spectator, seat 1 and seat 2.

    Those who see the same get the same object.
    """
    if event["type"] in TABLE_EVENTS:
        return (event, event, event)
    return engine.seen_by_each(cast(Event, event), knock_card_face_down)


def seen_later(
    events: Sequence[Recorded], viewer: int, pile_view: PileView, knock_card_face_down: bool
) -> list[TableEvent]:
    """A match's latest events as somebody sees them who was not there when they happened."""
    played = [cast(Event, e.event) for e in events if e.event["type"] not in TABLE_EVENTS]
    seen = iter(engine.replayed_to(viewer, played, pile_view, knock_card_face_down))
    return [e.event if e.event["type"] in TABLE_EVENTS else next(seen) for e in events]
