"""A match's latest events, each shown at most once per way of seeing it."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeAlias

from ginrummy.tables.events import Recorded, seen_live

RING_LEN = 128
"""Events kept; whoever is further behind reads the log."""

Encoder: TypeAlias = Callable[[Recorded], Any]
"""Makes what a watcher is sent of an event that he may see. Tables do not look into it."""


class Slot:
    """One event with its encoded forms, for seat 1, seat 2 and spectators."""

    __slots__ = ("encoded", "recorded")

    def __init__(self, recorded: Recorded) -> None:
        self.recorded = recorded
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

    def has_after(self, sequence: int) -> bool:
        """Whether every event after `sequence` is still here."""
        return bool(self._slots) and self._slots[0].recorded.sequence <= sequence + 1

    def encoded_after(self, sequence: int, viewer: int) -> list[Any]:
        """The events after `sequence` as `viewer` is sent them."""
        first = self._slots[0].recorded.sequence
        start = max(sequence + 1 - first, 0)
        return [self._encoded(self._slots[i], viewer) for i in range(start, len(self._slots))]

    def _encoded(self, slot: Slot, viewer: int) -> Any:
        made = slot.encoded[viewer]
        if made is None:
            made = slot.encoded[viewer] = self.encode(slot.recorded, viewer)
        return made

    def encode(self, recorded: Recorded, viewer: int) -> Any:
        """One event as `viewer`, at the table, is sent it."""
        seen = seen_live(recorded.event, viewer, self._face_down)
        return self._encoder(replace(recorded, event=seen))
