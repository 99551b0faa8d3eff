"""What every log promises to listeners in its process."""

import asyncio
from contextlib import ExitStack

import pytest

from ginrummy.log import Appended, Conflict, EventLog, TailLagged

from .samples import append, entry_of, row_of


async def test_a_tail_tells_every_append_after_it_was_opened(log: EventLog) -> None:
    await append(log, "before")
    with log.tail() as appends:
        entries = [await append(log, f"m{n}") for n in range(5)]
        heard = [await anext(appends) for _ in range(5)]
    assert [appended.entry for appended in heard] == entries
    assert [appended.row for appended in heard] == [row_of(entry) for entry in entries]
    revisions = [appended.revision for appended in heard]
    assert revisions == sorted(set(revisions))


async def test_what_nobody_wants_wakes_nobody_and_is_looked_at_once_for_all(log: EventLog) -> None:
    looked_at: list[str] = []

    def wanted(appended: Appended) -> bool:
        looked_at.append(appended.entry.match_id)
        return appended.entry.match_id == "m2"

    with ExitStack() as stack:
        tails = [stack.enter_context(log.tail(wanted=wanted)) for _ in range(20)]
        hearing = [asyncio.create_task(anext(tail)) for tail in tails]
        await append(log, "m1")
        assert not any(tail._news.is_set() for tail in tails)
        await append(log, "m2")
        heard = await asyncio.gather(*hearing)
    assert looked_at == ["m1", "m2"]
    assert len(set(heard)) == 1
    assert heard[0].row.match_id == "m2"
    await append(log, "m2", 2)
    assert looked_at == ["m1", "m2"], "somebody is looked for who has left"


async def test_a_tail_is_silent_about_refused_entries(log: EventLog) -> None:
    await append(log, "m1")
    with log.tail() as appends:
        with pytest.raises(Conflict):
            await append(log, "m1", 5)
        entry = await append(log, "m1", 2)
        assert (await anext(appends)).entry == entry


async def test_what_a_tail_tells_can_be_read(log: EventLog) -> None:
    with log.tail() as appends:
        appending = asyncio.gather(*(append(log, f"m{n}") for n in range(20)))
        for _ in range(20):
            appended = await anext(appends)
            assert await log.row(appended.row.match_id) == appended.row
        await appending


async def test_an_append_nobody_waits_for_is_told_too(log: EventLog) -> None:
    entry = entry_of("m1")
    with log.tail() as appends:
        waiting = asyncio.ensure_future(log.append(entry, row_of(entry)))
        await asyncio.sleep(0)
        waiting.cancel()
        await append(log, "m2")
        told = [(await anext(appends)).entry.match_id]
        if told == ["m1"]:
            told.append((await anext(appends)).entry.match_id)
        assert told == [m for m in ("m1", "m2") if await log.row(m) is not None]


async def test_every_tail_is_told(log: EventLog) -> None:
    with log.tail() as one, log.tail() as two:
        entry = await append(log, "m1")
        assert (await anext(one)).entry == (await anext(two)).entry == entry


async def test_a_listener_that_stops_is_let_go_and_the_others_go_on(log: EventLog) -> None:
    with log.tail(limit=3) as slow, log.tail() as quick:
        entries = [await append(log, f"m{n}") for n in range(6)]
        with pytest.raises(TailLagged):
            await anext(slow)
        assert [(await anext(quick)).entry for _ in entries] == entries


async def test_closing_the_log_ends_its_tails_after_what_was_told(log: EventLog) -> None:
    appends = log.tail()
    entry = await append(log, "m1")
    listening = asyncio.create_task(anext(log.tail(), None))
    await asyncio.sleep(0)
    await log.close()
    assert [appended.entry async for appended in appends] == [entry]
    assert await listening is None


async def test_a_closed_tail_tells_nothing(log: EventLog) -> None:
    appends = log.tail()
    appends.close()
    await append(log, "m1")
    assert [appended async for appended in appends] == []
