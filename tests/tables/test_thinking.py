"""Bots that take their time: nobody waits for them, and what they do can be played again."""

import asyncio
import threading
import time

import pytest

from ginrummy import engine
from ginrummy.tables import play, thinking
from ginrummy.tables.events import Occupant
from ginrummy.tables.state import TableState
from ginrummy.tables.thinking import Choice

from .house import House, human, setup_of, until

FOR_EVER = 2**32 - 1
"""More samples than anybody waits for."""
UNTIL_IT_IS_HARD = 13
"""Actions of the usual match before a discard that a minute of thinking does not decide.

The chance numbers decide on that as well: those of head 0 do not help."""


def thinker(samples: int = 4, think_s: float | None = None) -> Occupant:
    think_us = None if think_s is None else round(think_s * 1e6)
    options = {"samples": str(samples)}
    return Occupant(kind="bot", bot="expert", options=options, think_time_us=think_us)


class Pondering:
    """Thinks until it is let go, and tells when it has begun."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.is_let_go = threading.Event()

    def __call__(
        self, state: TableState, cancel: engine.Cancel | None = None, waited_s: float = 0.0
    ) -> Choice:
        self.begun.set()
        while not self.is_let_go.wait(0.005):
            if cancel is not None and cancel.is_cancelled:
                break
        return CHOOSE(state, cancel)


CHOOSE = thinking.choose


@pytest.fixture
def pondering(monkeypatch: pytest.MonkeyPatch) -> Pondering:
    pondering = Pondering()
    monkeypatch.setattr(thinking, "choose", pondering)
    return pondering


async def test_the_same_match_is_played_again_whatever_else_goes_on(house: House) -> None:
    setup = setup_of(seats=[thinker(), thinker()])
    stories = []
    for _ in range(2):
        match_id = await house.new_match(setup)
        async with house.tables.use(match_id) as table:
            await until(lambda: table.state.result is not None, 60)
            await house.assert_log_and_table_agree(table)
        stories.append([recorded.event for recorded in await house.stored(match_id)])
    assert len(stories[0]) > 20
    assert stories[0] == stories[1]


async def test_the_chance_numbers_change_with_each_move_and_each_deal(house: House) -> None:
    async with house.tables.use(await house.new_match(setup_of())) as table:
        first = thinking.seed_at(table.state)
        assert thinking.seed_at(table.state._replace(seed="03" * 32)) != first
        await house.act_once(table)
        assert thinking.seed_at(table.state) != first


async def test_nobody_waits_for_a_bot_that_thinks(house: House, pondering: Pondering) -> None:
    slow = await house.new_match(setup_of(seats=[thinker(), thinker()]))
    async with house.tables.use(slow) as table:
        await until(pondering.begun.is_set)
        head = table.state.head
        assert await house.play_on(await house.new_match()) > 20
        assert table.state.head == head
        pondering.is_let_go.set()
        await until(lambda: table.state.head > head)


async def test_a_choice_is_moot_when_the_match_has_moved_meanwhile(
    house: House, pondering: Pondering
) -> None:
    match_id = await house.new_match(setup_of(seats=[human(), thinker()]))
    async with house.tables.use(match_id) as table:
        while table.state.to_act == 1:
            await house.act_once(table)
        await until(pondering.begun.is_set)
        await play.resign(table, 1, None)
        head = table.state.head
        pondering.is_let_go.set()
        await asyncio.sleep(0.1)
        assert table.state.head == head
        assert table.state.result is not None
        await house.assert_log_and_table_agree(table)


async def test_closing_ends_the_thinking(house: House, pondering: Pondering) -> None:
    match_id = await house.new_match(setup_of(seats=[thinker(), thinker()]))
    async with house.tables.use(match_id) as table:
        await until(pondering.begun.is_set)
        head = table.state.head
        began_s = time.monotonic()
        await house.tables.close()
        assert time.monotonic() - began_s < 20
        assert table.state.head == head
    assert len(await house.stored(match_id)) == head


async def test_a_think_time_is_kept(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinking, "LONGEST_THINK_S", 60.0)
    match_id = await house.new_match()
    await house.play_on(match_id, UNTIL_IT_IS_HARD)
    async with house.tables.use(match_id) as table:
        bot = thinker(FOR_EVER, think_s=0.01)
        state = table.state._replace(occupants=(bot, bot), head=0)
        choice = thinking.choose(state)
        assert choice.think_s < 20
        assert state.game is not None
        legal = state.game.view(state.to_act)["legal_actions"]
        assert choice.action["type"] in {action["type"] for action in legal}
