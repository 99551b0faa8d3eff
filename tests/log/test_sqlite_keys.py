"""A damaged key in an index, which SQLite's quick check passes over: its match is told damaged."""

# ruff: noqa: ASYNC240 - nothing else runs while a test damages its file.

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ginrummy.log import LogDamaged, SqliteLog, StoredLog

from .samples import append

PAGE = 4096
MATCH_ID, OTHER_ID = "match-1", "match-2"
LAST = 20


async def damaged_file(path: Path, key: int) -> None:
    """A file with two matches, in which the index by last has lost `key` of the first.

    The key names another match, so that whoever goes along the index takes it for the end.
    """
    log = await SqliteLog.open(path)
    for match_id in (MATCH_ID, OTHER_ID):
        for first in range(1, LAST + 1):
            await append(log, match_id, first)
    await log.close()
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_schema WHERE name = 'entry_by_last'"
        (root,) = connection.execute(query).fetchone()
    content = bytearray(path.read_bytes())
    page = content[(root - 1) * PAGE : root * PAGE]
    found = page.find(MATCH_ID.encode() + bytes([key]))
    assert found > 0
    page[found] = ord("z")
    content[(root - 1) * PAGE : root * PAGE] = page
    path.write_bytes(content)


@pytest.mark.parametrize("key", [2, 10, LAST - 1])
async def test_a_match_whose_entries_are_not_all_found_is_told_damaged(
    tmp_path: Path, key: int
) -> None:
    path = tmp_path / "log.sqlite"
    await damaged_file(path, key)
    log = await SqliteLog.open(path)
    told = f"the entries of match {MATCH_ID} end at {key - 1}, and it stands at {LAST}"
    with StoredLog(path) as stored, pytest.raises(LogDamaged, match=told):
        stored.entries(MATCH_ID)
    for after in (0, key - 1):
        with pytest.raises(LogDamaged, match=told):
            await log.read(MATCH_ID, after)
    assert len(await log.read(MATCH_ID, limit=key - 1)) == key - 1
    with pytest.raises(LogDamaged, match=told):
        await log.read(MATCH_ID, limit=key)
    assert len(await log.read(OTHER_ID)) == LAST
    await append(log, OTHER_ID, LAST + 1)
    await log.close()
