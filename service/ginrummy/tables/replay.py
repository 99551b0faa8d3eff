"""Playing a match's log again: the stored commands have to cause the stored events once more."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from ginrummy.engine import RULES_VERSION, EngineError
from ginrummy.log import Entry, IndexRow, Json
from ginrummy.log.json import to_json
from ginrummy.tables.commands import Command, Create
from ginrummy.tables.errors import Refused
from ginrummy.tables.events import Happened
from ginrummy.tables.ring import RING_LEN
from ginrummy.tables.rows import index_row
from ginrummy.tables.setup import shared
from ginrummy.tables.state import TableState, advance, create, decide

PART_LEN = 64
"""Entries played at a stretch."""


class Disagreement(Exception):  # noqa: N818 - as it is read
    """An entry does not follow from those before it. The message names no card."""


@dataclass(slots=True)
class Replayed:
    """A match as its log tells it."""

    state: TableState
    happened: deque[Happened]
    """The latest of it. Each holds the match as it was then."""
    requests: dict[str, int] = field(default_factory=dict)
    """Sequence number of the first event that each request_id has caused."""
    create_request_id: str | None = None


def replaying(entries: Sequence[Entry]) -> Iterator[Replayed]:
    """What these entries, all of a match, tell; again and again, and at last as a whole.

    Between two times others can be let run. Raises Disagreement.
    """
    if not entries:
        raise Disagreement("nothing is stored")
    state, happened = replay_entry(None, entries[0])
    latest = deque([happened], RING_LEN)
    told = Replayed(state, latest, create_request_id=entries[0].request_id)
    for i, entry in enumerate(entries[1:], 1):
        if i % PART_LEN == 0:
            yield told
        told.state, happened = replay_entry(told.state, entry)
        told.happened.append(happened)
    told.requests = {e.request_id: e.first for e in entries if e.request_id is not None}
    yield told


def replay(entries: Sequence[Entry]) -> Replayed:
    """The match that these entries, all of them, tell. Raises Disagreement."""
    *_, told = replaying(entries)
    return told


def replay_entry(state: TableState | None, entry: Entry) -> tuple[TableState, Happened]:
    """The state after `entry`, and its events. Raises Disagreement if they are not those stored."""
    where = f"entry at {entry.first}"
    if entry.rules_version > RULES_VERSION:
        raise Disagreement(f"{where} was played by rules {entry.rules_version}, newer than ours")
    try:
        if state is None:
            outcome = create(entry.match_id, _created(entry), entry.time_us)
        else:
            outcome = decide(state, cast(Command, entry.command.value), entry.time_us)
        after, happened = advance(outcome, entry.time_us, entry.command.value.get("deadline_us"))
        agrees = happened.first == entry.first and Json(happened.stored()) == entry.events
    except (Refused, EngineError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise Disagreement(f"{where} cannot be played again: {type(error).__name__}") from error
    if not agrees:
        raise Disagreement(f"{where} causes other events than those stored")
    return after, happened


def _created(entry: Entry) -> Create:
    """The command that sets the table. Raises ValueError for text that no row could hold."""
    command = cast(Create, entry.command.value)
    to_json(command)
    return {**command, "setup": shared(command["setup"])}


def row_from_log(entries: Sequence[Entry]) -> IndexRow:
    """The index row of a match, made anew."""
    told = replay(entries)
    return index_row(told.state, told.create_request_id)
