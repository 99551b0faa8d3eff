"""Who follows a match, and what each of them is shown."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ginrummy.log import EventLog
from ginrummy.tables.absence import Absence
from ginrummy.tables.arrival import Arrival
from ginrummy.tables.blocks import BLOCK_LEN, Blocks, block_end
from ginrummy.tables.errors import (
    Draining,
    LimitReached,
    MatchNotFound,
    MatchUnreadable,
    TokenReplaced,
)
from ginrummy.tables.events import (
    Happened,
    Recorded,
    from_log_after,
    seen_later,
    seen_live,
)
from ginrummy.tables.index import reading
from ginrummy.tables.ring import Encoder, Ring, packed
from ginrummy.tables.tokens import HOST
from ginrummy.tables.watcher import PresenceChanged, Watcher

if TYPE_CHECKING:
    from ginrummy.tables.table import Table

READ_LEN = 32
"""Entries read from the log at a time, for those behind whom no block serves."""

Shown = tuple[Sequence[Any], int]
"""Messages with events, and the sequence number of the last of them."""


@dataclass(frozen=True, slots=True)
class Sending:
    """How events become what is sent, what is kept of that for all matches, and for how many."""

    encoder: Encoder
    blocks: Blocks = field(default_factory=Blocks)
    most_spectators: int = 500
    """Streams of one match without a token; the same by its host's, who may spread them further."""
    most_streams_of_a_seat: int = 32
    most_followers: int = 1000
    """Streams that follow the news of all matches."""


class Audience:
    """The watchers of one match."""

    def __init__(
        self,
        table: "Table",
        log: EventLog,
        sending: Sending,
        happened: Iterable[Happened],
        absence: Absence,
    ) -> None:
        self.absence = absence
        self._table = table
        self._log = log
        self._encoder = sending.encoder
        self._blocks = sending.blocks
        self._most_streams_of_a_seat = sending.most_streams_of_a_seat
        self._most_spectators = sending.most_spectators
        self._rules = table.state.setup["rules"]
        self._ring = Ring(sending.encoder, self._rules["knock_card_face_down"])
        for command in happened:
            self._ring.push(command)
        self._watchers: set[Watcher] = set()
        self._present: Counter[int] = Counter()
        self._streams: Counter[str | None] = Counter()
        self._is_closing = False

    @contextmanager
    def watch(
        self, viewer: int, after: int, quiet_s: float, role: str | None = None
    ) -> Iterator[Watcher]:
        """Follows the match from the event after `after`; seats are present while they watch.

        With a `role`, until that role's token is replaced. Raises LimitReached.
        """
        if self._is_closing:
            raise Draining
        is_seat = role is not None and role != HOST
        most = self._most_streams_of_a_seat if is_seat else self._most_spectators
        if self._streams[role] >= most:
            raise LimitReached("streams_of_a_match", most)
        watcher = Watcher(self._table, viewer, role, after, quiet_s)
        self._watchers.add(watcher)
        self._streams[role] += 1
        self._present[viewer] += 1
        if self._present[viewer] == 1:
            self._tell_presence(viewer)
        try:
            yield watcher
        finally:
            watcher.leave()
            self._watchers.discard(watcher)
            self._streams[role] -= 1
            self._present[viewer] -= 1
            if viewer and not self._present[viewer]:
                self.absence.begin(viewer, self._table.now_us())
                self._tell_presence(viewer)

    def is_connected(self, seat: int) -> bool:
        """Whether the seat's player watches; a bot always does."""
        is_bot = self._table.state.occupants[seat - 1]["kind"] == "bot"
        return is_bot or self._present[seat] > 0

    def claimable_us(self, seat: int) -> int | None:
        """When the absence of `seat` lets the other one claim the match; None as things are."""
        if self.is_connected(seat):
            return None
        return self.absence.claimable_us(self._table.state, seat)

    @property
    def is_present(self) -> bool:
        """Whether anybody watches."""
        return bool(self._watchers)

    def count_watchers(self) -> Counter[str]:
        """How many streams there are, as a seat, host or spectator."""
        counts: Counter[str] = Counter()
        for role, count in tuple(self._streams.items()):
            kind = "spectator" if role is None else "host" if role == HOST else "seat"
            counts[kind] += count
        return counts

    def show(self, happened: Happened, *, begins: bool) -> None:
        """Adds the events that have just become durable. `begins`: the first hand is dealt."""
        self._ring.push(happened)
        if begins:
            self._tell_who_is_awaited()
        for watcher in self._watchers:
            watcher.wake()

    def forget_shown(self) -> None:
        """Makes anew what is shown of past events: what the log holds of them has changed."""
        self._ring.clear()
        self._blocks.drop(self._table.state.match_id)

    def dismiss(self, role: str) -> None:
        """Ends the watches of a role whose token has been replaced."""
        for watcher in self._watchers:
            if watcher.role == role:
                watcher.dismiss(TokenReplaced())

    def set_aside(self) -> None:
        """Ends every watch: the match cannot be read."""
        for watcher in self._watchers:
            watcher.dismiss(MatchUnreadable(self._table.state.match_id))

    def close(self) -> None:
        """Ends every watch after a last word."""
        self._is_closing = True
        for watcher in self._watchers:
            watcher.close()

    def leave(self) -> None:
        """The table is let go, and nobody watches it."""
        del self._table

    def _tell_presence(self, seat: int) -> None:
        if seat:
            change = PresenceChanged(seat, self.is_connected(seat), self.claimable_us(seat))
            for watcher in self._watchers:
                if watcher.viewer != seat:
                    watcher.tell_presence(change)

    def _tell_who_is_awaited(self) -> None:
        """The match has begun: from now on an absence counts."""
        for seat in (1, 2):
            if self.claimable_us(seat) is not None:
                self._tell_presence(seat)

    def encode(self, happened: Happened, viewer: int) -> Sequence[Any]:
        """A command's events as they are shown to `viewer` who caused them, or saw them happen."""
        return self._ring.encode(happened, viewer)

    def shown_live(self, cursor: int, viewer: int) -> Sequence[Any]:
        """Messages with the events after `cursor`, as they happened.

        None if not all of them are at hand.
        """
        return self._ring.messages_after(cursor, viewer)

    async def shown_after(self, cursor: int, viewer: int, arrival: Arrival) -> Shown:
        """Some of the events after `cursor`, at least one, that the match has by now."""
        if cursor < arrival.opened_until:
            return await self._opened_after(cursor, arrival)
        replay_until = arrival.head
        hides_pile = self._rules["pile_view"] == "top_only"
        head, start = self._table.state.head, self._table.state.hand_start
        covers_pile = hides_pile and start <= replay_until and cursor < replay_until
        last = block_end(cursor)
        if self._table.state.result is not None:
            last = min(last, head)  # there will be no more, so the last block is whole too
        is_whole = cursor == block_end(last - 1) - BLOCK_LEN and last <= head
        if is_whole and (last < start or not covers_pile):
            return (await self._block(cursor, last, viewer),), last
        if covers_pile:
            return await self._shown_anew(cursor, viewer, replay_until)
        if messages := self._ring.messages_after(cursor, viewer):
            return messages, head
        events = [event for event in await self._read_after(cursor) if event.sequence <= last]
        return self._packed(events, viewer), events[-1].sequence

    async def _block(self, after: int, last: int, viewer: int) -> Any:
        """The block of the events after `after` up to `last`, packed."""

        async def make() -> Any:
            events = await self._read(after, last)
            return self._encoder.pack(self._encoded(events, viewer))

        return await self._blocks.get((self._table.state.match_id, last, viewer), make)

    async def _opened_after(self, cursor: int, arrival: Arrival) -> Shown:
        """The rest of a block, as far as it shows everything. Dead hands wait for the match's end.

        Kept under keys of their own, which tell how far and how much is shown.
        """
        last = min(block_end(cursor), arrival.opened_until)
        dead_hands = () if arrival.had_ended else self._table.state.dead_hands

        def encode(event: Recorded) -> Any:
            is_dead = any(first <= event.sequence <= final for first, final in dead_hands)
            return self._encode(event, 0) if is_dead else self._encoder.event(event)

        async def make() -> Any:
            return self._encoder.pack(list(map(encode, await self._read(cursor, last))))

        if cursor + BLOCK_LEN != block_end(cursor):
            return (await make(),), last
        key = (self._table.state.match_id, last, "ended" if arrival.had_ended else "scored")
        return (await self._blocks.get(key, make),), last

    def _packed(self, events: Sequence[Recorded], viewer: int) -> Sequence[Any]:
        return packed(self._encoder, self._encoded(events, viewer))

    def _encoded(self, events: Sequence[Recorded], viewer: int) -> list[Any]:
        return [self._encode(event, viewer) for event in events]

    def _encode(self, recorded: Recorded, viewer: int) -> Any:
        """A past event as `viewer` saw it happen."""
        seen = seen_live(recorded.event, viewer, self._rules["knock_card_face_down"])
        return self._encoder.event(replace(recorded, event=seen))

    async def _shown_anew(self, cursor: int, viewer: int, replay_until: int) -> Shown:
        """Events of a hand that is still running, or was a moment ago, with its pile covered."""
        start = self._table.state.hand_start
        events: list[Recorded] = []
        while not events or events[-1].sequence < replay_until:
            events += await self._read_after(events[-1].sequence if events else cursor)
            if events[-1].sequence < start - 1:
                return self._packed(events, viewer), events[-1].sequence
        before = [event for event in events if event.sequence < start]
        hand = [event for event in events if start <= event.sequence <= replay_until]
        seen = seen_later(
            hand, viewer, self._rules["pile_view"], self._rules["knock_card_face_down"]
        )
        covered = [
            self._encoder.event(replace(event, event=shown))
            for event, shown in zip(hand, seen, strict=True)
        ]
        return packed(self._encoder, self._encoded(before, viewer) + covered), replay_until

    async def _read(self, after: int, last: int) -> list[Recorded]:
        """The events after `after`, up to `last`, which the match has."""
        events: list[Recorded] = []
        while not events or events[-1].sequence < last:
            events += await self._read_after(events[-1].sequence if events else after)
        return [event for event in events if event.sequence <= last]

    async def _read_after(self, cursor: int) -> list[Recorded]:
        match_id = self._table.state.match_id
        with reading(match_id):
            entries = await self._log.read(match_id, after=cursor, limit=READ_LEN)
        if not entries:
            raise MatchNotFound(match_id)  # forgotten meanwhile
        return from_log_after(entries, cursor)
