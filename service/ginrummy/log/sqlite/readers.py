"""Connections that read while the writer writes."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ginrummy.log.errors import LogClosed
from ginrummy.log.sqlite.file import DRIVER_ERRORS, LogFile, trouble

READER_COUNT = 2
"""Threads that read, so that a long listing does not hold up the loading of a match."""

T = TypeVar("T")


class Readers:
    """A few threads, each with a connection while it reads."""

    def __init__(self, file: LogFile) -> None:
        self._file = file
        self._threads = ThreadPoolExecutor(READER_COUNT, thread_name_prefix="match-log-reader")
        self._idle: queue.SimpleQueue[sqlite3.Connection] = queue.SimpleQueue()
        self._closed = False

    async def run(self, look: Callable[[sqlite3.Connection], T]) -> T:
        """What `look` finds, of one moment if it is one query. Raises LogUnavailable."""
        if self._closed:
            raise LogClosed
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._look, look)

    async def close(self) -> None:
        """Finishes the reads begun and closes the connections."""
        self._closed = True
        await asyncio.to_thread(self._threads.shutdown)
        while not self._idle.empty():
            self._idle.get().close()

    def _look(self, look: Callable[[sqlite3.Connection], T]) -> T:
        connection: sqlite3.Connection | None = None
        try:
            connection = self._take()
            found = look(connection)
        except BaseException as error:
            if connection is not None:  # a new one is made when the trouble ends
                with contextlib.suppress(sqlite3.Error):
                    connection.close()
            if isinstance(error, DRIVER_ERRORS):
                raise trouble(self._file.path, error) from error
            raise
        self._idle.put(connection)
        return found

    def _take(self) -> sqlite3.Connection:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            return self._file.reader()
