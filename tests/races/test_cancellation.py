"""A caller who goes away at any await, and a store that fails there, leave log and table equal."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from ginrummy.log import EventLog, LogUnavailable, MemoryLog, RowFilter, SqliteLog

from ..tables.house import House, until
from .calls import Aborted, Call, Office
from .steps import Steps

KINDS = ("create", "join", "act", "resign", "abort", "play_act", "play_resign")
ALL = RowFilter(include_unlisted=True)


@pytest.fixture(params=["memory", "sqlite"])
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[EventLog]:
    log: EventLog = MemoryLog()
    if request.param == "sqlite":
        log = await SqliteLog.open(tmp_path / "log.sqlite3")
    yield log
    await log.close()


@pytest.mark.parametrize("fails", ["", "before", "after"])
@pytest.mark.parametrize("kind", KINDS)
async def test_a_caller_who_goes_away_at_any_step_leaves_log_and_table_equal(
    log: EventLog, kind: str, fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = House(log)
    office = Office(house.tables)
    at, had_effect = 1, set()
    while True:
        call = await office.call(kind)
        with monkeypatch.context() as patch:
            if fails:
                patch.setattr(log, "append", failing_once(log.append, fails))
            has_come = await sent_and_cancelled(call, at)
            await settled(house)
        had_effect.add(await has_effect(log, call))
        await assert_equal(house, call)
        before = await has_effect(log, call)
        replayed = await insist(call)
        assert replayed is None or replayed is before
        assert await has_effect(log, call)
        await assert_equal(house, call)
        if not has_come:
            break
        at += 1
    assert at > 2
    assert (fails != "before") in had_effect
    await house.tables.close()


@pytest.mark.parametrize("fails", ["", "before", "after"])
@pytest.mark.parametrize("kind", ["create", "join"])
async def test_new_tokens_are_the_logs_whenever_their_caller_goes_away(
    log: EventLog, kind: str, fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = House(log)
    office = Office(house.tables)
    at = 1
    while True:
        call = await office.call(kind)
        await call.send()
        with monkeypatch.context() as patch:
            if fails:
                patch.setattr(log, "set_token", failing_once(log.set_token, fails))
            has_come = await sent_and_cancelled(call, at)
            await settled(house)
        await assert_equal(house, call)
        await insist(call)
        await assert_equal(house, call)
        if not has_come:
            break
        at += 1
    await house.tables.close()


async def sent_and_cancelled(call: Call, at: int) -> bool:
    """Makes the call, and cancels it before the step `at`; whether there were so many."""
    sending: asyncio.Task[Any]
    with Steps(at, lambda: sending.cancel()) as steps:
        sending = asyncio.ensure_future(_send(call))
        await asyncio.wait((sending,))
    if not sending.cancelled() and (error := sending.exception()) is not None:
        assert isinstance(error, Aborted)
        assert error.reason == "STORE_UNAVAILABLE"
    return steps.has_come


async def _send(call: Call) -> bool | None:
    return await call.send()


async def insist(call: Call) -> bool | None:
    """Makes the call until the store takes it."""
    for _ in range(500):
        try:
            return await call.send()
        except Aborted as error:
            if error.reason != "STORE_UNAVAILABLE":
                raise
            await asyncio.sleep(0.01)
    raise AssertionError("the store does not come back")


async def settled(house: House) -> None:
    """Waits until nobody works on anything."""

    def is_quiet() -> bool:
        tables = [live.table for live in house.tables._live.values()]
        return not house.tables.work.is_going_on and not any(
            table._lock.locked() or table._work.is_going_on or table.is_unsure for table in tables
        )

    await until(is_quiet, 60)


async def has_effect(log: EventLog, call: Call) -> bool:
    if not call.match_id:
        return await log.match_created_by(call.request_id) is not None
    entries = await log.read(call.match_id)
    made = [entry for entry in entries if entry.request_id == call.request_id]
    assert len(made) <= 1
    return bool(made)


async def assert_equal(house: House, call: Call) -> None:
    """The table is the fold of the log, its tokens are the log's, and nothing was made twice."""
    match_id = call.match_id or await house.log.match_created_by(call.request_id)
    if match_id is None:
        return
    async with house.tables.use(match_id) as table:
        await house.assert_log_and_table_agree(table)
    if not call.match_id:
        rows = (await house.log.list_rows(ALL, 500)).rows
        made = [row for row in rows if row.create_request_id == call.request_id]
        assert [row.match_id for row in made] == [match_id]


def failing_once(
    store: Callable[..., Awaitable[Any]], fails: str
) -> Callable[..., asyncio.Future[Any]]:
    """A log's method that fails the first time, before or after it has stored."""
    fail = [fails]

    async def store_or_fail(*arguments: Any) -> Any:
        how = fail.pop() if fail else ""
        if how == "before":
            raise LogUnavailable("disk full")
        stored = await store(*arguments)
        if how == "after":
            raise LogUnavailable("input/output error")
        return stored

    return lambda *arguments: asyncio.ensure_future(store_or_fail(*arguments))
