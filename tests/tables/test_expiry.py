"""Matches at rest are aborted, ended ones forgotten, each when its time is over and not before."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from ginrummy.log import Entry, IndexRow, LogUnavailable, MatchState, MemoryLog
from ginrummy.tables import play
from ginrummy.tables.errors import LimitReached, MatchNotFound, StoreUnavailable
from ginrummy.tables.events import Occupant
from ginrummy.tables.expiry import BATCH_LEN, Expiry
from ginrummy.tables.history import ended_match_events
from ginrummy.tables.lifetimes import FOREVER, Lifetimes
from ginrummy.tables.setup import ClockSetup
from ginrummy.tables.watcher import Closing, Notice

from .house import (
    Hands,
    House,
    Withholding,
    bot,
    change_creation,
    commands,
    events_of,
    human,
    setup_of,
    take_all,
    until,
    vacant,
)

SECOND_US = 1_000_000
LIFETIMES = Lifetimes.of_seconds(60, 600)


@pytest.fixture
async def house(hands: Hands) -> AsyncIterator[House]:
    house = House(now_us=hands, lifetimes=LIFETIMES)
    yield house
    await house.tables.close()


async def look(house: House) -> None:
    await Expiry(house.tables).look(house.tables.now_us())


async def state_of(house: House, match_id: str) -> MatchState:
    return (await house.tables.index.row(match_id)).state


@pytest.mark.parametrize("seats", [[human(), human()], [human(), vacant()], [human(), bot()]])
async def test_a_match_in_which_nothing_happens_is_aborted_and_its_watchers_see_it(
    house: House, hands: Hands, seats: list[Occupant]
) -> None:
    match_id = await house.new_match(setup_of(seats=seats))
    async with house.tables.use(match_id) as table:
        await until(lambda: table.state.bot_to_act is None)
        head = table.state.head
        with table.audience.watch(1, head, 10) as watcher:
            hands.move(59.9)
            await look(house)
            assert table.state.result is None
            hands.move(0.1)
            await look(house)
            updates = await watcher.updates()
            assert updates is not None
            [ended] = events_of(updates)
            assert ended.event["type"] == "match_ended"
            assert ended.event["winner"] is None
            assert await watcher.updates() is None
        await house.assert_log_and_table_agree(table)
    assert commands(await house.log.read(match_id))[-1] == "abort"
    assert await state_of(house, match_id) is MatchState.ABORTED


async def test_an_action_begins_the_time_anew(house: House, hands: Hands) -> None:
    match_id = await house.new_match()
    for _ in range(5):
        hands.move(59)
        await look(house)
        async with house.tables.use(match_id) as table:
            await house.act_once(table)
    assert await state_of(house, match_id) is MatchState.RUNNING


async def test_an_action_that_comes_while_matches_are_looked_up_is_heard(
    house: House, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await house.new_match()
    hands.move(61)
    idle_rows = house.log.idle_rows

    async def and_then_an_action(*chosen: object) -> list[IndexRow]:
        rows = await idle_rows(*chosen)  # type: ignore[arg-type]
        if rows:
            async with house.tables.use(match_id) as table:
                await house.act_once(table)
        return rows

    monkeypatch.setattr(house.log, "idle_rows", and_then_an_action)
    await look(house)
    assert await state_of(house, match_id) is MatchState.RUNNING


async def test_a_clock_that_ran_out_unserved_is_extended_and_the_match_goes_on(
    house: House, hands: Hands
) -> None:
    clock = ClockSetup(turn_time_us=20 * SECOND_US, timeouts_to_forfeit=0, hand_pause_us=0)
    match_id = await house.new_match(setup_of(clock=clock))
    hands.move(100)
    again = House(house.log, now_us=hands, lifetimes=LIFETIMES)
    await look(again)
    assert commands(await house.log.read(match_id)) == ["create", "extend_clock"]
    await again.tables.close()


async def test_an_ended_match_is_forgotten_with_all_that_is_kept_of_it(
    house: House, hands: Hands
) -> None:
    created = await house.create(setup_of(), "create-1")
    match_id = created.row.match_id
    other_id = await house.new_match()
    await house.play_on(match_id)
    async with house.tables.use(match_id) as table:
        with table.audience.watch(0, 0, 10) as watcher:
            while await watcher.updates() is not None:
                pass
    row = await house.tables.index.row(match_id)
    assert house.tables.blocks.count_of(match_id)
    hands.move(599.9)
    await look(house)
    assert (await house.tables.index.row(match_id)).state is MatchState.FINISHED
    hands.move(0.2)
    await house.play_on(other_id, 1)
    await look(house)
    for asking in (house.tables.index.row(match_id), ended_match_events(house.tables, row, 0, 5)):
        with pytest.raises(MatchNotFound):
            await asking
    with pytest.raises(MatchNotFound):
        async with house.tables.use(match_id):
            pass
    assert await house.tables.tokens(match_id) == {}
    assert await house.log.read(match_id) == []
    assert house.tables.blocks.count_of(match_id) == 0
    assert match_id not in house.tables._live
    assert (await house.create(setup_of(), "create-1")).row.match_id != match_id
    assert (await house.tables.index.row(other_id)).match_id == other_id


async def test_whoever_reads_a_match_while_it_is_forgotten_is_told_so(
    house: House, hands: Hands
) -> None:
    match_id = await house.new_match(setup_of("kawu"))
    await house.play_on(match_id)
    async with house.tables.use(match_id) as table:
        with table.audience.watch(0, 0, 10) as watcher:
            await watcher.updates()
            await house.tables.forget(match_id)
            with pytest.raises(MatchNotFound):
                await asyncio.wait_for(take_all(watcher), 60)


async def test_a_table_that_is_loaded_while_its_match_is_forgotten_is_not_kept(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await house.new_match()
    await house.play_on(match_id)
    again = house.reopened()
    read, has_read, go_on = again.log.read, asyncio.Event(), asyncio.Event()

    async def slowly(*wanted: object) -> list[Entry]:
        entries = await read(*wanted)  # type: ignore[arg-type]
        has_read.set()
        await go_on.wait()
        return entries

    monkeypatch.setattr(again.log, "read", slowly)

    async def touch() -> None:
        async with again.tables.use(match_id):
            pass

    touching = asyncio.create_task(touch())
    await has_read.wait()
    forgetting = asyncio.create_task(again.tables.forget(match_id))
    await asyncio.sleep(0.01)
    go_on.set()
    await asyncio.gather(touching, forgetting)
    assert again.tables.live_count == 0
    with pytest.raises(MatchNotFound):
        await touch()


async def test_a_match_that_cannot_be_played_again_holds_up_no_other(
    house: House, hands: Hands, caplog: pytest.LogCaptureFixture
) -> None:
    assert isinstance(house.log, MemoryLog)
    match_ids = [await house.new_match() for _ in range(BATCH_LEN + 3)]
    change_creation(house.log, match_ids[0], seed="00" * 32)
    again = House(house.log, now_us=hands, lifetimes=LIFETIMES)
    hands.move(61)
    for _ in range(2):
        await look(again)
    assert [await state_of(again, m) for m in match_ids[1:]] == [MatchState.ABORTED] * len(
        match_ids[1:]
    )
    assert len([r for r in caplog.records if r.levelno == logging.ERROR]) == 1


async def test_a_store_in_trouble_is_asked_again_later(house: House, hands: Hands) -> None:
    assert isinstance(house.log, MemoryLog)
    match_id = await house.new_match()
    hands.move(61)
    house.log.trouble = LogUnavailable("full")
    with pytest.raises(StoreUnavailable):
        await look(house)
    house.log.trouble = None
    await look(house)
    assert await state_of(house, match_id) is MatchState.ABORTED


@pytest.mark.parametrize("which", [0, BATCH_LEN, -1])
async def test_a_match_that_the_store_does_not_give_keeps_no_other_from_its_end(
    hands: Hands, which: int
) -> None:
    log = Withholding()
    first = House(log, now_us=hands)
    match_ids = [await first.new_match() for _ in range(BATCH_LEN + 1)]
    await first.tables.close()
    house = House(log, now_us=hands, lifetimes=LIFETIMES)
    log.withheld = match_ids.pop(which)
    hands.move(61)
    with suppress(StoreUnavailable):
        await look(house)
    assert {await state_of(house, match_id) for match_id in match_ids} == {MatchState.ABORTED}
    hands.move(601)
    with suppress(StoreUnavailable):
        await look(house)
    for match_id in match_ids:
        with pytest.raises(MatchNotFound):
            await state_of(house, match_id)
    log.withheld = ""
    await look(house)
    await house.tables.close()


async def test_without_lifetimes_nothing_ends(hands: Hands) -> None:
    house = House(now_us=hands, lifetimes=FOREVER)
    ended_id, open_id = await house.new_match(), await house.new_match()
    await house.play_on(ended_id)
    hands.move(10**9)
    await look(house)
    assert await state_of(house, ended_id) is MatchState.FINISHED
    assert await state_of(house, open_id) is MatchState.RUNNING


async def test_the_tables_look_by_themselves() -> None:
    house = House(lifetimes=Lifetimes.of_seconds(1, 1))
    match_id = await house.new_match()
    [row] = (await house.log.list_rows()).rows
    assert house.tables.lifetimes.expire_us(row) == row.updated_us + SECOND_US
    house.tables.start()
    while await house.log.row(match_id) is not None:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.05)
    await house.tables.close()


async def test_a_play_stream_of_a_match_that_is_aborted_ends_and_does_not_drain(
    house: House, hands: Hands
) -> None:
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        with table.audience.watch(2, 0, 10) as watcher:
            hands.move(61)
            await look(house)
            seen: list[Notice] = []
            while (news := await watcher.updates()) is not None:
                seen += news.notices
    assert not any(isinstance(notice, Closing) for notice in seen)


async def test_only_so_many_matches_go_on_at_a_time() -> None:
    house = House(most_open=3)
    match_ids = [(await house.create(setup_of(), f"create-{n}")).row.match_id for n in range(3)]
    assert house.tables.open_matches.count == 3
    with pytest.raises(LimitReached) as refused:
        await house.create(setup_of(), "create-3")
    assert (refused.value.limit, refused.value.most) == ("open_matches", 3)
    # A retry makes no further match.
    assert (await house.create(setup_of(), "create-0")).row.match_id == match_ids[0]
    await house.play_on(match_ids[0])
    await house.create(setup_of(), "create-3")
    async with house.tables.use(match_ids[1]) as table:
        await play.abort(table, None, None)
    assert house.tables.open_matches.count == 2
    again = House(house.log, most_open=3)
    assert again.tables.open_matches.count == 2
    for each in (house, again):
        await each.tables.close()


async def test_matches_created_at_once_do_not_get_past_the_limit() -> None:
    house = House(most_open=5)
    outcomes = await asyncio.gather(
        *(house.create(setup_of()) for _ in range(20)), return_exceptions=True
    )
    assert sum(isinstance(outcome, LimitReached) for outcome in outcomes) == 15
    assert house.tables.open_matches.count == 5
    await house.tables.close()


async def test_a_creation_that_fails_is_not_counted() -> None:
    house = House(most_open=1)
    assert isinstance(house.log, MemoryLog)
    house.log.trouble = LogUnavailable("full")
    with pytest.raises(StoreUnavailable):
        await house.create(setup_of())
    house.log.trouble = None
    await house.create(setup_of())
    await house.tables.close()
