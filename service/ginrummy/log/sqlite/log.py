"""`SqliteLog`: the contract of `EventLog` on one SQLite file."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from ginrummy.log.entry import Change, Entry, checked_tokens, rewritten
from ginrummy.log.errors import LogClosed, LogDamaged, LogUnavailable, UnknownMatch
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
from ginrummy.log.sqlite import statements
from ginrummy.log.sqlite.file import LogFile
from ginrummy.log.sqlite.jobs import Append
from ginrummy.log.sqlite.purging import Purges
from ginrummy.log.sqlite.readers import Readers
from ginrummy.log.sqlite.writer import Writer
from ginrummy.log.tail import TAIL_LIMIT, Tail, Tails, Wanted, all_of_them


class SqliteLog:
    """A match log in one file; see `EventLog` for the contract.

    Made by `open`, in the event loop that will use it. One writer thread commits appends in groups
    (see `Writer`), others read; the event loop never waits for the disk.
    """

    def __init__(self, file: LogFile, loop: asyncio.AbstractEventLoop) -> None:
        self._file = file
        self.on_commit: OnCommit = nobody
        self._writer = Writer(file, loop, lambda count, s: self.on_commit(count, s))
        self._readers = Readers(file)
        self._tails = Tails()
        self._damaged: set[str] = set()
        self._unfinished: set[str] = set()
        self._purges = Purges(lambda: self._writer.run_alone(self._file.purge))
        self._closed = False

    @classmethod
    async def open(cls, path: Path | str) -> Self:
        """Opens the file, makes it if there is none, and brings an older one up to date.

        The directory has to exist. Raises LogInUse, LogDamaged, SchemaTooNew or LogUnavailable,
        each of which names the path and the cause.
        """
        file = await asyncio.to_thread(LogFile, Path(path))
        log = cls(file, asyncio.get_running_loop())
        try:
            await log._look_through()
        except BaseException:
            await log.close()
            raise
        return log

    async def _look_through(self) -> None:
        self._unfinished = await self._readers.run(statements.unfinished)
        if self._file.is_checked:
            self._damaged = await self._readers.run(statements.without_row)

    @property
    def path(self) -> Path:
        """The file, as an absolute path without links."""
        return self._file.path

    def append(
        self, entry: Entry, row: IndexRow, tokens: Mapping[str, bytes] | None = None
    ) -> asyncio.Future[int]:
        check_row(entry, row)
        return self._writer.append(entry, row, checked_tokens(tokens), self._appended)

    def _appended(self, append: Append) -> None:
        self._note(append.row)
        self._tails.tell(append.entry, append.row, append.revision)

    def _note(self, row: IndexRow) -> None:
        """Counts the match whose row is stored now."""
        if row.state.ended:
            self._unfinished.discard(row.match_id)
        else:
            self._unfinished.add(row.match_id)

    @property
    def unfinished_count(self) -> int:
        return len(self._unfinished)

    async def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        return await self._readers.run(
            lambda connection: statements.entries_after(connection, match_id, after, limit)
        )

    async def entry_at(self, match_id: str, first: int) -> Entry | None:
        return await self._readers.run(
            lambda connection: statements.entry_at(connection, match_id, first)
        )

    async def entry_by_request(self, match_id: str, request_id: str) -> Entry | None:
        return await self._readers.run(
            lambda connection: statements.entry_by_request(connection, match_id, request_id)
        )

    async def row(self, match_id: str) -> IndexRow | None:
        return await self._readers.run(lambda connection: statements.row_of(connection, match_id))

    async def match_created_by(self, create_request_id: str) -> str | None:
        return await self._readers.run(
            lambda connection: statements.match_created_by(connection, create_request_id)
        )

    async def list_rows(
        self, chosen: RowFilter = ALL_LISTED, page_size: int = 50, page_token: str = ""
    ) -> RowPage:
        check_page_size(page_size)
        after = page_position(page_token, chosen)
        found = await self._readers.run(
            lambda connection: statements.rows_listed(connection, chosen, after, page_size + 1)
        )
        return page_of(self._noting_damage(found), page_size, chosen)

    async def rows_needing_attention(self, due_by_us: int | None = None) -> list[IndexRow]:
        found = await self._readers.run(
            lambda connection: statements.rows_needing_attention(connection, due_by_us)
        )
        return self._noting_damage(found)

    def take_damaged(self) -> set[str]:
        damaged, self._damaged = self._damaged, set()
        return damaged

    def _noting_damage(self, found: statements.Rows) -> list[IndexRow]:
        self._damaged |= found.damaged
        return found.rows

    async def idle_rows(self, chosen: IdleRows, limit: int) -> list[IndexRow]:
        found = await self._readers.run(
            lambda connection: statements.idle_rows(connection, chosen, limit)
        )
        return self._noting_damage(found)

    async def matches_naming(self, name: str) -> list[str]:
        return await self._readers.run(
            lambda connection: statements.matches_naming(connection, name)
        )

    async def tokens(self, match_id: str) -> dict[str, bytes]:
        return await self._readers.run(
            lambda connection: statements.tokens_of(connection, match_id)
        )

    async def set_token(self, match_id: str, role: str, digest: bytes) -> None:
        checked_tokens({role: digest})
        await self._writer.run(
            lambda connection: statements.replace_token(connection, match_id, role, digest)
        )

    async def forget(self, match_id: str) -> None:
        await self._writer.run(
            lambda connection: statements.forget(connection, match_id),
            lambda _: self._unfinished.discard(match_id),
        )

    async def rewrite(self, match_id: str, change: Change, fold: Fold) -> None:
        def work(connection: sqlite3.Connection) -> IndexRow:
            entries = _all_entries(connection, match_id)
            changed = [rewritten(entry, change) for entry in entries]
            for old, new in zip(entries, changed, strict=True):
                if new != old:
                    statements.put_in_place(connection, old, new)
            return _put_row_of(connection, changed, fold)

        self._purges.need()
        await self._writer.run(work, self._note)

    async def purge(self) -> None:
        await self._purges.done()

    async def rebuild_file(self) -> None:
        """As `purge`, of a file of any size; nothing can be stored meanwhile."""
        await self._writer.run_alone(self._file.rebuild)

    async def rebuild_row(self, match_id: str, fold: Fold) -> None:
        def rebuild(connection: sqlite3.Connection) -> IndexRow:
            # Within the writer, so that no entry is added between reading and writing.
            return _put_row_of(connection, _all_entries(connection, match_id), fold)

        await self._writer.run(rebuild, self._note)

    async def rebuild_index(self, fold: Fold) -> dict[str, Exception]:
        failed: dict[str, Exception] = {}
        for match_id in await self._readers.run(statements.match_ids):
            try:
                await self.rebuild_row(match_id, fold)
            except LogDamaged as error:
                failed[match_id] = error
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
        await self._purges.close()
        await self._readers.close()
        await self._writer.close()  # last: it leaves one file, without a write-ahead log
        self._tails.close()
        self._file.close()


def _all_entries(connection: sqlite3.Connection, match_id: str) -> list[Entry]:
    """Every entry of a match. Raises UnknownMatch."""
    entries = statements.entries_after(connection, match_id)
    if not entries:
        raise UnknownMatch(match_id)
    return entries


def _put_row_of(connection: sqlite3.Connection, entries: Sequence[Entry], fold: Fold) -> IndexRow:
    row = fold(entries)
    check_row(entries[-1], row)
    statements.put_row(connection, row)
    return row
