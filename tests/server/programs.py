"""The real server as a program of its own."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

PROGRAM = (sys.executable, "-m", "ginrummy.server.app")
KEPT_LEN = 1 << 26
"""Bytes of what it says that wait to be read. A server that nobody listens to stands still."""


class Program:
    """A running `ginrummy-server`."""

    def __init__(self, process: asyncio.subprocess.Process, ready: dict[str, Any]) -> None:
        self.process = process
        self.address: str = ready["address"]
        self.metrics_port: int | None = ready.get("metrics_port")

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()

    async def stop(self, number: int = signal.SIGTERM) -> int:
        """Asks it to stop; its exit code."""
        self.process.send_signal(number)
        return await asyncio.wait_for(self.process.wait(), 90)


async def launch(
    *arguments: str,
    environment: dict[str, str] | None = None,
    program: Sequence[str] = PROGRAM,
) -> Program:
    """Starts a server and waits until it says that it is ready."""
    process = await asyncio.create_subprocess_exec(
        *program,
        *("--port", "0", "--ready-json", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=KEPT_LEN,
        env={**os.environ, **(environment or {})},
    )
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), 90)
    if not line:
        assert process.stderr is not None
        raise AssertionError((await process.stderr.read()).decode())
    return Program(process, json.loads(line))


@asynccontextmanager
async def running(
    *arguments: str,
    environment: dict[str, str] | None = None,
    program: Sequence[str] = PROGRAM,
) -> AsyncIterator[Program]:
    server = await launch(*arguments, environment=environment, program=program)
    try:
        yield server
    finally:
        if server.process.returncode is None:
            await server.kill()
        await server.process.communicate()


async def run_to_end(*arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a server that ends by itself."""
    process = await asyncio.create_subprocess_exec(
        *PROGRAM,
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 90)
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


def data_flags(folder: Path) -> tuple[str, str]:
    return "--data-dir", str(folder)


def policies_of(process: int | str) -> list[int]:
    """How the system schedules each thread of a process that has not ended. Linux only."""
    policies = []
    for thread in Path(f"/proc/{process}/task").iterdir():
        with suppress(ProcessLookupError):
            policies.append(os.sched_getscheduler(int(thread.name)))
    return policies
