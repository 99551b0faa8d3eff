"""The painted table with single keys."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import termios
import tty
from dataclasses import replace
from typing import Any

from rich.console import Group
from rich.live import Live
from rich.padding import Padding
from rich.text import Text

from ginrummy.cli import legend, plain
from ginrummy.cli.game import Game
from ginrummy.cli.keys import KeyReader
from ginrummy.cli.output import Output
from ginrummy.cli.paint import painted
from ginrummy.cli.phrases import Phrases
from ginrummy.cli.pressing import ACCEPT, Step, press
from ginrummy.cli.screen import MAX_WIDTH, MIN_HEIGHT, MIN_WIDTH, Screen, clipped
from ginrummy.cli.sheet import score_sheet
from ginrummy.cli.table import Leave, Table
from ginrummy.v1.events_pb2 import HandScored, MatchEvent

_FADE_S = 4.0
_TICK_S = 1.0
_LOOK_S = 0.3
"""Nobody reads a new screen, and decides, in less."""


class ScreenFront:
    """Owns the terminal between `start` and `close`, and gives it back as it was."""

    eager = True

    def __init__(self, output: Output, phrases: Phrases) -> None:
        self._phrases = phrases
        self._console = output.console
        self._live = Live(
            console=output.console,
            screen=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._keys: asyncio.Queue[tuple[float, str | None]] = asyncio.Queue()
        self._pressed_s = 0.0
        """When the latest key was pressed."""
        self._fresh_s = 0.0
        """Since when the player can have seen what he has to decide."""
        self._reader = KeyReader()
        self._fd = sys.stdin.fileno()
        self._before: list[Any] | None = None
        self._latest: tuple[Game, Table] | None = None
        self._page: list[Text] | None = None
        self._fade: asyncio.TimerHandle | None = None
        self._faded = False
        self._seen_s = 0.0
        self._tick: asyncio.TimerHandle | None = None

    # ------------------------------------------------------------------ the terminal

    def start(self) -> None:
        self._before = termios.tcgetattr(self._fd)
        self._raw()
        self._live.start()
        loop = asyncio.get_running_loop()
        loop.add_reader(self._fd, self._readable)
        loop.add_signal_handler(signal.SIGWINCH, self._paint)
        loop.add_signal_handler(signal.SIGCONT, self._continued)

    def close(self) -> None:
        if self._before is None:
            return
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._fd)
        loop.remove_signal_handler(signal.SIGWINCH)
        loop.remove_signal_handler(signal.SIGCONT)
        for timer in (self._fade, self._tick):
            if timer:
                timer.cancel()
        self._live.stop()
        termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)
        self._before = None

    def _raw(self) -> None:
        # Keys one by one and unseen; Ctrl-C still interrupts.
        tty.setcbreak(self._fd)

    def _continued(self) -> None:
        """After Ctrl-Z and `fg`: the shell has changed the terminal."""
        self._raw()
        self._console.set_alt_screen(True)
        self._console.show_cursor(False)
        self._paint()

    def _readable(self) -> None:
        try:
            chunk = os.read(self._fd, 1024)
        except OSError:
            chunk = b""
        loop = asyncio.get_running_loop()
        if not chunk:
            loop.remove_reader(self._fd)
            self._keys.put_nowait((loop.time(), None))
        for key in self._reader.feed(chunk):
            self._keys.put_nowait((loop.time(), key))

    # ------------------------------------------------------------------ what is shown

    def heard(self, event: MatchEvent) -> None:
        """What the opponent does is bright at first."""
        self._faded = False
        if self._fade:
            self._fade.cancel()
        self._fade = asyncio.get_running_loop().call_later(_FADE_S, self._fade_out)

    def _fade_out(self) -> None:
        self._faded = True
        self._paint()

    def show(self, game: Game, table: Table) -> None:
        loop = asyncio.get_running_loop()
        before = self._latest[0].view if self._latest else None
        if before is not game.view:
            self._seen_s = loop.time()
        self._latest = (game, table)
        self._paint()
        # After his own draw he goes on; everything else begins a decision.
        moved = before is None or before.sequence != game.view.sequence
        if moved:
            self._fresh_s = 0.0 if table.choices.discards else loop.time()
        if self._tick is None and game.view.HasField("deadline"):
            self._tick = loop.call_later(_TICK_S, self._ticked)

    def _ticked(self) -> None:
        """A clock runs while it is shown."""
        self._tick = None
        if self._latest:
            self.show(*self._latest)

    def hand_over(self, game: Game, scored: HandScored) -> None:
        """The result stays until a key is pressed."""
        phrases, teller = self._phrases, self._phrases.teller
        result = [painted(f"  {line}") for line in teller.hand_result(scored)]
        result[0].stylize("title")
        sheet = score_sheet(teller, game.hands, scored.sheets)
        title = Text(f"  {phrases.words('sheet-title')}", "title")
        self._page = [Text(), *result, Text(), title, Text()]
        self._page += [painted(f"    {line}") for line in sheet]
        self._page += [Text(), Text(f"  {phrases.words('result-continue')}", "key")]
        self._fresh_s = asyncio.get_running_loop().time()

    def _paint(self) -> None:
        if self._before is None or self._latest is None:
            return
        width, height = self._console.size
        if self._page:
            lines = clipped(self._page_lines(height), width, height)
        else:
            lines = self._table_lines(width, height)
        if self._latest[1].lost:
            lines = self._with_status(lines)
        margin = max(width - MAX_WIDTH, 0) // 2
        self._live.update(Padding(Group(*lines), (0, 0, 0, margin)), refresh=True)

    def _with_status(self, lines: list[Text]) -> list[Text]:
        """That the server is away, in place of the first line that says nothing."""
        status = painted(f"  {self._phrases.words('connection-lost')}", "urgent")
        at = next((at for at, line in enumerate(lines) if not line.plain.strip(" ─")), 0)
        return [*lines[:at], status, *lines[at + 1 :]]

    def _page_lines(self, height: int) -> list[Text]:
        """The page; of one that is too long, its end, because the sum stands there."""
        page = self._page or []
        return page if len(page) <= height else [*page[:2], *page[2 - height :]]

    def _table_lines(self, width: int, height: int) -> list[Text]:
        assert self._latest is not None
        game, table = self._latest
        if width >= MIN_WIDTH and height >= MIN_HEIGHT:
            passed_s = asyncio.get_running_loop().time() - self._seen_s
            columns = min(width, MAX_WIDTH)
            screen = Screen(self._phrases, columns, height, self._faded, passed_s)
            return screen.lines(game, table)
        if table.help:
            return clipped(legend.help_lines(self._phrases, table), width, height)
        return self._small(game, table, width, height)

    def _small(self, game: Game, table: Table, width: int, height: int) -> list[Text]:
        """The table in lines, and the keys, which stay whatever there is to say."""
        lines = [painted(line) for line in plain.table_lines(self._phrases, game, table)]
        lines += [painted(text, style) for text, style in self._phrases.says(table)]
        lines = [self._with_cursor(line, table) for line in lines]
        for line in lines:
            line.no_wrap = False
        broken = [part for line in lines for part in line.wrap(self._console, width)]
        keys = [Text(), *legend.key_lines(self._phrases, table, width)]
        room = max(height - len(keys), 0)
        return clipped([*broken[:room], *keys], width, height)

    def _with_cursor(self, line: Text, table: Table) -> Text:
        """In a small window the card under the cursor is shown reversed."""
        card = table.under_cursor if table.choices.discards else None
        own = self._phrases.words("own-cards")
        if card and line.plain.startswith(own):
            text = self._phrases.card(card)
            at = line.plain.find(text, len(own))
            line.stylize("reverse", at, at + len(text))
        return line

    # ------------------------------------------------------------------ keys

    async def read(self) -> str | None:
        self._pressed_s, key = await self._keys.get()
        return key

    def step(self, table: Table, entered: str) -> Step:
        if entered == "q":
            return press(table, entered) if not self._page else (table, Leave.QUIT)
        # A key that was pressed for what stood there before is not meant for this.
        seen_s = self._pressed_s - self._fresh_s
        if seen_s < 0 or (seen_s < _LOOK_S and (self._page or entered in ACCEPT)):
            return table, None
        if not self._page:
            return press(table, entered)
        if entered in (*ACCEPT, "escape"):
            self._page = None
        return replace(table, notice=None), None
