"""What a log can refuse or fail to do.

Callers tell three things apart by type: the entry does not fit (`Conflict`, `RequestIdReused`,
`MatchAlreadyCreated`: the log is well and holds something else), the question was wrong
(`UnknownMatch`, `BadPageToken`), and the store is in trouble (`LogUnavailable` and its kinds: try
again later, or call the operator). No error of a storage library leaves this package.
"""

# ruff: noqa: N818 - these are named after what happened, as callers read them.

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ginrummy.log.entry import Entry


class LogError(Exception):
    """Anything a log raises on purpose."""


class Conflict(LogError):
    """The entry does not begin right after the match's last event; somebody else was faster.

    `head` is the last sequence number stored, 0 for an unknown match.
    """

    def __init__(self, match_id: str, first: int, head: int) -> None:
        super().__init__(f"match {match_id} stands at {head}, so {first} cannot come next")
        self.match_id = match_id
        self.first = first
        self.head = head


class RequestIdReused(LogError):
    """The match already holds an entry with this request_id.

    `entry` is the stored one: with the same command this is a retry, whose answer it holds; with
    another command the caller made a mistake.
    """

    def __init__(self, entry: Entry) -> None:
        super().__init__(
            f"match {entry.match_id} took request {entry.request_id} at {entry.first} already"
        )
        self.entry = entry


class MatchAlreadyCreated(LogError):
    """The create_request_id made a match before; `match_id` is that match."""

    def __init__(self, match_id: str, create_request_id: str) -> None:
        super().__init__(f"request {create_request_id} created match {match_id} already")
        self.match_id = match_id
        self.create_request_id = create_request_id


class UnknownMatch(LogError):
    """No entry of this match is stored."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"no match {match_id}")
        self.match_id = match_id


class BadPageToken(LogError):
    """The page token was not given out by `list_rows` for this filter."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"bad page token: {reason}")
        self.reason = reason


class TailLagged(LogError):
    """The listener fell behind by more than its tail holds, and has missed appends.

    Its tail has ended. It opens a new one and lists the rows again.
    """

    def __init__(self, limit: int) -> None:
        super().__init__(f"more than {limit} appends were waiting for a listener")
        self.limit = limit


class LogUnavailable(LogError):
    """The store cannot do it now: disk full, not writable, locked. Nothing of it was kept.

    Trying again is right; the log goes on by itself when the trouble ends. `reason` names the path
    and the cause, for operators; it holds nothing of any match.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class LogClosed(LogUnavailable):
    """`close` was called."""

    def __init__(self) -> None:
        super().__init__("the match log is closed")


class LogInUse(LogUnavailable):
    """Another process holds the file."""


class LogDamaged(LogUnavailable):
    """What is stored cannot be read as a match log; an operator has to look."""


class SchemaTooNew(LogUnavailable):
    """A later version wrote the file; going back needs a backup from before the upgrade."""

    def __init__(self, path: str, found: int, known: int) -> None:
        super().__init__(
            f"{path} has schema {found}; this version knows schemas up to {known}."
            " Run the version that wrote it, or restore a backup from before the upgrade"
        )
        self.found = found
        self.known = known
