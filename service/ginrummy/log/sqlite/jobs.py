"""What the writer is given to do."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ginrummy.log.entry import Entry
from ginrummy.log.row import IndexRow
from ginrummy.log.sqlite import appending, statements


@dataclass(slots=True, eq=False)
class Job:
    """Something to store, and who waits for it."""

    answer: asyncio.Future[Any]
    outcome: Any = field(default=None, init=False)
    error: BaseException | None = field(default=None, init=False)

    def do(self, connection: sqlite3.Connection) -> Any:
        """Does it, in a transaction; the outcome, or what is raised, goes to who waits."""
        raise NotImplementedError

    def note(self) -> None:
        """Called in the event loop once it is durable, in the order of storing.

        Even if nobody waits any more.
        """
        raise NotImplementedError


@dataclass(slots=True, eq=False)
class Work(Job):
    """Any work on the file."""

    work: Callable[[sqlite3.Connection], Any]
    noted: Callable[[Any], None]
    """Takes the outcome."""

    def do(self, connection: sqlite3.Connection) -> Any:
        return self.work(connection)

    def note(self) -> None:
        self.noted(self.outcome)


class Alone(Work):
    """Work outside any transaction, for what can be done only there."""

    __slots__ = ()


@dataclass(slots=True, eq=False)
class Append(Job):
    """An append; its outcome is its revision."""

    entry: Entry
    row: IndexRow
    tokens: Mapping[str, bytes]
    noted: Callable[[Append], None]
    revision: int = field(default=0, init=False)
    """Given to it by the writer."""

    def do(self, connection: sqlite3.Connection) -> int:
        """As one of several that cannot all be stored."""
        statements.check_fits(connection, self.entry, self.row)
        appending.append(connection, [self])
        return self.revision

    def note(self) -> None:
        self.noted(self)
