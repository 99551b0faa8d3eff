"""How many matches have not ended, and how many may be at a time."""

from collections.abc import Iterator
from contextlib import contextmanager

from ginrummy.log import EventLog
from ginrummy.tables.errors import LimitReached


class OpenMatches:
    """Counts the matches of one log that go on, those just being created among them.

    The log has counted them when it was opened, and counts every one that begins or ends since.
    """

    def __init__(self, log: EventLog, most: int | None) -> None:
        self._log = log
        self._most = most
        self._being_created = 0

    @property
    def count(self) -> int:
        """How many there are now."""
        return self._log.unfinished_count + self._being_created

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """While a match is stored for the first time. Raises LimitReached."""
        if self._most is not None and self.count >= self._most:
            raise LimitReached("open_matches", self._most)
        self._being_created += 1
        try:
            yield
        finally:
            self._being_created -= 1
