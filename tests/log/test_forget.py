"""What every log promises about forgetting and rewriting matches, and about those at rest."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ginrummy.log import (
    Entry,
    EventLog,
    IdleRows,
    Json,
    LogUnavailable,
    MatchState,
    MemoryLog,
    RowFilter,
    UnknownMatch,
)

from .samples import append, create, digest, entry_of, fold, row_of


async def test_a_forgotten_match_leaves_nothing_and_no_other_is_touched(log: EventLog) -> None:
    for match_id in ("m1", "m2"):
        entry = entry_of(match_id, request_id="r1")
        await log.append(
            entry, row_of(entry, create_request_id=f"c-{match_id}"), {"1": digest("a")}
        )
    stays = [await append(log, "m2", 2)]
    await log.forget("m1")
    assert await log.read("m1") == []
    assert await log.row("m1") is None
    assert await log.tokens("m1") == {}
    assert await log.match_created_by("c-m1") is None
    assert await log.entry_by_request("m1", "r1") is None
    assert [row.match_id for row in (await log.list_rows()).rows] == ["m2"]
    assert (await log.read("m2"))[1:] == stays
    assert await log.tokens("m2") == {"1": digest("a")}
    await append(log, "m1")  # as a match that has never been


async def test_a_match_that_is_not_there_cannot_be_forgotten_or_rewritten(log: EventLog) -> None:
    await append(log, "m1")
    for _ in range(2):
        with pytest.raises(UnknownMatch):
            await log.forget("m2")
        with pytest.raises(UnknownMatch):
            await log.rewrite("m2", lambda entry: entry, fold)
    await log.forget("m1")
    with pytest.raises(UnknownMatch):
        await log.forget("m1")


def without_name(entry: Entry) -> Entry:
    """The entry with every "name" gone."""
    events = [{k: v for k, v in event.items() if k != "name"} for event in entry.events.value]
    command = {k: v for k, v in entry.command.value.items() if k != "name"}
    return replace(entry, command=Json.of(command), events=Json.of(events))


async def test_rewritten_entries_keep_their_places_and_make_the_row(log: EventLog) -> None:
    first = entry_of("m1", command={"name": "Ann", "row": {"labels": {"n": "1"}}})
    await log.append(first, fold([first]), {"1": digest("a")})
    second = await append(log, "m1", 2, event_count=3, request_id="r2")

    def change(entry: Entry) -> Entry:
        return replace(without_name(entry), command=Json.of({"row": {"labels": {"n": "2"}}}))

    other = await append(log, "m2", command={"name": "Ann"})
    await log.rewrite("m1", change, fold)
    expected = [change(first), change(second)]
    assert await log.read("m1") == expected
    assert await log.row("m1") == fold(expected)
    assert await log.tokens("m1") == {"1": digest("a")}
    assert await log.entry_by_request("m1", "r2") == expected[1]
    assert await log.read("m2") == [other]
    await append(log, "m1", 5)


CHANGES: list[Callable[[Entry], Entry]] = [
    lambda entry: replace(entry, match_id="m2"),
    lambda entry: replace(entry, first=entry.first + 1, last=entry.last + 1),
    lambda entry: replace(entry, time_us=5),
    lambda entry: replace(entry, events=Json.of([*entry.events.value, {"one": "more"}])),
]


@pytest.mark.parametrize("change", CHANGES)
async def test_a_change_that_moves_an_entry_changes_nothing(
    log: EventLog, change: Callable[[Entry], Entry]
) -> None:
    entries = [await append(log, "m1"), await append(log, "m1", 2)]
    row = await log.row("m1")

    def change_the_second(entry: Entry) -> Entry:
        return change(entry) if entry.first == 2 else replace(entry, command=Json.of({"other": 1}))

    with pytest.raises(ValueError, match="entry 2 of m1 has to"):
        await log.rewrite("m1", change_the_second, fold)
    assert await log.read("m1") == entries
    assert await log.row("m1") == row


async def test_a_fold_that_fails_leaves_the_match_as_it_was(log: EventLog) -> None:
    entry = await append(log, "m1")

    def fail(_: Any) -> Any:
        raise LookupError("no such row")

    with pytest.raises(LookupError):
        await log.rewrite("m1", lambda e: replace(e, command=Json.of({"other": 1})), fail)
    assert await log.read("m1") == [entry]


async def test_matches_at_rest_are_found_page_by_page_the_longest_first(log: EventLog) -> None:
    states = [MatchState.OPEN, MatchState.RUNNING, MatchState.FINISHED, MatchState.ABORTED]
    for n in range(16):
        await create(log, f"m{n:02}", state=states[n % 4], updated_us=100 - n // 3)
    for ended in (False, True):
        found: list[tuple[int, str]] = []
        after = IdleRows(ended=ended, until_us=98).after
        while True:
            rows = await log.idle_rows(IdleRows(ended=ended, until_us=98, after=after), 3)
            if not rows:
                break
            assert all(row.state.ended == ended for row in rows)
            found += [(row.updated_us, row.match_id) for row in rows]
            after = found[-1]
        expected = [(100 - n // 3, f"m{n:02}") for n in range(6, 16) if (n % 4 > 1) == ended]
        assert found == sorted(expected)


async def test_a_match_that_moves_is_at_rest_no_more(log: EventLog) -> None:
    row = await create(log, "m1", updated_us=10)
    chosen = IdleRows(ended=False, until_us=10)
    assert await log.idle_rows(chosen, 5) == [row]
    entry = entry_of("m1", 2)
    await log.append(entry, replace(row, head=2, updated_us=11))
    assert await log.idle_rows(chosen, 5) == []


async def test_the_matches_that_have_not_ended_are_counted(log: EventLog) -> None:
    for n, state in enumerate(MatchState):
        await create(log, f"m{n}", state=state)
    assert log.unfinished_count == 2
    for n, state in ((0, MatchState.RUNNING), (1, MatchState.FINISHED), (0, MatchState.ABORTED)):
        row = await log.row(f"m{n}")
        assert row is not None
        await log.append(
            entry_of(f"m{n}", row.head + 1), replace(row, head=row.head + 1, state=state)
        )
    assert log.unfinished_count == 0
    await create(log, "m9")
    assert log.unfinished_count == 1
    with pytest.raises(UnknownMatch):
        await log.forget("m8")
    await log.forget("m2")
    assert log.unfinished_count == 1
    await log.forget("m9")
    assert log.unfinished_count == 0


async def test_a_refused_append_is_not_counted(log: EventLog) -> None:
    await create(log, "m1", create_request_id="c1")
    entry = entry_of("m2")
    with pytest.raises(Exception, match="created match m1 already"):
        await log.append(entry, row_of(entry, create_request_id="c1"))
    assert log.unfinished_count == 1


async def test_matches_are_found_by_a_string_of_a_command(log: EventLog) -> None:
    for n, name in enumerate(['An"n', "Аня", "Anna", "nn"]):
        await append(log, f"m{n}", command={"seats": [{"name": name}]})
    await append(log, "m1", 2, command={"seats": [{"name": "Аня"}]})
    for n, name in enumerate(['An"n', "Аня", "Anna", "nn"]):
        assert await log.matches_naming(name) == [f"m{n}"]
    assert await log.matches_naming("Ann") == []


async def test_commits_are_told_and_whoever_listens_cannot_disturb_them(log: EventLog) -> None:
    told: list[tuple[int, float]] = []

    def listen(count: int, seconds: float) -> None:
        told.append((count, seconds))
        raise RuntimeError("a listener's own trouble")

    log.on_commit = listen
    for n in range(3):
        await append(log, f"m{n}")
    await log.forget("m1")
    assert sum(count for count, _ in told) == 4
    assert all(0 <= seconds < 60 for _, seconds in told)


async def test_trouble_changes_nothing(log: EventLog) -> None:
    if not isinstance(log, MemoryLog):
        return  # a full disk is tested for itself
    entry = await append(log, "m1")
    log.trouble = LogUnavailable("full")
    for doing in (
        log.forget("m1"),
        log.rewrite("m1", without_name, fold),
        log.purge(),
        log.idle_rows(IdleRows(ended=False, until_us=0), 1),
    ):
        with pytest.raises(LogUnavailable):
            await doing
    log.trouble = None
    assert await log.read("m1") == [entry]
    assert (await log.list_rows(RowFilter())).rows
