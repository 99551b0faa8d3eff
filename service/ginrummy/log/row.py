"""The index row: what listings, expiry and a restart need to know of a match without loading it.

A row is derived from the match's entries and written in the same transaction as each of them, so
it is never behind; `EventLog.rebuild_index` makes rows anew.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ginrummy.log.entry import Entry
from ginrummy.log.errors import BadPageToken
from ginrummy.log.json import Json, empty, to_json


class MatchState(StrEnum):
    """How far a match has come, as far as listings care."""

    OPEN = "open"
    RUNNING = "running"
    FINISHED = "finished"
    ABORTED = "aborted"

    @property
    def ended(self) -> bool:
        """No further entry is expected."""
        return self in ENDED


# To look a member up in its class is a call, in Python 3.11.
ENDED = (MatchState.FINISHED, MatchState.ABORTED)


# Not frozen, as `Entry` is not.
@dataclass(slots=True)
class IndexRow:
    """The summary of one match after its last entry. Times are microseconds since the epoch.

    `created_us` and `create_request_id` stay what the first entry's row said, as paging and retries
    rest on them. `summary` is a small JSON object for whoever writes the row, such as the seats and
    scores that a listing shows; the log does not look into it. `labels` is a JSON object of texts.
    Treat it as read-only.
    """

    match_id: str
    state: MatchState
    head: int
    """Sequence number of the last event."""
    ruleset: str
    created_us: int
    updated_us: int
    labels: Json = field(default_factory=empty)
    unlisted: bool = False
    joinable: bool = False
    """A seat is open."""
    deadline_us: int | None = None
    """When a clock runs out, if one is running."""
    bot_owes: bool = False
    """A bot is to move."""
    create_request_id: str | None = None
    summary: Json = field(default_factory=empty)

    @property
    def needs_attention(self) -> bool:
        """Without anybody's call something has to happen: a clock runs out or a bot moves."""
        return not self.state.ended and (self.deadline_us is not None or self.bot_owes)


def check_row(entry: Entry, row: IndexRow) -> None:
    """Raises ValueError unless `row` is the summary of a match that ends with `entry`."""
    if row.match_id != entry.match_id or row.head != entry.last:
        raise ValueError(
            f"row of {row.match_id} at {row.head} does not go with"
            f" entry {entry.first} to {entry.last} of {entry.match_id}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFilter:
    """Which rows to list; everything given has to hold. Unlisted matches only when asked for."""

    state: MatchState | None = None
    ruleset: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    joinable_only: bool = False
    include_unlisted: bool = False

    def admits(self, row: IndexRow) -> bool:
        """Whether `row` is to be listed."""
        return (
            self.state in (None, row.state)
            and self.ruleset in (None, row.ruleset)
            and (row.joinable or not self.joinable_only)
            and (self.include_unlisted or not row.unlisted)
            and all(row.labels.value.get(key) == value for key, value in self.labels.items())
        )

    def digest(self) -> str:
        """A short name of this filter, by which a page token is known to belong to it."""
        chosen = [
            self.state,
            self.ruleset,
            sorted(self.labels.items()),
            self.joinable_only,
            self.include_unlisted,
        ]
        return hashlib.sha256(to_json(chosen).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleRows:
    """Which rows to look for: of matches that have ended, or that have not, and rest since then."""

    ended: bool
    until_us: int
    """Nothing has happened in them after this."""
    after: tuple[int, str] = (-(2**63), "")
    """`updated_us` and match_id of the last one known already."""

    def admits(self, row: IndexRow) -> bool:
        """Whether `row` is one of them."""
        return (
            row.state.ended == self.ended
            and row.updated_us <= self.until_us
            and (row.updated_us, row.match_id) > self.after
        )


@dataclass(frozen=True, slots=True)
class RowPage:
    """Some rows, newest match first, and the token of the next page (empty: there is none)."""

    rows: list[IndexRow]
    next_page_token: str


PagePosition = tuple[int, str]
"""`created_us` and match_id of the last row shown. Not a count: new matches would shift it."""


def page_token(row: IndexRow, chosen: RowFilter) -> str:
    """Opaque to callers: where `row` stands in the listing of `chosen`."""
    text = to_json([row.created_us, row.match_id, chosen.digest()])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def page_position(token: str, chosen: RowFilter) -> PagePosition | None:
    """Where to go on; None for the first page (empty token). Raises BadPageToken."""
    if not token:
        return None
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        parts = json.loads(raw)
        to_json(parts)  # refuses text that no store could look up
    except (binascii.Error, ValueError, RecursionError) as error:
        raise BadPageToken("not one of this server's") from error
    match parts:
        case [int(created_us), str(match_id), str(digest)] if abs(created_us) < 2**63:
            if digest != chosen.digest():
                raise BadPageToken("it belongs to another filter")
            return created_us, match_id
        case _:
            raise BadPageToken("not one of this server's")


def page_of(rows: list[IndexRow], page_size: int, chosen: RowFilter) -> RowPage:
    """The page made of the first `page_size` of `rows`, one more than which have been looked up."""
    shown = rows[:page_size]
    more = len(rows) > page_size
    return RowPage(shown, page_token(shown[-1], chosen) if more else "")


def check_page_size(page_size: int) -> None:
    """Raises ValueError for a page without rows; upper bounds are the API's affair."""
    if page_size < 1:
        raise ValueError(f"a page holds at least one row, not {page_size}")
