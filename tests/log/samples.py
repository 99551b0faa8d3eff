"""Small matches for the tests of the log: what the entries mean is nobody's business here."""

import asyncio
import hashlib
import itertools
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from ginrummy.log import Entry, EventLog, IndexRow, Json, MatchState, SqliteLog

EPOCH_US = 1_800_000_000_000_000

_numbers = itertools.count(1)


def digest(token: str) -> bytes:
    """What the log is given of a token."""
    return hashlib.sha256(token.encode()).digest()


def entry_of(match_id: str, first: int = 1, event_count: int = 1, **fields: Any) -> Entry:
    """An entry whose content differs from that of every other."""
    number = next(_numbers)
    command = fields.pop("command", {"kind": "discard", "card": "7♥", "number": number})
    events = [{"kind": "discarded", "number": number, "n": n} for n in range(event_count)]
    fields.setdefault("time_us", EPOCH_US + number)
    return Entry(
        match_id=match_id,
        first=first,
        last=first + event_count - 1,
        command=Json.of(command),
        events=Json.of(events),
        rules_version=1,
        **fields,
    )


def fold(entries: Sequence[Entry]) -> IndexRow:
    """The row that every entry here is appended with: commands carry the row's fields in "row"."""
    told: dict[str, Any] = {}
    for entry in entries:
        told |= entry.command.value.get("row", {})
    return IndexRow(
        match_id=entries[0].match_id,
        head=entries[-1].last,
        created_us=entries[0].time_us,
        updated_us=entries[-1].time_us,
        state=MatchState(told.pop("state", "running")),
        **_with_json({"ruleset": "short"} | told),
    )


def row_of(entry: Entry, **fields: Any) -> IndexRow:
    """A row that goes with `entry`."""
    fields.setdefault("state", MatchState.RUNNING)
    fields.setdefault("ruleset", "short")
    fields.setdefault("created_us", entry.time_us)
    fields.setdefault("updated_us", entry.time_us)
    return IndexRow(match_id=entry.match_id, head=entry.last, **_with_json(fields))


def _with_json(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: Json.of(value) if name in ("labels", "summary") else value
        for name, value in fields.items()
    }


async def append(log: EventLog, match_id: str, first: int = 1, **fields: Any) -> Entry:
    """Appends one entry with a row that goes with it and returns the entry."""
    entry = entry_of(match_id, first, **fields)
    await log.append(entry, row_of(entry))
    return entry


async def create(log: EventLog, match_id: str, **row_fields: Any) -> IndexRow:
    """Appends a match's first entry and returns its row."""
    entry = entry_of(match_id)
    row = row_of(entry, **row_fields)
    await log.append(entry, row)
    return row


@asynccontextmanager
async def busy_writer(log: SqliteLog) -> AsyncIterator[None]:
    """What is asked of the log within the block waits for its end, and is done together then."""
    holding, let_go = threading.Event(), threading.Event()

    def hold(_: object) -> None:
        holding.set()
        let_go.wait()

    held = log._writer.run(hold)
    await asyncio.to_thread(holding.wait)
    try:
        yield
    finally:
        let_go.set()
        await held
