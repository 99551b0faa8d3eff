"""Taking a player's name out of a match: his seat stays a person's, nobody in particular's.

Commands and events lose it alike, so the match still plays again; the mark `erased` stands where
the name was, and tells a retried request from another one.
"""

from dataclasses import replace
from typing import Any, cast

from ginrummy.log import Entry
from ginrummy.tables.events import Occupant, TableEvent
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
    return replace(state, setup=erased_setup(state.setup, seat), occupants=occupants)


def erased_entry(entry: Entry, seat: int) -> Entry:
    """The entry, command and events, without the name of whoever sits in `seat`."""
    command = dict(entry.command)
    if command["type"] == "create":
        command["setup"] = erased_setup(command["setup"], seat)
    elif command["type"] == "join" and command["seat"] == seat:
        command["occupant"] = erased(command["occupant"])
    events = tuple(
        cast(dict[str, Any], erased_event(cast(TableEvent, event), seat)) for event in entry.events
    )
    return replace(entry, command=command, events=events)


def is_same_setup(stored: Setup, asked: Setup) -> bool:
    """Whether a match was created with this setup, whoever has been erased from it since."""
    for seat, occupant in enumerate(stored["seats"], 1):
        if occupant.get("erased"):
            asked = erased_setup(asked, seat)
    return stored == asked
