"""Taking a player's name out of a match: his seat stays a person's, nobody in particular's.

Commands and events lose it alike, so the match still plays again; the mark `erased` stands where
the name was, and tells a retried request from another one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from ginrummy.log import Entry, EventLog, IndexRow, Json, LogDamaged
from ginrummy.tables.events import Occupant, TableEvent
from ginrummy.tables.replay import row_from_log
from ginrummy.tables.setup import Setup
from ginrummy.tables.state import TableState, Two


def erased(occupant: Occupant) -> Occupant:
    """The occupant without his name; who is no person has none."""
    return Occupant(kind="human", erased=True) if occupant["kind"] == "human" else occupant


def erased_event(event: TableEvent, seat: int) -> TableEvent:
    """The event without the name of whoever sits in `seat`."""
    if event["type"] == "seat_taken" and event["seat"] == seat:
        return {**event, "occupant": erased(event["occupant"])}
    return event


def erased_setup(setup: Setup, seat: int) -> Setup:
    """The setup without the name of whoever sits in `seat` from the start."""
    seats = [erased(who) if i == seat else who for i, who in enumerate(setup["seats"], 1)]
    return {**setup, "seats": seats}


def erased_state(state: TableState, seat: int) -> TableState:
    """The state without the name of whoever sits in `seat`."""
    first, second = state.occupants
    occupants: Two = (erased(first), second) if seat == 1 else (first, erased(second))
    return state._replace(setup=erased_setup(state.setup, seat), occupants=occupants)


def erased_entry(entry: Entry, seat: int) -> Entry:
    """The entry, command and events, without the name of whoever sits in `seat`."""
    command = dict(entry.command.value)
    if command["type"] == "create":
        command["setup"] = erased_setup(command["setup"], seat)
    elif command["type"] == "join" and command["seat"] == seat:
        command["occupant"] = erased(command["occupant"])
    events = [erased_event(cast(TableEvent, event), seat) for event in entry.events.value]
    return replace(entry, command=Json.of(command), events=Json.of(events))


@dataclass(frozen=True, slots=True)
class Erasure:
    """What came of erasing a person everywhere."""

    match_count: int
    unreadable: list[str]
    """Matches that may still have the name, as they cannot be read."""


async def erase_person(log: EventLog, field: str, value: str) -> Erasure:
    """Takes everybody whose `field` is `value` out of all matches of a log that nobody serves.

    `field`: external_id or display_name.
    """
    count, unreadable = 0, []
    for match_id in await log.matches_naming(value):
        try:
            seats = _seats_of(await log.read(match_id), field, value)
            if seats:
                await _erase_stored(log, match_id, seats)
                count += 1
        except (LogDamaged, LookupError, TypeError, ValueError, AttributeError):
            unreadable.append(match_id)
    return Erasure(count, unreadable)


def _seats_of(entries: Sequence[Entry], field: str, value: str) -> set[int]:
    """The seats in which somebody sits, or has sat down, whose `field` is `value`."""
    seats = set()
    for entry in entries:
        command = entry.command.value
        if command["type"] == "create":
            sitting = enumerate(command["setup"]["seats"], 1)
        elif command["type"] == "join":
            sitting = enumerate([command["occupant"]], command["seat"])
        else:
            continue
        seats |= {seat for seat, occupant in sitting if occupant.get(field) == value}
    return seats


async def _erase_stored(log: EventLog, match_id: str, seats: set[int]) -> None:
    row = await log.row(match_id)

    def change(entry: Entry) -> Entry:
        for seat in seats:
            entry = erased_entry(entry, seat)
        return entry

    def fold(entries: Sequence[Entry]) -> IndexRow:
        # Not played again, so that it goes for matches too that are set aside.
        if row is None:
            return row_from_log(entries)
        summary = row.summary.value
        occupants = enumerate(summary["occupants"], 1)
        told = {"occupants": [erased(who) if n in seats else who for n, who in occupants]}
        return replace(row, summary=Json.of(summary | told))

    await log.rewrite(match_id, change, fold)


def is_same_setup(stored: Setup, asked: Setup) -> bool:
    """Whether a match was created with this setup, whoever has been erased from it since."""
    for seat, occupant in enumerate(stored["seats"], 1):
        if occupant.get("erased"):
            asked = erased_setup(asked, seat)
    return stored == asked
