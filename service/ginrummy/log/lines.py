"""A match as lines of text, to be kept or looked at outside the log: a header, then its entries.

Each line is a JSON object. What is read back equals what was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ginrummy.log.entry import ENTRY_SCHEMA, Entry
from ginrummy.log.errors import LogDamaged
from ginrummy.log.json import Json, read_object, to_json

FORMAT = "ginrummy match log"


def to_lines(entries: Sequence[Entry]) -> Iterator[str]:
    """The lines of one match, without their ends, from all of its entries."""
    header = {
        "format": FORMAT,
        "match_id": entries[0].match_id,
        "schema": ENTRY_SCHEMA,
        "rules_version": max(entry.rules_version for entry in entries),
        "entries": len(entries),
        "head": entries[-1].last,
    }
    yield to_json(header)
    for entry in entries:
        yield to_json(
            {
                "first": entry.first,
                "last": entry.last,
                "time_us": entry.time_us,
                "rules_version": entry.rules_version,
                "request_id": entry.request_id,
                "command": entry.command.value,
                "events": entry.events.value,
            }
        )


def from_lines(lines: Iterable[str]) -> Iterator[list[Entry]]:
    """The entries of each match that these lines tell. Raises LogDamaged."""
    numbered = enumerate(lines, start=1)
    for number, line in numbered:
        header = read_object(line, f"line {number}").value
        if header.get("format") != FORMAT:
            raise LogDamaged(f"line {number} does not begin a match")
        if header["schema"] != ENTRY_SCHEMA:
            raise LogDamaged(f"line {number} has schema {header['schema']}, not {ENTRY_SCHEMA}")
        entries: list[Entry] = []
        while len(entries) < header["entries"]:
            number, line = next(numbered, (number, ""))
            entries.append(_entry(header, read_object(line, f"line {number}").value, number))
        yield entries


def _entry(header: dict[str, Any], told: dict[str, Any], number: int) -> Entry:
    try:
        entry = Entry(
            match_id=header["match_id"],
            first=told["first"],
            last=told["last"],
            command=Json.of(told["command"]),
            events=Json.of(told["events"]),
            time_us=told["time_us"],
            rules_version=told["rules_version"],
            request_id=told["request_id"],
            schema=header["schema"],
        )
        event_count = len(told["events"])
    except (LookupError, TypeError, ValueError) as error:
        raise LogDamaged(f"line {number} is no entry") from error
    if event_count != entry.last - entry.first + 1:
        raise LogDamaged(f"line {number} does not end with {entry.last}")
    return entry
