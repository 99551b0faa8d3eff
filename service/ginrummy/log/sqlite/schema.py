"""The tables, and how a file of an older version becomes one of this version.

`user_version` of the file counts the migrations it has been through. Each runs in a transaction of
its own with the new number, so a file is always of one version as a whole. A migration, once
released, is never edited; a new one is added after it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from ginrummy.log.errors import LogDamaged, SchemaTooNew

APPLICATION_ID = 0x47494E52
"""Marks a file as a match log ("GINR"), so that no other program's database is written to."""

UNFINISHED = "('open', 'running')"
ENDED = "('finished', 'aborted')"
"""Of states, in the very words of the indexes: SQLite uses those for the same words only."""

Migration = Callable[[sqlite3.Connection], None]

_TABLES = (
    # The truth. `last` and not `first` is in the index: it finds the head, the entry that holds a
    # sequence number and all later ones. AUTOINCREMENT: a revision is never given out twice.
    """
    CREATE TABLE entry (
        revision INTEGER PRIMARY KEY AUTOINCREMENT,
        match_id TEXT NOT NULL,
        first INTEGER NOT NULL CHECK (first >= 1),
        last INTEGER NOT NULL CHECK (last >= first),
        command TEXT NOT NULL,
        events TEXT NOT NULL,
        request_id TEXT,
        time_us INTEGER NOT NULL,
        rules_version INTEGER NOT NULL,
        schema INTEGER NOT NULL
    ) STRICT
    """,
    "CREATE UNIQUE INDEX entry_by_last ON entry (match_id, last)",
    """
    CREATE UNIQUE INDEX entry_by_request ON entry (match_id, request_id)
    WHERE request_id IS NOT NULL
    """,
    # Derived from the entries.
    """
    CREATE TABLE match_row (
        match_id TEXT PRIMARY KEY,
        state TEXT NOT NULL,
        head INTEGER NOT NULL,
        ruleset TEXT NOT NULL,
        labels TEXT NOT NULL,
        unlisted INTEGER NOT NULL,
        joinable INTEGER NOT NULL,
        created_us INTEGER NOT NULL,
        updated_us INTEGER NOT NULL,
        deadline_us INTEGER,
        bot_owes INTEGER NOT NULL,
        create_request_id TEXT,
        summary TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX match_row_by_age ON match_row (created_us, match_id)",
    "CREATE INDEX match_row_by_state ON match_row (state, created_us, match_id)",
    """
    CREATE UNIQUE INDEX match_row_by_create_request ON match_row (create_request_id)
    WHERE create_request_id IS NOT NULL
    """,
    # SHA-256 only.
    """
    CREATE TABLE token (
        match_id TEXT NOT NULL,
        role TEXT NOT NULL,
        digest BLOB NOT NULL,
        PRIMARY KEY (match_id, role)
    ) STRICT, WITHOUT ROWID
    """,
)


def _create_tables(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in _TABLES:
        connection.execute(statement)


def _index_rest(connection: sqlite3.Connection) -> None:
    """Finds the matches at rest: those to be called off, and those to be forgotten."""
    for name, states in (("unfinished", UNFINISHED), ("ended", ENDED)):
        connection.execute(
            f"CREATE INDEX match_row_{name} ON match_row (updated_us, match_id)"
            f" WHERE state IN {states}"
        )


MIGRATIONS: tuple[Migration, ...] = (_create_tables, _index_rest)


def schema_version(connection: sqlite3.Connection) -> int:
    """How many migrations the file has been through; 0 is an empty file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_is_ours(connection: sqlite3.Connection, path: Path) -> None:
    """Raises LogDamaged for a database of another program; an empty one is ours to fill."""
    version = schema_version(connection)
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application == APPLICATION_ID and version > 0:
        return
    things = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if things or version or application:
        raise LogDamaged(f"{path} is a database, but not a match log")


def migrate(
    connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS
) -> None:
    """Brings the file to the newest version. A migration that fails leaves the version before it.

    Raises SchemaTooNew for a file that has been through more than `migrations`.
    """
    found = schema_version(connection)
    if found > len(migrations):
        raise SchemaTooNew(str(path), found, len(migrations))
    for number, migration in enumerate(migrations[found:], start=found + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            migration(connection)
            connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
