"""The embedded default: one SQLite file, one writer thread, group commit."""

from ginrummy.log.sqlite.log import SqliteLog
from ginrummy.log.sqlite.stored import StoredLog

__all__ = ["SqliteLog", "StoredLog"]
