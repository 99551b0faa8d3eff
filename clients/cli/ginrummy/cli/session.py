"""One player at one table: hears events, shows the table, sends what he decides."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from ginrummy.cli.faults import explained
from ginrummy.cli.fronts import Front
from ginrummy.cli.game import Game
from ginrummy.cli.table import Do, Effect, Leave, table_for
from ginrummy.cli.telling import Teller
from ginrummy.client import GinRummyError, MatchClient, ServerUnavailable, Update
from ginrummy.v1.events_pb2 import MatchEvent, Notice
from ginrummy.v1.match_pb2 import Match
from ginrummy.v1.view_pb2 import View

_AGAIN_S = 1.0


class Session:
    """Plays until the match is over or the player leaves. The match is kept either way."""

    def __init__(self, seat: MatchClient, match: Match, front: Front, teller: Teller) -> None:
        self._seat = seat
        self._match = match
        self._front = front
        self._teller = teller
        self._updates: asyncio.Queue[Update | Exception | None] = asyncio.Queue()
        self._sent = 0
        """The last event of my own action: until it is heard, the table is old."""

    async def play(self) -> Game:
        """The game as it was at the end, or when the player left."""
        view = await self._seat.view()
        self._game = Game(self._match, view.viewer_seat, view)
        self._table = table_for(self._match, view)
        self._old = view.sequence
        # From the first event, so that the sheet of an interrupted match is whole.
        watching = asyncio.create_task(self._watch())
        self._front.start()
        try:
            if self._caught_up:
                self._front.show(self._game, self._table)
            await self._run()
        finally:
            self._front.close()
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
        return self._game

    async def _watch(self) -> None:
        try:
            async for update in self._seat.watch(after_sequence=0):
                self._updates.put_nowait(update)
            self._updates.put_nowait(None)
        except GinRummyError as error:
            self._updates.put_nowait(error)

    async def _run(self) -> None:
        entered: asyncio.Task[str | None] | None = None
        updated: asyncio.Task[Update | Exception | None] | None = None
        try:
            while True:
                updated = updated or asyncio.create_task(self._updates.get())
                if entered is None and (self._front.eager or self._due):
                    entered = asyncio.create_task(self._front.read())
                waiting = [task for task in (updated, entered) if task]
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if updated.done():
                    update, updated = updated.result(), None
                    if not await self._hear(update):
                        return
                if entered and entered.done():
                    text, entered = entered.result(), None
                    if text is None or not await self._answer(text):
                        return
        finally:
            for task in (updated, entered):
                if task:
                    task.cancel()

    @property
    def _due(self) -> bool:
        """Whether the player has to act on what he sees."""
        return self._game.my_turn and self._caught_up

    @property
    def _caught_up(self) -> bool:
        view = self._game.view.sequence
        return self._game.sequence == view >= self._sent and self._updates.empty()

    async def _hear(self, update: Update | Exception | None) -> bool:
        """Takes in all that has come; False when nothing will come any more."""
        presence = False
        while True:
            if isinstance(update, Exception):
                raise update
            if update is None:
                return False
            if isinstance(update, MatchEvent):
                self._take_in(update)
            elif isinstance(update, Notice):
                presence |= update.HasField("presence")
            if self._updates.empty():
                break
            update = self._updates.get_nowait()
        await self._look(presence)
        return True

    def _take_in(self, event: MatchEvent) -> None:
        self._game = self._game.after(event)
        if event.sequence <= self._old:
            return
        self._front.heard(event)
        if event.HasField("hand_scored"):
            self._front.hand_over(self._game, event.hand_scored)

    async def _look(self, presence: bool) -> None:
        """Reads the view when it is old, and shows the table."""
        if presence or not self._game.is_current:
            view = await self._read_view()
            moved = view.sequence != self._table.view.sequence
            self._game = self._game.seen(view)
            self._table = self._table.seen(view) if moved else replace(self._table, view=view)
        if self._caught_up:
            self._front.show(self._game, self._table)

    async def _read_view(self) -> View:
        """The view; while the server is away it is asked again, and the player told."""
        while True:
            try:
                return await self._seat.view()
            except ServerUnavailable:
                self._front.show(self._game, self._table.said("server-away"))
                await asyncio.sleep(_AGAIN_S)

    async def _answer(self, text: str) -> bool:
        """Does what was entered; False when the player leaves."""
        self._table, effect = self._front.step(self._table, text)
        if effect is Leave.QUIT:
            return False
        if effect:
            await self._send(effect)
        if self._caught_up:
            self._front.show(self._game, self._table)
        return True

    async def _send(self, effect: Effect) -> None:
        try:
            if isinstance(effect, Do):
                sequence = self._game.view.sequence
                done = await self._seat.act(effect.action, expected_sequence=sequence)
                self._sent = max(event.sequence for event in done.events)
            else:
                self._sent = (await self._seat.resign()).sequence
        except GinRummyError as error:
            why = explained(error, self._teller.words, self._teller.faces)
            self._table = self._table.said("action-refused", why=why)
