"""A match's latest events, each encoded at most once for all who see the same of it."""

from collections import deque
from collections.abc import Sequence
from typing import Any, Protocol

from ginrummy.tables.events import Happened, Recorded

RING_LEN = 32
"""Commands whose events are kept; whoever is further behind reads the log."""
MOST_TOGETHER = 64
"""Events in one message. The largest have about 1 kB, so that a message stays under 64 kB."""

SeenByEach = tuple[Sequence[Any], Sequence[Any], Sequence[Any]]
"""What is sent of some events to spectators, seat 1 and seat 2."""


class Encoder(Protocol):
    """Makes what is sent of events. Tables do not look into it."""

    def event(self, recorded: Recorded) -> Any:
        """One event, all of which may be seen."""
        ...

    def happened(self, happened: Happened, knock_card_face_down: bool) -> SeenByEach:
        """The events of one command, as everybody saw them happen."""
        ...

    def pack(self, encoded: Sequence[Any]) -> Any:
        """A message with encoded events, as it is kept for many."""
        ...


def packed(encoder: Encoder, encoded: Sequence[Any]) -> Sequence[Any]:
    """Messages with these events: one, or more if they are many."""
    if len(encoded) <= MOST_TOGETHER:
        return (encoder.pack(encoded),) if encoded else ()
    starts = range(0, len(encoded), MOST_TOGETHER)
    return [encoder.pack(encoded[start : start + MOST_TOGETHER]) for start in starts]


class Slot:
    """What is sent of the events of one command. The events themselves would hold a whole match."""

    __slots__ = ("first", "last", "seen")

    def __init__(self, first: int, seen: SeenByEach) -> None:
        self.first = first
        self.last = first + len(seen[0]) - 1
        self.seen = seen


class Ring:
    """The latest events up to the match's head, without gaps."""

    def __init__(self, encoder: Encoder, knock_card_face_down: bool) -> None:
        self._encoder = encoder
        self._face_down = knock_card_face_down
        self._slots: deque[Slot] = deque(maxlen=RING_LEN)
        self._latest: list[Sequence[Any]] = []
        """The latest command's events packed, for each viewer who was sent them."""

    def push(self, happened: Happened) -> None:
        """Adds the events that come right after the latest one."""
        if self._slots and self._slots[-1].last + 1 != happened.first:
            self._slots.clear()
        self._slots.append(Slot(happened.first, self._seen_by_each(happened)))
        self._latest = [(), (), ()]

    def clear(self) -> None:
        """Keeps none of them: what was made of them holds no longer."""
        self._slots.clear()

    def messages_after(self, sequence: int, viewer: int) -> Sequence[Any]:
        """The events after `sequence` packed for `viewer`; none unless all of them are here."""
        if not self._slots or sequence + 1 < self._slots[0].first:
            return ()
        latest = self._slots[-1]
        if latest.first != sequence + 1:
            return packed(self._encoder, self._encoded_after(sequence, viewer))
        # As for all who keep up.
        messages = self._latest[viewer]
        if not messages:
            messages = self._latest[viewer] = (self._encoder.pack(latest.seen[viewer]),)
        return messages

    def _encoded_after(self, sequence: int, viewer: int) -> list[Any]:
        wanted = [slot for slot in self._slots if slot.last > sequence]
        encoded = [event for slot in wanted for event in slot.seen[viewer]]
        taken = sequence + 1 - wanted[0].first if wanted else 0
        return encoded[taken:]

    def encode(self, happened: Happened, viewer: int) -> Sequence[Any]:
        """The events of one command as `viewer`, at the table, is sent them."""
        latest = self._slots[-1] if self._slots else None
        if latest is not None and latest.first == happened.first:
            return latest.seen[viewer]
        return self._seen_by_each(happened)[viewer]

    def _seen_by_each(self, happened: Happened) -> SeenByEach:
        return self._encoder.happened(happened, self._face_down)
