"""Appends to the match log, in memory and in a file: what one costs, and how many go in a second.

    .venv/bin/python scripts/bench_log.py [--matches 1 8 64] [--appends 20000] [--stored 0]

Every match appends one entry after the other, as a table does. Microseconds are of the processor:
of the event loop's thread, and of all others. Median and extremes of the rounds, which take turns.
"""

import argparse
import asyncio
import json
import secrets
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import uvloop

from ginrummy.log import Entry, EventLog, IndexRow, Json, MatchState, MemoryLog, SqliteLog

NOW_US = 1_800_000_000_000_000
COMMAND = {"type": "act", "seat": 1, "action": {"type": "discard", "card": "7H"}}
EVENTS = [
    {"type": "card_discarded", "seat": 1, "card": "7H"},
    {"type": "card_drawn", "seat": 2, "from": "stock", "card": "QS", "to_act": 2},
]
SUMMARY = Json.of({"rules": {f"rule_{n:02}": n for n in range(50)}, "occupants": ["Ann", "Ben"]})
LABELS = Json.of({"room": "7"})
COMMAND_TEXT, EVENTS_TEXT = json.dumps(COMMAND), json.dumps(EVENTS)


def first_row(match_id: str, number: int) -> IndexRow:
    return IndexRow(
        match_id=match_id,
        state=MatchState.RUNNING,
        head=0,
        ruleset="short",
        created_us=NOW_US + number,
        updated_us=NOW_US,
        labels=LABELS,
        deadline_us=NOW_US,
        create_request_id=match_id,
        summary=SUMMARY,
    )


async def play(log: EventLog, row: IndexRow, count: int) -> None:
    """Appends so many entries to one match."""
    head = row.head
    for _ in range(count):
        entry = Entry(
            match_id=row.match_id,
            first=head + 1,
            last=head + 2,
            command=Json(COMMAND_TEXT),
            events=Json(EVENTS_TEXT),
            time_us=NOW_US + head,
            rules_version=1,
            request_id=secrets.token_hex(16),
        )
        head = entry.last
        row = replace(row, head=head, updated_us=entry.time_us, deadline_us=entry.time_us)
        await log.append(entry, row, {})


@dataclass
class Round:
    """What one append has cost."""

    loop_us: float
    others_us: float
    per_s: float
    commit_len: float


async def measure(log: EventLog, match_count: int, append_count: int, stored_count: int) -> Round:
    rows = [first_row(secrets.token_hex(16), n) for n in range(max(match_count, stored_count))]
    await asyncio.gather(*(play(log, row, 1) for row in rows))
    chosen = [replace(row, head=2) for row in rows[:: len(rows) // match_count][:match_count]]
    count = append_count // match_count
    commits: list[int] = []
    log.on_commit = lambda size, _: commits.append(size)
    began_s, loop_s, all_s = time.perf_counter(), time.thread_time(), time.process_time()
    await asyncio.gather(*(play(log, row, count) for row in chosen))
    all_s, loop_s = time.process_time() - all_s, time.thread_time() - loop_s
    done = count * match_count
    return Round(
        loop_us=loop_s / done * 1e6,
        others_us=(all_s - loop_s) / done * 1e6,
        per_s=done / (time.perf_counter() - began_s),
        commit_len=done / len(commits),
    )


async def measure_in(kind: str, match_count: int, append_count: int, stored_count: int) -> Round:
    with tempfile.TemporaryDirectory() as folder:
        log: EventLog = MemoryLog()
        if kind == "file":
            log = await SqliteLog.open(Path(folder) / "log.sqlite")
        try:
            return await measure(log, match_count, append_count, stored_count)
        finally:
            await log.close()


def told(rounds: list[Round]) -> Iterator[str]:
    """Median and extremes of each figure."""
    for name, digits in (("loop_us", 1), ("others_us", 1), ("per_s", 0), ("commit_len", 1)):
        values = sorted(getattr(each, name) for each in rounds)
        middle = statistics.median(values)
        yield f"{name} {middle:.{digits}f} ({values[0]:.{digits}f}-{values[-1]:.{digits}f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--appends", type=int, default=20_000)
    parser.add_argument("--stored", type=int, default=0, help="matches in the log")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    cases = list(product(("memory", "file"), given.matches))
    rounds: dict[tuple[str, int], list[Round]] = {case: [] for case in cases}
    for _ in range(given.rounds):
        for kind, match_count in cases:
            count = given.appends // (8 if kind == "file" and match_count == 1 else 1)
            work = measure_in(kind, match_count, count, given.stored)
            rounds[kind, match_count].append(asyncio.run(work))
    for (kind, match_count), each in rounds.items():
        print(f"{kind:6} {match_count:3} at once: {', '.join(told(each))}")


if __name__ == "__main__":
    uvloop.install()
    main()
