"""How a player sees the table and answers: by lines, or as JSON. `screen_front` paints and reads
keys."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import threading
from typing import Protocol

from ginrummy.cli import plain, typed
from ginrummy.cli.game import Game
from ginrummy.cli.output import Output
from ginrummy.cli.phrases import Phrases
from ginrummy.cli.pressing import Step
from ginrummy.cli.sheet import score_sheet
from ginrummy.cli.table import Table
from ginrummy.v1.events_pb2 import HandScored, MatchEvent


class Front(Protocol):
    """What a session needs of the player's side."""

    eager: bool
    """Reads at any time, not only when the player has to act."""

    def start(self) -> None: ...

    def close(self) -> None: ...

    def heard(self, event: MatchEvent) -> None:
        """Something happened just now."""

    def show(self, game: Game, table: Table) -> None:
        """The table has changed, or an answer is due."""

    def hand_over(self, game: Game, scored: HandScored) -> None:
        """A hand ended; the next one may have begun."""

    async def read(self) -> str | None:
        """The next key or line; None = there will be none."""

    def step(self, table: Table, entered: str) -> Step:
        """What the key or line does."""


class LineReader:
    """Lines of standard input, read in a thread: a pipe, a file or a terminal alike."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._thread: threading.Thread | None = None

    async def line(self) -> str | None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._read, daemon=True)
            self._thread.start()
        return await self._lines.get()

    def _read(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        rest = ""
        # Not through sys.stdin: its lock would be held when the program ends.
        while chunk := os.read(0, 4096):
            *lines, rest = (rest + decoder.decode(chunk)).split("\n")
            for line in lines:
                self._put(line)
        if rest:
            self._put(rest)
        self._put(None)

    def _put(self, line: str | None) -> None:
        # The loop may have ended.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)


class LineFront:
    """Sentences and a prompt."""

    def __init__(self, output: Output, phrases: Phrases) -> None:
        # A pipe has all its lines at once: each is for the turn that comes.
        self.eager = output.interactive
        self._output = output
        self._phrases = phrases
        self._reader = LineReader()
        self._shown = -1
        self._said: list[str] = []
        self._lost = False

    def start(self) -> None:
        self._output.line(self._phrases.words("plain-welcome"), "muted")

    def close(self) -> None:
        pass

    def heard(self, event: MatchEvent) -> None:
        lines = self._phrases.teller.event(event)
        # Whose hand it was comes with the result, or with the table where he lays off.
        shown = event.HasField("knocked") or event.HasField("laid_off")
        self._output.lines(lines[:1] if shown else lines)

    def _tell_connection(self, lost: bool) -> None:
        """Once when it is lost, and once when it is back."""
        if lost != self._lost:
            self._lost = lost
            self._say_connection("connection-lost" if lost else "connection-back")

    def _say_connection(self, message: str) -> None:
        self._output.line(self._phrases.words(message), "warn")

    def show(self, game: Game, table: Table) -> None:
        self._tell_connection(table.lost)
        if table.lost:
            return
        said = plain.said_lines(self._phrases, table)
        if not game.my_turn:
            said += [text for text, _ in self._phrases.standing(game)]
            self._output.lines(said if said != self._said else [])
            self._said = said
            return
        self._said = []
        if game.view.sequence != self._shown or not said:
            self._output.line()
            self._output.lines(plain.table_lines(self._phrases, game, table))
        self._shown = game.view.sequence
        self._output.lines(said)
        self._prompt(table)

    def _prompt(self, table: Table) -> None:
        text = plain.prompt(self._phrases, table)
        if self._output.interactive:
            self._output.console.print(f"{text} ", end="", soft_wrap=True)
        else:
            self._output.line(text)

    def hand_over(self, game: Game, scored: HandScored) -> None:
        teller = self._phrases.teller
        self._output.lines(teller.hand_result(scored)[1:])
        self._output.line()
        self._output.lines(score_sheet(teller, game.hands, scored.sheets))
        self._output.line()

    async def read(self) -> str | None:
        return await self._reader.line()

    def step(self, table: Table, entered: str) -> Step:
        table, effect = typed.enter(table, entered)
        return table, effect


class JsonFront(LineFront):
    """Lines of JSON out, typed lines in."""

    def start(self) -> None:
        pass

    def heard(self, event: MatchEvent) -> None:
        self._output.message("event", event)

    def _say_connection(self, message: str) -> None:
        self._output.record(connected=message == "connection-back")

    def show(self, game: Game, table: Table) -> None:
        self._tell_connection(table.lost)
        said = plain.said_lines(self._phrases, table)
        if table.lost or not game.my_turn:
            if said:
                self._output.record(said=said)
            return
        if game.view.sequence != self._shown:
            self._output.message("view", game.view)
        if said:
            self._output.record(said=said)
        self._shown = game.view.sequence
        self._output.record(allowed=typed.allowed(table))

    def hand_over(self, game: Game, scored: HandScored) -> None:
        pass
