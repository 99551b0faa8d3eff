"""Opening a file: what is refused, with which words, and what becomes of older versions."""

# ruff: noqa: ASYNC240 - nothing else runs while a test prepares its file.

import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ginrummy.log import (
    LogDamaged,
    LogInUse,
    LogUnavailable,
    SchemaTooNew,
    SqliteLog,
    StoredLog,
)
from ginrummy.log.sqlite.schema import APPLICATION_ID, MIGRATIONS, migrate, schema_version

from . import programs
from .samples import append, digest, fold

SCHEMA_1 = Path(__file__).with_name("schema_1.sql")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.sqlite"


async def fill(path: Path, match_count: int) -> None:
    log = await SqliteLog.open(path)
    for n in range(match_count):
        await append(log, f"m{n}", command={"long": "x" * 2000})
    await log.close()


async def test_what_was_stored_is_there_after_closing_and_opening(path: Path) -> None:
    log = await SqliteLog.open(path)
    entry = await append(log, "m1", event_count=2)
    await log.set_token("m1", "host", digest("h"))
    await log.close()
    again = await SqliteLog.open(str(path))
    assert await again.read("m1") == [entry]
    assert await again.tokens("m1") == {"host": digest("h")}
    await again.close()


async def test_a_closed_log_is_one_private_file_and_its_lock(path: Path) -> None:
    await fill(path, 3)
    assert sorted(each.name for each in path.parent.iterdir()) == ["log.sqlite", "log.sqlite.lock"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_a_file_is_opened_once_by_whatever_name(path: Path) -> None:
    log = await SqliteLog.open(path)
    link = path.with_name("link")
    link.symlink_to(path)
    for name in (path, link):
        with pytest.raises(LogInUse, match=f"{path} is in use by process {os.getpid()}"):
            await SqliteLog.open(name)
    await append(log, "m1")
    await log.close()
    await (await SqliteLog.open(link)).close()


async def test_a_refused_file_is_not_held(path: Path) -> None:
    path.write_text("not a database, and long enough to be looked at as one" * 20)
    for _ in range(2):
        with pytest.raises(LogDamaged):
            await SqliteLog.open(path)


async def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path) -> None:
    content = b"my diary\n" * 500
    path.write_bytes(content)
    with pytest.raises(LogDamaged, match=r"log\.sqlite: file is not a database"):
        await SqliteLog.open(path)
    assert path.read_bytes() == content


async def test_a_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE recipe (name TEXT)")
    other.close()
    content = path.read_bytes()
    with pytest.raises(LogDamaged, match="not a match log"):
        await SqliteLog.open(path)
    assert path.read_bytes() == content


async def test_a_file_damaged_inside_is_refused(path: Path) -> None:
    await fill(path, 60)
    with path.open("r+b") as damaged:
        damaged.seek(20 * 4096)
        damaged.write(os.urandom(3 * 4096))
    with pytest.raises(LogDamaged, match=r"log\.sqlite"):
        await SqliteLog.open(path)


async def test_a_file_whose_schema_is_damaged_is_refused(path: Path) -> None:
    await fill(path, 1)
    content = path.read_bytes()
    at = content.index(b"first INTEGER NOT NULL")
    path.write_bytes(content[:at] + b"first \xb6\xee" + content[at + 8 :])
    refusal = r"log\.sqlite: its schema is damaged"
    with pytest.raises(LogDamaged, match=refusal):
        await SqliteLog.open(path)
    with StoredLog(path) as stored, pytest.raises(LogDamaged, match=refusal):
        stored.match_ids()


async def test_a_file_cut_short_is_refused(path: Path) -> None:
    await fill(path, 60)
    with path.open("r+b") as damaged:
        damaged.truncate(10 * 4096)
    with pytest.raises(LogDamaged, match=r"log\.sqlite"):
        await SqliteLog.open(path)


async def test_a_place_that_cannot_hold_a_file_is_named(path: Path) -> None:
    with pytest.raises(LogUnavailable, match=r"nowhere/log\.sqlite.*No such file or directory"):
        await SqliteLog.open(path.parent / "nowhere" / "log.sqlite")
    path.mkdir()
    with pytest.raises(LogUnavailable, match=r"log\.sqlite: Is a directory"):
        await SqliteLog.open(path)


@pytest.fixture
def shared_dir() -> Iterator[Path]:
    """A directory that every user can reach, unlike those of pytest."""
    directory = Path(tempfile.mkdtemp())
    directory.chmod(0o755)
    yield directory
    directory.chmod(0o755)
    shutil.rmtree(directory)


def opened_by_another_user(path: Path) -> str:
    with programs.start("other_user_program", path) as program:
        assert program.stdout is not None
        return program.stdout.read()


async def test_a_file_that_may_not_be_written_is_named(shared_dir: Path) -> None:
    path = shared_dir / "log.sqlite"
    await fill(path, 1)
    path.with_name("log.sqlite.lock").chmod(0o666)
    path.chmod(0o444)
    assert opened_by_another_user(path) == f"LogUnavailable {path}: Permission denied\n"


async def test_a_directory_that_may_not_be_written_is_named(shared_dir: Path) -> None:
    path = shared_dir / "log.sqlite"
    await fill(path, 1)
    path.with_name("log.sqlite.lock").chmod(0o666)
    path.chmod(0o666)
    shared_dir.chmod(0o555)
    answer = opened_by_another_user(path)
    assert answer.startswith(f"LogUnavailable {path}: "), answer


async def test_a_file_of_a_newer_version_is_refused_and_left_alone(path: Path) -> None:
    await fill(path, 1)
    with sqlite3.connect(path) as newer:
        newer.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    newer.close()
    content = path.read_bytes()
    with pytest.raises(SchemaTooNew) as refused:
        await SqliteLog.open(path)
    assert (refused.value.found, refused.value.known) == (len(MIGRATIONS) + 1, len(MIGRATIONS))
    assert str(path) in refused.value.reason
    assert path.read_bytes() == content


def add_seat_count(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE match_row ADD COLUMN seat_count INTEGER NOT NULL DEFAULT 2")


def fail_half_way(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM entry")
    connection.execute("ALTER TABLE match_row DROP COLUMN no_such_column")


async def test_a_migration_changes_an_older_file_once_and_keeps_what_it_holds(path: Path) -> None:
    await fill(path, 3)
    connection = sqlite3.connect(path, isolation_level=None)
    for _ in range(2):
        migrate(connection, path, [*MIGRATIONS, add_seat_count])
        assert schema_version(connection) == len(MIGRATIONS) + 1
    rows = connection.execute("SELECT match_id, seat_count FROM match_row").fetchall()
    connection.close()
    assert rows == [("m0", 2), ("m1", 2), ("m2", 2)]


async def test_a_migration_that_fails_leaves_the_file_as_the_one_before_left_it(path: Path) -> None:
    await fill(path, 3)
    connection = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, path, [*MIGRATIONS, add_seat_count, fail_half_way])
    assert schema_version(connection) == len(MIGRATIONS) + 1
    assert connection.execute("SELECT count(*) FROM entry").fetchone() == (3,)
    connection.close()


def make_schema_1(path: Path) -> None:
    """A file as the first version left it."""
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA_1.read_text(encoding="utf-8"))
    connection.close()


async def test_a_file_of_the_first_version_is_read_by_this_one(path: Path) -> None:
    make_schema_1(path)
    log = await SqliteLog.open(path)
    rows = (await log.list_rows()).rows
    assert [row.match_id for row in rows] == ["m2", "m1"]
    for row in rows:
        entries = await log.read(row.match_id)
        assert len(entries) == 2
        assert fold(entries) == row
    assert rows[1].labels.value == {"город": "Тула"}
    assert await log.tokens("m1") == {"host": digest("h"), "1": digest("a")}
    assert await log.match_created_by("c1") == "m1"
    assert (await log.entry_by_request("m1", "r2")) == (await log.read("m1"))[1]
    await append(log, "m1", 4)
    await log.close()


async def test_a_new_file_is_laid_out_as_a_migrated_one(path: Path) -> None:
    layouts = []
    for each in (path, path.with_name("migrated.sqlite")):
        if each != path:
            make_schema_1(each)
        await (await SqliteLog.open(each)).close()
        connection = sqlite3.connect(each)
        sql = connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        connection.close()
        layouts.append(sql)
    assert layouts[0] == layouts[1]
