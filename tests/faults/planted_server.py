"""The real server with one protection taken away, to see the checks fail.

python -m tests.faults.planted_server FAULT [OPTIONS OF THE SERVER]
"""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from typing import Any
from unittest.mock import patch

from ginrummy.log import SqliteLog
from ginrummy.log.sqlite.file import LogFile
from ginrummy.server import app
from ginrummy.tables.state import advance
from ginrummy.tables.table import Table

LATE_S = 2
"""How much later than it should something is stored."""


def as_future(append: Callable[..., Coroutine[Any, Any, int]]) -> Any:
    """As a log has it."""
    return lambda *given: asyncio.ensure_future(append(*given))


def answer_before_storing() -> None:
    """Appends are answered at once, and stored a little later."""
    append = SqliteLog.append
    waiting: list[tuple[Any, ...]] = []
    tasks: list[asyncio.Task[None]] = []

    async def store_late() -> None:
        while True:
            await asyncio.sleep(LATE_S)
            while waiting:
                await append(*waiting.pop(0))

    async def answer_at_once(log: SqliteLog, entry: Any, *others: Any) -> int:
        if entry.first == 1:
            return await append(log, entry, *others)
        waiting.append((log, entry, *others))
        if not tasks:
            tasks.append(asyncio.create_task(store_late()))
        return 0

    SqliteLog.append = as_future(answer_at_once)  # type: ignore[method-assign]


def show_before_storing() -> None:
    """Events are shown to watchers first, and stored a little later."""
    begin, move_to, append = Table._begin_to_store, Table._move_to, SqliteLog.append

    async def store_late(*given: Any) -> int:
        await asyncio.sleep(LATE_S)
        return await append(*given)

    def show_first(table: Table, asked: Any) -> Any:
        def advance_and_show(*given: Any) -> Any:
            state, happened = advance(*given)
            move_to(table, state, happened, asked.request_id)
            return state, happened

        with patch("ginrummy.tables.table.advance", advance_and_show):
            return begin(table, asked)

    SqliteLog.append = as_future(store_late)  # type: ignore[method-assign]
    Table._begin_to_store = show_first  # type: ignore[method-assign, assignment]
    Table._move_to = lambda *_: None  # type: ignore[method-assign]


def do_not_wait_for_the_disk() -> None:
    """Commits are answered while the disk has yet to write them."""
    writer = LogFile.writer

    def hasty_writer(file: LogFile) -> Any:
        connection = writer(file)
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    LogFile.writer = hasty_writer  # type: ignore[method-assign, assignment]


def forget_requests() -> None:
    """The request_id is not stored, so that a retry after a restart is not recognised."""
    carry_out = Table.carry_out

    async def carry_out_anew(table: Table, asked: Any) -> Any:
        return await carry_out(table, asked._replace(request_id=None))

    Table.carry_out = carry_out_anew  # type: ignore[method-assign, assignment]


FAULTS: dict[str, Callable[[], None]] = {
    fault.__name__: fault
    for fault in (
        answer_before_storing,
        show_before_storing,
        do_not_wait_for_the_disk,
        forget_requests,
    )
}

if __name__ == "__main__":
    FAULTS[sys.argv[1]]()
    raise SystemExit(app.main(sys.argv[2:]))
