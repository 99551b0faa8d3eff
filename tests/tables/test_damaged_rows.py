"""A damaged or lost index row is made anew; one that cannot be is nobody else's trouble."""

import logging
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ginrummy.log import LogDamaged, LogUnavailable, RowFilter, SqliteLog
from ginrummy.tables.errors import MatchNotFound, MatchUnreadable, StoreUnavailable

from .house import House, bot, setup_of, until

ROW_HARMS = [
    "UPDATE match_row SET summary = '{'",
    "UPDATE match_row SET summary = '[]'",
    "UPDATE match_row SET labels = '{'",
    "UPDATE match_row SET labels = '[1]'",
    "UPDATE match_row SET labels = '{\"k\": 1}'",
    "UPDATE match_row SET state = 'lost'",
]
ENTRY_HARM = "UPDATE entry SET events = '['"
LISTED = RowFilter()


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    log = await SqliteLog.open(tmp_path / "log.sqlite")
    yield House(log)
    await log.close()


def harm(house: House, match_id: str, *statements: str) -> None:
    assert isinstance(house.log, SqliteLog)
    with sqlite3.connect(house.log.path) as other:
        for statement in statements:
            other.execute(f"{statement} WHERE match_id = ?", (match_id,))
    other.close()


async def listed(house: House, chosen: RowFilter = LISTED, page_size: int = 50) -> list[str]:
    names: list[str] = []
    token = ""
    while True:
        page = await house.tables.index.rows(chosen, page_size, token)
        names += [row.match_id for row in page.rows]
        token = page.next_page_token
        if not token:
            return names


@pytest.mark.parametrize("row_harm", ROW_HARMS)
async def test_a_damaged_row_is_made_anew_when_it_is_met(
    house: House, row_harm: str, caplog: pytest.LogCaptureFixture
) -> None:
    labels = {"room": "7"}
    match_ids = [await house.new_match(setup_of(labels=labels)) for _ in range(3)]
    before = await house.log.row(match_ids[1])
    for look in (house.tables.index.row(match_ids[1]), listed(house, RowFilter(labels=labels))):
        harm(house, match_ids[1], row_harm)
        await look
        assert await listed(house, page_size=1) == match_ids[::-1]
        assert await house.log.row(match_ids[1]) == before
    assert len(caplog.records) == 2


async def test_a_lost_row_is_made_anew_when_it_is_met(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    match_ids = [await house.new_match(setup_of()) for _ in range(2)]
    before = await house.log.row(match_ids[1])
    harm(house, match_ids[1], "DELETE FROM match_row")
    assert await house.tables.index.row(match_ids[1]) == before
    assert await listed(house) == match_ids[::-1]
    assert len(caplog.records) == 1
    with pytest.raises(MatchNotFound):
        await house.tables.index.row("m" * 32)


async def test_a_restart_lists_and_goes_on_with_a_match_whose_row_is_lost(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = House(await SqliteLog.open(tmp_path / "again.sqlite"))
    match_id = await before.new_match(setup_of("kawu", seats=[bot(), bot()]))
    await before.tables.close()
    harm(before, match_id, "DELETE FROM match_row")
    await before.log.close()
    log = await SqliteLog.open(tmp_path / "again.sqlite")
    again = House(log)
    again.tables.start()
    await until(lambda: again.tables.live_count == 1)
    async with again.tables.use(match_id) as table:
        await until(lambda: table.state.result is not None)
    assert await listed(again) == [match_id]
    await again.tables.close()
    await log.close()


@pytest.mark.parametrize("row_harm", ROW_HARMS)
async def test_a_damaged_row_that_cannot_be_made_anew_now_keeps_no_other_from_being_listed(
    house: House, row_harm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_ids = {await house.new_match() for _ in range(3)}
    others = set(match_ids)
    harm(house, others.pop(), row_harm)

    async def rebuild_row(*_: object) -> None:
        raise LogUnavailable("no room")

    with monkeypatch.context() as patched:
        patched.setattr(house.log, "rebuild_row", rebuild_row)
        for _ in range(2):
            assert set(await listed(house)) == others
    assert set(await listed(house)) == match_ids


async def test_a_log_that_goes_away_while_a_row_is_mended_is_told_as_such(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await house.new_match(setup_of())
    faults = iter((LogDamaged("one row"), LogUnavailable("gone")))

    async def row(_: str) -> None:
        raise next(faults)

    monkeypatch.setattr(house.log, "row", row)
    with pytest.raises(StoreUnavailable):
        await house.tables.index.row(match_id)


async def test_a_match_whose_entries_are_damaged_too_is_passed_over_and_reported_once(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    match_ids = [await house.new_match(setup_of()) for _ in range(5)]
    for match_id in match_ids[1:4]:
        harm(house, match_id, ROW_HARMS[0], ENTRY_HARM)
    for _ in range(2):
        assert await listed(house, page_size=1) == [match_ids[4], match_ids[0]]
        with pytest.raises(MatchUnreadable):
            await house.tables.index.row(match_ids[1])
    with caplog.at_level(logging.ERROR):
        reports = [record.getMessage() for record in caplog.records]
    assert sorted(report.split()[1] for report in reports) == sorted(match_ids[1:4])


@pytest.mark.parametrize(
    "statements", [ROW_HARMS[:1], ROW_HARMS[-1:], [ENTRY_HARM], [ROW_HARMS[0], ENTRY_HARM]]
)
async def test_a_restart_goes_on_with_every_match_but_the_damaged_one(
    house: House, statements: list[str]
) -> None:
    setup = setup_of("kawu", seats=[bot(), bot()])
    match_ids = [await house.new_match(setup) for _ in range(3)]
    await house.tables.close()
    harm(house, match_ids[1], *statements)
    again = house.reopened()
    again.tables.start()
    for match_id in (match_ids[0], match_ids[2]):
        await until(lambda: again.tables.live_count > 1)
        async with again.tables.use(match_id) as table:
            await until(lambda: table.state.result is not None)
    if ENTRY_HARM in statements:
        with pytest.raises(MatchUnreadable):
            await again.tables.index.row(match_ids[1])
    else:
        async with again.tables.use(match_ids[1]) as table:
            await until(lambda: table.state.result is not None)
    await again.tables.close()
