"""Tails: listeners in this process that are told of every append once it is durable."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from ginrummy.log.entry import Entry
from ginrummy.log.errors import TailLagged
from ginrummy.log.row import IndexRow

TAIL_LIMIT = 4096
"""Appends that may wait for a listener before it counts as lagging."""


@dataclass(frozen=True, slots=True, eq=False)
class Appended:
    """An entry that is now stored, with the row and the revision that came of it.

    All who listen are told by the same object.
    """

    entry: Entry
    row: IndexRow
    revision: int


Wanted = Callable[[Appended], bool]
"""Which appends a tail is told of."""


class Tail:
    """Every wanted append from the moment `EventLog.tail` was called, in the order of storing.

    Bounded, so that a listener that stops costs little: one that falls too far behind gets
    `TailLagged`. It ends when the log is closed. Leave it with `close`, or use it in a `with`:

        with log.tail() as appends:
            async for appended in appends: ...
    """

    def __init__(self, tails: Tails, limit: int) -> None:
        self._tails = tails
        self._limit = limit
        self._waiting: deque[Appended] = deque()
        self._news = asyncio.Event()
        self._lagged = False
        self._ended = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Appended:
        while not self._waiting:
            if self._lagged:
                raise TailLagged(self._limit)
            if self._ended:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._waiting.popleft()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stops listening and forgets what is waiting."""
        self._waiting.clear()
        self._tails.leave(self)
        self.end()

    def end(self) -> None:
        """No more will come; what is waiting can still be read."""
        self._ended = True
        self._news.set()

    def put(self, appended: Appended) -> None:
        """Adds one; over the limit all are dropped, as a listing will replace them anyway."""
        if len(self._waiting) >= self._limit:
            self._waiting.clear()
            self._lagged = True
            self._tails.leave(self)
        else:
            self._waiting.append(appended)
        self._news.set()


def all_of_them(_: Appended) -> bool:
    """Every append is wanted."""
    return True


class Tails:
    """The tails of one log. Used from its event loop only.

    Those who want the same are kept together, so that each append is looked at once for all of
    them, and wakes nobody who does not want it.
    """

    def __init__(self) -> None:
        self._tails: dict[Wanted, dict[Tail, None]] = {}

    def open(self, limit: int, wanted: Wanted) -> Tail:
        """A new tail, listening from now on."""
        tail = Tail(self, limit)
        self._tails.setdefault(wanted, {})[tail] = None
        return tail

    def leave(self, tail: Tail) -> None:
        """Tells `tail` nothing more."""
        for wanted, tails in tuple(self._tails.items()):
            tails.pop(tail, None)
            if not tails:
                del self._tails[wanted]

    def tell(self, entry: Entry, row: IndexRow, revision: int) -> None:
        """Tells the tails of an append, which is durable."""
        if not self._tails:
            return
        appended = Appended(entry, row, revision)
        for wanted, tails in tuple(self._tails.items()):
            if wanted(appended):
                for tail in tuple(tails):
                    tail.put(appended)

    def close(self) -> None:
        """Ends every tail, after what is waiting in it."""
        for tails in self._tails.values():
            for tail in tails:
                tail.end()
        self._tails.clear()
