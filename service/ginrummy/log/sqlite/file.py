"""The file itself: who holds it, how connections to it are made, and what its errors mean."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from ginrummy.log.errors import LogDamaged, LogInUse, LogUnavailable
from ginrummy.log.sqlite.schema import check_is_ours, migrate

LOCKED_WAIT_S = 1.0
"""How long a statement waits for another program, such as a backup, to let go of the file."""

WAL_KEPT_BYTES = 64 * 1024 * 1024
"""The write-ahead log is cut back to this after a checkpoint; a burst shall not hold the disk."""

CHECKED_BYTES = 256 * 1024 * 1024
"""Files up to this size are checked for damage when opened (about a second); a start has to be
quick, so larger ones are found damaged when what is damaged is read."""

REBUILT_BYTES = 32 * 1024 * 1024
"""Files up to this size are made anew by a purge (about half a second, in which nothing is stored).
In larger ones what was deleted is overwritten, except for copies that SQLite leaves when it moves
a row to another page; those go when their room is used again."""

FULL_BYTES = 1024 * 1024
"""With less room than this an error says how much there is."""

OLDEST_SQLITE = (3, 37, 0)
"""STRICT tables."""

text_as_it_is = partial(str, encoding="utf-8", errors="surrogateescape")
"""How text is read: what is damaged in it is the trouble of its match. By itself the driver fails
the whole query, as if the store were away, with an error that quotes the text."""


DRIVER_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""What the driver raises about a file; the latter where SQLite's words quote a damaged schema."""


class LogFile:
    """The file at `path`, held by this process alone until `close`.

    SQLite lets two processes share a file. Two servers must not: each keeps live tables in memory.
    Hence a lock of the operating system on PATH.lock, which ends with the process, however it ends.
    Raises LogInUse, LogDamaged, SchemaTooNew or LogUnavailable, all naming the path.
    """

    def __init__(self, path: Path) -> None:
        # A file reached by two names still has one lock.
        self.path = Path(os.path.realpath(path))
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            raise LogUnavailable(
                f"{self.path}: SQLite {sqlite3.sqlite_version} is too old,"
                f" {'.'.join(map(str, OLDEST_SQLITE))} is needed"
            )
        self._lock = self._take_lock()
        try:
            self._create_private()
            self._prepare()
            self._identity = self._identity_now()
        except BaseException:
            os.close(self._lock)
            raise

    def close(self) -> None:
        """Lets another process have the file. The lock file stays; removing it would race."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    @property
    def is_checked(self) -> bool:
        """Whether the file is small enough to be looked through when opened."""
        return self.path.stat().st_size <= CHECKED_BYTES

    def writer(self) -> sqlite3.Connection:
        """A connection that writes. What it commits is on the disk."""
        self.check_in_place()
        connection = self._connect()
        with closed_on_error(connection):
            # An accepted action is answered after COMMIT; so COMMIT has to wait for the disk.
            connection.execute("PRAGMA synchronous = FULL")
            # What is deleted or changed is overwritten: it may be a player's name.
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(f"PRAGMA journal_size_limit = {WAL_KEPT_BYTES}")
            # What a statement keeps aside for itself is no file, where names would remain.
            connection.execute("PRAGMA temp_store = MEMORY")
        return connection

    def reader(self) -> sqlite3.Connection:
        """A connection that only reads, undisturbed by the writer."""
        self.check_in_place()
        connection = self._connect()
        with closed_on_error(connection):
            connection.execute("PRAGMA query_only = ON")
        return connection

    def purge(self, connection: sqlite3.Connection) -> None:
        """Leaves no bytes of what was deleted or changed, neither here nor in the log before it.

        Raises LogUnavailable while another program holds them for reading.
        """
        if self.path.stat().st_size <= REBUILT_BYTES:
            connection.execute("VACUUM")
        self._empty_wal(connection)

    def rebuild(self, connection: sqlite3.Connection) -> None:
        """As `purge`, by making the file anew whatever its size."""
        # By a connection of its own: the writer's would keep the whole copy in memory.
        with contextlib.closing(self._connect()) as other:
            other.execute("VACUUM")
        self._empty_wal(connection)

    def _empty_wal(self, connection: sqlite3.Connection) -> None:
        if connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            raise LogUnavailable(f"{self.path}: another program reads what is to be purged")

    def check_in_place(self) -> None:
        """Raises LogUnavailable if the file was moved or deleted under us.

        SQLite would go on writing to a file that no restart could find.
        """
        try:
            identity = self._identity_now()
        except OSError as error:
            raise LogUnavailable(f"{self.path}: {error.strerror}") from error
        if identity != self._identity:
            raise LogUnavailable(f"{self.path} was replaced while in use")

    def _identity_now(self) -> tuple[int, int]:
        status = self.path.stat()
        return status.st_dev, status.st_ino

    def _take_lock(self) -> int:
        lock_path = self.path.with_name(self.path.name + ".lock")
        try:
            lock = os.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise LogUnavailable(f"{lock_path}: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(lock, 20, 0).decode("ascii", "replace").strip()
            os.close(lock)
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise LogUnavailable(f"{lock_path}: {error.strerror}") from error
            by = f" by process {holder}" if holder else ""
            raise LogInUse(f"{self.path} is in use{by}") from error
        with contextlib.suppress(OSError):  # a full disk; the number is only for people
            os.ftruncate(lock, 0)
            os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
        return lock

    def _create_private(self) -> None:
        """Makes an empty file that others cannot read: it will hold every card of every hand."""
        try:
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise LogUnavailable(f"{self.path}: {error.strerror}") from error

    def _prepare(self) -> None:
        try:
            with contextlib.closing(self._connect()) as connection:
                check_is_ours(connection, self.path)
                if self.is_checked:
                    self._check_undamaged(connection)
                mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
                if mode != "wal":
                    raise LogUnavailable(f"{self.path}: this file system cannot hold it (no WAL)")
                migrate(connection, self.path)
                # A file that can only be read says so at the first write, which is too late.
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("ROLLBACK")
        except DRIVER_ERRORS as error:
            raise trouble(self.path, error) from error

    def _check_undamaged(self, connection: sqlite3.Connection) -> None:
        finding = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if finding != "ok":
            raise LogDamaged(f"{self.path} is damaged: {' '.join(finding.split())}")

    def _connect(self) -> sqlite3.Connection:
        """Opens the file, which has to exist; each connection is used by one thread at a time."""
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?mode=rw",
            uri=True,
            timeout=LOCKED_WAIT_S,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.text_factory = text_as_it_is
        return connection


@contextlib.contextmanager
def closed_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    """Closes the connection if what is done with it raises."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def trouble(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> LogUnavailable:
    """What an error of the driver means to us, with the path and the cause."""
    if isinstance(error, UnicodeDecodeError):
        return LogDamaged(f"{path}: its schema is damaged")
    code = getattr(error, "sqlite_errorcode", None)
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    reason = f"{path}: {error} ({name}{_room(path)})"
    if code is not None and code & 0xFF in _DAMAGE:  # the low byte is the primary code
        return LogDamaged(reason)
    return LogUnavailable(reason)


def _room(path: Path) -> str:
    """Says that the disk is full, which SQLite sometimes calls an I/O error."""
    with contextlib.suppress(OSError):
        disk = os.statvfs(path.parent)
        if disk.f_bavail * disk.f_frsize < FULL_BYTES:
            return f", {disk.f_bavail * disk.f_frsize} bytes free on the disk"
    return ""
