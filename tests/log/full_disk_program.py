"""Appends while files may not grow, then while they may.

python -m tests.log.full_disk_program PATH

A limit on the size of files stands for a full disk, as it needs no rights to set and none to lift;
it holds for the whole process, hence a program. Exits with 0 if all was well.
"""

import asyncio
import resource
import sys
from pathlib import Path

from ginrummy.log import Entry, LogUnavailable, SqliteLog

from .samples import append, entry_of, fold

MATCH_COUNT = 40
HARD_LIMIT = resource.getrlimit(resource.RLIMIT_FSIZE)[1]


def limit_files_to(size_bytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, HARD_LIMIT))


async def append_to_all(log: SqliteLog, stored: dict[str, list[Entry]]) -> int:
    """Appends one entry to every match at once; returns how many the log could not take."""
    reasons: list[str] = []

    async def one(match_id: str) -> None:
        entries = stored.setdefault(match_id, [])
        first = entries[-1].last + 1 if entries else 1
        entry = entry_of(match_id, first, 2, command={"row": {"summary": {"long": "x" * 500}}})
        try:
            await log.append(entry, fold([*entries, entry]))
        except LogUnavailable as error:
            reasons.append(error.reason)
        else:
            entries.append(entry)

    await asyncio.gather(*(one(f"m{n}") for n in range(MATCH_COUNT)))
    assert all(str(log.path) in reason for reason in reasons), reasons
    return len(reasons)


async def check(log: SqliteLog, stored: dict[str, list[Entry]]) -> None:
    """The log holds what it said it holds, and nothing else."""
    for match_id, entries in stored.items():
        assert await log.read(match_id) == entries
        assert await log.row(match_id) == (fold(entries) if entries else None)
    page = await log.list_rows(page_size=1000)
    assert len(page.rows) == sum(1 for entries in stored.values() if entries)


async def main(path: Path) -> None:
    log = await SqliteLog.open(path)
    stored: dict[str, list[Entry]] = {}
    assert await append_to_all(log, stored) == 0
    limit_files_to(400_000)
    refused_count = 0
    for _ in range(100):  # a small append may still find room where a large one has not
        refused_count += await append_to_all(log, stored)
        await check(log, stored)
        if refused_count > 5 * MATCH_COUNT:
            break
    else:
        raise AssertionError("the limit was not felt")
    limit_files_to(HARD_LIMIT)
    assert await append_to_all(log, stored) == 0, "the log has to go on by itself"
    await check(log, stored)
    await log.close()
    reopened = await SqliteLog.open(path)
    await check(reopened, stored)
    await append(reopened, "afterwards")
    await reopened.close()


asyncio.run(main(Path(sys.argv[1])))
