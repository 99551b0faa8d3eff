"""What every log promises about appending."""

import asyncio
from dataclasses import replace

import pytest

from ginrummy.log import (
    Conflict,
    EventLog,
    LogClosed,
    MatchAlreadyCreated,
    RequestIdReused,
    UnknownMatch,
)

from .samples import append, digest, entry_of, row_of


async def test_an_appended_entry_reads_back_as_it_was(log: EventLog) -> None:
    entry = entry_of(
        "m1",
        event_count=3,
        request_id="r1",
        command={"kind": "create", "name": "Аня ♠", "seed": None, "nested": [1, {"a": 0.5}]},
    )
    await log.append(entry, row_of(entry))
    assert await log.read("m1") == [entry]
    assert await log.entry_at("m1", 1) == entry
    assert await log.entry_by_request("m1", "r1") == entry


async def test_the_row_is_there_with_its_entry(log: EventLog) -> None:
    entry = entry_of("m1", event_count=2)
    row = row_of(
        entry,
        labels={"room": "7", "город": "Тула"},
        deadline_us=entry.time_us + 30_000_000,
        bot_owes=True,
        unlisted=True,
        joinable=True,
        create_request_id="c1",
        summary={"seats": [{"name": "Ann"}, None]},
    )
    await log.append(entry, row)
    assert await log.row("m1") == row
    later = entry_of("m1", 3)
    moved = replace(row, head=3, deadline_us=None, bot_owes=False, updated_us=later.time_us)
    await log.append(later, moved)
    assert await log.row("m1") == moved


async def test_entries_follow_each_other_without_a_gap(log: EventLog) -> None:
    first = await append(log, "m1", 1, event_count=3)
    second = await append(log, "m1", 4)
    third = await append(log, "m1", 5, event_count=2)
    assert await log.read("m1") == [first, second, third]


@pytest.mark.parametrize(("first", "head"), [(1, 3), (2, 3), (3, 3), (5, 3)])
async def test_an_entry_that_does_not_follow_the_head_is_refused(
    log: EventLog, first: int, head: int
) -> None:
    stored = await append(log, "m1", event_count=head)
    with pytest.raises(Conflict) as refused:
        await append(log, "m1", first)
    assert (refused.value.match_id, refused.value.first, refused.value.head) == ("m1", first, head)
    assert await log.read("m1") == [stored]
    row = await log.row("m1")
    assert row is not None
    assert row.head == head


async def test_a_match_begins_with_event_one(log: EventLog) -> None:
    with pytest.raises(Conflict) as refused:
        await append(log, "m1", 2)
    assert refused.value.head == 0
    assert await log.row("m1") is None


async def test_of_two_racing_appends_one_wins_and_the_other_is_told(log: EventLog) -> None:
    await append(log, "m1")
    outcomes = await asyncio.gather(
        *(append(log, "m1", 2) for _ in range(8)), return_exceptions=True
    )
    conflicts = [outcome for outcome in outcomes if isinstance(outcome, Conflict)]
    assert len(conflicts) == 7
    assert {conflict.head for conflict in conflicts} == {2}
    assert len(await log.read("m1")) == 2


async def test_a_conflict_spares_the_appends_beside_it(log: EventLog) -> None:
    await append(log, "m1")
    outcomes = await asyncio.gather(
        append(log, "m2"),
        append(log, "m1", 7),
        append(log, "m3"),
        append(log, "m1", 2),
        return_exceptions=True,
    )
    assert [isinstance(outcome, Conflict) for outcome in outcomes] == [False, True, False, False]
    assert [len(await log.read(match_id)) for match_id in ("m1", "m2", "m3")] == [2, 1, 1]


async def test_revisions_grow(log: EventLog) -> None:
    revisions = []
    for match_id in ("m1", "m2", "m3"):
        entry = entry_of(match_id)
        revisions.append(await log.append(entry, row_of(entry)))
    assert revisions == sorted(set(revisions))


async def test_a_request_id_is_taken_once_in_a_match_and_answers_with_its_entry(
    log: EventLog,
) -> None:
    stored = await append(log, "m1", request_id="r1")
    await append(log, "m1", 2)
    for first in (1, 3):  # a retry as it was sent, and the id used again for the next move
        with pytest.raises(RequestIdReused) as refused:
            await append(log, "m1", first, request_id="r1")
        assert refused.value.entry == stored
    assert len(await log.read("m1")) == 2


async def test_another_match_may_use_the_same_request_id(log: EventLog) -> None:
    await append(log, "m1", request_id="r1")
    other = await append(log, "m2", request_id="r1")
    assert await log.entry_by_request("m2", "r1") == other


async def test_a_create_request_makes_one_match(log: EventLog) -> None:
    entry = entry_of("m1")
    await log.append(entry, row_of(entry, create_request_id="c1"))
    for match_id in ("m2", "m1"):
        retry = entry_of(match_id)
        with pytest.raises(MatchAlreadyCreated) as refused:
            await log.append(retry, row_of(retry, create_request_id="c1"))
        assert refused.value.match_id == "m1"
    assert await log.match_created_by("c1") == "m1"
    assert await log.match_created_by("c2") is None
    assert await log.read("m2") == []


async def test_the_match_goes_on_under_its_create_request(log: EventLog) -> None:
    for first in (1, 2, 3):
        entry = entry_of("m1", first)
        await log.append(entry, row_of(entry, create_request_id="c1"))
    assert len(await log.read("m1")) == 3


async def test_a_row_of_something_else_is_refused(log: EventLog) -> None:
    entry = entry_of("m1", event_count=2)
    with pytest.raises(ValueError, match="does not go with"):
        await log.append(entry, replace(row_of(entry), head=1))
    with pytest.raises(ValueError, match="does not go with"):
        await log.append(entry, replace(row_of(entry), match_id="m2"))


@pytest.mark.parametrize("command", [{"x": object()}, {"x": float("nan")}, {"x": "\ud800"}])
async def test_what_is_not_json_is_refused_and_spares_the_appends_beside_it(
    log: EventLog, command: dict[str, object]
) -> None:
    outcomes = await asyncio.gather(
        append(log, "m1"),
        append(log, "m2", command=command),
        append(log, "m3"),
        return_exceptions=True,
    )
    assert isinstance(outcomes[1], TypeError | ValueError)
    assert [len(await log.read(match_id)) for match_id in ("m1", "m2", "m3")] == [1, 0, 1]


async def test_what_the_caller_changes_later_is_not_stored(log: EventLog) -> None:
    command = {"kind": "knock"}
    entry = await append(log, "m1", command=command)
    command["kind"] = "gin"
    (stored,) = await log.read("m1")
    assert stored.command.value == {"kind": "knock"}
    stored.command.value["kind"] = "pass"
    assert (await log.read("m1"))[0].command.value == {"kind": "knock"}
    assert entry.last == 1


async def test_a_cancelled_wait_leaves_a_whole_entry_or_none(log: EventLog) -> None:
    for turns in range(6):
        match_id = f"m{turns}"
        waiting = asyncio.create_task(append(log, match_id, event_count=2))
        for _ in range(turns):
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        await append(log, "settle-" + match_id)  # what was begun before is done before this
        row, entries = await log.row(match_id), await log.read(match_id)
        assert (row is None) == (entries == [])
        await append(log, match_id, 1 if row is None else row.head + 1)


async def test_tokens_come_with_the_entry_that_makes_them(log: EventLog) -> None:
    entry = entry_of("m1")
    await log.append(entry, row_of(entry), {"host": digest("h"), "1": digest("a")})
    assert await log.tokens("m1") == {"host": digest("h"), "1": digest("a")}
    joined = entry_of("m1", 2)
    await log.append(joined, row_of(joined), {"2": digest("b")})
    assert await log.tokens("m1") == {"host": digest("h"), "1": digest("a"), "2": digest("b")}
    assert await log.tokens("m2") == {}


async def test_a_refused_entry_brings_no_tokens(log: EventLog) -> None:
    await append(log, "m1")
    entry = entry_of("m1", 3)
    with pytest.raises(Conflict):
        await log.append(entry, row_of(entry), {"2": digest("b")})
    assert await log.tokens("m1") == {}


async def test_a_token_set_anew_replaces_the_old_one(log: EventLog) -> None:
    entry = entry_of("m1")
    await log.append(entry, row_of(entry), {"1": digest("a"), "2": digest("b")})
    await log.set_token("m1", "2", digest("c"))
    await log.set_token("m1", "spectator:4", digest("s"))
    assert await log.tokens("m1") == {
        "1": digest("a"),
        "2": digest("c"),
        "spectator:4": digest("s"),
    }
    with pytest.raises(UnknownMatch):
        await log.set_token("m2", "1", digest("d"))


async def test_a_token_itself_is_never_stored(log: EventLog) -> None:
    entry = entry_of("m1")
    with pytest.raises(ValueError, match="hash of 32 bytes"):
        await log.append(entry, row_of(entry), {"1": b"secret"})
    with pytest.raises(ValueError, match="hash of 32 bytes"):
        await log.set_token("m1", "1", b"secret")


async def test_close_finishes_what_was_begun_and_refuses_the_rest(log: EventLog) -> None:
    begun = [asyncio.create_task(append(log, f"m{n}")) for n in range(20)]
    await asyncio.sleep(0.01)
    await log.close()
    await log.close()
    await asyncio.gather(*begun)
    with pytest.raises(LogClosed):
        await append(log, "late")
    with pytest.raises(LogClosed):
        await log.read("m1")
    with pytest.raises(LogClosed):
        log.tail()
