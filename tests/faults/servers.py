"""The real server as a process that can be killed, told to stop, and started again."""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from signal import SIGKILL, SIGTERM
from types import TracebackType
from typing import Self

from ginrummy.server.app import FILE_NAME
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
SERVER = ("-m", "ginrummy.server.app")
READY_S = 120
"""How long a start may take: far more than it does, as the machine may be busy."""


def planted(fault: str) -> tuple[str, ...]:
    """The server with one protection taken away; see planted_server.py."""
    return ("-m", "tests.faults.planted_server", fault)


class Server:
    """A server on one folder and one port."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        program: Sequence[str] = SERVER,
        under: Sequence[str] = (),
        lines: Path | None = None,
    ) -> None:
        """`under` is a program that runs it, such as strace; `lines` is where its lines go."""
        self.folder = folder
        self.port = free_port()
        self.pid = 0
        self.program = program
        self.lines = lines or folder.parent / f"{folder.name}.server-lines"
        """What it wrote to its standard error, of all starts."""
        self._options = options
        self._under = under
        self._process: asyncio.subprocess.Process | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def file(self) -> Path:
        return self.folder / FILE_NAME

    @property
    def process(self) -> asyncio.subprocess.Process:
        assert self._process is not None
        return self._process

    @property
    def said(self) -> str:
        """Everything that it has written to its standard error."""
        return self.lines.read_text(encoding="utf-8")

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.kill()

    async def start(self) -> float:
        """Starts it and waits until it says that it is ready; the seconds that this took."""
        began_s = time.monotonic()
        await self._spawn()
        assert await self._is_ready(), self.said
        return time.monotonic() - began_s

    async def fail(self) -> tuple[int, str]:
        """Starts it where it cannot serve; its exit code, and what it wrote to standard error."""
        code, said = await self.start_or_fail()
        assert code is not None, "it serves"
        return code, said

    async def start_or_fail(self) -> tuple[int | None, str]:
        """Starts it; if it does not serve, its exit code, and what it wrote to standard error."""
        before = len(self.said) if self.lines.exists() else 0
        await self._spawn()
        if await self._is_ready():
            return None, ""
        return await self.ended(READY_S), self.said[before:]

    async def kill(self) -> None:
        """Ends it at once, with what it runs under."""
        if self._process is not None:
            if self._process.returncode is None:
                os.killpg(self._process.pid, SIGKILL)
            await self._process.wait()

    def send(self, number: int) -> None:
        os.kill(self.pid, number)

    async def ended(self, within_s: float) -> int:
        """Waits until it has ended; its exit code."""
        return await asyncio.wait_for(self.process.wait(), within_s)

    async def stop(self, number: int = SIGTERM) -> int:
        """Asks it to stop; its exit code."""
        self.send(number)
        return await self.ended(READY_S)

    async def _is_ready(self) -> bool:
        """Waits until it says that it serves, or ends."""
        assert self.process.stdout is not None
        line = await asyncio.wait_for(self.process.stdout.readline(), READY_S)
        if line:
            ready = json.loads(line)
            self.pid = ready["pid"]
        return bool(line)

    async def _spawn(self) -> None:
        with self.lines.open("ab") as lines:
            self._process = await asyncio.create_subprocess_exec(
                *self._under,
                *(sys.executable, *self.program),
                *("--port", str(self.port), "--ready-json", "--data-dir", str(self.folder)),
                *self._options,
                cwd=ROOT,
                env=os.environ
                | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
                stdout=asyncio.subprocess.PIPE,
                stderr=lines,
                start_new_session=True,
            )


@asynccontextmanager
async def stopping(server: Server) -> AsyncIterator[Server]:
    """A server that is started, asked to stop at the end, and has to do so in good order."""
    await server.start()
    async with stopping_started(server):
        yield server


@asynccontextmanager
async def stopping_started(server: Server) -> AsyncIterator[Server]:
    """The same of one that runs already."""
    try:
        yield server
        assert await server.stop() == 0
        assert "Traceback" not in server.said
    finally:
        await server.kill()
