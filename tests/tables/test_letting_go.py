"""Tables that nobody needs are let go, and are live again when something has to happen in them."""

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator
from time import monotonic

import pytest

from ginrummy.log import MatchState
from ginrummy.tables import registry
from ginrummy.tables.setup import ClockSetup

from .house import Hands, House, commands, setup_of, until

SECOND_US = 1_000_000
LONG_US = 3600 * SECOND_US


@pytest.fixture
async def house(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    monkeypatch.setattr(registry, "SWEEP_S", 0.01)
    house = House(now_us=hands)
    house.tables.start()
    yield house
    await house.tables.close()


def clocked(turn_time_us: int = LONG_US) -> ClockSetup:
    return ClockSetup(turn_time_us=turn_time_us, timeouts_to_forfeit=0, hand_pause_us=0)


def sweep(house: House) -> None:
    house.tables.sweep(monotonic() + 2 * registry.IDLE_S)


async def test_a_table_whose_clock_runs_for_long_is_let_go_and_live_before_it_runs_out(
    house: House, hands: Hands
) -> None:
    match_id = await house.new_match(setup_of(clock=clocked()))
    sweep(house)
    assert house.tables.live_count == 0
    hands.move(3600 - registry.WAKE_S - 1)
    await asyncio.sleep(0.05)
    assert house.tables.live_count == 0
    hands.move(2)
    await until(lambda: house.tables.live_count == 1)
    assert commands(await house.log.read(match_id)) == ["create"]


async def test_who_is_let_go_by_his_table_still_runs_out_of_time(
    house: House, hands: Hands
) -> None:
    match_id = await house.new_match(setup_of(clock=clocked()))
    sweep(house)
    hands.move(3600 - 0.2)
    await until(lambda: house.tables.live_count == 1)
    hands.move(0.2)
    async with house.tables.use(match_id) as table:
        head = table.state.head
        await until(lambda: table.state.head > head)
    assert commands(await house.log.read(match_id)) == ["create", "time_out"]


async def test_a_table_whose_clock_runs_out_soon_stays_live(house: House) -> None:
    await house.new_match(setup_of(clock=clocked(30 * SECOND_US)))
    sweep(house)
    assert house.tables.live_count == 1


async def test_a_move_at_a_table_let_go_starts_the_clock_anew(house: House, hands: Hands) -> None:
    match_id = await house.new_match(setup_of(clock=clocked()))
    sweep(house)
    hands.move(1800)
    await house.play_on(match_id, 2)
    sweep(house)
    hands.move(1800)
    await asyncio.sleep(0.05)
    assert house.tables.live_count == 0
    hands.move(1800 - 1)
    await until(lambda: house.tables.live_count == 1)


async def test_a_restart_loads_only_matches_whose_clocks_run_out_soon(
    house: House, hands: Hands
) -> None:
    for turn_time_us in (0, LONG_US):
        await house.new_match(setup_of(clock=clocked(turn_time_us)))
    soon = await house.new_match(setup_of(clock=clocked(10 * SECOND_US)))
    await house.tables.close()
    again = House(house.log, now_us=hands)
    again.tables.start()
    await until(lambda: again.tables.is_live(soon))
    await asyncio.sleep(0.05)
    assert again.tables.live_count == 1
    await again.tables.close()


async def test_a_match_forgotten_while_its_clock_runs_is_not_looked_for_again(
    house: House, hands: Hands
) -> None:
    match_id = await house.new_match(setup_of(clock=clocked()))
    sweep(house)
    await house.tables.forget(match_id)
    hands.move(3600)
    await asyncio.sleep(0.05)
    assert house.tables.live_count == 0
    assert house.tables.set_aside_count == 0


@pytest.mark.parametrize("turn_time_us", [0, LONG_US])
async def test_what_a_table_held_is_free_as_soon_as_it_is_let_go(
    house: House, turn_time_us: int
) -> None:
    match_id = await house.new_match(setup_of(clock=clocked(turn_time_us)))
    await house.play_on(match_id, 2)
    async with house.tables.use(match_id) as table:
        is_there = weakref.ref(table), weakref.ref(table.audience)
    del table
    gc.collect()
    gc.disable()
    try:
        sweep(house)
        assert [ref() for ref in is_there] == [None, None]
    finally:
        gc.enable()


async def test_an_ended_table_is_let_go_whatever_its_clock_was(house: House) -> None:
    match_id = await house.new_match(setup_of("playgridia", clock=clocked()))
    await house.play_on(match_id)
    async with house.tables.use(match_id) as table:
        assert table.state.stage is MatchState.FINISHED
    sweep(house)
    assert house.tables.live_count == 0


async def test_matches_that_agree_on_rules_and_clock_hold_them_once(house: House) -> None:
    one = await house.new_match(setup_of(clock=clocked()))
    other = await house.new_match(setup_of(clock=clocked()))
    another = await house.new_match(setup_of(clock=clocked(LONG_US + SECOND_US)))
    async with (
        house.tables.use(one) as first,
        house.tables.use(other) as second,
        house.tables.use(another) as third,
    ):
        setups = [table.state.setup for table in (first, second, third)]
    assert setups[0]["rules"] is setups[1]["rules"] is setups[2]["rules"]
    assert setups[0]["clock"] is setups[1]["clock"]
    assert setups[2]["clock"]["turn_time_us"] == LONG_US + SECOND_US
