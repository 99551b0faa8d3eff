"""A store in trouble while it is in use: nothing accepted is lost, and it goes on by itself."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ginrummy.log import Appended, Conflict, LogDamaged, LogUnavailable, SqliteLog
from ginrummy.log.sqlite import file, writer

from . import programs
from .samples import append, busy_writer, create, digest, entry_of, fold, row_of


def test_a_full_disk_loses_nothing_and_the_log_goes_on_when_there_is_room(tmp_path: Path) -> None:
    with programs.start("full_disk_program", tmp_path / "log.sqlite") as program:
        program.wait(timeout=120)
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


async def test_reads_do_not_wait_for_the_writer(
    sqlite_log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "LOCKED_WAIT_S", 60)
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
    """A connection that does something of the test's own just before it commits."""

    def __init__(self, connection: sqlite3.Connection, commit: Callable[[], None]) -> None:
        self.connection = connection
        self.commit = commit

    @property
    def in_transaction(self) -> bool:
        return self.connection.in_transaction

    def execute(self, statement: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        if statement == "COMMIT":
            self.commit()
        elif statement.startswith("INSERT INTO appending") and not self.in_transaction:
            return self._by_itself(statement, values)
        return self.connection.execute(statement, values)

    def _by_itself(self, statement: str, values: tuple[object, ...]) -> sqlite3.Cursor:
        """What a statement outside a transaction does, in steps between which one can come."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            done = self.connection.execute(statement, values)
        except sqlite3.Error:
            self.connection.execute("ROLLBACK")
            raise
        self.commit()
        self.connection.execute("COMMIT")
        return done


@pytest.mark.parametrize("first_of_the_last", [2, 3], ids=["that does not fit", "that fits"])
async def test_a_commit_that_fails_fails_its_whole_batch_the_refused_too(
    sqlite_log: SqliteLog, monkeypatch: pytest.MonkeyPatch, first_of_the_last: int
) -> None:
    def fail() -> None:
        raise sqlite3.OperationalError("disk I/O error")

    await append(sqlite_log, "m0")
    connect = writer.Writer._connect
    monkeypatch.setattr(writer.Writer, "_connect", lambda self: _CommitsBy(connect(self), fail))
    outcomes = await asyncio.gather(
        append(sqlite_log, "m0", 2),
        append(sqlite_log, "m1"),
        append(sqlite_log, "m0", first_of_the_last),  # rests on the first, which will not be there
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


async def test_a_listener_that_fails_leaves_nobody_without_an_answer(sqlite_log: SqliteLog) -> None:
    told: list[BaseException | None] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, happened: told.append(happened.get("exception")))

    def fails(_: Appended) -> bool:
        raise RuntimeError

    with sqlite_log.tail(wanted=fails):
        async with asyncio.timeout(10):
            await asyncio.gather(*(append(sqlite_log, f"m{n}") for n in range(5)))
    assert sqlite_log.unfinished_count == 5
    assert [type(error) for error in told] == [RuntimeError] * 5


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


async def test_appends_at_once_share_commits(sqlite_log: SqliteLog) -> None:
    sizes: list[int] = []
    sqlite_log.on_commit = lambda count, _: sizes.append(count)
    await asyncio.gather(*(append(sqlite_log, f"m{n}") for n in range(200)))
    assert sum(sizes) == 200
    assert len(sizes) < 50


async def test_after_a_batch_of_several_a_busy_server_gathers_the_next_for_a_moment(
    sqlite_log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    resting, rested = threading.Event(), threading.Event()

    def rest(_: float) -> None:
        resting.set()
        rested.wait()

    sizes: list[int] = []
    monkeypatch.setattr(writer, "BUSY", 0.0)
    monkeypatch.setattr(writer, "PACE", 1e9)
    monkeypatch.setattr(writer, "LONGEST_PACE_S", 3600.0)
    monkeypatch.setattr(time, "sleep", rest)
    sqlite_log.on_commit = lambda count, _: sizes.append(count)
    for match_id in ("m0", "m1"):
        await append(sqlite_log, match_id)
    assert not resting.is_set(), "nobody waits who is alone"
    async with busy_writer(sqlite_log):
        together = [asyncio.create_task(append(sqlite_log, match_id)) for match_id in ("m2", "m3")]
        await asyncio.sleep(0)
    await asyncio.gather(*together)
    early = asyncio.create_task(append(sqlite_log, "m4"))
    await asyncio.to_thread(resting.wait)
    late = asyncio.create_task(append(sqlite_log, "m5"))
    await asyncio.sleep(0)
    rested.set()
    await asyncio.gather(early, late)
    await append(sqlite_log, "m6")
    assert sizes == [1, 1, 1, 2, 2, 1]


async def test_nobody_waits_on_a_server_with_time_to_spare(
    sqlite_log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    rests: list[float] = []
    monkeypatch.setattr(writer, "BUSY", float("inf"))
    monkeypatch.setattr(writer, "PACE", 1e9)
    monkeypatch.setattr(writer, "LONGEST_PACE_S", 3600.0)
    monkeypatch.setattr(time, "sleep", rests.append)
    async with busy_writer(sqlite_log):
        together = [asyncio.create_task(append(sqlite_log, match_id)) for match_id in ("m0", "m1")]
        await asyncio.sleep(0)
    await asyncio.gather(*together)
    await append(sqlite_log, "m2")
    assert rests == []


async def test_appends_of_a_batch_are_one_statement(sqlite_log: SqliteLog) -> None:
    statements: set[str] = set()  # a trigger's steps are told by the words of its statement
    sizes: list[int] = []
    writing = await sqlite_log._writer.run(lambda connection: connection)
    writing.set_trace_callback(statements.add)
    sqlite_log.on_commit = lambda count, _: sizes.append(count)
    for first in range(1, 6):
        await asyncio.gather(*(append(sqlite_log, f"m{n}", first) for n in range(40)))
    await sqlite_log._writer.run(lambda connection: connection.set_trace_callback(None))
    begun = {"BEGIN IMMEDIATE", "SAVEPOINT job"}  # by the last line
    assert len(statements - begun) == len(sizes) - 1


async def test_an_append_takes_as_many_steps_however_much_is_stored(sqlite_log: SqliteLog) -> None:
    steps: list[int] = []

    def counting(connection: sqlite3.Connection) -> None:
        connection.set_progress_handler(lambda: steps.append(1), 1)

    def ending(connection: sqlite3.Connection) -> None:
        connection.set_progress_handler(None, 1)

    async def steps_of(match_id: str, first: int) -> int:
        await sqlite_log._writer.run(counting)
        steps.clear()
        await append(sqlite_log, match_id, first)
        count = len(steps)
        await sqlite_log._writer.run(ending)
        return count

    await append(sqlite_log, "m0")
    at_first = await steps_of("m0", 2)
    await asyncio.gather(*(append(sqlite_log, f"n{n}") for n in range(500)))
    await asyncio.gather(*(append(sqlite_log, "m0", first) for first in range(3, 500)))
    assert 0 < await steps_of("m0", 500) <= at_first


@pytest.mark.parametrize("count", [1, 63, 64, 65, 130])
async def test_a_batch_of_any_size_is_stored_as_a_whole(sqlite_log: SqliteLog, count: int) -> None:
    sizes: list[int] = []
    entries = [entry_of(f"m{n}", event_count=2, request_id="r1") for n in range(count)]
    given = {"1": digest("a")}
    async with busy_writer(sqlite_log):
        sqlite_log.on_commit = lambda size, _: sizes.append(size)
        appending = [
            sqlite_log.append(entry, row_of(entry, labels={"n": str(n)}), given if n % 3 else None)
            for n, entry in enumerate(entries)
        ]
    revisions = await asyncio.gather(*appending)
    assert sizes == [1, count]
    assert revisions == sorted(set(revisions))
    for n, entry in enumerate(entries):
        assert await sqlite_log.read(entry.match_id) == [entry]
        assert await sqlite_log.row(entry.match_id) == row_of(entry, labels={"n": str(n)})
        assert await sqlite_log.tokens(entry.match_id) == (given if n % 3 else {})


async def test_in_a_batch_of_one_match_each_entry_stands_on_the_one_before(
    sqlite_log: SqliteLog,
) -> None:
    outcomes = await asyncio.gather(*(append(sqlite_log, "m1", first) for first in range(1, 30)))
    assert await sqlite_log.read("m1") == outcomes
    row = await sqlite_log.row("m1")
    assert row is not None
    assert row.head == 29


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
        "UPDATE entry SET command = '{\"who\": \"\\uD800\"}' WHERE match_id = 'm1'",
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


@pytest.mark.parametrize("harm", ["state = 'lost'", 'summary = \'{"who": "\\uD800"}\''])
async def test_a_row_of_no_meaning_is_named(sqlite_log: SqliteLog, harm: str) -> None:
    await create(sqlite_log, "m1")
    with sqlite3.connect(sqlite_log.path) as other:
        other.execute(f"UPDATE match_row SET {harm}")
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
