"""One player at one table: hears events, shows the table, sends what he decides."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from ginrummy.cli.faults import explained
from ginrummy.cli.fronts import Front
from ginrummy.cli.game import Game
from ginrummy.cli.table import Do, Effect, Hint, Leave, table_for
from ginrummy.cli.telling import Teller
from ginrummy.client import GinRummyError, MatchClient, ServerUnavailable, Update
from ginrummy.v1.events_pb2 import MatchEvent, Notice
from ginrummy.v1.match_pb2 import Match

_AGAIN_S = 1.0
_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Connection:
    """The stream of events was lost, or is back."""

    is_there: bool


class Session:
    """Plays until the match is over or the player leaves. The match is kept either way.

    What the player does is sent in a task of its own, so that a server that is away can be told of,
    and the table be left. It is sent again under the same request_id until it is answered.
    """

    def __init__(self, seat: MatchClient, match: Match, front: Front, teller: Teller) -> None:
        self._seat = seat
        self._match = match
        self._front = front
        self._teller = teller
        self._updates: asyncio.Queue[Update | Connection | Exception | None] = asyncio.Queue()
        self._sending: asyncio.Task[None] | None = None
        self._probing: asyncio.Task[None] | None = None
        self._sent = 0
        """The last event of my own action: until it is heard, the table is old."""
        self._unheard = True
        """Nothing was heard since the stream was opened; presence is told only from then on."""
        self._is_due = False
        """Something was heard that has not been shown."""
        self._stream_lost = False
        self._call_failed = False

    async def play(self) -> Game:
        """The game as it was at the end, or when the player left."""
        view = await self._seat.view()
        self._game = Game(self._match, view.viewer_seat, view)
        self._table = table_for(self._match, view)
        self._old = view.sequence
        self._untold: list[tuple[Game, MatchEvent]] = []
        # From the first event, so that the sheet of an interrupted match is whole.
        self._watching = asyncio.create_task(self._watch())
        self._front.start()
        try:
            if self._caught_up:
                self._show()
            await self._run()
        finally:
            self._front.close()
            tasks = [task for task in (self._watching, self._sending, self._probing) if task]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return self._game

    async def _watch(self) -> None:
        def told(is_there: bool) -> None:
            self._updates.put_nowait(Connection(is_there))

        try:
            async for update in self._seat.watch(after_sequence=0, on_connection=told):
                self._updates.put_nowait(update)
            self._updates.put_nowait(None)
        except GinRummyError as error:
            self._updates.put_nowait(error)

    async def _run(self) -> None:
        entered: asyncio.Task[str | None] | None = None
        updated: asyncio.Task[Update | Connection | Exception | None] | None = None
        try:
            while True:
                updated = updated or asyncio.create_task(self._updates.get())
                if entered is None and self._listens:
                    entered = asyncio.create_task(self._front.read())
                waiting = [task for task in (updated, entered, self._sending) if task]
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if self._sending and self._sending.done():
                    self._sending.result()
                    self._sending = None
                    self._show_when_caught_up()
                if updated.done():
                    update, updated = updated.result(), None
                    if not await self._hear(update):
                        return
                if entered and entered.done():
                    text, entered = entered.result(), None
                    if text is None or not self._answer(text):
                        return
        finally:
            for task in (updated, entered):
                if task:
                    task.cancel()

    @property
    def _listens(self) -> bool:
        """Whether the player may enter something: not before the last thing was done, except to
        leave while the server is away."""
        if self._sending:
            return self._front.eager and self._is_lost
        return self._front.eager or (self._game.my_turn and self._caught_up)

    @property
    def _is_lost(self) -> bool:
        return self._stream_lost or self._call_failed

    @property
    def _caught_up(self) -> bool:
        view = self._game.view.sequence
        return self._game.sequence == view >= self._sent and self._updates.empty()

    def _show(self) -> None:
        self._is_due = False
        self._front.show(self._game, replace(self._table, lost=self._is_lost))

    def _show_when_caught_up(self) -> None:
        if self._is_lost or (self._caught_up and not self._sending):
            self._show()

    # ------------------------------------------------------------------ what comes

    async def _hear(self, update: Update | Connection | Exception | None) -> bool:
        """Takes in all that has come; False when nothing will come any more."""
        old_presence = self._unheard
        self._is_due |= old_presence
        while True:
            if isinstance(update, Exception):
                raise update
            if update is None:
                return False
            if isinstance(update, Connection):
                old_presence |= update.is_there and self._stream_lost
                self._stream_lost = not update.is_there
                if self._stream_lost and self._probing is None:
                    self._probing = asyncio.create_task(self._probe())
            else:
                self._unheard = False
            # A heartbeat changes nothing that is shown.
            self._is_due |= not isinstance(update, Notice) or update.HasField("presence")
            if isinstance(update, MatchEvent):
                self._take_in(update)
            elif isinstance(update, Notice):
                old_presence |= update.HasField("presence")
            if self._updates.empty():
                break
            update = self._updates.get_nowait()
        if self._is_due:
            await self._look(old_presence)
        return True

    def _take_in(self, event: MatchEvent) -> None:
        self._game = self._game.after(event)
        # Of what was before, only that is news which came after his own last action.
        self._untold = [] if self._is_old_action(event) else [*self._untold, (self._game, event)]
        if event.sequence < self._old:
            return
        for game, untold in self._untold:
            self._front.heard(untold)
            if untold.HasField("hand_scored"):
                self._front.hand_over(game, untold.hand_scored)
        self._untold = []

    def _is_old_action(self, event: MatchEvent) -> bool:
        """Not what the clock does for him, nor a lay-off, which may have been done for him too."""
        is_his = event.seat == self._game.me and not event.HasField("laid_off")
        return event.sequence <= self._old and is_his and not self._game.by_clock

    async def _look(self, old_presence: bool) -> None:
        """Reads the view when it is old, and shows the table."""
        if (old_presence and not self._stream_lost) or not self._game.is_current:
            view = await self._until_answered(self._seat.view)
            moved = view.sequence != self._table.view.sequence
            self._game = self._game.seen(view)
            self._table = self._table.seen(view) if moved else replace(self._table, view=view)
        self._show_when_caught_up()

    async def _probe(self) -> None:
        """Asks until the server is back: a resumed stream is silent while nothing happens."""
        try:
            await self._until_answered(self._seat.view)
        except GinRummyError:
            # The stream tells.
            return
        finally:
            self._probing = None
        self._updates.put_nowait(Connection(is_there=True))

    async def _until_answered(self, call: Callable[[], Awaitable[_Answer]]) -> _Answer:
        """The answer; while the server is away it is asked again, and the player told."""
        while True:
            try:
                answer = await call()
            except ServerUnavailable:
                if self._watching.done():
                    # It has given up; so does this.
                    raise
                if not self._call_failed:
                    self._call_failed = True
                    # The table may be left from now on.
                    self._updates.put_nowait(Connection(not self._stream_lost))
                self._show()
                await asyncio.sleep(_AGAIN_S)
                continue
            self._call_failed = False
            return answer

    # ------------------------------------------------------------------ what is sent

    def _answer(self, text: str) -> bool:
        """Does what was entered; False when the player leaves."""
        table, effect = self._front.step(self._table, text)
        if effect is Leave.QUIT:
            return False
        if effect and self._sending:
            # The last thing has not been done yet.
            return True
        self._table = table
        if effect:
            self._sending = asyncio.create_task(self._send(effect))
        self._show_when_caught_up()
        return True

    async def _send(self, effect: Effect) -> None:
        seat, sequence, request_id = self._seat, self._game.view.sequence, str(uuid.uuid4())
        try:
            if isinstance(effect, Hint):
                await self._ask_hint(sequence)
            elif isinstance(effect, Do):
                action = effect.action
                done = await self._until_answered(
                    lambda: seat.act(action, expected_sequence=sequence, request_id=request_id)
                )
                self._sent = max((event.sequence for event in done.events), default=0)
            else:
                view = await self._until_answered(lambda: seat.resign(request_id=request_id))
                self._sent = view.sequence
        except GinRummyError as error:
            why = explained(error, self._teller.words, self._teller.faces)
            self._table = self._table.said("action-refused", why=why)

    async def _ask_hint(self, sequence: int) -> None:
        """Fetches advice for where the match stands, which may have moved on meanwhile."""
        language = self._teller.words.language
        try:
            told = await self._until_answered(
                lambda: self._seat.suggest_actions(language_code=language)
            )
            advice = list(told.suggestions)
        except GinRummyError as error:
            if error.code.name != "UNIMPLEMENTED":
                raise
            # An older server: its views have a hint of their own.
            advice = []
        if self._table.view.sequence == sequence:
            self._table = self._table.advised(advice)
