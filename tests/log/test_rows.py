"""What every log promises about listing rows, and about those that need attention."""

import base64
from dataclasses import replace

import pytest

from ginrummy.log import BadPageToken, EventLog, MatchState, RowFilter

from .samples import EPOCH_US, append, create, entry_of, row_of


async def listed(log: EventLog, chosen: RowFilter, page_size: int = 50) -> list[str]:
    """match_ids of all pages, in order."""
    match_ids: list[str] = []
    token = ""
    while True:
        page = await log.list_rows(chosen, page_size, token)
        assert len(page.rows) <= page_size
        match_ids += [row.match_id for row in page.rows]
        token = page.next_page_token
        if not token:
            return match_ids


async def test_newest_matches_come_first(log: EventLog) -> None:
    rows = [await create(log, f"m{n}") for n in range(5)]
    page = await log.list_rows()
    assert page.rows == rows[::-1]
    assert page.next_page_token == ""


@pytest.mark.parametrize("page_size", [1, 2, 3, 7, 8])
async def test_pages_show_every_match_once(log: EventLog, page_size: int) -> None:
    for n in range(7):  # some of one moment
        await create(log, f"m{n}", created_us=EPOCH_US + n // 3)
    match_ids = await listed(log, RowFilter(), page_size)
    assert match_ids == ["m6", "m5", "m4", "m3", "m2", "m1", "m0"]


async def test_matches_made_and_moved_meanwhile_do_not_shift_the_pages(log: EventLog) -> None:
    for n in range(6):
        await create(log, f"m{n}", created_us=EPOCH_US + n)
    first = await log.list_rows(page_size=3)
    await create(log, "newer", created_us=EPOCH_US + 100)
    entry = entry_of("m2", 2)
    await log.append(entry, row_of(entry, created_us=EPOCH_US + 2))
    second = await log.list_rows(page_size=3, page_token=first.next_page_token)
    assert [row.match_id for row in first.rows + second.rows] == [
        f"m{n}" for n in (5, 4, 3, 2, 1, 0)
    ]
    assert second.next_page_token == ""


async def test_a_filter_admits_what_meets_all_of_it(log: EventLog) -> None:
    await create(log, "plain")
    await create(log, "open", state=MatchState.OPEN, joinable=True)
    await create(log, "hidden", state=MatchState.OPEN, joinable=True, unlisted=True)
    await create(log, "over", state=MatchState.FINISHED, ruleset="solo")
    await create(log, "a", labels={"room": "7", "bet": "no"})
    await create(log, "b", labels={"room": "7"}, ruleset="solo")
    await create(log, "c", labels={"room": "8"})
    expected = [
        (RowFilter(), ["c", "b", "a", "over", "open", "plain"]),
        (RowFilter(state=MatchState.OPEN), ["open"]),
        (RowFilter(state=MatchState.OPEN, include_unlisted=True), ["hidden", "open"]),
        (RowFilter(joinable_only=True), ["open"]),
        (RowFilter(ruleset="solo"), ["b", "over"]),
        (RowFilter(labels={"room": "7"}), ["b", "a"]),
        (RowFilter(labels={"room": "7", "bet": "no"}), ["a"]),
        (RowFilter(labels={"room": "7"}, ruleset="solo"), ["b"]),
        (RowFilter(labels={"room": "9"}), []),
        (RowFilter(labels={"'; DROP TABLE entry": '"'}), []),
    ]
    for chosen, match_ids in expected:
        assert await listed(log, chosen) == match_ids, chosen
        assert await listed(log, chosen, 1) == match_ids, chosen


async def test_a_page_token_of_another_filter_is_refused(log: EventLog) -> None:
    for n in range(3):
        await create(log, f"m{n}")
    token = (await log.list_rows(page_size=1)).next_page_token
    with pytest.raises(BadPageToken, match="another filter"):
        await log.list_rows(RowFilter(joinable_only=True), 1, token)


FORGED = [b"", b"[]", b"[1]", b'["1","m",""]', b"[1e999,1,1]", b"[" * 5000, b'[1,"\\ud800","x"]']


@pytest.mark.parametrize(
    "token",
    ["?", "ü", "x", "AAAA=", "=", *(base64.urlsafe_b64encode(raw).decode() for raw in FORGED[1:])],
)
async def test_a_forged_page_token_is_refused(log: EventLog, token: str) -> None:
    with pytest.raises(BadPageToken):
        await log.list_rows(page_token=token)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**400])
async def test_a_page_token_beyond_all_numbers_is_refused(log: EventLog, value: int) -> None:
    raw = f'[{value},"m","{RowFilter().digest()}"]'
    with pytest.raises(BadPageToken):
        await log.list_rows(page_token=base64.urlsafe_b64encode(raw.encode()).decode())


async def test_a_page_without_rows_is_refused(log: EventLog) -> None:
    with pytest.raises(ValueError, match="at least one"):
        await log.list_rows(page_size=0)


async def test_a_restart_finds_the_matches_in_which_something_is_due(log: EventLog) -> None:
    await create(log, "waits for nobody")
    await create(log, "clock", deadline_us=100)
    await create(log, "late clock", deadline_us=200)
    await create(log, "bot", bot_owes=True)
    await create(log, "open", state=MatchState.OPEN, deadline_us=100)
    await create(log, "over", state=MatchState.FINISHED, deadline_us=100, bot_owes=True)
    await create(log, "aborted", state=MatchState.ABORTED, bot_owes=True)

    async def found(due_by_us: int | None = None) -> set[str]:
        return {row.match_id for row in await log.rows_needing_attention(due_by_us)}

    assert await found() == {"clock", "late clock", "bot", "open"}
    assert await found(199) == {"clock", "bot", "open"}
    assert await found(200) == {"clock", "late clock", "bot", "open"}
    assert await found(0) == {"bot"}


async def test_a_match_needs_attention_no_more_when_its_row_says_so(log: EventLog) -> None:
    row = await create(log, "m1", bot_owes=True)
    entry = entry_of("m1", 2)
    await log.append(entry, replace(row, head=2, bot_owes=False))
    assert await log.rows_needing_attention() == []
    await append(log, "m1", 3)
