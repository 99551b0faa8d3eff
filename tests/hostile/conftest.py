"""One server that all attacks meet, one after the other: the harm of one would show in the next."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from ..server.players import Desk
from .server import Server, serving


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    async with serving(tmp_path_factory.mktemp("hostile")) as server:
        # What is made once, at the first call, is not the cost of an attack.
        await server.play_a_match()
        yield server


@pytest.fixture
async def desk(server: Server) -> AsyncIterator[Desk]:
    async with server.desk() as desk:
        yield desk
