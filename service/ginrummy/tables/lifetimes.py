"""How long matches live: one in which nothing happens is aborted, an ended one is forgotten."""

from dataclasses import dataclass
from typing import Self

from ginrummy.log import IndexRow

SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifetimes:
    """The two lengths, in microseconds; 0 is for ever."""

    idle_us: int = 0
    """Of a match that has not ended, from its latest event."""
    retention_us: int = 0
    """Of a match that has ended, from its end."""

    @classmethod
    def of_seconds(cls, idle_s: float, retention_s: float) -> Self:
        """As they are set."""
        return cls(idle_us=round(idle_s * SECOND_US), retention_us=round(retention_s * SECOND_US))

    @property
    def shortest_us(self) -> int:
        """The shorter one of those that are not for ever; 0 where both are."""
        return min(filter(None, (self.idle_us, self.retention_us)), default=0)

    def expire_us(self, row: IndexRow) -> int | None:
        """When the match is aborted or forgotten, as it stands; None is never."""
        length_us = self.retention_us if row.state.ended else self.idle_us
        return row.updated_us + length_us if length_us else None


FOREVER = Lifetimes()
