"""Brings the file at PATH up to date and stops half-way: migrating_program PATH STATEMENT.

Prints "half way" after so many statements of the migrations, and waits to be killed.
"""

import os
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any, cast

from ginrummy.log.sqlite.schema import migrate


class Stopping:
    """A connection that does so many statements and no more."""

    def __init__(self, connection: sqlite3.Connection, most: int) -> None:
        self._connection = connection
        self._left = most

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        done = self._connection.execute(statement, *values)
        self._left -= 1
        if not self._left:
            os.write(1, b"half way\n")
            time.sleep(600)
        return done


def main(path: str, most: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    migrate(cast(sqlite3.Connection, Stopping(connection, int(most))), Path(path))
    os.write(1, b"done\n")


main(*sys.argv[1:])
