"""The match log: every accepted command with its events, kept in order and for good.

An entry is appended only where the match stands, and is answered once it is durable; live tables,
views and scores are made from entries and can be made again. `SqliteLog` is the embedded default,
`MemoryLog` is for tests, and both keep the contract of `EventLog`.
"""

from ginrummy.log.entry import ENTRY_SCHEMA, Change, Entry
from ginrummy.log.errors import (
    BadPageToken,
    Conflict,
    LogClosed,
    LogDamaged,
    LogError,
    LogInUse,
    LogUnavailable,
    MatchAlreadyCreated,
    RequestIdReused,
    SchemaTooNew,
    TailLagged,
    UnknownMatch,
)
from ginrummy.log.json import Json
from ginrummy.log.lines import from_lines, to_lines
from ginrummy.log.memory import MemoryLog
from ginrummy.log.protocol import EventLog, Fold, OnCommit
from ginrummy.log.row import IdleRows, IndexRow, MatchState, RowFilter, RowPage, page_token
from ginrummy.log.sqlite import SqliteLog, StoredLog
from ginrummy.log.tail import Appended, Tail

__all__ = [
    "ENTRY_SCHEMA",
    "Appended",
    "BadPageToken",
    "Change",
    "Conflict",
    "Entry",
    "EventLog",
    "Fold",
    "IdleRows",
    "IndexRow",
    "Json",
    "LogClosed",
    "LogDamaged",
    "LogError",
    "LogInUse",
    "LogUnavailable",
    "MatchAlreadyCreated",
    "MatchState",
    "MemoryLog",
    "OnCommit",
    "RequestIdReused",
    "RowFilter",
    "RowPage",
    "SchemaTooNew",
    "SqliteLog",
    "StoredLog",
    "Tail",
    "TailLagged",
    "UnknownMatch",
    "from_lines",
    "page_token",
    "to_lines",
]
