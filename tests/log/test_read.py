"""What every log promises about reading a match, and about making its row anew."""

from collections.abc import Sequence
from dataclasses import replace

from ginrummy.log import Entry, EventLog, IndexRow

from .samples import append, create, entry_of, fold, row_of


async def test_reading_after_a_sequence_number_skips_nothing(log: EventLog) -> None:
    entries = [
        await append(log, "m1", first, event_count=count)
        for first, count in [(1, 1), (2, 3), (5, 2), (7, 1)]
    ]
    begins = {0: 0, 1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 6: 3, 7: 4, 8: 4}
    for after, index in begins.items():
        assert await log.read("m1", after) == entries[index:], after


async def test_a_limited_read_goes_on_where_it_stopped(log: EventLog) -> None:
    entries = [await append(log, "m1", first) for first in range(1, 8)]
    read: list[Entry] = []
    while page := await log.read("m1", read[-1].last if read else 0, limit=3):
        assert len(page) <= 3
        read += page
    assert read == entries


async def test_an_entry_is_found_by_its_first_event_only(log: EventLog) -> None:
    await append(log, "m1")
    entry = await append(log, "m1", 2, event_count=3)
    assert await log.entry_at("m1", 2) == entry
    assert [await log.entry_at("m1", first) for first in (0, 3, 4, 5)] == [None] * 4


async def test_what_is_unknown_is_empty(log: EventLog) -> None:
    assert await log.read("m1") == []
    assert await log.row("m1") is None
    assert await log.entry_at("m1", 1) is None
    assert await log.entry_by_request("m1", "r1") is None
    assert await log.tokens("m1") == {}


async def test_matches_are_kept_apart(log: EventLog) -> None:
    ours = await append(log, "m1")
    theirs = await append(log, "m10")
    assert await log.read("m1") == [ours]
    assert await log.read("m10") == [theirs]


async def test_rows_made_anew_equal_those_written(log: EventLog) -> None:
    written: dict[str, IndexRow] = {}
    for match_id in ("m1", "m2", "m3"):
        entries: list[Entry] = []
        for number in range(1, 4):
            told = {"labels": {"n": str(number)}, "bot_owes": number == 2}
            entries.append(entry_of(match_id, number, command={"row": told}))
            await log.append(entries[-1], fold(entries))
        written[match_id] = fold(entries)
    assert await log.rebuild_index(fold) == {}
    assert {match_id: await log.row(match_id) for match_id in written} == written


async def test_rows_made_anew_replace_what_was_there(log: EventLog) -> None:
    entry = entry_of("m1", event_count=2)
    await log.append(entry, row_of(entry, ruleset="wrong", deadline_us=7))
    await log.rebuild_index(fold)
    assert await log.row("m1") == fold([entry])


async def test_a_match_that_cannot_be_folded_keeps_its_row_and_the_others_go_on(
    log: EventLog,
) -> None:
    rows = {match_id: await create(log, match_id, ruleset="old") for match_id in ("a", "b", "c")}

    def troubled(entries: Sequence[Entry]) -> IndexRow:
        if entries[0].match_id == "a":
            raise KeyError("a command of no meaning")
        row = fold(entries)
        return replace(row, head=99) if row.match_id == "b" else row

    failed = await log.rebuild_index(troubled)
    assert {match_id: type(error) for match_id, error in failed.items()} == {
        "a": KeyError,
        "b": ValueError,
    }
    assert await log.row("a") == rows["a"]
    assert await log.row("b") == rows["b"]
    assert await log.row("c") == replace(rows["c"], ruleset="short")
