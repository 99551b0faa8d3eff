"""A real server with a real file, and two connections to it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import grpc
import pytest
import pytest_asyncio

from ..server.players import Desk
from ..server.programs import Program, data_flags, running

OWN_CONNECTION = (("grpc.use_local_subchannel_pool", 1),)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def program(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:
    """A server for all tests that leave it as it is."""
    folder = tmp_path_factory.mktemp("races")
    async with running(*data_flags(folder), "--allow-seeds") as program:
        yield program


@pytest.fixture
async def desks(program: Program) -> AsyncIterator[tuple[Desk, Desk]]:
    """Two connections, as two machines have them."""
    async with AsyncExitStack() as stack:
        channels = [
            await stack.enter_async_context(
                grpc.aio.insecure_channel(program.address, OWN_CONNECTION)
            )
            for _ in range(2)
        ]
        yield Desk(channels[0]), Desk(channels[1])
