"""A match's events with their numbers: the engine's, and the table's own.

In the log the last event of an entry also says who has to act after it, and until when, so that
an event can be shown from the log without playing the match again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, NotRequired, TypeAlias, TypedDict, cast

from ginrummy import engine
from ginrummy.engine.types import Event, PileView, Seat
from ginrummy.log import Entry
from ginrummy.log.json import to_json


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
    """An event in its place. Only the last one of a command has `to_act` and `deadline_us`."""

    sequence: int
    time_us: int
    event: TableEvent
    to_act: int = 0
    deadline_us: int | None = None


class PlainEvents:
    """Events that are plain objects: the table's own, and what is read from the log.

    Has of `engine.Step`, which holds those of a move, all that a table asks of either.
    """

    __slots__ = ("events",)

    def __init__(self, events: Sequence[TableEvent]) -> None:
        self.events = events

    @property
    def kinds(self) -> list[tuple[str, int]]:
        """The type of each event, with the seat whose doing it is (0: nobody's)."""
        events = cast(Sequence[dict[str, Any]], self.events)
        return [(event["type"], event.get("seat", 0)) for event in events]

    def stored(self, to_act: int = 0, deadline_us: int | None = None) -> str:
        """The events as the log keeps them, the last one with these marks."""
        *others, last = cast(list[dict[str, Any]], self.events)
        marks: dict[str, Any] = {"to_act": to_act} if to_act else {}
        if deadline_us is not None:
            marks["deadline_us"] = deadline_us
        return to_json([*others, last | marks])


Caused: TypeAlias = engine.Step | PlainEvents
"""What one command has caused, at least one event."""


class Happened(NamedTuple):
    """The events of one command in their places: numbered from `first`, at one time."""

    first: int
    time_us: int
    caused: Caused
    to_act: int = 0
    deadline_us: int | None = None

    def each(self) -> list[Recorded]:
        """The events one by one."""
        events: Sequence[TableEvent] = self.caused.events
        recorded = [
            Recorded(self.first + i, self.time_us, event) for i, event in enumerate(events[:-1])
        ]
        place = self.first + len(recorded)
        last = Recorded(place, self.time_us, events[-1], self.to_act, self.deadline_us)
        return [*recorded, last]

    def stored(self) -> str:
        """The events as an entry holds them."""
        return self.caused.stored(self.to_act, self.deadline_us)


def from_log(entry: Entry) -> Happened:
    """The events of an entry; undoes `Happened.stored`."""
    *others, last = entry.events.value
    final = dict(last)
    to_act = final.pop("to_act", 0)
    deadline_us = final.pop("deadline_us", None)
    events = cast(list[TableEvent], [*others, final])
    return Happened(entry.first, entry.time_us, PlainEvents(events), to_act, deadline_us)


def from_log_after(entries: Iterable[Entry], after: int) -> list[Recorded]:
    """The events of these entries with a number over `after`."""
    read = (event for entry in entries for event in from_log(entry).each())
    return [event for event in read if event.sequence > after]


def seen_live(event: TableEvent, viewer: int, knock_card_face_down: bool) -> TableEvent:
    """The event as somebody at the table saw it happen."""
    if event["type"] in TABLE_EVENTS:
        return event
    return engine.seen_by(cast(Event, event), viewer, knock_card_face_down)


def seen_later(
    events: Sequence[Recorded], viewer: int, pile_view: PileView, knock_card_face_down: bool
) -> list[TableEvent]:
    """A match's latest events as somebody sees them who was not there when they happened."""
    played = [cast(Event, e.event) for e in events if e.event["type"] not in TABLE_EVENTS]
    seen = iter(engine.replayed_to(viewer, played, pile_view, knock_card_face_down))
    return [e.event if e.event["type"] in TABLE_EVENTS else next(seen) for e in events]
