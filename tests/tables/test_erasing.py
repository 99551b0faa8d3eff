"""A player's name is taken out of a match for good, and the match goes on."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ginrummy.log import EventLog, Json, LogUnavailable, MemoryLog, SqliteLog
from ginrummy.tables import play
from ginrummy.tables.erasing import Erasure, erase_person
from ginrummy.tables.errors import MatchNotOver, RequestIdReused, StoreUnavailable, TokenWithheld
from ginrummy.tables.events import Occupant
from ginrummy.tables.replay import replay, row_from_log
from ginrummy.tables.tokens import HOST, Holder

from .house import House, bot, facts, setup_of, take_all, until, vacant

ANN = Occupant(kind="human", display_name="Ann Private", external_id="private-1")
BEN = Occupant(kind="human", display_name="Ben Public", external_id="public-2")
SECRETS = ("Ann Private", "private-1")


@pytest.fixture(params=["memory", "sqlite"])
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[House]:
    log: EventLog = MemoryLog()
    if request.param == "sqlite":
        log = await SqliteLog.open(tmp_path / "log.sqlite")
    house = House(log)
    yield house
    await house.tables.close()
    await log.close()


async def erase(house: House, match_id: str, seat: int = 1) -> None:
    async with house.tables.use(match_id) as table:
        await table.erase(seat)


async def names_in(house: House, match_id: str) -> list[str]:
    """Where a name of Ann's is still found: log, row, live table, files."""
    found = []
    row = await house.log.row(match_id)
    assert row is not None
    entries = await house.log.read(match_id)
    parts: dict[str, Any] = {
        "row": row.summary.value,
        "entries": [(e.command.value, e.events.value) for e in entries],
    }
    async with house.tables.use(match_id) as table:
        known = facts(table)
        known.pop("views")
        parts["table"] = json.dumps(known, default=str)
        with table.audience.watch(2, 0, 10) as watcher:
            updates = await watcher.updates()
        parts["shown"] = str(updates)
    if isinstance(house.log, SqliteLog):
        for path in house.log.path.parent.glob(f"{house.log.path.name}*"):
            parts[path.name] = path.read_bytes().decode("utf-8", "replace")
    for name, part in parts.items():
        text = part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
        found += [f"{name}: {secret}" for secret in SECRETS if secret in text]
    return found


async def assert_it_plays_again(house: House, match_id: str) -> None:
    entries = await house.log.read(match_id)
    assert replay(entries).state.head == entries[-1].last
    assert row_from_log(entries) == await house.log.row(match_id)
    async with house.tables.use(match_id) as table:
        await house.assert_log_and_table_agree(table)


async def test_an_erased_name_is_nowhere_and_the_match_goes_on(house: House) -> None:
    match_id = await house.new_match(setup_of("kawu", seats=[ANN, BEN]))
    await house.play_on(match_id, 30)
    assert len(await names_in(house, match_id)) >= 6
    for _ in range(2):
        await erase(house, match_id)
        assert await names_in(house, match_id) == []
        row = await house.log.row(match_id)
        assert row is not None
        assert row.summary.value["occupants"] == [{"kind": "human", "erased": True}, BEN]
        await assert_it_plays_again(house, match_id)
    await house.play_on(match_id)
    assert await names_in(house, match_id) == []
    await assert_it_plays_again(house, match_id)


async def test_whoever_joined_is_erased_too(house: House) -> None:
    match_id = await house.new_match(setup_of(seats=[BEN, vacant()]))
    async with house.tables.use(match_id) as table:
        await play.join(table, None, ANN, "join-1")
        await house.act_once(table)
    assert await names_in(house, match_id)
    await erase(house, match_id, 2)
    assert await names_in(house, match_id) == []
    await assert_it_plays_again(house, match_id)
    async with house.tables.use(match_id) as table:
        before = dict(table.tokens)
        for who in (ANN, BEN):  # nobody can tell any more who it was
            with pytest.raises(TokenWithheld, match="has been erased"):
                await play.join(table, None, who, "join-1")
        with pytest.raises(RequestIdReused):
            await play.join(table, 1, ANN, "join-1")
        assert table.tokens == before
    assert await names_in(house, match_id) == []


async def test_an_ended_match_that_is_not_live_is_erased_with_its_blocks(house: House) -> None:
    match_id = await house.new_match(setup_of("kawu", seats=[ANN, BEN]))
    await house.play_on(match_id)
    again = House(house.log)
    async with again.tables.use(match_id) as table:
        with table.audience.watch(0, 0, 10) as watcher:
            assert "Ann Private" in str(await take_all(watcher))
    assert again.tables.blocks.count_of(match_id)
    await erase(again, match_id)
    async with again.tables.use(match_id) as table:
        with table.audience.watch(0, 0, 10) as watcher:
            assert "Ann Private" not in str(await take_all(watcher))
    assert await names_in(again, match_id) == []


async def test_a_player_erases_himself_once_the_match_has_ended_and_its_host_at_any_time(
    house: House,
) -> None:
    match_id = await house.new_match(setup_of(seats=[ANN, BEN]))
    async with house.tables.use(match_id) as table:
        one, two, host = (Holder(role, table.tokens[role]) for role in ("1", "2", HOST))
        with pytest.raises(MatchNotOver):
            await table.erase(1, one)
        assert await names_in(house, match_id)
        await table.erase(1, host)
        assert await names_in(house, match_id) == []
        with pytest.raises(MatchNotOver):
            await table.erase(2, two)
        await play.resign(table, 1, None)
        await table.erase(2, two)
        erased = Occupant(kind="human", erased=True)
        assert table.state.occupants == (erased, erased)


async def test_the_other_player_is_left_alone(house: House) -> None:
    match_id = await house.new_match(setup_of(seats=[ANN, BEN]))
    await erase(house, match_id, 2)
    assert len(await names_in(house, match_id)) >= 6
    row = await house.log.row(match_id)
    assert row is not None
    assert row.summary.value["occupants"][0] == ANN


async def test_a_retried_creation_finds_the_match_from_which_its_player_was_erased(
    house: House,
) -> None:
    setup = setup_of(seats=[ANN, BEN])
    created = await house.create(setup, "create-1")
    await erase(house, created.row.match_id)
    again = await house.create(setup, "create-1")
    assert again.row.match_id == created.row.match_id
    assert again.tokens != created.tokens
    assert again.row.summary.value["occupants"][0] == {"kind": "human", "erased": True}
    assert await names_in(house, created.row.match_id) == []
    for other in (setup_of(seats=[BEN, ANN]), setup_of(seats=[ANN, bot()])):
        with pytest.raises(RequestIdReused):
            await house.create(other, "create-1")


async def test_a_match_that_cannot_be_written_anew_is_named_and_the_others_are_erased() -> None:
    house = House(log := MemoryLog())
    match_ids = [await house.new_match(setup_of(seats=[ANN, BEN])) for _ in range(3)]
    damaged = min(match_ids)
    entries = log._kept[damaged].entries
    half_a_pair = entries[0].command.text.replace("Ben", "B\\ud800n")
    entries[0] = replace(entries[0], command=Json(half_a_pair))
    erasure = await erase_person(log, "external_id", "private-1")
    assert erasure == Erasure(2, [damaged])
    assert await log.matches_naming("private-1") == [damaged]


async def test_a_bots_seat_has_no_name_to_lose(house: House) -> None:
    match_id = await house.new_match(setup_of(seats=[bot(), ANN]))
    async with house.tables.use(match_id) as table:
        await until(lambda: table.state.bot_to_act is None)
    before = await house.log.read(match_id)
    await erase(house, match_id)
    assert await house.log.read(match_id) == before


async def test_a_player_is_erased_while_the_other_acts(house: House) -> None:
    match_id = await house.new_match(setup_of(seats=[ANN, BEN]))
    async with house.tables.use(match_id) as table:
        for _ in range(4):
            await house.act_once(table)
            await table.erase(1)
    await assert_it_plays_again(house, match_id)
    assert await names_in(house, match_id) == []


async def test_whoever_acts_does_not_wait_until_the_bytes_are_gone(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await house.new_match(setup_of(seats=[ANN, BEN]))
    purging, go = asyncio.Event(), asyncio.Event()

    async def held() -> None:
        purging.set()
        await go.wait()

    monkeypatch.setattr(house.log, "purge", held)
    async with house.tables.use(match_id) as table:
        erasing = asyncio.create_task(table.erase(1))
        await purging.wait()
        try:
            async with asyncio.timeout(60):
                await house.act_once(table)
            assert not erasing.done()
        finally:
            go.set()
        await erasing


async def test_a_store_in_trouble_keeps_the_name_and_says_so() -> None:
    log = MemoryLog()
    house = House(log)
    match_id = await house.new_match(setup_of(seats=[ANN, BEN]))
    async with house.tables.use(match_id) as table:
        log.trouble = LogUnavailable("full")
        with pytest.raises(StoreUnavailable):
            await table.erase(1)
        log.trouble = None
        await table.erase(1)
    assert await names_in(house, match_id) == []
    await house.tables.close()


async def test_no_log_line_holds_a_name(house: House, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    match_id = await house.new_match(setup_of(seats=[ANN, BEN]))
    await erase(house, match_id)
    await house.play_on(match_id)
    assert not [r for r in caplog.records if any(s in r.getMessage() for s in SECRETS)]
