"""A real server to load."""

from collections.abc import AsyncIterator

import pytest_asyncio

from ginrummy.loadtest.private_server import private_server


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def address() -> AsyncIterator[str]:
    """Where it listens."""
    async with private_server(in_memory=False) as address:
        yield address
