"""Appends as SQL: all that are to be stored together are one statement.

Its conditions are part of it. To ask first and store then would be half a dozen statements for each
append, and between any two of them the thread would have to wait for its turn with the event loop.
The statement is written for a view that nobody reads; a trigger does with each of its rows what an
append is. Both are the connection's own, and not in the file.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Protocol

from ginrummy.log.entry import Entry
from ginrummy.log.row import IndexRow
from ginrummy.log.sqlite.statements import ENTRY, ROW, Connection, put_tokens

TOGETHER = 64
"""The most appends in one statement. One is compiled, and kept, for every number up to this."""

_ROW_ONLY = tuple(name for name in ROW if name not in ("match_id", "head"))
_COLUMNS = ("revision", *ENTRY, *(f"row_{name}" for name in _ROW_ONLY))
_OF_ROW = {name: f"NEW.row_{name}" for name in _ROW_ONLY} | {
    "match_id": "NEW.match_id",
    "head": "NEW.last",
}
_HARDLY_EVER_CHANGED = ("state", "created_us", "create_request_id")
_OTHERS = tuple(name for name in ROW if name not in ("match_id", *_HARDLY_EVER_CHANGED))


def _list(names: Sequence[str], form: str = "{0}") -> str:
    return ", ".join(form.format(name, _OF_ROW.get(name)) for name in names)


_VIEW = f"CREATE TEMP VIEW appending AS SELECT {_list(_COLUMNS, 'NULL AS {0}')}"
# The head is looked up in the entries, as the row is derived. An index is written for whatever
# column of it is set, be it to the same: hence what hardly ever changes is set by itself.
_TRIGGER = f"""
    CREATE TEMP TRIGGER append INSTEAD OF INSERT ON appending BEGIN
        SELECT RAISE (ABORT, 'does not begin after the head') WHERE NEW.first <> 1 + coalesce(
            (SELECT max(last) FROM entry WHERE match_id = NEW.match_id), 0);
        INSERT INTO entry (revision, {_list(ENTRY)})
            VALUES (NEW.revision, {_list(ENTRY, "NEW.{0}")});
        UPDATE match_row SET {_list(_HARDLY_EVER_CHANGED, "{0} = {1}")}
            WHERE match_id = NEW.match_id
            AND ({_list(_HARDLY_EVER_CHANGED)}) IS NOT ({_list(_HARDLY_EVER_CHANGED, "{1}")});
        INSERT INTO match_row ({_list(ROW)}) VALUES ({_list(ROW, "{1}")})
            ON CONFLICT (match_id) DO UPDATE SET {_list(_OTHERS, "{0} = excluded.{0}")};
    END
"""


class Append(Protocol):
    """What is to be stored together, all or nothing."""

    entry: Entry
    row: IndexRow
    tokens: Mapping[str, bytes]
    """Hashes by role."""
    revision: int


def prepare(connection: Connection) -> int:
    """Makes the view and its trigger for a new connection; the latest revision in the file."""
    connection.execute(_VIEW)
    connection.execute(_TRIGGER)
    query = "SELECT max(seq) FROM sqlite_sequence WHERE name = 'entry'"
    revision: int | None = connection.execute(query).fetchone()[0]
    return revision or 0


def append_alone(connection: Connection, appends: Sequence[Append]) -> None:
    """Appends all in a transaction of their own; they are on the disk when this returns.

    Raises sqlite3.IntegrityError if one of them does not fit. What raises has stored nothing.
    """
    if len(appends) <= TOGETHER and not any(append.tokens for append in appends):
        _store(connection, appends)  # by itself a transaction
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        append(connection, appends)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def append(connection: Connection, appends: Sequence[Append]) -> None:
    """Appends all in the caller's transaction. Raises as `append_alone` does."""
    for i in range(0, len(appends), TOGETHER):
        _store(connection, appends[i : i + TOGETHER])
    for each in appends:
        put_tokens(connection, each.entry.match_id, each.tokens)


def _store(connection: Connection, appends: Sequence[Append]) -> None:
    values = itertools.chain.from_iterable(map(_values, appends))
    connection.execute(_statement(len(appends)), tuple(values))


@cache
def _statement(count: int) -> str:
    """Not the text alone is kept: the connection knows by it what it has compiled."""
    one = f"({', '.join('?' * len(_COLUMNS))})"
    return f"INSERT INTO appending VALUES {', '.join([one] * count)}"


def _values(append: Append) -> tuple[Any, ...]:
    """In the order of `_COLUMNS`. No derived types: the driver would look into them at length."""
    entry, row = append.entry, append.row
    return (
        append.revision,
        entry.match_id,
        entry.first,
        entry.last,
        entry.command.text,
        entry.events.text,
        entry.request_id,
        entry.time_us,
        entry.rules_version,
        entry.schema,
        str(row.state),
        row.ruleset,
        row.labels.text,
        int(row.unlisted),
        int(row.joinable),
        row.created_us,
        row.updated_us,
        row.deadline_us,
        int(row.bot_owes),
        row.create_request_id,
        row.summary.text,
    )
