"""What a match log promises, whichever engine stores it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from ginrummy.log.entry import Change, Entry
from ginrummy.log.row import IdleRows, IndexRow, RowFilter, RowPage
from ginrummy.log.tail import TAIL_LIMIT, Tail, Wanted, all_of_them

Fold = Callable[[Sequence[Entry]], IndexRow]
"""Makes the index row of a match from all of its entries, oldest first. Called in any thread."""

OnCommit = Callable[[int, float], None]
"""Told, in any thread, how many changes became durable together, and in how many seconds."""

ALL_LISTED = RowFilter()


def nobody(_: int, __: float) -> None:
    """Is told of a commit and does nothing."""


class EventLog(Protocol):
    """Stores entries in order, each exactly once, and the index row of every match.

    Every method raises `LogUnavailable` when the store is in trouble, and works again when the
    trouble ends. Methods are called from one event loop.
    """

    on_commit: OnCommit
    """For measuring; what it raises is passed over."""

    @property
    def unfinished_count(self) -> int:
        """How many rows are of matches that have not ended, as of the latest durable change."""
        ...

    def append(
        self, entry: Entry, row: IndexRow, tokens: Mapping[str, bytes] | None = None
    ) -> asyncio.Future[int]:
        """Stores `entry`, the match's `row` after it, and token hashes by role; all or nothing.

        Succeeds only if the entry begins right after the match's last event (an unknown match
        stands at 0). That condition alone makes retries, two tabs and several servers safe. Returns
        an opaque revision once everything is durable. A future and no coroutine: what is to follow
        is its callback.

        Raises, looked at in this order: `MatchAlreadyCreated`, `RequestIdReused`, `Conflict`. After
        `LogUnavailable` or a cancelled await the entry is stored either as a whole or not at all,
        and the caller reads the head again: cancelling the wait does not cancel the append.
        """
        ...

    async def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        """Entries with events after sequence number `after`, at most `limit`, oldest first.

        The first one holds event `after + 1` and may begin before it. Empty for an unknown match.
        """
        ...

    async def entry_at(self, match_id: str, first: int) -> Entry | None:
        """The entry whose first event is number `first`."""
        ...

    async def entry_by_request(self, match_id: str, request_id: str) -> Entry | None:
        """The entry that was stored for this request."""
        ...

    async def row(self, match_id: str) -> IndexRow | None:
        """The match's index row; its `head` is where the match stands."""
        ...

    async def match_created_by(self, create_request_id: str) -> str | None:
        """match_id of the match that this request created."""
        ...

    async def list_rows(
        self, chosen: RowFilter = ALL_LISTED, page_size: int = 50, page_token: str = ""
    ) -> RowPage:
        """A page of the rows that `chosen` admits, newest match first.

        Every match that exists throughout is listed once, whatever is created meanwhile; one whose
        row is damaged is passed over. Raises `BadPageToken` for a token that was not given out for
        this filter.
        """
        ...

    async def rows_needing_attention(self, due_by_us: int | None = None) -> list[IndexRow]:
        """Rows of matches not ended in which a bot owes a move or a clock is running.

        With `due_by_us` clocks count only if they run out by then. A restart looks here for what it
        has to go on with. Damaged rows are passed over.
        """
        ...

    def take_damaged(self) -> set[str]:
        """The matches whose damaged rows were passed over since this was asked last."""
        ...

    async def idle_rows(self, chosen: IdleRows, limit: int) -> list[IndexRow]:
        """At most `limit` of the chosen rows, the one longest at rest first.

        Damaged rows are passed over.
        """
        ...

    async def matches_naming(self, name: str) -> list[str]:
        """The matches with a command that holds this string; a few others may be among them."""
        ...

    async def tokens(self, match_id: str) -> dict[str, bytes]:
        """SHA-256 of the match's tokens, by role."""
        ...

    async def set_token(self, match_id: str, role: str, digest: bytes) -> None:
        """Replaces the role's token hash; the old token stops working. Raises `UnknownMatch`."""
        ...

    async def forget(self, match_id: str) -> None:
        """Removes the match's entries, row and tokens; all or nothing. Raises `UnknownMatch`."""
        ...

    async def rewrite(self, match_id: str, change: Change, fold: Fold) -> None:
        """Puts changed entries in the place of a match's own, and makes its row anew.

        All or nothing. Commands and events may change, their numbers may not. Tails are not told.
        Raises `UnknownMatch`, ValueError for a change of more than that, or what `change` and
        `fold` raise.
        """
        ...

    async def purge(self) -> None:
        """Returns once the store holds no bytes of what was rewritten before.

        Raises `LogUnavailable` while another program reads them; then again is right.
        """
        ...

    async def rebuild_row(self, match_id: str, fold: Fold) -> None:
        """Makes the match's index row anew from its entries.

        Raises `UnknownMatch`, or what `fold` raises; the match then keeps the row it has.
        """
        ...

    async def rebuild_index(self, fold: Fold) -> dict[str, Exception]:
        """Makes every index row anew from the entries, a match at a time.

        A match that `fold` fails on, or makes no fitting row of, keeps the row it has. Returns
        those matches with the reasons.
        """
        ...

    def tail(self, limit: int = TAIL_LIMIT, wanted: Wanted = all_of_them) -> Tail:
        """Listens to the wanted appends from now on; at most `limit` wait for the listener.

        `wanted` is asked once of each append for all who listen with the same function.
        """
        ...

    async def close(self) -> None:
        """Stores what was begun, ends the tails, lets go of the store. Again does nothing."""
        ...
