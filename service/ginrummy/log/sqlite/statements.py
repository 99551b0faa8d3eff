"""Entries, rows and tokens as SQL. Each function is one step inside the caller's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ginrummy.log.entry import ENTRY_SCHEMA, Entry
from ginrummy.log.errors import (
    Conflict,
    LogDamaged,
    MatchAlreadyCreated,
    RequestIdReused,
    UnknownMatch,
)
from ginrummy.log.json import read_object, read_objects, to_json
from ginrummy.log.row import IdleRows, IndexRow, MatchState, PagePosition, RowFilter
from ginrummy.log.sqlite.schema import ENDED, UNFINISHED

Connection = sqlite3.Connection
Values = tuple[Any, ...]

ENTRY = (
    "match_id",
    "first",
    "last",
    "command",
    "events",
    "request_id",
    "time_us",
    "rules_version",
    "schema",
)
ROW = (
    "match_id",
    "state",
    "head",
    "ruleset",
    "labels",
    "unlisted",
    "joinable",
    "created_us",
    "updated_us",
    "deadline_us",
    "bot_owes",
    "create_request_id",
    "summary",
)
_ENTRY = ", ".join(ENTRY)
_ROW = ", ".join(ROW)
_PUT_ROW = (
    f"INSERT INTO match_row ({_ROW}) VALUES ({', '.join('?' * len(ROW))})"
    f" ON CONFLICT (match_id) DO UPDATE SET {', '.join(f'{n} = excluded.{n}' for n in ROW[1:])}"
)
_PUT_TOKEN = (
    "INSERT INTO token (match_id, role, digest) VALUES (?, ?, ?)"
    " ON CONFLICT (match_id, role) DO UPDATE SET digest = excluded.digest"
)


def check_fits(connection: Connection, entry: Entry, row: IndexRow) -> None:
    """Raises MatchAlreadyCreated, RequestIdReused or Conflict, as `EventLog.append` says."""
    if row.create_request_id is not None:
        created = match_created_by(connection, row.create_request_id)
        if created is not None and (created != entry.match_id or entry.first == 1):
            raise MatchAlreadyCreated(created, row.create_request_id)
    if entry.request_id is not None:
        stored = entry_by_request(connection, entry.match_id, entry.request_id)
        if stored is not None:
            raise RequestIdReused(stored)
    head = head_of(connection, entry.match_id)
    if entry.first != head + 1:
        raise Conflict(entry.match_id, entry.first, head)


def put_row(connection: Connection, row: IndexRow) -> None:
    """Stores a row in place of the one before."""
    values = (
        row.match_id,
        row.state.value,
        row.head,
        row.ruleset,
        row.labels.text,
        row.unlisted,
        row.joinable,
        row.created_us,
        row.updated_us,
        row.deadline_us,
        row.bot_owes,
        row.create_request_id,
        row.summary.text,
    )
    connection.execute(_PUT_ROW, values)


def put_tokens(connection: Connection, match_id: str, hashes: Mapping[str, bytes]) -> None:
    """Stores token hashes in place of those before, by role."""
    for role, digest in hashes.items():
        connection.execute(_PUT_TOKEN, (match_id, role, digest))


def replace_token(connection: Connection, match_id: str, role: str, digest: bytes) -> None:
    """As `put_tokens`, of a match that has to exist. Raises UnknownMatch."""
    if head_of(connection, match_id) == 0:
        raise UnknownMatch(match_id)
    put_tokens(connection, match_id, {role: digest})


def head_of(connection: Connection, match_id: str) -> int:
    """The last sequence number, 0 if there is none. From the entries; the row is derived."""
    query = "SELECT max(last) FROM entry WHERE match_id = ?"
    head: int | None = connection.execute(query, (match_id,)).fetchone()[0]
    return head or 0


def entries_after(
    connection: Connection, match_id: str, after: int = 0, limit: int | None = None
) -> list[Entry]:
    """Entries that end after `after`, oldest first. Raises LogDamaged."""
    # The head in the same query: where a key in an index is damaged a search ends too soon.
    wanted = f"SELECT {_ENTRY} FROM entry WHERE match_id = ?1 AND last > ?2 ORDER BY last LIMIT ?3"
    head = "SELECT max(last) AS head FROM entry WHERE match_id = ?1"
    query = f"SELECT head, {_ENTRY} FROM ({head}) LEFT JOIN ({wanted}) ORDER BY last"
    cursor = connection.execute(query, (match_id, after, -1 if limit is None else limit))
    found = cursor.fetchall()
    entries = [_entry(values) for _, *values in found if values[0] is not None]
    stands_at, end = found[0][0] or 0, entries[-1].last if entries else after
    if end < stands_at and (limit is None or len(entries) < limit):
        why = f"the entries of match {match_id} end at {end}, and it stands at {stands_at}"
        raise LogDamaged(why)
    return entries


def entry_at(connection: Connection, match_id: str, first: int) -> Entry | None:
    """The entry that begins with `first`."""
    holding = entries_after(connection, match_id, first - 1, 1)
    return next((entry for entry in holding if entry.first == first), None)


def entry_by_request(connection: Connection, match_id: str, request_id: str) -> Entry | None:
    """The entry that was stored for this request."""
    query = f"SELECT {_ENTRY} FROM entry WHERE match_id = ? AND request_id = ?"
    values = connection.execute(query, (match_id, request_id)).fetchone()
    return None if values is None else _entry(values)


def match_ids(connection: Connection) -> list[str]:
    """Every match that has entries."""
    query = "SELECT DISTINCT match_id FROM entry ORDER BY match_id"
    return [match_id for (match_id,) in connection.execute(query)]


def row_of(connection: Connection, match_id: str) -> IndexRow | None:
    """The match's row."""
    query = f"SELECT {_ROW} FROM match_row WHERE match_id = ?"
    values = connection.execute(query, (match_id,)).fetchone()
    return None if values is None else _row(values)


def match_created_by(connection: Connection, create_request_id: str) -> str | None:
    """match_id of the match that this request created."""
    query = "SELECT match_id FROM match_row WHERE create_request_id = ?"
    values = connection.execute(query, (create_request_id,)).fetchone()
    return None if values is None else values[0]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that could be read, and the matches of those that could not."""

    rows: list[IndexRow] = field(default_factory=list)
    damaged: set[str] = field(default_factory=set)


def rows_listed(
    connection: Connection, chosen: RowFilter, after: PagePosition | None, limit: int
) -> Rows:
    """Up to `limit` rows that `chosen` admits, newest first, beyond `after`."""
    conditions: list[str] = ["true"]
    values: list[Any] = []
    if chosen.state is not None:
        conditions.append("state = ?")
        values.append(chosen.state.value)
    if chosen.ruleset is not None:
        conditions.append("ruleset = ?")
        values.append(chosen.ruleset)
    if chosen.joinable_only:
        conditions.append("joinable")
    if not chosen.include_unlisted:
        conditions.append("NOT unlisted")
    for key, value in chosen.labels.items():
        # Labels that are no JSON would fail the whole query.
        conditions.append(
            "CASE WHEN json_valid(labels) THEN EXISTS"
            " (SELECT 1 FROM json_each(labels) AS l WHERE l.key = ? AND l.value = ?)"
            " ELSE true END"
        )
        values += [key, value]
    if after is not None:
        conditions.append("(created_us, match_id) < (?, ?)")
        values += after
    query = (
        f"SELECT {_ROW} FROM match_row WHERE {' AND '.join(conditions)}"
        " ORDER BY created_us DESC, match_id DESC"
    )
    return _readable(connection.execute(query, values), limit)


def rows_needing_attention(connection: Connection, due_by_us: int | None) -> Rows:
    """Rows of matches not ended with a bot to move, or a clock that runs (out by `due_by_us`)."""
    # Written as ranges, which the index serves. A state of no meaning is found too, and is damage.
    query = (
        f"SELECT {_ROW} FROM match_row"
        " WHERE (state < ?1 OR (state > ?1 AND state < ?2) OR state > ?2)"
        " AND (bot_owes OR deadline_us <= coalesce(?3, deadline_us))"
    )
    ended = sorted(state.value for state in MatchState if state.ended)
    return _readable(connection.execute(query, (*ended, due_by_us)))


def idle_rows(connection: Connection, chosen: IdleRows, limit: int) -> Rows:
    """Up to `limit` of the chosen rows, the one longest at rest first."""
    # Named, as SQLite would rather take the index by state, and sort all that it finds.
    index, states = ("ended", ENDED) if chosen.ended else ("unfinished", UNFINISHED)
    query = (
        f"SELECT {_ROW} FROM match_row INDEXED BY match_row_{index} WHERE state IN {states}"
        " AND updated_us <= ? AND (updated_us, match_id) > (?, ?) ORDER BY updated_us, match_id"
    )
    return _readable(connection.execute(query, (chosen.until_us, *chosen.after)), limit)


def unfinished(connection: Connection) -> set[str]:
    """The matches that have not ended."""
    query = f"SELECT match_id FROM match_row WHERE state IN {UNFINISHED}"
    return {match_id for (match_id,) in connection.execute(query)}


def without_row(connection: Connection) -> set[str]:
    """The matches that have entries and no row. Looks at every entry."""
    query = "SELECT DISTINCT match_id FROM entry WHERE match_id NOT IN"
    return {
        match_id for (match_id,) in connection.execute(f"{query} (SELECT match_id FROM match_row)")
    }


def matches_naming(connection: Connection, name: str) -> list[str]:
    """As `EventLog.matches_naming`. Looks at every entry."""
    query = "SELECT DISTINCT match_id FROM entry WHERE instr(command, ?) ORDER BY match_id"
    return [match_id for (match_id,) in connection.execute(query, (to_json(name),))]


def forget(connection: Connection, match_id: str) -> None:
    """Removes all that is stored of a match. Raises UnknownMatch."""
    removed = 0
    for table in ("entry", "match_row", "token"):
        query = f"DELETE FROM {table} WHERE match_id = ?"
        removed += connection.execute(query, (match_id,)).rowcount
    if not removed:
        raise UnknownMatch(match_id)


def put_in_place(connection: Connection, old: Entry, new: Entry) -> None:
    """Stores `new` where `old` is."""
    # As long as before: what keeps its length is overwritten, what shrinks makes its page be laid
    # out anew, which leaves copies of neighbours behind.
    command = _as_long(new.command.text, old.command.text)
    events = _as_long(new.events.text, old.events.text)
    query = "UPDATE entry SET command = ?, events = ? WHERE match_id = ? AND last = ?"
    connection.execute(query, (command, events, old.match_id, old.last))


def _as_long(text: str, before: str) -> str:
    """The JSON text with blanks after it, up to as many bytes as there were before."""
    return text + " " * (len(before.encode()) - len(text.encode()))


def tokens_of(connection: Connection, match_id: str) -> dict[str, bytes]:
    """The match's token hashes by role."""
    query = "SELECT role, digest FROM token WHERE match_id = ?"
    return dict(connection.execute(query, (match_id,)))


def _entry(values: Sequence[Any]) -> Entry:
    match_id, first, last, command, events, request_id, time_us, rules_version, schema = values
    where = f"entry {first} of match {match_id}"
    if schema > ENTRY_SCHEMA:
        raise LogDamaged(f"{where} has schema {schema}; this version knows up to {ENTRY_SCHEMA}")
    told = read_objects(events, where)
    if len(told.value) != last - first + 1:
        raise LogDamaged(f"{where} does not end with {last}")
    return Entry(
        match_id=match_id,
        first=first,
        last=last,
        command=read_object(command, where),
        events=told,
        time_us=time_us,
        rules_version=rules_version,
        request_id=request_id,
        schema=schema,
    )


def _readable(found: Iterable[Values], limit: int | None = None) -> Rows:
    """The first `limit` rows that can be read: one that is damaged is nobody else's trouble."""
    read = Rows()
    for values in found:
        try:
            read.rows.append(_row(values))
        except LogDamaged:
            read.damaged.add(values[0])
        if len(read.rows) == limit:
            break
    return read


def _row(values: Values) -> IndexRow:
    where = f"row of match {values[0]}"
    try:
        state = MatchState(values[1])
    except ValueError as error:
        raise LogDamaged(f"{where} has a state of no meaning") from error
    labels = read_object(values[4], where)
    if not all(isinstance(value, str) for value in labels.value.values()):
        raise LogDamaged(f"{where} has a label that is no text")
    return IndexRow(
        match_id=values[0],
        state=state,
        head=values[2],
        ruleset=values[3],
        labels=labels,
        unlisted=bool(values[5]),
        joinable=bool(values[6]),
        created_us=values[7],
        updated_us=values[8],
        deadline_us=values[9],
        bot_owes=bool(values[10]),
        create_request_id=values[11],
        summary=read_object(values[12], where),
    )
