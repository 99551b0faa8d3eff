"""A match's latest events, each encoded at most once for all who see the same of it."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from ginrummy.tables.events import Happened, Recorded

RING_LEN = 64
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
    """The events of one command, and what is sent of them, made when first somebody is sent it."""

    __slots__ = ("happened", "last", "sent")

    def __init__(self, happened: Happened) -> None:
        self.happened = happened
        self.last = happened.last
        self.sent: Sequence[SeenByEach] | None = None


class Ring:
    """The latest events up to the match's head, without gaps."""

    def __init__(self, encoder: Encoder, knock_card_face_down: bool) -> None:
        self._encoder = encoder
        self._face_down = knock_card_face_down
        self._slots: deque[Slot] = deque(maxlen=RING_LEN)

    def push(self, happened: Iterable[Happened]) -> None:
        """Adds the events that come right after the latest one."""
        self._slots.extend(map(Slot, happened))

    def clear(self) -> None:
        """Keeps none of them: what was made of them holds no longer."""
        self._slots.clear()

    def has_after(self, sequence: int) -> bool:
        """Whether every event after `sequence` is still here."""
        return bool(self._slots) and self._slots[0].happened.first <= sequence + 1

    def encoded_after(self, sequence: int, viewer: int) -> list[Any]:
        """The events after `sequence`, which are here, as `viewer` is sent them."""
        latest = self._slots[-1]
        if latest.happened.first == sequence + 1:  # as for all who keep up
            return [seen[viewer] for seen in self._sent(latest)]
        wanted = []
        for slot in reversed(self._slots):
            if slot.last <= sequence:
                break
            wanted.append(slot)
        encoded = [seen[viewer] for slot in reversed(wanted) for seen in self._sent(slot)]
        missing = wanted[-1].happened.first - 1 - sequence if wanted else 0
        return encoded[-missing:] if missing < 0 else encoded

    def encode(self, happened: Happened, viewer: int) -> list[Any]:
        """The events of one command as `viewer`, at the table, is sent them."""
        for slot in reversed(self._slots):
            if slot.happened is happened:
                return [seen[viewer] for seen in self._sent(slot)]
        return [seen[viewer] for seen in self._encoder.happened(happened, self._face_down)]

    def _sent(self, slot: Slot) -> Sequence[SeenByEach]:
        if slot.sent is None:
            slot.sent = self._encoder.happened(slot.happened, self._face_down)
        return slot.sent
