"""Servers to call: one in this process for each test, one program for all of them."""

from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
import pytest_asyncio

from ginrummy.log import MemoryLog
from ginrummy.server.serving import Serving
from ginrummy.server.settings import Limits, Settings

from .players import Desk
from .programs import Program, data_flags, launch


@pytest.fixture
async def serving() -> AsyncIterator[Serving]:
    """A server in this process, whose parts a test can reach.

    It simulates in one thread: what takes long then takes long on a machine of many cores too.
    """
    limits = Limits(simulation_workers=1)
    serving = Serving(MemoryLog(), Settings(seeds_allowed=True, limits=limits))
    yield serving
    await serving.stop(0.2)


@pytest.fixture
async def desk(serving: Serving) -> AsyncIterator[Desk]:
    """A connection to the server in this process."""
    port = await serving.start("127.0.0.1", 0)
    options = [("grpc.http2.bdp_probe", 0)]  # so that tests know how much fits on the way
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options) as channel:
        yield Desk(channel)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def program(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:
    """A real server with a real file, for all tests that leave it as it is."""
    folder: Path = tmp_path_factory.mktemp("server")
    program = await launch(*data_flags(folder), "--allow-seeds")
    yield program
    await program.kill()
    await program.process.communicate()


@pytest.fixture
async def real_desk(program: Program) -> AsyncIterator[Desk]:
    """A connection to the real server."""
    async with grpc.aio.insecure_channel(program.address) as channel:
        yield Desk(channel)
