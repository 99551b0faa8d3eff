"""Threads of a busy server, which do not interrupt each other."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ginrummy.server import turns
from ginrummy.server.turns import take_turns_when_busy

from .programs import running

PATIENCE_S = 60

BUSY_SERVER = (sys.executable, "-m", "tests.server.busy_server")

pytestmark = pytest.mark.usefixtures("another_thread")


def policies(process: int | str = "self") -> set[int]:
    """Those of all threads of a process."""
    threads = Path(f"/proc/{process}/task").iterdir()
    return {os.sched_getscheduler(int(thread.name)) for thread in threads}


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.fixture
def another_thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Beside the event loop's; and all are as they were in the end."""
    monkeypatch.setattr(turns, "LOOK_S", 0.01)
    is_over = threading.Event()
    thread = threading.Thread(target=is_over.wait)
    thread.start()
    assert policies() == {os.SCHED_OTHER}
    yield
    is_over.set()
    thread.join()
    assert policies() == {os.SCHED_OTHER}


class Core:
    """Of which this process uses a share."""

    def __init__(self, share: float) -> None:
        self.share = share
        self._used_s = 0.0
        self._looked_s = asyncio.get_running_loop().time()

    def used_s(self) -> float:
        now_s = asyncio.get_running_loop().time()
        self._used_s += self.share * (now_s - self._looked_s)
        self._looked_s = now_s
        return self._used_s


@asynccontextmanager
async def looking_after(core: Core) -> AsyncIterator[None]:
    looking = asyncio.create_task(take_turns_when_busy(core.used_s))
    yield
    looking.cancel()
    await asyncio.wait((looking,))


async def test_threads_of_a_busy_server_take_turns() -> None:
    async with looking_after(Core(0.9)):
        await until(lambda: policies() == {os.SCHED_BATCH})


async def test_threads_that_begin_on_a_busy_server_take_turns_too() -> None:
    async with looking_after(Core(0.9)):
        await until(lambda: policies() == {os.SCHED_BATCH})
        begun = await asyncio.to_thread(lambda: os.sched_getscheduler(threading.get_native_id()))
        assert begun == os.SCHED_BATCH
    await until(lambda: policies() == {os.SCHED_OTHER})


async def test_threads_take_no_turns_once_there_is_time_to_spare() -> None:
    core = Core(0.9)
    async with looking_after(core):
        await until(lambda: policies() == {os.SCHED_BATCH})
        core.share = 0.5
        await until(lambda: policies() == {os.SCHED_OTHER})


async def test_nobody_waits_for_another_program_that_has_a_third_of_the_core() -> None:
    core = Core(0.67)
    async with looking_after(core):
        await asyncio.sleep(0.2)
        assert policies() == {os.SCHED_OTHER}


async def test_a_policy_that_somebody_chose_is_kept() -> None:
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    try:
        async with asyncio.timeout(PATIENCE_S):
            await take_turns_when_busy(Core(0.1).used_s)
        assert os.sched_getscheduler(0) == os.SCHED_BATCH
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


async def test_it_serves_where_there_is_no_such_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "TASKS", Path("/nowhere"))
    async with asyncio.timeout(PATIENCE_S):
        await take_turns_when_busy(Core(0.9).used_s)
    assert policies() == {os.SCHED_OTHER}


async def test_it_goes_on_where_the_system_does_not_let_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = asyncio.Event()

    def forbidden(*_: object) -> None:
        tried.set()
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", forbidden)
    looking = asyncio.create_task(take_turns_when_busy(Core(0.9).used_s))
    await asyncio.wait_for(tried.wait(), PATIENCE_S)
    await asyncio.sleep(0.05)
    assert not looking.done()
    looking.cancel()
    await asyncio.wait((looking,))


async def test_the_server_does_it() -> None:
    async with running("--in-memory", program=BUSY_SERVER) as server:
        await until(lambda: policies(server.process.pid) == {os.SCHED_BATCH})
        assert await server.stop() == 0
