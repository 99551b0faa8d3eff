"""Log and table stay equal, whoever goes away and whatever fails."""

import asyncio
from collections.abc import Mapping

import pytest

from ginrummy.log import Entry, IndexRow, LogClosed, LogUnavailable, MemoryLog
from ginrummy.tables import play
from ginrummy.tables.errors import StaleSequence, StoreUnavailable
from ginrummy.tables.table import Table

from .house import House, events_of, facts, new_request_id, next_action, take_all, until


async def cancelled_after(table: Table, turns: int) -> bool:
    """Acts, and is cancelled after so many turns of the loop; whether that was early enough."""
    seat, action = next_action(table)
    acting = asyncio.create_task(play.act(table, seat, action, table.state.head, None))
    for _ in range(turns):
        await asyncio.sleep(0)
    was_early = acting.cancel()
    await asyncio.wait((acting,))
    return was_early


async def test_a_cancellation_at_any_await_leaves_log_and_table_equal(house: House) -> None:
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        turns = 0
        outcomes = set()
        while True:
            before = table.state.head
            was_early = await cancelled_after(table, turns)
            await until(lambda: not table._work.is_going_on)
            await house.assert_log_and_table_agree(table)
            outcomes.add((was_early, table.state.head > before))
            turns += 1
            if not was_early:
                break
        assert turns > 3
        assert (True, True) in outcomes, "no action was cancelled after it had begun"
        assert (False, True) in outcomes


async def test_a_cancelled_action_is_shown_to_watchers_all_the_same(house: House) -> None:
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        with table.audience.watch(0, 0, 10) as watcher:
            watching = asyncio.create_task(take_all(watcher))
            for turns in range(8):
                await cancelled_after(table, turns)
            await house.play_on(match_id)
            seen = await watching
    stored = await house.stored(match_id)
    assert [event.sequence for event in seen] == [event.sequence for event in stored]


async def test_nothing_is_shown_or_answered_before_it_is_durable(house: House) -> None:
    gate = asyncio.Event()
    log = SlowLog(gate)
    slow = House(log)
    gate.set()
    match_id = await slow.new_match()
    gate.clear()
    async with slow.tables.use(match_id) as table:
        seat, action = next_action(table)
        before = facts(table)
        with table.audience.watch(0, table.state.head, 10) as watcher:
            acting = asyncio.create_task(play.act(table, seat, action, table.state.head, None))
            watching = asyncio.create_task(watcher.updates())
            await asyncio.sleep(0.05)
            assert facts(table) == before
            assert not acting.done()
            assert not watching.done()
            gate.set()
            answer = await acting
            assert await watching
    assert (await log.read(match_id))[-1].last == answer.head


async def test_of_two_servers_one_wins_and_the_other_is_told(house: House) -> None:
    match_id = await house.new_match()
    other = house.reopened()
    async with house.tables.use(match_id) as here, other.tables.use(match_id) as there:
        await house.act_once(here)
        seat, action = next_action(there)
        with pytest.raises(StaleSequence) as stale:
            await play.act(there, seat, action, there.state.head, None)
        assert stale.value.actual == here.state.head
        assert facts(there) == facts(here)
        await other.act_once(there)
        with pytest.raises(StaleSequence):
            await house.act_once(here)
        assert facts(there) == facts(here)


async def test_a_retry_at_another_server_is_answered_with_the_first_events(house: House) -> None:
    match_id = await house.new_match()
    other = house.reopened()
    request_id = new_request_id()
    async with house.tables.use(match_id) as here, other.tables.use(match_id) as there:
        seat, action = next_action(here)
        head = here.state.head
        first = await play.act(here, seat, action, head, request_id)
        again = await play.act(there, seat, action, head, request_id)
        assert again.replayed
        assert again.happened.each() == first.happened.each()


@pytest.mark.parametrize("is_stored", [False, True])
async def test_after_a_failed_append_the_head_is_read_again(is_stored: bool) -> None:
    log = FailingLog()
    house = House(log)
    match_id = await house.new_match()
    request_id = new_request_id()
    async with house.tables.use(match_id) as table:
        seat, action = next_action(table)
        head = table.state.head
        log.fails_once = "after" if is_stored else "before"
        with pytest.raises(StoreUnavailable):
            await play.act(table, seat, action, head, request_id)
        await until(lambda: not table.is_unsure)
        assert (table.state.head > head) is is_stored
        answer = await play.act(table, seat, action, head, request_id)
        assert answer.replayed is is_stored
        await house.assert_log_and_table_agree(table)
        await house.play_on(match_id)
    await house.tables.close()


async def test_play_goes_on_when_the_trouble_ends() -> None:
    log = MemoryLog()
    house = House(log)
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        log.trouble = LogUnavailable("disk full")
        for _ in range(3):
            with pytest.raises(StoreUnavailable):
                await house.act_once(table)
        log.trouble = None
        await house.play_on(match_id)
        await house.assert_log_and_table_agree(table)
    await house.tables.close()


async def test_a_log_that_refuses_at_once_is_told_as_one_that_is_away(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:

        def closed(*_: object) -> None:
            raise LogClosed

        with monkeypatch.context() as patch:
            patch.setattr(house.log, "append", closed)
            with pytest.raises(StoreUnavailable):
                await house.act_once(table)
        await until(lambda: not table.is_unsure)
        await house.act_once(table)
        await house.assert_log_and_table_agree(table)


async def test_what_another_server_did_is_read_though_whoever_met_it_goes_away(
    house: House,
) -> None:
    match_id = await house.new_match()
    other = house.reopened()
    async with house.tables.use(match_id) as here, other.tables.use(match_id) as there:
        turns, knows = 0, set()
        was_early = True
        while was_early:
            head = there.state.head
            await house.act_once(here)
            was_early = await cancelled_after(there, turns)
            await until(lambda: not there.is_unsure)
            knows.add(there.state.head > head)
            await there.settle()
            assert facts(there) == facts(here)
            turns += 1
        assert turns > 3
        assert True in knows


async def test_a_fault_between_storing_and_showing_is_made_good(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        with (
            table.audience.watch(1, table.state.head, 10) as watcher,
            monkeypatch.context() as patch,
        ):

            def broken(*_: object) -> None:
                patch.undo()
                raise RuntimeError

            patch.setattr(table, "_move_to", broken)
            with pytest.raises(RuntimeError):
                await house.act_once(table)
            await until(lambda: not table.is_unsure)
            await house.assert_log_and_table_agree(table)
            assert [event.sequence for event in events_of(await watcher.updates())] == [
                table.state.head
            ]
            await house.act_once(table)


class SlowLog(MemoryLog):
    """Appends while its gate is open."""

    def __init__(self, gate: asyncio.Event) -> None:
        super().__init__()
        self._gate = gate

    def append(
        self, entry: Entry, row: IndexRow, tokens: Mapping[str, bytes] | None = None
    ) -> asyncio.Future[int]:
        append = super().append

        async def append_late() -> int:
            await self._gate.wait()
            return await append(entry, row, tokens)

        return asyncio.ensure_future(append_late())


class FailingLog(MemoryLog):
    """Fails one append, before or after it has stored the entry."""

    def __init__(self) -> None:
        super().__init__()
        self.fails_once = ""

    def append(
        self, entry: Entry, row: IndexRow, tokens: Mapping[str, bytes] | None = None
    ) -> asyncio.Future[int]:
        append = super().append
        fails, self.fails_once = self.fails_once, ""

        async def append_or_fail() -> int:
            if fails == "before":
                raise LogUnavailable("disk full")
            revision = await append(entry, row, tokens)
            if fails == "after":
                raise LogUnavailable("input/output error")
            return revision

        return asyncio.ensure_future(append_or_fail())
