"""A scripted server on a free port, and a client that is quick to try again."""

from collections.abc import AsyncIterator

import pytest_asyncio

from ginrummy.client import GinRummyClient, RetryPolicy

from .fake_server import FakeServer

QUICK = RetryPolicy(
    attempt_timeout_s=10, initial_backoff_s=0.01, max_backoff_s=0.05, reconnect_timeout_s=30
)


@pytest_asyncio.fixture
async def server() -> AsyncIterator[FakeServer]:
    fake = FakeServer()
    await fake.start()
    yield fake
    await fake.stop()


@pytest_asyncio.fixture
async def client(server: FakeServer) -> AsyncIterator[GinRummyClient]:
    async with GinRummyClient(server.address, timeout_s=30, retry=QUICK) as opened:
        yield opened
