"""A watcher: a cursor over a match's events, and the few notices that wait for it.

Nothing is queued for a watcher, so one that reads slowly costs nothing and slows nobody: whenever
it is ready it takes what has come since its last event, from the ring or else from the log.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ginrummy.tables.arrival import arrival_of
from ginrummy.tables.errors import Draining, Refused, SequenceAhead

if TYPE_CHECKING:
    from ginrummy.tables.table import Table


@dataclass(frozen=True, slots=True)
class PresenceChanged:
    """The player of a seat came or left; from `claimable_us` on the other may claim the match."""

    seat: int
    connected: bool
    claimable_us: int | None = None


@dataclass(frozen=True, slots=True)
class Quiet:
    """Nothing has happened for a while; the match stands at `head`."""

    head: int


@dataclass(frozen=True, slots=True)
class Closing:
    """The tables are about to close; nothing follows."""


Notice: TypeAlias = PresenceChanged | Quiet | Closing


class News(NamedTuple):
    """What a watcher takes in one turn."""

    messages: Sequence[Any]
    """Those that hold events, as the encoder packed them; maybe none."""
    notices: Sequence[Notice] = ()


NO_NEWS = News(())


class Watcher:
    """Follows one match for one viewer (1, 2, or 0 for a spectator). Made by `Table.watch`.

    Events up to the head at that time are shown as `replayed`, the later ones as they happen.
    `role` is that of the token which lets him watch, if he needs one.
    """

    __slots__ = (
        "_arrival",
        "_closing",
        "_dismissal",
        "_has_ended",
        "_heard_s",
        "_is_awake",
        "_is_quiet",
        "_loop",
        "_presence",
        "_quiet_s",
        "_table",
        "_timer",
        "_waiting",
        "cursor",
        "role",
        "viewer",
    )

    def __init__(
        self, table: "Table", viewer: int, role: str | None, after: int, quiet_s: float
    ) -> None:
        head = table.state.head
        if after > head:
            raise SequenceAhead(after, head)
        self.viewer = viewer
        self.role = role
        self._dismissal: Refused | None = None
        self.cursor = after
        """The last event taken."""
        self._table = table
        self._arrival = arrival_of(viewer, table.state)
        self._quiet_s = quiet_s
        self._loop = asyncio.get_running_loop()
        self._heard_s = self._loop.time()
        self._timer = self._loop.call_at(self._heard_s + quiet_s, self._look_for_silence)
        self._is_quiet = False
        self._is_awake = False
        self._waiting: asyncio.Future[None] | None = None
        self._presence: dict[int, PresenceChanged] = {}
        self._closing = False
        self._has_ended = False

    def wake(self) -> None:
        """Something may have come; called by the table, and by whoever waits along with it."""
        self._is_awake = True
        waiting = self._waiting
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    def tell_presence(self, change: PresenceChanged) -> None:
        """Leaves the latest presence of a seat for the next turn."""
        self._presence[change.seat] = change
        self.wake()

    @property
    def is_dismissed(self) -> bool:
        """He may watch no more: the token that let him has been replaced, or there is no match."""
        return self._dismissal is not None

    def dismiss(self, reason: Refused) -> None:
        """Ends the watch with `reason`."""
        self._dismissal = reason
        self.wake()

    def close(self) -> None:
        """Ends the watch after the match's latest event and a last word."""
        self._closing = True
        self.wake()

    async def updates(self) -> News | None:
        """What has come since the last call, waiting for it; None once there is no more.

        Returns no news after a `wake` that had other reasons. Raises Draining after the last word
        of tables that close, and why he was dismissed.
        """
        state = self._table.state
        if self._has_ended:
            if state.result is None:
                raise Draining
            return None
        if not self._is_awake and self.cursor >= state.head and state.result is None:
            self._waiting = self._loop.create_future()
            await self._waiting
        self._is_awake = False
        if self._dismissal is not None:
            raise self._dismissal
        messages: Sequence[Any] = ()
        if self.cursor < self._table.state.head:
            messages = self._live() or await self._past()
        notices = self._notices()
        if self._is_quiet and not messages and not notices:
            notices = (Quiet(self._table.state.head),)
        self._is_quiet = False
        self._heard_s = self._loop.time()
        return News(messages, notices) if messages or notices else NO_NEWS

    def leave(self) -> None:
        """Watches no more."""
        self._timer.cancel()

    def _look_for_silence(self) -> None:
        """Runs once in the longest silence, not once for each wait: timers cost more than news."""
        due_s = self._heard_s + self._quiet_s
        now_s = self._loop.time()
        if due_s <= now_s:
            self._is_quiet = True
            self.wake()
            due_s = now_s + self._quiet_s
        self._timer = self._loop.call_at(due_s, self._look_for_silence)

    def _live(self) -> Sequence[Any]:
        """The events that have happened while he watched, if all that he has not taken are."""
        table = self._table
        if self.cursor < self._arrival.head:
            return ()
        messages = table.audience.shown_live(self.cursor, self.viewer)
        if messages:
            self.cursor = table.state.head
        return messages

    async def _past(self) -> Sequence[Any]:
        """Some of the events from before, or that are too many to be at hand."""
        shown = self._table.audience.shown_after(self.cursor, self.viewer, self._arrival)
        messages, self.cursor = await shown
        return messages

    def _notices(self) -> Sequence[Notice]:
        notices: Sequence[Notice] = ()
        if self._presence:
            notices = tuple(self._presence.values())
            self._presence.clear()
        if self.cursor == self._table.state.head:
            if self._closing:
                notices = (*notices, Closing())
            self._has_ended = self._closing or self._table.state.result is not None
        return notices
