"""The one thread that writes: group commit.

A commit that waits for the disk costs the same for one entry or a hundred. While one batch is being
committed the next collects in the queue, so the load itself makes the batches, and nothing waits
for a timer.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from ginrummy.log.errors import LogClosed, LogUnavailable
from ginrummy.log.protocol import OnCommit, nobody
from ginrummy.log.sqlite.file import LogFile, trouble

BATCH_LIMIT = 512
"""Jobs in one transaction; bounds how long the first of them waits."""

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]


@dataclass(slots=True, eq=False)
class _Job:
    """Work for the writer, and who waits for it."""

    work: Work[Any]
    answer: asyncio.Future[Any]
    stored: Callable[[Any], None] | None
    alone: bool = False
    outcome: Any = None
    error: BaseException | None = None


class Writer:
    """Runs jobs in transactions, in the order they came.

    Each job has a savepoint: one that raises is undone alone. An answer is given after COMMIT, a
    refusal too, since it may rest on what its batch wrote. If the store fails, all of the batch
    fails with LogUnavailable, none of it is kept, and the next batch starts on a new connection.
    """

    def __init__(
        self, file: LogFile, loop: asyncio.AbstractEventLoop, on_commit: OnCommit = nobody
    ) -> None:
        self._file = file
        self._on_commit = on_commit
        self._loop = loop
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._connection: sqlite3.Connection | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="match-log-writer", daemon=True)
        self._thread.start()

    async def run(
        self, work: Work[T], stored: Callable[[T], None] | None = None, *, alone: bool = False
    ) -> T:
        """Runs `work` in the writer's next transaction and returns what it returned, once durable.

        With `alone` it is run outside any transaction, for what can be done only there.

        `stored` is called in the event loop with the same, in the order of storing, even if nobody
        waits any more: cancelling the wait does not cancel the work.
        """
        if self._closed:
            raise LogClosed
        job = _Job(work, self._loop.create_future(), stored, alone)
        self._jobs.put(job)
        result: T = await job.answer
        return result

    async def close(self) -> None:
        """Finishes the jobs begun and ends the thread."""
        if not self._closed:
            self._closed = True
            self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        closing = False
        while not closing:
            batch, closing = self._next_batch()
            for alone, jobs in itertools.groupby(batch, lambda job: job.alone):
                part = list(jobs)
                (self._do_alone if alone else self._commit)(part)
                with contextlib.suppress(RuntimeError):  # the loop is gone, and who waited with it
                    self._loop.call_soon_threadsafe(_answer, part)
        self._disconnect()

    def _next_batch(self) -> tuple[list[_Job], bool]:
        """Waits for a job and takes all that are there; True when there will be no more."""
        batch: list[_Job] = []
        job = self._jobs.get()
        while job is not None:
            batch.append(job)
            if len(batch) == BATCH_LIMIT:
                return batch, False
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True

    def _commit(self, batch: list[_Job]) -> None:
        with self._failing_together(batch):
            self._file.check_in_place()
            began_s = time.perf_counter()
            connection = self._connect()
            connection.execute("BEGIN IMMEDIATE")
            for job in batch:
                _attempt(connection, job)
            connection.execute("COMMIT")
            with contextlib.suppress(Exception):
                self._on_commit(len(batch), time.perf_counter() - began_s)

    def _do_alone(self, jobs: list[_Job]) -> None:
        for job in jobs:
            with self._failing_together([job]):
                self._file.check_in_place()
                job.outcome = job.work(self._connect())

    @contextlib.contextmanager
    def _failing_together(self, batch: list[_Job]) -> Iterator[None]:
        """Turns what the store raises into the failure of every job of the batch."""
        try:
            yield
        except LogUnavailable as error:
            self._fail(batch, error, error)
        except sqlite3.Error as error:
            self._fail(batch, trouble(self._file.path, error), error)
        except Exception as error:  # such as no memory; a thread that died would answer nobody
            reason = f"{self._file.path}: {type(error).__name__}"
            self._fail(batch, LogUnavailable(reason), error)

    def _fail(self, batch: list[_Job], error: LogUnavailable, cause: Exception) -> None:
        """Undoes the batch. After an error a connection is not relied on; the next one is new."""
        self._disconnect()
        for job in batch:
            # To each his own, as an exception collects the traces of those who raise it.
            job.outcome, job.error = None, type(error)(error.reason)
            job.error.__cause__ = cause

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._file.writer()
        return self._connection

    def _disconnect(self) -> None:
        """Closes the connection, which undoes what it has not committed."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None


def _attempt(connection: sqlite3.Connection, job: _Job) -> None:
    """Does one job, or none of it. Trouble of the store is for the whole batch and goes up."""
    connection.execute("SAVEPOINT job")
    try:
        job.outcome = job.work(connection)
    except (
        sqlite3.IntegrityError,
        sqlite3.DataError,
        sqlite3.ProgrammingError,
        sqlite3.InterfaceError,
    ) as error:
        # About these values and not about the store.
        job.error = ValueError(f"cannot be stored: {error}")
    except sqlite3.Error:
        raise
    except Exception as error:
        job.error = error
    if job.error is not None:
        connection.execute("ROLLBACK TO job")
    connection.execute("RELEASE job")


def _answer(batch: list[_Job]) -> None:
    """In the event loop: tells everybody how it went."""
    for job in batch:
        if job.error is None and job.stored is not None:
            job.stored(job.outcome)
        if job.answer.done():  # its owner stopped waiting
            continue
        if job.error is None:
            job.answer.set_result(job.outcome)
        else:
            job.answer.set_exception(job.error)
