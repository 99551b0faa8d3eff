"""The logs under test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ginrummy.log import EventLog, MemoryLog, SqliteLog


@pytest.fixture(params=["memory", "sqlite"])
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[EventLog]:
    """Every kind of log in turn: one contract for all."""
    opened: EventLog
    opened = (
        MemoryLog() if request.param == "memory" else await SqliteLog.open(tmp_path / "log.sqlite")
    )
    yield opened
    await opened.close()


@pytest.fixture
async def sqlite_log(tmp_path: Path) -> AsyncIterator[SqliteLog]:
    """A log in a file."""
    opened = await SqliteLog.open(tmp_path / "log.sqlite")
    yield opened
    await opened.close()
