"""How much is done at once for callers who need no token."""

from collections.abc import Iterator
from contextlib import contextmanager

from ginrummy.tables.errors import LimitReached

MOST_LISTINGS = 64
"""Calls of ListMatches and ListMatchEvents that are answered at once."""


class AtOnce:
    """Lets so many callers do something at the same time and refuses the others."""

    def __init__(self, limit: str, most: int) -> None:
        self._limit = limit
        self._most = most
        self._count = 0

    @contextmanager
    def one(self) -> Iterator[None]:
        """While one of them does it. Raises LimitReached."""
        if self._count >= self._most:
            raise LimitReached(self._limit)
        self._count += 1
        try:
            yield
        finally:
            self._count -= 1
