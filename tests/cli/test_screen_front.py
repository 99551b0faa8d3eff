"""Keys on the painted table: none is heard that was meant for what stood there before."""

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ginrummy.cli import screen_front
from ginrummy.cli.output import Output
from ginrummy.cli.phrases import Phrases
from ginrummy.cli.screen_front import ScreenFront
from ginrummy.cli.table import Do, Effect, Leave, Table
from ginrummy.cli.telling import teller_for
from ginrummy.cli.words import words_for
from ginrummy.client import actions
from ginrummy.v1.view_pb2 import View

from .tables import discard_view, draw_view, game, layoff_view, match, scored, table

LOOK_S = 1.0
"""More than by itself: a key must come before that is over, however slow the machine is."""


class Keyboard:
    """A front, and a player whose keys come through a pipe."""

    def __init__(self) -> None:
        self.source, self._end = os.pipe()
        self.front: ScreenFront
        self.at: Table

    def open(self) -> None:
        phrases = Phrases(teller_for(match(), 1, words_for("en")))
        self.front = ScreenFront(Output.standard(as_json=False), phrases)

    def show(self, view: View) -> None:
        self.at = table(view)
        self.front.show(game(view), self.at)

    async def press(self, keys: bytes) -> Effect | None:
        os.write(self._end, keys)
        self.front._readable()
        effect: Effect | None = None
        for _ in range(len(keys)):
            key = await self.front.read()
            assert key is not None
            self.at, effect = self.front.step(self.at, key)
        return effect

    def close(self) -> None:
        os.close(self.source)
        os.close(self._end)


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[Keyboard]:
    found = Keyboard()
    monkeypatch.setattr(screen_front, "_LOOK_S", LOOK_S)
    with Path(f"/dev/fd/{found.source}").open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        found.open()
        yield found
    found.close()


def later(view: View, sequence: int) -> View:
    view.sequence = sequence
    return view


async def test_a_doubled_enter_does_nothing_on_a_new_table(keyboard: Keyboard) -> None:
    keyboard.show(draw_view())
    assert await keyboard.press(b"\r") is None
    # A key that names what it does is meant.
    assert await keyboard.press(b"s") == Do(actions.draw_stock())
    await asyncio.sleep(LOOK_S + 0.05)
    assert await keyboard.press(b"\r") == Do(actions.draw_stock())


async def test_keys_pressed_before_the_screen_changed_are_not_heard(keyboard: Keyboard) -> None:
    keyboard.show(discard_view())
    os.write(keyboard._end, b"a")
    keyboard.front._readable()
    await asyncio.sleep(0.01)
    keyboard.show(later(layoff_view(), 12))
    key = await keyboard.front.read()
    assert key == "a"
    assert keyboard.front.step(keyboard.at, key)[1] is None
    assert await keyboard.press(b"a") == Do(actions.lay_off())


async def test_after_his_own_draw_a_player_goes_on_at_once(keyboard: Keyboard) -> None:
    keyboard.show(draw_view())
    await asyncio.sleep(0.01)
    keyboard.show(later(discard_view(), 10))
    effect = await keyboard.press(b"\r\r")
    assert isinstance(effect, Do)
    assert effect.action.HasField("discard")


async def test_the_result_stays_until_it_can_have_been_read(keyboard: Keyboard) -> None:
    keyboard.show(draw_view())
    keyboard.front.hand_over(game(draw_view()), scored())
    await keyboard.press(b"\r")
    await asyncio.sleep(LOOK_S + 0.05)
    # The page is there still: this key closes it, and the next one draws.
    assert await keyboard.press(b"\r") is None
    assert await keyboard.press(b"s") == Do(actions.draw_stock())


async def test_q_quits_from_the_result_too(keyboard: Keyboard) -> None:
    keyboard.show(draw_view())
    keyboard.front.hand_over(game(draw_view()), scored())
    assert await keyboard.press(b"q") is Leave.QUIT
