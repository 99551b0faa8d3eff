"""A log that forgets, for tests and trials; its contract is the one that SQLite keeps."""

from __future__ import annotations

import asyncio
import contextlib
from bisect import bisect_right
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace

from ginrummy.log.entry import (
    Change,
    Entry,
    checked_tokens,
    rewritten,
)
from ginrummy.log.errors import (
    Conflict,
    LogClosed,
    LogUnavailable,
    MatchAlreadyCreated,
    RequestIdReused,
    UnknownMatch,
)
from ginrummy.log.json import Json, to_json
from ginrummy.log.protocol import ALL_LISTED, Fold, OnCommit, nobody
from ginrummy.log.row import (
    IdleRows,
    IndexRow,
    RowFilter,
    RowPage,
    check_page_size,
    check_row,
    page_of,
    page_position,
)
from ginrummy.log.tail import TAIL_LIMIT, Tail, Tails, Wanted, all_of_them


@dataclass(slots=True)
class _Kept:
    """One match."""

    row: IndexRow
    entries: list[Entry] = field(default_factory=list)
    requests: dict[str, int] = field(default_factory=dict)
    """Where among the entries that of each request is."""
    tokens: dict[str, bytes] = field(default_factory=dict)

    @property
    def head(self) -> int:
        return self.entries[-1].last if self.entries else 0

    def after(self, sequence: int) -> int:
        """Where among the entries those with later events begin."""
        return bisect_right(self.entries, sequence, key=lambda entry: entry.last)


class _OthersFirst:
    """Awaited, it lets every other task run; `asyncio.sleep(0)` takes twice as long over it."""

    def __await__(self) -> Generator[None, None, None]:
        yield


_OTHERS_FIRST = _OthersFirst()


class MemoryLog:
    """Keeps everything in this process.

    Every call gives way to other tasks once, as a real store does. While `trouble` is set every
    call raises it and changes nothing, which is how a test plays a full disk.
    """

    def __init__(self) -> None:
        self.trouble: LogUnavailable | None = None
        self.on_commit: OnCommit = nobody
        self._loop = asyncio.get_running_loop()
        self._kept: dict[str, _Kept] = {}
        self._unfinished: set[str] = set()
        self._created_by: dict[str, str] = {}
        self._revision = 0
        self._tails = Tails()
        self._closed = False

    def append(
        self, entry: Entry, row: IndexRow, tokens: Mapping[str, bytes] | None = None
    ) -> asyncio.Future[int]:
        check_row(entry, row)
        hashes = checked_tokens(tokens)
        if self._closed:
            raise LogClosed
        stored: asyncio.Future[int] = self._loop.create_future()
        self._loop.call_soon(self._append, stored, entry, row, hashes)
        return stored

    def _append(
        self, stored: asyncio.Future[int], entry: Entry, row: IndexRow, hashes: Mapping[str, bytes]
    ) -> None:
        """In the turn after the one in which it was asked for, whether or not anybody waits."""
        try:
            self._check_usable()
            revision = self._store(entry, row, hashes)
        except Exception as error:
            if not stored.done():
                stored.set_exception(error)
        else:
            if not stored.done():
                stored.set_result(revision)

    def _store(self, entry: Entry, row: IndexRow, hashes: Mapping[str, bytes]) -> int:
        kept = self._fitting(entry, row)
        if entry.request_id is not None:
            kept.requests[entry.request_id] = len(kept.entries)
        kept.entries.append(entry)
        kept.tokens |= hashes
        self._kept[entry.match_id] = kept
        self._put_row(row)
        if row.create_request_id is not None:
            self._created_by[row.create_request_id] = row.match_id
        self._revision += 1
        self._committed()
        self._tails.tell(entry, row, self._revision)
        return self._revision

    def _committed(self) -> None:
        if self.on_commit is nobody:
            return
        with contextlib.suppress(Exception):
            self.on_commit(1, 0.0)

    @property
    def unfinished_count(self) -> int:
        return len(self._unfinished)

    def _put_row(self, row: IndexRow) -> None:
        self._kept[row.match_id].row = row
        if row.state.ended:
            self._unfinished.discard(row.match_id)
        else:
            self._unfinished.add(row.match_id)

    def _fitting(self, entry: Entry, row: IndexRow) -> _Kept:
        """The match that `entry` goes on with or begins. Raises as `append` does."""
        creator = row.create_request_id
        created = None if creator is None else self._created_by.get(creator)
        if (
            creator is not None
            and created is not None
            and (created != entry.match_id or entry.first == 1)
        ):
            raise MatchAlreadyCreated(created, creator)
        kept = self._kept.get(entry.match_id) or _Kept(row)
        if entry.request_id in kept.requests:
            raise RequestIdReused(_copy_entry(kept.entries[kept.requests[entry.request_id]]))
        if entry.first != kept.head + 1:
            raise Conflict(entry.match_id, entry.first, kept.head)
        return kept

    async def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        await self._turn()
        kept = self._kept.get(match_id)
        if kept is None:
            return []
        begin = kept.after(after)
        end = None if limit is None else begin + limit
        return [_copy_entry(entry) for entry in kept.entries[begin:end]]

    async def entry_at(self, match_id: str, first: int) -> Entry | None:
        holding = await self.read(match_id, first - 1, 1)
        return next((entry for entry in holding if entry.first == first), None)

    async def entry_by_request(self, match_id: str, request_id: str) -> Entry | None:
        await self._turn()
        kept = self._kept.get(match_id)
        if kept is None or request_id not in kept.requests:
            return None
        return _copy_entry(kept.entries[kept.requests[request_id]])

    async def row(self, match_id: str) -> IndexRow | None:
        await self._turn()
        kept = self._kept.get(match_id)
        return None if kept is None else _copy_row(kept.row)

    async def match_created_by(self, create_request_id: str) -> str | None:
        await self._turn()
        return self._created_by.get(create_request_id)

    async def list_rows(
        self, chosen: RowFilter = ALL_LISTED, page_size: int = 50, page_token: str = ""
    ) -> RowPage:
        check_page_size(page_size)
        after = page_position(page_token, chosen)
        await self._turn()
        rows = [
            _copy_row(kept.row)
            for kept in self._kept.values()
            if chosen.admits(kept.row) and (after is None or _position(kept.row) < after)
        ]
        rows.sort(key=_position, reverse=True)
        return page_of(rows, page_size, chosen)

    async def rows_needing_attention(self, due_by_us: int | None = None) -> list[IndexRow]:
        await self._turn()
        return [
            _copy_row(kept.row)
            for kept in self._kept.values()
            if kept.row.needs_attention and _due(kept.row, due_by_us)
        ]

    async def idle_rows(self, chosen: IdleRows, limit: int) -> list[IndexRow]:
        await self._turn()
        rows = [_copy_row(kept.row) for kept in self._kept.values() if chosen.admits(kept.row)]
        rows.sort(key=lambda row: (row.updated_us, row.match_id))
        return rows[:limit]

    async def matches_naming(self, name: str) -> list[str]:
        await self._turn()
        text = to_json(name)
        return sorted(
            match_id
            for match_id, kept in self._kept.items()
            if any(text in entry.command.text for entry in kept.entries)
        )

    async def tokens(self, match_id: str) -> dict[str, bytes]:
        await self._turn()
        kept = self._kept.get(match_id)
        return {} if kept is None else dict(kept.tokens)

    async def set_token(self, match_id: str, role: str, digest: bytes) -> None:
        hashes = checked_tokens({role: digest})
        await self._turn()
        if match_id not in self._kept:
            raise UnknownMatch(match_id)
        self._kept[match_id].tokens |= hashes
        self._committed()

    def take_damaged(self) -> set[str]:
        return set()

    async def forget(self, match_id: str) -> None:
        await self._turn()
        if match_id not in self._kept:
            raise UnknownMatch(match_id)
        self._unfinished.discard(match_id)
        creator = self._kept.pop(match_id).row.create_request_id
        if creator is not None:
            self._created_by.pop(creator, None)
        self._committed()

    async def rewrite(self, match_id: str, change: Change, fold: Fold) -> None:
        await self._turn()
        if match_id not in self._kept:
            raise UnknownMatch(match_id)
        entries = [_copy_entry(rewritten(e, change)) for e in self._kept[match_id].entries]
        row = fold(entries)
        check_row(entries[-1], row)
        self._kept[match_id].entries = entries
        self._put_row(_copy_row(row))
        self._committed()

    async def purge(self) -> None:
        await self._turn()

    async def rebuild_row(self, match_id: str, fold: Fold) -> None:
        await self._turn()
        if match_id not in self._kept:
            raise UnknownMatch(match_id)
        entries = [_copy_entry(entry) for entry in self._kept[match_id].entries]
        row = fold(entries)
        check_row(entries[-1], row)
        self._put_row(_copy_row(row))

    async def rebuild_index(self, fold: Fold) -> dict[str, Exception]:
        failed: dict[str, Exception] = {}
        for match_id in sorted(self._kept):
            try:
                await self.rebuild_row(match_id, fold)
            except LogUnavailable:
                raise
            except Exception as error:
                failed[match_id] = error
        return failed

    def tail(self, limit: int = TAIL_LIMIT, wanted: Wanted = all_of_them) -> Tail:
        if self._closed:
            raise LogClosed
        return self._tails.open(limit, wanted)

    async def close(self) -> None:
        self._closed = True
        self._tails.close()

    async def _turn(self) -> None:
        """Lets others run, then makes sure that the log can be used."""
        if self._closed:
            raise LogClosed
        await _OTHERS_FIRST
        self._check_usable()

    def _check_usable(self) -> None:
        if self.trouble is not None:
            raise self.trouble


def _position(row: IndexRow) -> tuple[int, str]:
    return row.created_us, row.match_id


def _due(row: IndexRow, due_by_us: int | None) -> bool:
    if due_by_us is None or row.bot_owes:
        return True
    return row.deadline_us is not None and row.deadline_us <= due_by_us


def _copy_entry(entry: Entry) -> Entry:
    """The entry as a store would give it back, its objects nobody else's."""
    return replace(entry, command=Json(entry.command.text), events=Json(entry.events.text))


def _copy_row(row: IndexRow) -> IndexRow:
    return replace(row, labels=Json(row.labels.text), summary=Json(row.summary.text))
