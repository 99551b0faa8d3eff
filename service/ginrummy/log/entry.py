"""An entry: one accepted command with the events that it caused.

The log is the truth about a match, so an entry holds all that is needed to play the match again:
commands are applied anew, and the events derived have to equal those stored. Commands and events
are JSON objects of the engine's making, never messages of an API version; the log stores them
without knowing what they mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ginrummy.log.json import Json

ENTRY_SCHEMA = 1
"""Number of the layout of an entry as stored. Raised when what `Entry` holds changes."""

HASH_LEN = 32
"""Bytes of a SHA-256; tokens reach the log as these only."""


# Not frozen: to make a frozen one takes longer than all else that is done to append it.
@dataclass(slots=True)
class Entry:
    """One accepted command and its events, numbered `first` … `last` within the match.

    Sequence numbers of a match are 1, 2, 3 … without gaps. `command` is a JSON object, `events` a
    list of as many JSON objects as there are numbers. `time_us` is microseconds since the epoch.
    `request_id` is the caller's, for retries. Treat it as read-only.

    >>> entry = Entry(
    ...     match_id="m1", first=4, last=4, command=Json.of({"kind": "pass"}),
    ...     events=Json.of([{"kind": "passed"}]), time_us=1_700_000_000_000_000, rules_version=1,
    ... )
    >>> entry.events.text
    '[{"kind":"passed"}]'
    """

    match_id: str
    first: int
    last: int
    """Sequence number of the last event."""
    command: Json
    events: Json
    time_us: int
    rules_version: int
    request_id: str | None = None
    schema: int = ENTRY_SCHEMA

    def __post_init__(self) -> None:
        if not self.match_id:
            raise ValueError("an entry belongs to a match")
        if not 1 <= self.first <= self.last:
            raise ValueError(f"no event has the numbers {self.first} to {self.last}")


Change = Callable[[Entry], Entry]
"""What becomes of an entry that is rewritten. Called in any thread."""


def rewritten(entry: Entry, change: Change) -> Entry:
    """The entry as `change` makes it: another command and other events, as many as before.

    Raises ValueError for anything else that is changed.
    """
    new = change(entry)
    if replace(new, command=entry.command, events=entry.events) != entry:
        raise ValueError(f"entry {entry.first} of {entry.match_id} has to stay in its place")
    if len(new.events.value) != len(entry.events.value):
        raise ValueError(f"entry {entry.first} of {entry.match_id} has to keep its numbers")
    return new


def checked_tokens(tokens: Mapping[str, bytes] | None) -> dict[str, bytes]:
    """The token hashes by role, each 32 bytes, lest a token itself be stored by mistake."""
    if not tokens:
        return {}
    for role, digest in tokens.items():
        if not role or len(digest) != HASH_LEN:
            raise ValueError(f"the token of role {role!r} has to be a hash of {HASH_LEN} bytes")
    return dict(tokens)
