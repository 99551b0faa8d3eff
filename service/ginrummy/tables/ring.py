"""A match's latest events, each encoded at most once for all who see the same of it."""

from collections import deque
from collections.abc import Sequence
from typing import Any, Protocol

from ginrummy.tables.events import Happened, Recorded

RING_LEN = 32
"""Commands whose events are kept; whoever is further behind reads the log."""

SeenByEach = tuple[Any, Any, Any]
"""What is sent of one event to spectators, seat 1 and seat 2."""


class Encoder(Protocol):
    """Makes what is sent of events. Tables do not look into it."""

    def event(self, recorded: Recorded) -> Any:
        """One event, all of which may be seen."""
        ...

    def happened(self, happened: Happened, knock_card_face_down: bool) -> Sequence[SeenByEach]:
        """The events of one command, as everybody saw them happen."""
        ...

    def pack(self, encoded: Sequence[Any]) -> Any:
        """What is sent of encoded events together, as it is kept for many."""
        ...


class Slot:
    """What is sent of the events of one command. The events themselves would hold a whole match."""

    __slots__ = ("first", "last", "sent")

    def __init__(self, first: int, sent: Sequence[SeenByEach]) -> None:
        self.first = first
        self.last = first + len(sent) - 1
        self.sent = sent


class Ring:
    """The latest events up to the match's head, without gaps."""

    def __init__(self, encoder: Encoder, knock_card_face_down: bool) -> None:
        self._encoder = encoder
        self._face_down = knock_card_face_down
        self._slots: deque[Slot] = deque(maxlen=RING_LEN)

    def push(self, happened: Happened) -> None:
        """Adds the events that come right after the latest one."""
        if self._slots and self._slots[-1].last + 1 != happened.first:
            self._slots.clear()
        self._slots.append(Slot(happened.first, self._seen_by_each(happened)))

    def clear(self) -> None:
        """Keeps none of them: what was made of them holds no longer."""
        self._slots.clear()

    def has_after(self, sequence: int) -> bool:
        """Whether every event after `sequence` is still here."""
        return bool(self._slots) and self._slots[0].first <= sequence + 1

    def encoded_after(self, sequence: int, viewer: int) -> list[Any]:
        """The events after `sequence`, which are here, as `viewer` is sent them."""
        latest = self._slots[-1]
        if latest.first == sequence + 1:  # as for all who keep up
            return [seen[viewer] for seen in latest.sent]
        wanted = []
        for slot in reversed(self._slots):
            if slot.last <= sequence:
                break
            wanted.append(slot)
        encoded = [seen[viewer] for slot in reversed(wanted) for seen in slot.sent]
        taken = sequence + 1 - wanted[-1].first if wanted else 0
        return encoded[max(taken, 0) :]

    def encode(self, happened: Happened, viewer: int) -> list[Any]:
        """The events of one command as `viewer`, at the table, is sent them."""
        latest = self._slots[-1] if self._slots else None
        if latest is not None and latest.first == happened.first:
            return [seen[viewer] for seen in latest.sent]
        return [seen[viewer] for seen in self._seen_by_each(happened)]

    def _seen_by_each(self, happened: Happened) -> Sequence[SeenByEach]:
        return self._encoder.happened(happened, self._face_down)
