"""Servers to cheat: as anybody meets them, and one that lets its callers choose their deals."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import pytest

from ginrummy.log import MemoryLog
from ginrummy.server.serving import Serving
from ginrummy.server.settings import Settings

from ..server.players import Desk


@asynccontextmanager
async def served(settings: Settings | None = None) -> AsyncIterator[tuple[Serving, Desk]]:
    """A server in this process, for what only its inside shows, and a connection to it."""
    serving = Serving(MemoryLog(), settings or Settings())
    port = await serving.start("127.0.0.1", 0)
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield serving, Desk(channel)
    finally:
        await serving.stop(0.2)


@asynccontextmanager
async def desk_of(settings: Settings) -> AsyncIterator[Desk]:
    async with served(settings) as (_, desk):
        yield desk


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    """A connection to a server as it is without any option."""
    async with desk_of(Settings()) as desk:
        yield desk


@pytest.fixture
async def seeding_desk() -> AsyncIterator[Desk]:
    """A connection to a server where two people may choose their deals."""
    async with desk_of(Settings(seeds_allowed=True)) as desk:
        yield desk
