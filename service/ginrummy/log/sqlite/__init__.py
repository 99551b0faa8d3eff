"""The embedded default: one SQLite file, one writer thread, group commit."""

from ginrummy.log.sqlite.log import SqliteLog

__all__ = ["SqliteLog"]
