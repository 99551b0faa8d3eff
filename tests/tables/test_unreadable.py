"""A match whose log disagrees with its replay is set aside; the others go on."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from time import monotonic
from typing import Any

import pytest

from ginrummy.engine import RULES_VERSION
from ginrummy.log import (
    Conflict,
    Entry,
    IndexRow,
    Json,
    LogDamaged,
    LogUnavailable,
    MemoryLog,
    RequestIdReused,
)
from ginrummy.tables import play, registry
from ginrummy.tables.errors import MatchUnreadable
from ginrummy.tables.events import Occupant
from ginrummy.tables.replay import row_from_log
from ginrummy.tables.rows import Rows

from .house import House, Withholding, bot, human, setup_of, until


def _changed_event(entry: Entry) -> Entry:
    first, *others = entry.events.value
    return replace(entry, events=Json.of([{**first, "seat": 3 - first["seat"]}, *others]))


def _changed_command(entry: Entry) -> Entry:
    command = entry.command.value
    return replace(entry, command=Json.of({**command, "seat": 3 - command["seat"]}))


def _unknown_command(entry: Entry) -> Entry:
    return replace(entry, command=Json.of({"type": "cheat"}))


def _missing_part(entry: Entry) -> Entry:
    return replace(entry, command=Json.of({"type": "act", "seat": 1}))


def _newer_rules(entry: Entry) -> Entry:
    return replace(entry, rules_version=RULES_VERSION + 1)


def _moved_deadline(entry: Entry) -> Entry:
    return replace(entry, command=Json.of({**entry.command.value, "deadline_us": 5}))


def _senseless_deadline(entry: Entry) -> Entry:
    return replace(entry, command=Json.of({**entry.command.value, "deadline_us": "soon"}))


Change = Callable[[Entry], Entry]
CHANGES: list[Change] = [
    _changed_event,
    _changed_command,
    _unknown_command,
    _missing_part,
    _newer_rules,
    _moved_deadline,
    _senseless_deadline,
]


@pytest.mark.parametrize("change", CHANGES)
async def test_a_changed_entry_sets_its_match_aside_and_no_other(
    house: House, change: Change, caplog: pytest.LogCaptureFixture
) -> None:
    assert isinstance(house.log, MemoryLog)
    match_id = await house.new_match(setup_of())
    other_id = await house.new_match(setup_of())
    await house.play_on(match_id, 6)
    entries = house.log._kept[match_id].entries
    entries[3] = change(entries[3])
    again = house.reopened()
    with caplog.at_level(logging.ERROR):
        for _ in range(2):
            with pytest.raises(MatchUnreadable):
                async with again.tables.use(match_id):
                    pass
    reports = [record.getMessage() for record in caplog.records]
    assert len(reports) == 1
    assert reports[0].startswith(f"match {match_id} is set aside: entry at ")
    await again.play_on(other_id)
    with pytest.raises(MatchUnreadable):
        await again.tables.index.row(match_id)


@pytest.mark.parametrize("text", ["Ann", "Hall"])
async def test_a_name_or_label_that_is_no_text_sets_its_match_aside(
    house: House, text: str
) -> None:
    """Half a surrogate pair: JSON can say it, and nothing can be told with it."""
    assert isinstance(house.log, MemoryLog)
    setup = setup_of(seats=[human("Ann"), human("Ben")], labels={"room": "Hall"})
    match_id = await house.new_match(setup)
    entries = house.log._kept[match_id].entries
    damaged = entries[0].command.text.replace(text, "\\ud800")
    entries[0] = replace(entries[0], command=Json(damaged))
    again = house.reopened()
    for _ in range(2):
        with pytest.raises(MatchUnreadable):
            async with again.tables.use(match_id):
                pass
    assert again.tables.set_aside_count == 1


async def test_a_row_that_cannot_be_made_is_not_made_of_an_earlier_one(house: House) -> None:
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        rows = Rows(None)
        before = rows.of(table.state)
        worse = table.state._replace(occupants=(human("\ud800"), human("Ben")))
        for _ in range(2):
            with pytest.raises(ValueError, match="surrogates"):
                rows.of(worse)
        assert rows.of(table.state) == before


async def test_an_entry_that_cannot_be_read_sets_its_match_aside(house: House) -> None:
    match_id = await house.new_match(setup_of())

    async def damaged(*_: Any, **__: Any) -> list[Entry]:
        raise LogDamaged("command is not JSON")

    again = house.reopened()
    again.log.read = damaged  # type: ignore[method-assign]
    with pytest.raises(MatchUnreadable):
        async with again.tables.use(match_id):
            pass


async def test_index_rows_can_be_made_anew_from_the_entries(house: House) -> None:
    match_ids = [await house.new_match(setup_of(labels={"room": "7"})) for _ in range(3)]
    await house.play_on(match_ids[0])
    await house.play_on(match_ids[1], 4)
    before = [await house.log.row(match_id) for match_id in match_ids]
    assert await house.log.rebuild_index(row_from_log) == {}
    assert [await house.log.row(match_id) for match_id in match_ids] == before


async def test_a_live_match_that_disagrees_with_its_log_is_set_aside_as_any_other(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    """Another server's entries, or what a failed store holds, are read by a table that is live."""
    assert isinstance(house.log, MemoryLog)
    match_id = await house.new_match(setup_of())
    other = house.reopened()
    async with house.tables.use(match_id) as table:
        with table.audience.watch(0, table.state.head, 60) as watcher:
            await other.play_on(match_id, 3)
            entries = house.log._kept[match_id].entries
            entries[-2] = _changed_event(entries[-2])
            with caplog.at_level(logging.ERROR):
                for _ in range(2):
                    with pytest.raises(MatchUnreadable):
                        await play.resign(table, 1, None)
            with pytest.raises(MatchUnreadable):
                await watcher.updates()
    assert house.tables.set_aside_count == 1
    [report] = [record.getMessage() for record in caplog.records]
    assert report.startswith(f"match {match_id} is set aside: entry at ")
    house.log.trouble = LogUnavailable("nobody reads what is set aside")
    with pytest.raises(MatchUnreadable):
        async with house.tables.use(match_id):
            pass
    house.log.trouble = None
    await until(lambda: table.is_idle)
    house.tables.sweep(monotonic() + 3600)
    assert house.tables.live_count == 0


class _Contradictory(MemoryLog):
    """Takes nothing for `stuck`, and shows nothing that would be in the way."""

    stuck = ""

    def __init__(self, refusal: Callable[[Entry], Exception]) -> None:
        super().__init__()
        self._refusal = refusal

    def append(
        self, entry: Entry, row: IndexRow, tokens: Mapping[str, bytes] | None = None
    ) -> asyncio.Future[int]:
        if entry.match_id != self.stuck:
            return super().append(entry, row, tokens)
        refused = asyncio.get_running_loop().create_future()
        refused.set_exception(self._refusal(entry))
        return refused


@pytest.mark.parametrize(
    "refusal",
    [lambda entry: Conflict(entry.match_id, entry.first, entry.first + 7), RequestIdReused],
)
@pytest.mark.parametrize("seats", [[human("Ann"), human("Ben")], [bot(), bot()]])
async def test_a_match_whose_log_neither_takes_nor_shows_what_follows_is_set_aside(
    refusal: Callable[[Entry], Exception], seats: list[Occupant], caplog: pytest.LogCaptureFixture
) -> None:
    log = _Contradictory(refusal)
    house = House(log)
    match_id, other_id = [await house.new_match(setup_of("kawu", seats=seats)) for _ in range(2)]
    log.stuck = match_id
    async with asyncio.timeout(60):
        if seats[0]["kind"] == "human":
            with pytest.raises(MatchUnreadable):
                await house.play_on(match_id)
            await house.play_on(other_id)
        else:
            house.tables.start()
            async with house.tables.use(other_id) as table:
                await until(lambda: table.state.result is not None)
    [report] = [record for record in caplog.records if "is set aside" in record.getMessage()]
    assert match_id in report.getMessage()
    with pytest.raises(MatchUnreadable):
        async with house.tables.use(match_id):
            pass
    await house.tables.close()


@pytest.mark.parametrize("which", range(3))
async def test_a_match_that_the_store_does_not_give_keeps_no_other_waiting(
    which: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "SWEEP_S", 0.01)
    log = Withholding()
    house = House(log)
    setup = setup_of("kawu", seats=[bot(), bot()])
    match_ids = {await house.new_match(setup) for _ in range(3)}
    await house.tables.close()
    log.withheld = sorted(match_ids)[which]
    again = house.reopened().tables
    again.start()
    await until(lambda: set(again._live) == match_ids - {log.withheld})
    log.withheld = ""
    await until(lambda: set(again._live) == match_ids)
    await again.close()
