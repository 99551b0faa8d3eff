"""What a server's file holds, read without the server's help."""

import json
import sqlite3
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ginrummy import engine


@dataclass(frozen=True)
class StoredEntry:
    """One row of the table `entry`."""

    match_id: str
    first: int
    last: int
    command: dict[str, Any]
    events: list[dict[str, Any]]
    request_id: str | None
    time_us: int


@dataclass
class StoredFile:
    """The entries of each match in their order, and its index row."""

    findings: list[str]
    """What SQLite's own check says, but for "ok"."""
    entries: dict[str, list[StoredEntry]] = field(default_factory=lambda: defaultdict(list))
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)


def read_file(path: Path) -> StoredFile:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        findings = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        stored = StoredFile([each for each in findings if each != "ok"])
        for row in connection.execute("SELECT * FROM entry ORDER BY match_id, revision"):
            entry = StoredEntry(
                match_id=row["match_id"],
                first=row["first"],
                last=row["last"],
                command=json.loads(row["command"]),
                events=json.loads(row["events"]),
                request_id=row["request_id"],
                time_us=row["time_us"],
            )
            stored.entries[entry.match_id].append(entry)
        for row in connection.execute("SELECT * FROM match_row"):
            stored.rows[row["match_id"]] = dict(row) | {"summary": json.loads(row["summary"])}
    return stored


class Disagreement(Exception):  # noqa: N818 - as it is read
    """The stored events are not those that the stored commands cause."""


class Replay:
    """A match played again by the engine alone, from its seed and its stored commands."""

    def __init__(self, entries: list[StoredEntry]) -> None:
        create = entries[0].command
        self.setup: dict[str, Any] = create["setup"]
        self.games: dict[int, engine.Match] = {}
        """The match after each entry that ends with this event, from the deal on."""
        self._seed = bytes.fromhex(create["seed"])
        self._seats: list[str] = [seat["kind"] for seat in self.setup["seats"]]
        self._game: engine.Match | None = None
        for number, entry in enumerate(entries):
            caused = self._created() if number == 0 else self._caused_by(entry.command)
            if caused != _without_marks(entry.events):
                raise Disagreement(f"the command at {entry.first} causes other events")
            if self._game is not None:
                self.games[entry.last] = self._game.clone()

    def _created(self) -> list[dict[str, Any]]:
        taken = [
            {"type": "seat_taken", "seat": number, "occupant": occupant}
            for number, occupant in enumerate(self.setup["seats"], 1)
            if occupant["kind"] != "open"
        ]
        return [{"type": "match_created"}, *taken, *self._dealt_if_full()]

    def _caused_by(self, command: dict[str, Any]) -> list[dict[str, Any]]:
        told = {key: value for key, value in command.items() if key != "deadline_us"}
        if told["type"] == "extend_clock":
            return [{"type": "clock_extended"}]
        if told["type"] == "join":
            seat, occupant = told["seat"], told["occupant"]
            if self._seats[seat - 1] != "open":
                raise Disagreement(f"seat {seat} is taken twice")
            self._seats[seat - 1] = occupant["kind"]
            taken = {"type": "seat_taken", "seat": seat, "occupant": occupant}
            return [taken, *self._dealt_if_full()]
        game = self._game or self._start()[0]
        try:
            return list(map(dict, game.apply(told)))  # type: ignore[arg-type]
        except engine.EngineError as error:
            raise Disagreement("a stored command cannot be played") from error

    def _dealt_if_full(self) -> list[dict[str, Any]]:
        if "open" in self._seats:
            return []
        self._game, dealt = self._start()
        return list(map(dict, dealt))

    def _start(self) -> tuple[engine.Match, list[engine.Event]]:
        return engine.Match.start(self.setup["rules"], self._seed)


def _without_marks(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events without what the last one of an entry says beyond itself."""
    *others, last = events
    marks = ("to_act", "deadline_us")
    return [*others, {key: value for key, value in last.items() if key not in marks}]
