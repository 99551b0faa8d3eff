"""Files that older versions left: each is read by this one, and every match in it plays again.

For each schema but the newest there is a file of the version before the next, as SQL: tests/log/
schema_N_played.sql, written by tests.log.played_program, and never edited.
"""

import signal
import sqlite3
from pathlib import Path

import pytest

from ginrummy.log import IndexRow, SqliteLog
from ginrummy.log.sqlite.schema import MIGRATIONS, schema_version
from ginrummy.tables.replay import replay, row_from_log

from ..log import programs
from .house import House

NEWEST = len(MIGRATIONS)
OLDER = range(1, NEWEST)
FILES = Path(__file__).parents[1] / "log"
MATCH_COUNT = 6


def make_file(path: Path, schema: int) -> None:
    """The file that a version with this schema left."""
    connection = sqlite3.connect(path)
    connection.executescript((FILES / f"schema_{schema}_played.sql").read_text(encoding="utf-8"))
    assert schema_version(connection) == schema
    connection.close()


def version_of(path: Path) -> int:
    connection = sqlite3.connect(path)
    version = schema_version(connection)
    connection.close()
    return version


async def rows_of_replayed(log: SqliteLog) -> list[IndexRow]:
    """The rows of all matches, each found to be what its entries tell when played again."""
    rows = (await log.list_rows()).rows
    unlisted = [match_id for match_id in await matches_of(log) if match_id not in _ids(rows)]
    for match_id in unlisted:
        row = await log.row(match_id)
        assert row is not None
        rows.append(row)
    for row in rows:
        entries = await log.read(row.match_id)
        told = replay(entries)
        assert told.state.head == row.head
        assert row_from_log(entries) == row
    return rows


async def matches_of(log: SqliteLog) -> list[str]:
    return await log.matches_naming("create")


def _ids(rows: list[IndexRow]) -> set[str]:
    return {row.match_id for row in rows}


@pytest.mark.parametrize("schema", OLDER)
async def test_every_match_of_an_older_file_plays_again_and_can_be_played_on(
    schema: int, tmp_path: Path
) -> None:
    path = tmp_path / "log.sqlite"
    make_file(path, schema)
    log = await SqliteLog.open(path)
    assert version_of(path) == NEWEST
    rows = await rows_of_replayed(log)
    assert len(rows) >= MATCH_COUNT
    assert log.unfinished_count == sum(not row.state.ended for row in rows)
    house = House(log)
    for row in rows:
        if row.summary.value["occupants"][1]["kind"] == "human":
            await house.play_on(row.match_id)
    await house.tables.close()
    await log.close()


@pytest.mark.parametrize("schema", OLDER)
async def test_a_migration_killed_anywhere_leaves_a_whole_file_of_one_version(
    schema: int, tmp_path: Path
) -> None:
    statement = 0
    versions: list[int] = []
    while not versions or versions[-1] < NEWEST:
        statement += 1
        path = tmp_path / f"{statement}.sqlite"
        make_file(path, schema)
        with programs.start("migrating_program", path, statement) as program:
            assert program.stdout is not None
            word = program.stdout.readline()
            program.send_signal(signal.SIGKILL)
        versions.append(version_of(path))
        log = await SqliteLog.open(path)
        assert len(await rows_of_replayed(log)) >= MATCH_COUNT
        await log.close()
    assert word == "half way\n", "it was never killed half-way through the last one"
    assert versions == sorted(versions)
    assert versions[0] == schema
    assert statement > 4


async def test_a_new_file_is_laid_out_as_one_that_went_through_every_version(
    tmp_path: Path,
) -> None:
    layouts = []
    for schema in (1, None):
        path = tmp_path / f"{schema}.sqlite"
        if schema is not None:
            make_file(path, schema)
        await (await SqliteLog.open(path)).close()
        connection = sqlite3.connect(path)
        layouts.append(
            connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
        )
        connection.close()
    assert layouts[0] == layouts[1]
