"""The one thread that writes: group commit.

A commit that waits for the disk costs the same for one entry or a hundred. While one batch is being
committed the next collects in the queue. Where the disk is fast that is too short: an entry costs
twice the processor time in batches of two or three. So a server that is busy gives the next batch a
moment more. Nobody waits who is alone, or where there is time to spare, or where the disk is slow.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ginrummy.log.entry import Entry
from ginrummy.log.errors import LogClosed, LogUnavailable
from ginrummy.log.protocol import OnCommit, nobody
from ginrummy.log.row import IndexRow
from ginrummy.log.sqlite import appending
from ginrummy.log.sqlite.file import DRIVER_ERRORS, LogFile, closed_on_error, trouble
from ginrummy.log.sqlite.jobs import Alone, Append, Job, Work

BATCH_LIMIT = 512
"""Jobs in one transaction; bounds how long the first of them waits."""

PACE = 4
LONGEST_PACE_S = 0.010
"""From the beginning of a batch of several to that of the next on a busy server: so many times what
it took, up to this."""
BUSY = 0.75
"""Of one core, used by all threads since the batch before."""

T = TypeVar("T")


def ignored(_: object) -> None:
    """Takes the outcome of work of which nothing is to be noted."""


_OF_VALUES = (
    sqlite3.IntegrityError,
    sqlite3.DataError,
    sqlite3.ProgrammingError,
    sqlite3.InterfaceError,
)
"""What the driver raises about what is to be stored, and not about the store."""


class Writer:
    """Runs jobs in transactions, in the order they came.

    Appends that come together are one statement. Only if one of them does not fit are they done one
    by one, as other work is. Then each job has a savepoint: one that raises is undone alone. An
    answer is given after the commit, a refusal too, since it may rest on what its batch wrote. If
    the store fails, all of the batch fails with LogUnavailable, none of it is kept, and the next
    batch starts on a new connection.
    """

    def __init__(
        self, file: LogFile, loop: asyncio.AbstractEventLoop, on_commit: OnCommit = nobody
    ) -> None:
        self._file = file
        self._on_commit = on_commit
        self._loop = loop
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._connection: sqlite3.Connection | None = None
        self._revision = 0
        """The latest one given to an entry."""
        self._next_s = 0.0
        """When the next batch may begin, on the monotonic clock."""
        self._looked_s = (0.0, 0.0)
        """When a batch ended, and the processor time used until then."""
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="match-log-writer", daemon=True)
        self._thread.start()

    def append(
        self,
        entry: Entry,
        row: IndexRow,
        tokens: Mapping[str, bytes],
        noted: Callable[[Append], None],
    ) -> asyncio.Future[int]:
        """Appends; the revision, once it is durable."""
        return self._put(Append(self._loop.create_future(), entry, row, tokens, noted))

    def run(
        self, work: Callable[[sqlite3.Connection], T], noted: Callable[[T], None] = ignored
    ) -> asyncio.Future[T]:
        """Runs `work` in a transaction; what it returned, once that is durable."""
        return self._put(Work(self._loop.create_future(), work, noted))

    def run_alone(self, work: Callable[[sqlite3.Connection], T]) -> asyncio.Future[T]:
        """Runs `work` outside any transaction, for what can be done only there."""
        return self._put(Alone(self._loop.create_future(), work, ignored))

    def _put(self, job: Job) -> asyncio.Future[Any]:
        if self._closed:
            raise LogClosed
        self._jobs.put(job)
        return job.answer

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
            began_s = time.monotonic()
            for kind, jobs in itertools.groupby(batch, type):
                part = list(jobs)
                self._do(kind, part)
                with contextlib.suppress(RuntimeError):  # the loop is gone, and who waited with it
                    self._loop.call_soon_threadsafe(_answer, part)
            self._pace(len(batch), began_s)
        self._disconnect()

    def _pace(self, count: int, began_s: float) -> None:
        """Decides when the batch after this one, of `count` jobs, may begin."""
        now_s, used_s = time.monotonic(), time.process_time()
        past_s, past_used_s = self._looked_s
        self._looked_s = (now_s, used_s)
        is_busy = used_s - past_used_s >= BUSY * (now_s - past_s)
        pace_s = min(PACE * (now_s - began_s), LONGEST_PACE_S)
        self._next_s = began_s + pace_s if count > 1 and is_busy else 0.0

    def _next_batch(self) -> tuple[list[Job], bool]:
        """Waits for a job and takes all that are there; True when there will be no more."""
        batch: list[Job] = []
        job = self._jobs.get()
        wait_s = self._next_s - time.monotonic()
        if wait_s > 0:
            time.sleep(wait_s)
        while job is not None:
            batch.append(job)
            if len(batch) == BATCH_LIMIT:
                return batch, False
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True

    def _do(self, kind: type[Job], batch: list[Any]) -> None:
        if kind is Alone:
            for job in batch:
                with self._failing_together([job]):
                    self._file.check_in_place()
                    job.outcome = job.do(self._connect())
            return
        with self._failing_together(batch):
            self._file.check_in_place()
            began_s = time.perf_counter()
            connection = self._connect()
            if kind is not Append or not self._append_together(connection, batch):
                _do_one_by_one(connection, batch)
            with contextlib.suppress(Exception):
                self._on_commit(len(batch), time.perf_counter() - began_s)

    def _append_together(self, connection: sqlite3.Connection, appends: list[Append]) -> bool:
        """Whether all of them fit and are stored; else none of them is."""
        for append in appends:
            self._revision += 1
            append.revision = append.outcome = self._revision
        try:
            appending.append_alone(connection, appends)
        except _OF_VALUES:
            return False
        except sqlite3.Error:
            raise
        except Exception:  # such as text or a number that the driver cannot give to the store
            return False
        return True

    @contextlib.contextmanager
    def _failing_together(self, batch: Sequence[Job]) -> Iterator[None]:
        """Turns what the store raises into the failure of every job of the batch."""
        try:
            yield
        except LogUnavailable as error:
            self._fail(batch, error, error)
        except DRIVER_ERRORS as error:
            self._fail(batch, trouble(self._file.path, error), error)
        except Exception as error:  # such as no memory; a thread that died would answer nobody
            reason = f"{self._file.path}: {type(error).__name__}"
            self._fail(batch, LogUnavailable(reason), error)

    def _fail(self, batch: Sequence[Job], error: LogUnavailable, cause: Exception) -> None:
        """Undoes the batch. After an error a connection is not relied on; the next one is new."""
        self._disconnect()
        for job in batch:
            # To each his own, as an exception collects the traces of those who raise it.
            job.outcome, job.error = None, type(error)(error.reason)
            job.error.__cause__ = cause

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = self._file.writer()
            with closed_on_error(connection):
                self._revision = appending.prepare(connection)
            self._connection = connection
        return self._connection

    def _disconnect(self) -> None:
        """Closes the connection, which undoes what it has not committed."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None


def _do_one_by_one(connection: sqlite3.Connection, batch: Sequence[Job]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for job in batch:
        _attempt(connection, job)
    connection.execute("COMMIT")


def _attempt(connection: sqlite3.Connection, job: Job) -> None:
    """Does one job, or none of it. Trouble of the store is for the whole batch and goes up."""
    connection.execute("SAVEPOINT job")
    try:
        job.outcome = job.do(connection)
    except _OF_VALUES as error:
        job.error = ValueError(f"cannot be stored: {error}")
    except sqlite3.Error:
        raise
    except Exception as error:
        job.error = error
    if job.error is not None:
        connection.execute("ROLLBACK TO job")
    connection.execute("RELEASE job")


def _answer(batch: Sequence[Job]) -> None:
    """In the event loop: tells everybody how it went, whatever those raise who only listen."""
    for job in batch:
        if job.error is None:
            try:
                job.note()
            except Exception as error:
                told = {"message": "what is stored could not be noted", "exception": error}
                job.answer.get_loop().call_exception_handler(told)
        if job.answer.done():  # its owner stopped waiting
            continue
        if job.error is None:
            job.answer.set_result(job.outcome)
        else:
            job.answer.set_exception(job.error)
