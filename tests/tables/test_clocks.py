"""Deadlines: when they begin, and what happens when they pass."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest

from ginrummy.engine import Panic
from ginrummy.log import Entry, MatchState
from ginrummy.tables import attendant, play
from ginrummy.tables.clock import deadline_after, deadline_after_restart
from ginrummy.tables.errors import MatchOver, StaleSequence
from ginrummy.tables.setup import ClockSetup
from ginrummy.tables.table import Table
from ginrummy.tables.thinking import Thinkers

from .house import Hands, House, bot, commands, human, next_action, setup_of, until

TURN_US = 60_000


def clock_of(turn_time_us: int = TURN_US, **changes: int) -> ClockSetup:
    clock = ClockSetup(turn_time_us=turn_time_us, timeouts_to_forfeit=0, hand_pause_us=0)
    clock.update(changes)  # type: ignore[typeddict-item] # the tests' own spelling
    return clock


def after(clock: ClockSetup, **changes: Any) -> int | None:
    situation = {"running": 500, "turn_goes_on": False, "first_of_next_hand": False} | changes
    return deadline_after(clock, 1_000_000, **situation)


def test_one_allowance_covers_a_whole_turn() -> None:
    assert after(clock_of(), turn_goes_on=True) == 500
    assert after(clock_of()) == 1_000_000 + TURN_US


def test_a_pause_lengthens_the_first_deadline_of_a_hand() -> None:
    clock = clock_of(hand_pause_us=70)
    assert after(clock, first_of_next_hand=True) == 1_000_000 + TURN_US + 70
    assert after(clock) == 1_000_000 + TURN_US


def test_no_turn_time_is_no_clock() -> None:
    assert after(clock_of(0), first_of_next_hand=True) is None


def test_after_a_restart_at_most_fifteen_seconds_are_given() -> None:
    assert deadline_after_restart(clock_of(45_000_000), 1_000) == 15_001_000
    assert deadline_after_restart(clock_of(10_000_000), 1_000) == 10_001_000


async def test_the_deadline_stands_from_draw_to_discard_and_starts_anew_after(
    house: House,
) -> None:
    match_id = await house.new_match(setup_of("playgridia", clock=clock_of(45_000_000)))
    async with house.tables.use(match_id) as table:
        first = table.state.deadline_us
        await house.act_once(table)
        assert table.state.game is not None
        assert table.state.game.phase == "discard"
        assert table.state.deadline_us == first
        await house.act_once(table)
        assert table.state.deadline_us is not None
        assert first is not None
        assert table.state.deadline_us > first
    last = (await house.stored(match_id))[-1]
    assert last.deadline_us is not None
    assert last.to_act


async def test_only_a_next_hand_begins_with_the_pause(house: House) -> None:
    clock = clock_of(45_000_000, hand_pause_us=7_000_000)
    match_id = await house.new_match(setup_of("kawu", clock=clock))
    async with house.tables.use(match_id) as table:
        while len(deals := await dealt(house, match_id)) < 3:
            await house.act_once(table)
    assert deals == [45_000_000, 52_000_000, 52_000_000]


async def test_the_pause_is_given_after_a_bot_has_begun_the_hand(house: House) -> None:
    clock = clock_of(45_000_000, hand_pause_us=7_000_000)
    setup = setup_of("kawu", seats=[human(), bot()], clock=clock)
    match_id = await house.new_match(setup)
    async with house.tables.use(match_id) as table:
        while table.state.result is None:
            await until(lambda: table.state.to_act == 1 or table.state.result is not None)
            if table.state.to_act:
                await house.act_once(table)
    begun_by_bot = 0
    allowed_us: list[int] = []
    for event in await house.stored(match_id):
        if event.event["type"] == "hand_dealt":
            allowed_us.append(0)
            begun_by_bot += event.deadline_us is None
        if event.deadline_us is not None and not allowed_us[-1]:
            allowed_us[-1] = event.deadline_us - event.time_us
    assert begun_by_bot > 1
    assert allowed_us[0] == 45_000_000
    assert {length for length in allowed_us[1:] if length} == {52_000_000}


async def dealt(house: House, match_id: str) -> list[int]:
    """How long the first decision of each hand may take."""
    return [
        event.deadline_us - event.time_us
        for event in await house.stored(match_id)
        if event.event["type"] == "hand_dealt" and event.deadline_us is not None
    ]


async def first_to_act(house: House, match_id: str) -> int:
    """Who has the first decision of a match, whoever is to act by now."""
    return next(event.to_act for event in await house.stored(match_id) if event.to_act)


async def test_the_engine_plays_for_who_runs_out_of_time(house: House) -> None:
    match_id = await house.new_match(setup_of("short", clock=clock_of()))
    async with house.tables.use(match_id) as table:
        seat = await first_to_act(house, match_id)
        await until(lambda: table.state.to_act != seat)
    events = [event.event for event in await house.stored(match_id)]
    assert {"type": "timed_out", "seat": seat, "timeouts": 1} in events
    assert {"type": "passed", "seat": seat} in events


async def test_two_who_have_left_are_aborted(house: House) -> None:
    match_id = await house.new_match(setup_of("playgridia", clock=clock_of(20_000)))
    async with house.tables.use(match_id) as table:
        await until(lambda: table.state.result is not None)
        assert table.state.stage is MatchState.ABORTED
        await house.assert_log_and_table_agree(table)
    assert commands(await house.log.read(match_id)) == ["create"] + ["time_out"] * 6


async def test_who_times_out_too_often_forfeits(house: House) -> None:
    clock = clock_of(20_000, timeouts_to_forfeit=2)
    match_id = await house.new_match(setup_of("playgridia", clock=clock))
    async with house.tables.use(match_id) as table:
        seat = await first_to_act(house, match_id)
        await until(lambda: table.state.result is not None)
        assert table.state.result is not None
        assert table.state.result["reason"] == "clock_expired"
        assert table.state.result["winner"] == 3 - seat


async def test_a_bot_has_no_clock(house: House) -> None:
    match_id = await house.new_match(setup_of(seats=[human(), bot()], clock=clock_of(45_000_000)))
    async with house.tables.use(match_id) as table:
        await until(lambda: table.state.to_act == 1)
        while table.state.result is None:
            await house.act_once(table)
            await until(lambda: table.state.to_act == 1 or table.state.result is not None)
    for event in await house.stored(match_id):
        assert (event.deadline_us is not None) == (event.to_act == 1)


@pytest.mark.parametrize("kind", [RuntimeError, Panic])
async def test_a_match_goes_on_after_a_fault_of_ours(
    house: House,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kind: type[BaseException],
) -> None:
    faults = 3
    play_bot = attendant.play_bot

    async def faulty(table: Table, thinkers: Thinkers) -> None:
        nonlocal faults
        faults -= 1
        if faults >= 0:
            raise kind("the hand was AS KS QS")
        await play_bot(table, thinkers)

    monkeypatch.setattr(attendant, "play_bot", faulty)
    monkeypatch.setattr(attendant, "FIRST_RETRY_S", 0.01)
    match_id = await house.new_match(setup_of(seats=[bot(), bot()]))
    async with house.tables.use(match_id) as table:
        await until(lambda: table.state.result is not None)
    reports = [record.getMessage() for record in caplog.records]
    assert len(reports) == 1
    assert reports[0].startswith(f"match {match_id} stands still: {kind.__name__} at ")
    assert "AS" not in reports[0].split()


async def test_a_move_that_cannot_be_stored_is_reported_once_and_tried_less_and_less_often(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tries = []
    append = house.log.append

    def refusing(entry: Entry, *others: Any) -> Awaitable[int]:
        if entry.first == 1:
            return append(entry, *others)
        tries.append(asyncio.get_running_loop().time())
        refused: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        refused.set_exception(RuntimeError())
        return refused

    monkeypatch.setattr(house.log, "append", refusing)
    monkeypatch.setattr(attendant, "FIRST_RETRY_S", 0.02)
    await house.new_match(setup_of(seats=[bot(), bot()]))
    await until(lambda: len(tries) == 4)
    waits = [after - before for before, after in pairwise(tries)]
    assert all(wait >= 0.9 * 0.02 * 2**i for i, wait in enumerate(waits))
    assert len(caplog.records) == 1


async def test_a_time_out_and_a_move_at_once_one_wins(house: House) -> None:
    match_id = await house.new_match(setup_of("playgridia", clock=clock_of(5_000)))
    async with house.tables.use(match_id) as table:
        for _ in range(120):
            if not table.state.to_act:
                break
            with suppress(StaleSequence, MatchOver):
                await house.act_once(table)
            await asyncio.sleep(0.0052)
        with suppress(MatchOver):
            await play.abort(table, None, None)
        await house.assert_log_and_table_agree(table)


async def test_a_deadline_that_passed_unserved_is_moved_by_an_event(hands: Hands) -> None:
    house = House(now_us=hands)
    match_id = await house.new_match(setup_of("playgridia", clock=clock_of(900_000)))
    await house.tables.close()
    hands.move(0.95)
    again = House(house.log, now_us=hands)
    again.tables.start()
    await until(lambda: again.tables.live_count == 1)
    async with again.tables.use(match_id) as table:
        last = (await house.stored(match_id))[-1]
        assert last.event["type"] == "clock_extended"
        assert last.to_act == table.state.to_act
        assert last.deadline_us == table.state.deadline_us == last.time_us + 900_000
        seat, action = next_action(table)
        assert (seat, action["type"]) == (table.state.to_act, "draw")
        await again.play_on(match_id, 2)
    await again.tables.close()


async def test_a_deadline_ahead_stands_over_a_restart(hands: Hands) -> None:
    house = House(now_us=hands)
    match_id = await house.new_match(setup_of("playgridia", clock=clock_of(300_000)))
    async with house.tables.use(match_id) as table:
        deadline_us = table.state.deadline_us
    await house.tables.close()
    hands.move(0.2)
    again = House(house.log, now_us=hands)
    again.tables.start()
    await until(lambda: again.tables.live_count == 1)
    async with again.tables.use(match_id) as table:
        assert table.state.deadline_us == deadline_us
        hands.move(0.1)
        await until(lambda: table.state.deadline_us != deadline_us)
    assert commands(await house.log.read(match_id))[1] == "time_out"
    await again.tables.close()


@pytest.mark.parametrize("turn_time_us", [0, 45_000_000])
async def test_the_usual_clock_works(house: House, turn_time_us: int) -> None:
    match_id = await house.new_match(setup_of("playgridia", clock=clock_of(turn_time_us)))
    await house.play_on(match_id)
    async with house.tables.use(match_id) as table:
        assert table.state.deadline_us is None
        assert table.state.stage is MatchState.FINISHED
