"""Threads of a busy server, which do not interrupt each other."""

import asyncio
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ginrummy.server import turns
from ginrummy.server.turns import take_turns_when_busy

from .programs import policies_of, running

BUSY_SERVER = (sys.executable, "-m", "tests.server.busy_server")
PATIENCE_S = 60
SOME_LOOKS_S = 0.2

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux"),
    pytest.mark.usefixtures("another_thread"),
]


def policies(process: int | str = "self") -> set[int]:
    return set(policies_of(process))


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def wait_until_usual() -> None:
    """A thread of low priority that has ended takes its time to go."""
    give_up_s = time.monotonic() + PATIENCE_S
    while policies() != {os.SCHED_OTHER}:
        assert time.monotonic() < give_up_s, policies()
        time.sleep(0.01)


@pytest.fixture
def another_thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Beside the event loop's; and all are as they were in the end."""
    monkeypatch.setattr(turns, "LOOK_S", 0.01)
    is_over = threading.Event()
    thread = threading.Thread(target=is_over.wait, daemon=True)
    thread.start()
    wait_until_usual()
    yield
    is_over.set()
    thread.join()
    wait_until_usual()


class Core:
    """Of which the event loop's thread uses a share."""

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
async def looking_after(*used_s: Callable[[], float]) -> AsyncIterator[None]:
    looking = asyncio.create_task(take_turns_when_busy(*used_s))
    try:
        yield
        assert not looking.done()
    finally:
        looking.cancel()
        await asyncio.wait((looking,))


async def test_threads_of_a_busy_server_take_turns() -> None:
    async with looking_after(Core(0.9).used_s):
        await until(lambda: policies() == {os.SCHED_BATCH})


async def test_threads_that_begin_on_a_busy_server_take_turns_too() -> None:
    async with looking_after(Core(0.9).used_s):
        await until(lambda: policies() == {os.SCHED_BATCH})
        begun = await asyncio.to_thread(lambda: os.sched_getscheduler(threading.get_native_id()))
        assert begun == os.SCHED_BATCH


async def test_threads_take_no_turns_once_there_is_time_to_spare() -> None:
    core = Core(0.9)
    async with looking_after(core.used_s):
        await until(lambda: policies() == {os.SCHED_BATCH})
        core.share = 0.3
        await until(lambda: policies() == {os.SCHED_OTHER})


async def test_threads_go_on_taking_turns_when_the_load_takes_less_for_it() -> None:
    core = Core(0.6)
    async with looking_after(core.used_s):
        await until(lambda: policies() == {os.SCHED_BATCH})
        core.share = 0.5
        await asyncio.sleep(SOME_LOOKS_S)
        assert policies() == {os.SCHED_BATCH}


async def test_nobody_waits_for_a_thread_that_never_rests_and_has_half_of_the_core() -> None:
    async with looking_after(Core(0.5).used_s):
        await asyncio.sleep(SOME_LOOKS_S)
        assert policies() == {os.SCHED_OTHER}


async def test_what_other_threads_compute_makes_no_server_busy() -> None:
    async with looking_after():
        computing = asyncio.create_task(asyncio.to_thread(sum, range(20_000_000)))
        await asyncio.sleep(SOME_LOOKS_S)
        assert policies() == {os.SCHED_OTHER}
        await computing


async def test_a_policy_that_somebody_chose_for_a_thread_is_kept() -> None:
    is_over = threading.Event()
    chosen: list[int] = []

    def give_way() -> None:
        own = threading.get_native_id()
        os.sched_setscheduler(own, os.SCHED_IDLE, os.sched_param(0))
        is_over.wait()
        chosen.append(os.sched_getscheduler(own))

    thread = threading.Thread(target=give_way, daemon=True)
    thread.start()
    core = Core(0.9)
    async with looking_after(core.used_s):
        await until(lambda: policies() == {os.SCHED_BATCH, os.SCHED_IDLE})
        core.share = 0.0
        await until(lambda: policies() == {os.SCHED_OTHER, os.SCHED_IDLE})
    is_over.set()
    thread.join()
    assert chosen == [os.SCHED_IDLE]


async def test_a_policy_that_somebody_chose_for_the_server_is_kept() -> None:
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    try:
        async with asyncio.timeout(PATIENCE_S):
            await take_turns_when_busy(Core(0.1).used_s)
        assert os.sched_getscheduler(0) == os.SCHED_BATCH
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


async def test_it_serves_where_there_is_no_such_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "THREADS", Path("/nowhere"))
    async with asyncio.timeout(PATIENCE_S):
        await take_turns_when_busy(Core(0.9).used_s)
    assert policies() == {os.SCHED_OTHER}


async def test_it_serves_where_the_system_does_not_let_it(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = asyncio.Event()

    def forbidden(*_: object) -> None:
        tried.set()
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", forbidden)
    async with looking_after(Core(0.9).used_s):
        await asyncio.wait_for(tried.wait(), PATIENCE_S)
        await asyncio.sleep(SOME_LOOKS_S)


async def test_threads_take_no_turns_after_a_moment_of_too_many_open_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    core = Core(0.9)
    async with looking_after(core.used_s):
        await until(lambda: policies() == {os.SCHED_BATCH})
        with monkeypatch.context() as patch:
            patch.setattr(turns, "THREADS", Path("/nowhere"))
            core.share = 0.0
            await asyncio.sleep(SOME_LOOKS_S)
            assert policies() == {os.SCHED_BATCH}
        await until(lambda: policies() == {os.SCHED_OTHER})


async def test_the_server_does_it() -> None:
    async with running("--in-memory", program=BUSY_SERVER) as server:
        await until(lambda: policies(server.process.pid) == {os.SCHED_BATCH})
        assert await server.stop() == 0
