"""Names that were rewritten are gone from the file and from what lies beside it."""

# ruff: noqa: ASYNC240 - nothing else runs while a test reads its files.

import asyncio
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from ginrummy.log import Entry, IdleRows, IndexRow, Json, LogUnavailable, SqliteLog
from ginrummy.log.sqlite import file, purging, statements

from .programs import start
from .samples import append, entry_of, fold

FILLED_BYTES = 48 * 1024 * 1024


def remains(path: Path, text: str) -> dict[str, int]:
    """How often `text` is found, by file."""
    found = {each.name: each.read_bytes().count(text.encode()) for each in path.parent.iterdir()}
    return {name: count for name, count in found.items() if count}


def unnamed(entry: Entry) -> Entry:
    summary = {"summary": {"name": ""}}
    return replace(entry, command=Json.of({**entry.command.value, "name": "", "row": summary}))


async def play(log: SqliteLog, match_id: str, random: Random) -> None:
    """A match whose name is in every command and in a row that often changes its length."""
    entries: list[Entry] = []
    for first in range(1, 8):
        name = f"Private {match_id}"
        row = {"summary": {"name": name, "pad": "x" * random.randrange(200, 1500)}}
        command = {"name": name, "row": row, "pad": "y" * random.randrange(3000)}
        entries.append(entry_of(match_id, first, command=command))
        await log.append(entries[-1], fold(entries))


@pytest.mark.parametrize("rebuilt_bytes", [0, file.REBUILT_BYTES])
async def test_no_byte_of_a_rewritten_name_is_left_in_any_file(
    sqlite_log: SqliteLog, rebuilt_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "REBUILT_BYTES", rebuilt_bytes)
    random = Random(1)
    match_ids = [f"m{n:02}" for n in range(40)]
    for match_id in match_ids:
        await play(sqlite_log, match_id, random)
    assert remains(sqlite_log.path, "Private m07")
    for match_id in match_ids if rebuilt_bytes else match_ids[7:8]:
        await sqlite_log.rewrite(match_id, unnamed, fold)
    await sqlite_log.purge()
    assert remains(sqlite_log.path, "Private" if rebuilt_bytes else "Private m07") == {}
    assert len(await sqlite_log.read("m07")) == 7


async def test_a_file_made_anew_holds_no_name_either(sqlite_log: SqliteLog) -> None:
    await play(sqlite_log, "m07", Random(1))
    await sqlite_log.rewrite("m07", unnamed, fold)
    await sqlite_log.rebuild_file()
    assert remains(sqlite_log.path, "Private") == {}
    entries = await sqlite_log.read("m07")
    await append(sqlite_log, "m07", entries[-1].last + 1)


def test_a_file_made_anew_need_not_fit_into_memory(tmp_path: Path) -> None:
    program = start("rebuilding_program", tmp_path / "log.sqlite", FILLED_BYTES)
    output, _ = program.communicate(timeout=60)
    assert program.returncode == 0
    assert int(output) < FILLED_BYTES / 2


async def test_a_forgotten_match_is_overwritten_too(sqlite_log: SqliteLog) -> None:
    await play(sqlite_log, "m07", Random(1))
    await play(sqlite_log, "m08", Random(1))
    await sqlite_log.forget("m07")
    await sqlite_log.purge()
    assert remains(sqlite_log.path, "Private m07") == {}
    assert remains(sqlite_log.path, "Private m08")


async def test_a_program_that_reads_what_is_to_be_purged_makes_it_fail_until_it_has_read(
    sqlite_log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "LOCKED_WAIT_S", 0.05)
    await play(sqlite_log, "m07", Random(1))
    reader = sqlite3.connect(sqlite_log.path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entry").fetchone()
    await sqlite_log.rewrite("m07", unnamed, fold)
    for _ in range(2):
        with pytest.raises(LogUnavailable, match="reads what is to be purged"):
            await sqlite_log.purge()
    await append(sqlite_log, "m08")
    reader.execute("ROLLBACK")
    reader.close()
    await sqlite_log.purge()
    assert remains(sqlite_log.path, "Private m07") == {}


def held_back(log: SqliteLog, monkeypatch: pytest.MonkeyPatch) -> tuple[list[int], threading.Event]:
    """The purges begun from now on, of which the first one waits in the writer for the event."""
    begun: list[int] = []
    go = threading.Event()
    purge = log._file.purge

    def held(connection: sqlite3.Connection) -> None:
        begun.append(len(begun))
        assert go.wait(60)
        purge(connection)

    monkeypatch.setattr(log._file, "purge", held)
    return begun, go


async def until_begun(begun: list[int]) -> None:
    async with asyncio.timeout(60):
        while not begun:  # noqa: ASYNC110
            await asyncio.sleep(0.005)


async def test_those_who_erase_meanwhile_share_the_next_purge(
    sqlite_log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_ids = [f"m{n:02}" for n in range(20)]
    for match_id in match_ids:
        await play(sqlite_log, match_id, Random(1))
    begun, go = held_back(sqlite_log, monkeypatch)

    async def erase(match_id: str) -> None:
        await sqlite_log.rewrite(match_id, unnamed, fold)
        await sqlite_log.purge()
        assert remains(sqlite_log.path, f"Private {match_id}") == {}

    first = asyncio.create_task(erase(match_ids[0]))
    await until_begun(begun)
    others = [asyncio.create_task(erase(match_id)) for match_id in match_ids[1:]]
    go.set()
    await asyncio.gather(first, *others)
    assert len(begun) <= 3, "the writer may have taken the others' changes in two parts"


async def test_whoever_erases_waits_for_a_purge_that_another_has_begun(
    sqlite_log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    await play(sqlite_log, "m07", Random(1))
    begun, go = held_back(sqlite_log, monkeypatch)
    await sqlite_log.rewrite("m07", unnamed, fold)
    first = asyncio.create_task(sqlite_log.purge())
    await until_begun(begun)
    second = asyncio.create_task(sqlite_log.purge())
    await asyncio.sleep(0)
    first.cancel()
    assert not (await asyncio.wait((second,), timeout=0.05))[0]
    go.set()
    await second
    assert len(begun) == 1
    assert remains(sqlite_log.path, "Private m07") == {}


async def test_between_two_purges_others_are_stored(
    sqlite_log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purging, "REST", 1e9)
    monkeypatch.setattr(purging, "LONGEST_REST_S", 3600)
    for match_id in ("m07", "m08"):
        await play(sqlite_log, match_id, Random(1))
        await sqlite_log.rewrite(match_id, unnamed, fold)
    await sqlite_log.purge()
    await sqlite_log.rewrite("m08", lambda entry: entry, fold)
    second = asyncio.create_task(sqlite_log.purge())
    for n in range(5):
        await append(sqlite_log, f"other {n}")
    assert not second.done()
    await sqlite_log.close()  # which does not wait for the rest
    await second


async def test_a_purge_that_a_crash_prevented_is_made_up_for(tmp_path: Path) -> None:
    log = await SqliteLog.open(tmp_path / "log.sqlite")
    await play(log, "m07", Random(1))
    await log.rewrite("m07", unnamed, fold)
    copies = tmp_path / "after the crash"
    copies.mkdir()
    for each in tmp_path.glob("log.sqlite*"):
        (copies / each.name).write_bytes(each.read_bytes())
    await log.close()
    assert remains(copies / "log.sqlite", "Private m07")
    again = await SqliteLog.open(copies / "log.sqlite")
    await again.purge()
    assert remains(again.path, "Private m07") == {}
    await again.close()


async def test_what_an_older_version_left_in_the_file_is_purged(tmp_path: Path) -> None:
    """It did not overwrite what it deleted."""
    path = tmp_path / "log.sqlite"
    await (await SqliteLog.open(path)).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA secure_delete = OFF")
    other.execute("CREATE TABLE trial (name TEXT)")
    other.execute("INSERT INTO trial VALUES ('Private m07')")
    other.execute("DROP TABLE trial")
    other.close()
    assert remains(path, "Private m07")
    log = await SqliteLog.open(path)
    await log.purge()
    assert remains(path, "Private m07") == {}
    await log.close()


async def test_matches_at_rest_are_found_and_counted_by_an_index(sqlite_log: SqliteLog) -> None:
    """Else looking for them reads and sorts every row, again and again."""
    asked: list[str] = []
    connection = sqlite3.connect(sqlite_log.path)
    connection.set_trace_callback(asked.append)
    statements.idle_rows(connection, IdleRows(ended=False, until_us=5), 3)
    statements.idle_rows(connection, IdleRows(ended=True, until_us=5), 3)
    statements.unfinished(connection)
    connection.set_trace_callback(None)
    for query in asked:
        [(*_, plan)] = connection.execute(f"EXPLAIN QUERY PLAN {query}").fetchall()
        assert "USING INDEX match_row_" in plan or "USING COVERING INDEX" in plan
    connection.close()
    assert len(asked) == 3


async def test_a_missing_row_is_noticed_when_the_file_is_opened(tmp_path: Path) -> None:
    log = await SqliteLog.open(tmp_path / "log.sqlite")
    rows: list[IndexRow | None] = []
    for match_id in ("m1", "m2"):
        entry = entry_of(match_id)
        await log.append(entry, fold([entry]))
        rows.append(await log.row(match_id))
    await log.close()
    with sqlite3.connect(tmp_path / "log.sqlite") as other:
        other.execute("DELETE FROM match_row WHERE match_id = 'm2'")
    other.close()
    again = await SqliteLog.open(tmp_path / "log.sqlite")
    assert again.unfinished_count == 1
    assert again.take_damaged() == {"m2"}
    await again.rebuild_row("m2", fold)
    assert await again.row("m2") == rows[1]
    assert again.unfinished_count == 2
    await again.close()


async def test_the_count_of_unfinished_matches_is_known_from_the_start(tmp_path: Path) -> None:
    log = await SqliteLog.open(tmp_path / "log.sqlite")
    for n in range(3):
        await append(log, f"m{n}")
    await log.forget("m1")
    await log.close()
    again = await SqliteLog.open(tmp_path / "log.sqlite")
    assert again.unfinished_count == 2
    await again.close()
