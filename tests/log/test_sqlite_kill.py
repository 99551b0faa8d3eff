"""A writer that is killed: every append it answered is there, once and whole."""

import signal
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from ginrummy.log import LogInUse, SqliteLog

from . import programs
from .samples import fold

KILL_COUNT = 5
LEAST_ANSWERED = 20
"""Before each kill, however busy the machine is."""


def write_until_killed(path: Path, round_number: int, wait_s: float) -> list[list[str]]:
    """Lets the writer answer a while and for `wait_s`, kills it; what it had answered."""
    with programs.start("writing_program", path, round_number) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        lines = [writer.stdout.readline() for _ in range(LEAST_ANSWERED)]
        time.sleep(wait_s)
        writer.send_signal(signal.SIGKILL)
        lines += writer.stdout.read().splitlines()
    assert writer.returncode == -signal.SIGKILL
    return [line.split() for line in lines]


async def test_answered_appends_outlive_the_writer_exactly_once_and_none_is_half_there(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.sqlite"
    random = Random(1)
    answered: list[list[str]] = []
    for round_number in range(KILL_COUNT):
        answered += write_until_killed(path, round_number, random.uniform(0.05, 0.25))
        log = await SqliteLog.open(path)
        await check(log, answered)
        await log.close()
    assert len(answered) > KILL_COUNT * LEAST_ANSWERED


async def check(log: SqliteLog, answered: list[list[str]]) -> None:
    counts = Counter(match_id for match_id, *_ in answered)
    rows = (await log.list_rows(page_size=1000)).rows
    assert counts.keys() <= {row.match_id for row in rows}
    stored = set()
    for row in rows:
        entries = await log.read(row.match_id)
        assert row == fold(entries)
        head = 0
        for entry in entries:
            assert entry.first == head + 1
            head = entry.last
            stored.add((entry.match_id, str(entry.first), str(head), entry.request_id))
        # At most the one append that was not answered yet.
        assert len(entries) - counts[row.match_id] in (0, 1)
    assert {tuple(line) for line in answered} <= stored


async def test_a_second_process_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with programs.start("writing_program", path, 0) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        with pytest.raises(LogInUse) as refused:
            await SqliteLog.open(path)
        assert refused.value.reason == f"{path} is in use by process {writer.pid}"
        writer.kill()
    log = await SqliteLog.open(path)
    await log.close()
