"""Random rows listed by random filters, against a listing made the plain way."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ginrummy.log import EventLog, IndexRow, MatchState, MemoryLog, RowFilter, SqliteLog

from .samples import create

WORDS = st.sampled_from(["", "a", "b", "Ж", "'", '"', "%", "$.a", "♠"])
LABELS = st.dictionaries(WORDS, WORDS, max_size=3)
STATES = st.sampled_from(MatchState)
RULESETS = st.sampled_from(["short", "solo"])

ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "state": STATES,
            "ruleset": RULESETS,
            "labels": LABELS,
            "unlisted": st.booleans(),
            "joinable": st.booleans(),
            "created_us": st.integers(0, 3),  # many of one moment
            "deadline_us": st.none() | st.integers(0, 3),
            "bot_owes": st.booleans(),
        }
    ),
    max_size=12,
)
FILTERS = st.builds(
    RowFilter,
    state=st.none() | STATES,
    ruleset=st.none() | RULESETS,
    labels=LABELS.filter(lambda labels: len(labels) < 2),
    joinable_only=st.booleans(),
    include_unlisted=st.booleans(),
)


async def all_pages(log: EventLog, chosen: RowFilter, page_size: int) -> list[IndexRow]:
    page = await log.list_rows(chosen, page_size)
    rows = page.rows
    while page.next_page_token:
        page = await log.list_rows(chosen, page_size, page.next_page_token)
        assert page.rows, "a token leads to rows"
        rows = rows + page.rows
    return rows


async def check(
    log: EventLog, facts: list[dict[str, Any]], chosen: RowFilter, page_size: int, due_by_us: int
) -> None:
    rows = await asyncio.gather(*(create(log, f"m{n}", **fields) for n, fields in enumerate(facts)))
    newest_first = sorted(rows, key=lambda row: (row.created_us, row.match_id), reverse=True)
    for each in (RowFilter(), chosen):
        expected = [row for row in newest_first if each.admits(row)]
        assert await all_pages(log, each, page_size) == expected
    attention = {row.match_id for row in await log.rows_needing_attention(due_by_us)}
    assert attention == {
        row.match_id
        for row in rows
        if row.state in ("open", "running")
        and (row.bot_owes or (row.deadline_us is not None and row.deadline_us <= due_by_us))
    }
    await log.close()


@settings(max_examples=20, deadline=None)
@given(facts=ROWS, chosen=FILTERS, page_size=st.integers(1, 5), due_by_us=st.integers(0, 3))
def test_all_pages_show_what_the_filter_admits_once_and_newest_first(
    facts: list[dict[str, Any]], chosen: RowFilter, page_size: int, due_by_us: int
) -> None:
    async def check_both(directory: str) -> None:
        await check(MemoryLog(), facts, chosen, page_size, due_by_us)
        stored = await SqliteLog.open(Path(directory) / "log.sqlite")
        await check(stored, facts, chosen, page_size, due_by_us)

    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(check_both(directory))
