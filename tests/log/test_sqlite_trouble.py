"""A store in trouble while it is in use: nothing accepted is lost, and it goes on by itself."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ginrummy.log import Conflict, LogDamaged, LogUnavailable, SqliteLog
from ginrummy.log.sqlite import file, writer

from . import programs
from .samples import append, create, digest, entry_of, fold, row_of


def test_a_full_disk_loses_nothing_and_the_log_goes_on_when_there_is_room(tmp_path: Path) -> None:
    with programs.start("full_disk_program", tmp_path / "log.sqlite") as program:
        program.wait(timeout=30)
    assert program.returncode == 0


async def test_a_file_locked_by_another_program_is_waited_for_then_reported(
    sqlite_log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "LOCKED_WAIT_S", 0.05)
    first = await append(sqlite_log, "m0")
    other = sqlite3.connect(sqlite_log.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for _ in range(2):
        with pytest.raises(LogUnavailable, match=r"log\.sqlite: database is locked"):
            await append(sqlite_log, "m1")
    assert await sqlite_log.read("m0") == [first]
    other.execute("ROLLBACK")
    other.close()
    second = await append(sqlite_log, "m1")
    assert await sqlite_log.read("m1") == [second]


async def test_reads_do_not_wait_for_the_writer(sqlite_log: SqliteLog) -> None:
    first = await append(sqlite_log, "m0")
    other = sqlite3.connect(sqlite_log.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    waiting = asyncio.create_task(append(sqlite_log, "m1"))
    await asyncio.sleep(0.02)
    assert await sqlite_log.read("m0") == [first]
    assert not waiting.done()
    other.execute("ROLLBACK")
    other.close()
    await waiting


class _CommitsBy:
    """A connection that does something of the test's own in place of the next COMMIT."""

    def __init__(self, connection: sqlite3.Connection, commit: Callable[[], None]) -> None:
        self.connection = connection
        self.commit = commit

    def execute(self, statement: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        if statement == "COMMIT":
            self.commit()
        return self.connection.execute(statement, values)


async def test_a_commit_that_fails_fails_its_whole_batch_the_refused_too(
    sqlite_log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise sqlite3.OperationalError("disk I/O error")

    await append(sqlite_log, "m0")
    connect = writer.Writer._connect
    monkeypatch.setattr(writer.Writer, "_connect", lambda self: _CommitsBy(connect(self), fail))
    outcomes = await asyncio.gather(
        append(sqlite_log, "m0", 2),
        append(sqlite_log, "m1"),
        append(sqlite_log, "m0", 2),  # refused because of the first, which will not be there
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes] == [LogUnavailable] * 3
    assert len({id(outcome) for outcome in outcomes}) == 3
    monkeypatch.undo()
    assert len(await sqlite_log.read("m0")) == 1
    assert await sqlite_log.read("m1") == []
    await append(sqlite_log, "m0", 2)
    await append(sqlite_log, "m1")


async def test_nothing_is_answered_told_or_seen_before_the_commit(
    sqlite_log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, let_go = threading.Event(), threading.Event()

    def pause() -> None:
        reached.set()
        let_go.wait()

    connect = writer.Writer._connect
    monkeypatch.setattr(writer.Writer, "_connect", lambda self: _CommitsBy(connect(self), pause))
    with sqlite_log.tail() as appends:
        appending = asyncio.create_task(append(sqlite_log, "m0"))
        listening = asyncio.create_task(anext(appends))
        await asyncio.to_thread(reached.wait)
        try:
            assert await sqlite_log.row("m0") is None
            assert not appending.done()
            assert not listening.done()
        finally:
            let_go.set()
        assert (await listening).entry == await appending
    assert await sqlite_log.row("m0") is not None


async def test_an_entry_whose_row_cannot_be_stored_leaves_nothing(sqlite_log: SqliteLog) -> None:
    entry = entry_of("m1")
    outcomes = await asyncio.gather(
        append(sqlite_log, "m0"),
        sqlite_log.append(entry, row_of(entry, updated_us=2**70), {"1": digest("a")}),
        append(sqlite_log, "m2"),
        return_exceptions=True,
    )
    assert isinstance(outcomes[1], OverflowError)
    assert await sqlite_log.read("m1") == []
    assert await sqlite_log.tokens("m1") == {}
    assert [len(await sqlite_log.read(match_id)) for match_id in ("m0", "m2")] == [1, 1]


async def test_appends_at_once_share_commits(
    sqlite_log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    commit = writer.Writer._commit

    def counted(self: writer.Writer, batch: list[writer._Job]) -> None:
        sizes.append(len(batch))
        commit(self, batch)

    monkeypatch.setattr(writer.Writer, "_commit", counted)
    await asyncio.gather(*(append(sqlite_log, f"m{n}") for n in range(100)))
    assert sum(sizes) == 100
    assert len(sizes) < 50


async def test_the_writer_waits_for_the_disk(sqlite_log: SqliteLog) -> None:
    connection = sqlite_log._file.writer()
    full = 2
    assert connection.execute("PRAGMA synchronous").fetchone()[0] == full
    assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    connection.close()


async def test_a_file_moved_away_is_reported_and_the_log_goes_on_when_it_is_back(
    sqlite_log: SqliteLog, tmp_path: Path
) -> None:
    await append(sqlite_log, "m0")
    away = tmp_path / "away"
    sqlite_log.path.rename(away)
    with pytest.raises(LogUnavailable, match="No such file"):
        await append(sqlite_log, "m0", 2)
    sqlite_log.path.write_bytes(b"")
    with pytest.raises(LogUnavailable, match="replaced while in use"):
        await append(sqlite_log, "m0", 2)
    away.rename(sqlite_log.path)
    await append(sqlite_log, "m0", 2)
    assert len(await sqlite_log.read("m0")) == 2


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE entry SET events = '[{\"cards\": ' WHERE match_id = 'm1'",
        "UPDATE entry SET events = '{}' WHERE match_id = 'm1'",
        "UPDATE entry SET command = '[]' WHERE match_id = 'm1'",
        "UPDATE entry SET last = 9 WHERE match_id = 'm1'",
        "UPDATE entry SET schema = 2 WHERE match_id = 'm1'",
        "UPDATE entry SET events = CAST(x'5b7b22ff' AS TEXT) WHERE match_id = 'm1'",
    ],
)
async def test_a_damaged_entry_is_named_and_harms_its_match_only(
    sqlite_log: SqliteLog, harm: str
) -> None:
    for match_id in ("m0", "m1"):
        await append(sqlite_log, match_id, request_id="r1")
    with sqlite3.connect(sqlite_log.path) as other:
        other.execute(harm)
    other.close()
    with pytest.raises(LogDamaged, match="entry 1 of match m1") as damaged:
        await sqlite_log.read("m1")
    assert "cards" not in damaged.value.reason
    outcomes = await asyncio.gather(
        append(sqlite_log, "m0", 2),
        append(sqlite_log, "m1", 2, request_id="r1"),
        append(sqlite_log, "m2"),
        return_exceptions=True,
    )
    assert [isinstance(outcome, LogDamaged) for outcome in outcomes] == [False, True, False]
    assert list(await sqlite_log.rebuild_index(fold)) == ["m1"]


async def test_a_row_of_no_meaning_is_named(sqlite_log: SqliteLog) -> None:
    await create(sqlite_log, "m1")
    with sqlite3.connect(sqlite_log.path) as other:
        other.execute("UPDATE match_row SET state = 'lost'")
    other.close()
    with pytest.raises(LogDamaged, match="row of match m1"):
        await sqlite_log.row("m1")
    await sqlite_log.rebuild_index(fold)
    assert await sqlite_log.row("m1") is not None


async def test_the_head_is_known_without_the_row(sqlite_log: SqliteLog) -> None:
    await append(sqlite_log, "m1")
    with sqlite3.connect(sqlite_log.path) as other:
        other.execute("DELETE FROM match_row")
    other.close()
    with pytest.raises(Conflict):
        await append(sqlite_log, "m1", 1)
    await sqlite_log.rebuild_index(fold)
    row = await sqlite_log.row("m1")
    assert row is not None
    assert row.head == 1
