"""A match's latest events, each encoded at most once for all who see the same of it."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from ginrummy.tables.events import Recorded, TableEvent, seen_live, seen_live_by_each

RING_LEN = 128
"""Events kept; whoever is further behind reads the log."""

Encoder: TypeAlias = Callable[[Recorded], Any]
"""Makes what a watcher is sent of an event that he may see. Tables do not look into it."""


class Slot:
    """One event, and what is sent of it to spectators, seat 1 and seat 2, as far as it is made."""

    __slots__ = ("encoded", "recorded", "seen")

    def __init__(self, recorded: Recorded) -> None:
        self.recorded = recorded
        self.seen: Sequence[TableEvent] | None = None
        self.encoded: list[Any] = [None, None, None]


class Ring:
    """The latest events up to the match's head, without gaps."""

    def __init__(self, encoder: Encoder, knock_card_face_down: bool) -> None:
        self._encoder = encoder
        self._face_down = knock_card_face_down
        self._slots: deque[Slot] = deque(maxlen=RING_LEN)

    def push(self, events: Iterable[Recorded]) -> None:
        """Adds the events that come right after the latest one."""
        self._slots.extend(Slot(event) for event in events)

    def change(self, change: Callable[[TableEvent], TableEvent]) -> None:
        """Shows what `change` makes of each event."""
        for i, slot in enumerate(self._slots):
            changed = change(slot.recorded.event)
            if changed != slot.recorded.event:
                self._slots[i] = Slot(replace(slot.recorded, event=changed))

    def has_after(self, sequence: int) -> bool:
        """Whether every event after `sequence` is still here."""
        return bool(self._slots) and self._slots[0].recorded.sequence <= sequence + 1

    def encoded_after(self, sequence: int, viewer: int) -> list[Any]:
        """The events after `sequence` as `viewer` is sent them."""
        start = max(self._index(sequence + 1), 0)
        return [self._encoded(self._slots[i], viewer) for i in range(start, len(self._slots))]

    def encode(self, recorded: Recorded, viewer: int) -> Any:
        """One event as `viewer`, at the table, is sent it; made anew when it is not here."""
        if self._slots and 0 <= (i := self._index(recorded.sequence)) < len(self._slots):
            return self._encoded(self._slots[i], viewer)
        seen = seen_live(recorded.event, viewer, self._face_down)
        return self._encoder(replace(recorded, event=seen))

    def _index(self, sequence: int) -> int:
        return sequence - self._slots[0].recorded.sequence

    def _encoded(self, slot: Slot, viewer: int) -> Any:
        made = slot.encoded[viewer]
        if made is None:
            if slot.seen is None:
                slot.seen = seen_live_by_each(slot.recorded.event, self._face_down)
            mine = slot.seen[viewer]
            made = self._encoder(replace(slot.recorded, event=mine))
            for other, seen in enumerate(slot.seen):
                if seen is mine:
                    slot.encoded[other] = made
        return made
