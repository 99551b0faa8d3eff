"""Where simulations are kept: a SQLite file beside the match log, or memory for tests.

The lock that keeps a second server from the match log keeps it from this file too. One thread does
all that is done here; what it has committed is on the disk.
"""

import asyncio
import contextlib
import os
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from ginrummy.simulations.errors import StoreTrouble

FILE_NAME = "simulations.sqlite3"
SCHEMA = 1
IN_MEMORY = ":memory:"
LOCKED_WAIT_S = 1.0
"""How long a statement waits for another program that reads the file."""

CREATE = """
CREATE TABLE simulations (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  request_id TEXT UNIQUE,
  caller TEXT NOT NULL,
  state TEXT NOT NULL,
  spec TEXT NOT NULL,
  progress TEXT NOT NULL,
  engine TEXT NOT NULL,
  rules_version INTEGER NOT NULL,
  created_us INTEGER NOT NULL,
  ended_us INTEGER,
  error TEXT NOT NULL
) STRICT;
CREATE INDEX simulations_by_end ON simulations (ended_us) WHERE ended_us IS NOT NULL;
CREATE INDEX simulations_to_do ON simulations (number) WHERE ended_us IS NULL;
"""
COLUMNS = (
    "number, id, request_id, caller, state, spec, progress, engine, rules_version,"
    " created_us, ended_us, error"
)

Found = TypeVar("Found")


class State(StrEnum):
    """How far a simulation is."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(slots=True, kw_only=True)
class Row:
    """A simulation as it is stored."""

    number: int = 0
    """In the order in which they were asked for; 0 until it is stored."""
    id: str
    request_id: str | None
    caller: str
    """Whose it is, for his limit; empty once it has ended."""
    state: State
    spec: str
    progress: str
    engine: str
    rules_version: int
    created_us: int
    ended_us: int | None = None
    error: str = ""


class Store:
    """The rows of one server."""

    def __init__(self, path: Path | None) -> None:
        """None: nothing outlives the store."""
        self._path = path
        self._thread = ThreadPoolExecutor(1, "simulations-store")
        self._connection: sqlite3.Connection | None = None

    async def open(self) -> None:
        """Makes the file if there is none. Raises StoreTrouble."""
        await self._do(self._open)

    async def close(self) -> None:
        """Lets go of the file."""
        await self._do(self._close)
        self._thread.shutdown(wait=False)

    async def add(self, row: Row) -> int:
        """Stores a new row; its number."""
        return await self._do(lambda: self._add(row))

    async def keep(self, rows: Sequence[Row]) -> None:
        """Stores how these stand now."""
        values = [
            (row.state, row.progress, row.caller, row.ended_us, row.error, row.number)
            for row in rows
        ]
        await self._do(lambda: self._keep(values))

    async def find(self, simulation_id: str) -> Row | None:
        """The row of this id."""
        return await self._first("id = ?", simulation_id)

    async def requested_by(self, request_id: str) -> Row | None:
        """The row that this request began."""
        return await self._first("request_id = ?", request_id)

    async def unfinished(self) -> list[Row]:
        """Those that have not ended, the first first."""
        return await self._do(lambda: self._rows("ended_us IS NULL ORDER BY number"))

    async def page(self, before: int | None, size: int) -> list[Row]:
        """The latest, or those before a number, the latest first."""
        where = "? IS NULL OR number < ?1 ORDER BY number DESC LIMIT ?"
        return await self._do(lambda: self._rows(where, before, size))

    async def forget(self, ended_before_us: int | None, most: int) -> int:
        """Removes those that ended before, and the oldest of more than so many; how many."""
        return await self._do(lambda: self._forget(ended_before_us, most))

    async def _first(self, where: str, value: str) -> Row | None:
        rows = await self._do(lambda: self._rows(where, value))
        return rows[0] if rows else None

    async def _do(self, work: Callable[[], Found]) -> Found:
        """Does it in the store's thread, whole, even if nobody waits for it any more."""
        loop = asyncio.get_running_loop()
        try:
            return await asyncio.shield(loop.run_in_executor(self._thread, work))
        except (sqlite3.Error, UnicodeDecodeError) as error:  # its words may quote what is damaged
            raise StoreTrouble(f"{self._path or IN_MEMORY}: {error}") from error
        except OSError as error:
            raise StoreTrouble(f"{self._path}: {error.strerror}") from error

    # ------------------------------------------------------------------ in the thread

    def _open(self) -> None:
        if self._path is not None:
            # Only its owner reads it, like the match log.
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        connection = sqlite3.connect(
            self._path or IN_MEMORY,
            timeout=LOCKED_WAIT_S,
            isolation_level=None,
            check_same_thread=False,
        )
        with contextlib.ExitStack() as undo:
            undo.callback(connection.close)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            self._migrate(connection)
            undo.pop_all()
        self._connection = connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA:
            raise StoreTrouble(f"{self._path} was written by a newer version of this server")
        if version == 0:
            connection.executescript(f"BEGIN; {CREATE} PRAGMA user_version = {SCHEMA}; COMMIT;")

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        if self._connection is None:
            raise StoreTrouble(f"{self._path or IN_MEMORY} is closed")
        return self._connection.execute(statement, values)

    def _add(self, row: Row) -> int:
        names = COLUMNS.partition(", ")[2]
        values = [getattr(row, name) for name in names.split(", ")]
        marks = ", ".join("?" * len(values))
        cursor = self._execute(f"INSERT INTO simulations ({names}) VALUES ({marks})", values)
        return cursor.lastrowid or 0

    def _keep(self, values: Sequence[Sequence[Any]]) -> None:
        self._execute("BEGIN IMMEDIATE")
        try:
            for row in values:
                self._execute(
                    "UPDATE simulations SET state = ?, progress = ?, caller = ?, ended_us = ?,"
                    " error = ? WHERE number = ?",
                    row,
                )
            self._execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._execute("ROLLBACK")
            raise

    def _rows(self, where: str, *values: Any) -> list[Row]:
        cursor = self._execute(f"SELECT {COLUMNS} FROM simulations WHERE {where}", values)
        names = COLUMNS.split(", ")
        rows = [Row(**dict(zip(names, values, strict=True))) for values in cursor]
        for row in rows:
            row.state = State(row.state)
        return rows

    def _forget(self, ended_before_us: int | None, most: int) -> int:
        cursor = self._execute(
            "DELETE FROM simulations WHERE ended_us < ?1 OR ended_us IS NOT NULL AND number <="
            " (SELECT number FROM simulations WHERE ended_us IS NOT NULL"
            " ORDER BY number DESC LIMIT 1 OFFSET ?2)",
            (ended_before_us, most),
        )
        return cursor.rowcount
