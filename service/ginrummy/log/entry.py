"""An entry: one accepted command with the events that it caused.

The log is the truth about a match, so an entry holds all that is needed to play the match again:
commands are applied anew, and the events derived have to equal those stored. Commands and events
are JSON objects of the engine's making, never messages of an API version; the log stores them
without knowing what they mean.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ginrummy.log.errors import LogDamaged

ENTRY_SCHEMA = 1
"""Number of the layout of an entry as stored. Raised when what `Entry` holds changes."""

HASH_LEN = 32
"""Bytes of a SHA-256; tokens reach the log as these only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One accepted command and its events, numbered `first` … `last` within the match.

    Sequence numbers of a match are 1, 2, 3 … without gaps. `time_us` is microseconds since the
    epoch. `request_id` is the caller's, for retries. Treat the JSON objects as read-only.

    >>> entry = Entry(
    ...     match_id="m1", first=4, command={"kind": "pass"}, events=({"kind": "passed"},),
    ...     time_us=1_700_000_000_000_000, rules_version=1,
    ... )
    >>> entry.last
    4
    """

    match_id: str
    first: int
    command: dict[str, Any]
    events: tuple[dict[str, Any], ...]
    time_us: int
    rules_version: int
    request_id: str | None = None
    schema: int = ENTRY_SCHEMA

    def __post_init__(self) -> None:
        if not self.match_id:
            raise ValueError("an entry belongs to a match")
        if self.first < 1:
            raise ValueError(f"sequence numbers begin with 1, not {self.first}")
        if not self.events:
            raise ValueError("an entry without events would have no sequence number")

    @property
    def last(self) -> int:
        """Sequence number of the last event."""
        return self.first + len(self.events) - 1


Change = Callable[[Entry], Entry]
"""What becomes of an entry that is rewritten. Called in any thread."""


def rewritten(entry: Entry, change: Change) -> Entry:
    """The entry as `change` makes it: another command and other events, as many as before.

    Raises ValueError for anything else that is changed.
    """
    new = change(entry)
    if replace(new, command=entry.command, events=entry.events) != entry:
        raise ValueError(f"entry {entry.first} of {entry.match_id} has to stay in its place")
    if len(new.events) != len(entry.events):
        raise ValueError(f"entry {entry.first} of {entry.match_id} has to keep its numbers")
    return new


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def to_json(value: Any) -> str:
    """Compact JSON, readable in any SQL shell. Raises ValueError or TypeError for other things."""
    text = _ENCODER.encode(value)
    text.encode()  # a lone surrogate is refused here, not by the store
    return text


def object_from_json(text: str, where: str) -> dict[str, Any]:
    """A stored JSON object. Raises LogDamaged, naming `where`, if it is none."""
    value = _parse(text, where)
    if not isinstance(value, dict):
        raise LogDamaged(f"{where} is not a JSON object")
    return value


def objects_from_json(text: str, where: str) -> tuple[dict[str, Any], ...]:
    """A stored list of JSON objects. Raises LogDamaged, naming `where`, if it is none."""
    value = _parse(text, where)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise LogDamaged(f"{where} is not a list of JSON objects")
    return tuple(value)


def _parse(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        # The parser's own message could quote what is stored, cards included.
        raise LogDamaged(f"{where} is not JSON") from error


def checked_tokens(tokens: Mapping[str, bytes] | None) -> dict[str, bytes]:
    """The token hashes by role, each 32 bytes, lest a token itself be stored by mistake."""
    if tokens is None:
        return {}
    for role, digest in tokens.items():
        if not role or len(digest) != HASH_LEN:
            raise ValueError(f"the token of role {role!r} has to be a hash of {HASH_LEN} bytes")
    return dict(tokens)
