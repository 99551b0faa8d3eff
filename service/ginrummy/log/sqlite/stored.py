"""The file as programs beside the server use it: it is read and copied while the server writes."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from ginrummy.log.entry import Entry
from ginrummy.log.errors import LogDamaged, LogUnavailable, SchemaTooNew, UnknownMatch
from ginrummy.log.sqlite import statements
from ginrummy.log.sqlite.file import DRIVER_ERRORS, LOCKED_WAIT_S, text_as_it_is, trouble
from ginrummy.log.sqlite.schema import MIGRATIONS, check_is_ours, schema_version


class StoredLog:
    """A match log's file, open for reading; nothing in it is changed, and no lock is needed.

    Raises LogUnavailable and its kinds, all naming the path. For a `with`.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))
        if not self.path.is_file():
            raise LogUnavailable(f"there is no match log at {self.path}")
        with self._told():
            self._connection = sqlite3.connect(
                f"{self.path.as_uri()}?mode=ro",
                uri=True,
                timeout=LOCKED_WAIT_S,
                isolation_level=None,
            )
        self._connection.text_factory = text_as_it_is
        try:
            with self._told():
                self._check_is_known()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._connection.close()

    def match_ids(self) -> list[str]:
        """Every match that has entries."""
        with self._told():
            return statements.match_ids(self._connection)

    def entries(self, match_id: str) -> list[Entry]:
        """All entries of a match, oldest first. Raises UnknownMatch."""
        with self._told():
            entries = statements.entries_after(self._connection, match_id)
        if not entries:
            raise UnknownMatch(match_id)
        return entries

    def copy_to(self, target: Path) -> None:
        """Makes a whole copy, as of one moment, in place of `target`; it is there or it is not.

        Nobody else can read it: it holds every card of every hand.
        """
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise LogUnavailable(f"{target}: {error.strerror}") from error
        try:
            self._copy_into(part)
            _to_disk(part)
            part.replace(target)
            _to_disk(target.parent)
        except OSError as error:
            raise LogUnavailable(f"{target}: {error.strerror}") from error
        finally:
            for end in ("", "-wal", "-shm", "-journal"):
                part.with_name(part.name + end).unlink(missing_ok=True)

    def _copy_into(self, part: Path) -> None:
        try:
            with contextlib.closing(sqlite3.connect(part)) as copy:
                # In one step, which holds a snapshot: the server goes on writing meanwhile.
                self._connection.backup(copy)
            with contextlib.closing(sqlite3.connect(part)) as copy:
                finding = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
        except DRIVER_ERRORS as error:
            raise trouble(self.path, error) from error
        if finding != "ok":
            raise LogDamaged(f"{self.path} is damaged: {' '.join(finding.split())}")

    def _check_is_known(self) -> None:
        check_is_ours(self._connection, self.path)
        found = schema_version(self._connection)
        if not found:
            raise LogUnavailable(f"{self.path} is empty")
        if found > len(MIGRATIONS):
            raise SchemaTooNew(str(self.path), found, len(MIGRATIONS))

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except DRIVER_ERRORS as error:
            raise trouble(self.path, error) from error


def _to_disk(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
