"""Who follows a match, and what each of them is shown."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ginrummy.log import EventLog, LogDamaged, LogUnavailable
from ginrummy.tables.errors import Draining, MatchUnreadable, StoreUnavailable
from ginrummy.tables.events import Recorded, from_log_after, seen_later
from ginrummy.tables.ring import Encoder, Ring
from ginrummy.tables.watcher import Watcher

if TYPE_CHECKING:
    from ginrummy.tables.table import Table

READ_LEN = 500
"""Entries read from the log at a time, for those behind."""

Shown = tuple[list[Any], int]
"""Encoded events, and the sequence number of the last of them."""


class Audience:
    """The watchers of one match."""

    def __init__(
        self, table: "Table", log: EventLog, encoder: Encoder, events: Sequence[Recorded]
    ) -> None:
        self._table = table
        self._log = log
        self._encoder = encoder
        self._rules = table.state.setup["rules"]
        self._ring = Ring(encoder, self._rules["knock_card_face_down"])
        self._ring.push(events)
        self._watchers: set[Watcher] = set()
        self._present: Counter[int] = Counter()
        self._is_closing = False

    @contextmanager
    def watch(
        self, viewer: int, after: int, quiet_s: float, role: str | None = None
    ) -> Iterator[Watcher]:
        """Follows the match from the event after `after`; seats are present while they watch.

        With a `role`, until that role's token is replaced.
        """
        if self._is_closing:
            raise Draining
        watcher = Watcher(self._table, viewer, role, after, quiet_s)
        self._watchers.add(watcher)
        self._present[viewer] += 1
        if self._present[viewer] == 1:
            self._tell_presence(viewer, connected=True)
        try:
            yield watcher
        finally:
            watcher.leave()
            self._watchers.discard(watcher)
            self._present[viewer] -= 1
            if not self._present[viewer]:
                self._tell_presence(viewer, connected=False)

    def is_connected(self, seat: int) -> bool:
        """Whether the seat's player watches; a bot always does."""
        is_bot = self._table.state.occupants[seat - 1]["kind"] == "bot"
        return is_bot or self._present[seat] > 0

    @property
    def is_present(self) -> bool:
        """Whether anybody watches."""
        return bool(self._watchers)

    def show(self, events: Sequence[Recorded]) -> None:
        """Adds the events that have just become durable."""
        self._ring.push(events)
        for watcher in self._watchers:
            watcher.wake()

    def dismiss(self, role: str) -> None:
        """Ends the watches of a role whose token has been replaced."""
        for watcher in self._watchers:
            if watcher.role == role:
                watcher.dismiss()

    def close(self) -> None:
        """Ends every watch after a last word."""
        self._is_closing = True
        for watcher in self._watchers:
            watcher.close()

    def _tell_presence(self, seat: int, *, connected: bool) -> None:
        if seat:
            for watcher in self._watchers:
                if watcher.viewer != seat:
                    watcher.tell_presence(seat, connected)

    def encode(self, events: Sequence[Recorded], viewer: int) -> list[Any]:
        """Events as they are shown to `viewer` who caused them, or saw them happen."""
        return [self._ring.encode(event, viewer) for event in events]

    async def shown_after(self, cursor: int, viewer: int, replay_until: int) -> Shown:
        """Some of the events after `cursor`, at least one, that the match has by now.

        Those up to `replay_until` happened before the viewer came.
        """
        hides_pile = self._rules["pile_view"] == "top_only"
        start = self._table.state.hand_start
        if hides_pile and start <= replay_until and cursor < replay_until:
            return await self._shown_anew(cursor, viewer, replay_until)
        if self._ring.has_after(cursor):
            return self._ring.encoded_after(cursor, viewer), self._table.state.head
        events = await self._read_after(cursor)
        return self.encode(events, viewer), events[-1].sequence

    async def _shown_anew(self, cursor: int, viewer: int, replay_until: int) -> Shown:
        """Events of a hand that is still running, or was a moment ago, with its pile covered."""
        start = self._table.state.hand_start
        events: list[Recorded] = []
        while not events or events[-1].sequence < replay_until:
            events += await self._read_after(events[-1].sequence if events else cursor)
            if events[-1].sequence < start - 1:
                return self.encode(events, viewer), events[-1].sequence
        before = [event for event in events if event.sequence < start]
        hand = [event for event in events if start <= event.sequence <= replay_until]
        seen = seen_later(
            hand, viewer, self._rules["pile_view"], self._rules["knock_card_face_down"]
        )
        covered = [
            self._encoder(replace(event, event=shown))
            for event, shown in zip(hand, seen, strict=True)
        ]
        return self.encode(before, viewer) + covered, replay_until

    async def _read_after(self, cursor: int) -> list[Recorded]:
        match_id = self._table.state.match_id
        try:
            entries = await self._log.read(match_id, after=cursor, limit=READ_LEN)
        except LogDamaged as error:
            raise MatchUnreadable(match_id) from error
        except LogUnavailable as error:
            raise StoreUnavailable from error
        return from_log_after(entries, cursor)
