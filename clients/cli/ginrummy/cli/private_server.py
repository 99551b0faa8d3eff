"""A server of one's own, for as long as one plays: found, started on a free port, ended."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

from ginrummy.cli import keeper
from ginrummy.cli.state import private_folder

PROGRAM = "ginrummy-server"
_READY_S = 30.0


class NoServerProgramError(Exception):
    """`ginrummy-server` is not installed."""


class ServerStartError(Exception):
    """It ended, or said nothing, instead of getting ready. The text is what it said last."""


def find_program() -> Path:
    """The server beside this Python, else the one on PATH."""
    beside = Path(sys.executable).parent / PROGRAM
    if beside.exists():
        return beside
    found = shutil.which(PROGRAM)
    if found is None:
        raise NoServerProgramError(PROGRAM)
    return Path(found)


def free_folder(state: Path, name: str = "") -> str:
    """The name of the folder to serve from: the wanted one, or the first that nobody uses."""
    if name:
        return name
    for number in range(1, 100):
        name = "private" if number == 1 else f"private-{number}"
        if not _in_use(state / name):
            return name
    raise ServerStartError("too many private servers")


def _in_use(folder: Path) -> bool:
    """Whether a program that still runs has written its number there."""
    try:
        pid = int((folder / "pid").read_text())
        os.kill(pid, 0)
    except (OSError, ValueError):
        return False
    return True


def _address(line: str) -> str:
    """Of the ready line."""
    try:
        ready = json.loads(line)
        return str(ready["address"])
    except (ValueError, KeyError, TypeError):
        raise ServerStartError(line.strip()) from None


@asynccontextmanager
async def private_server(folder: Path) -> AsyncIterator[str]:
    """Runs a server on this folder and gives its address. Ends it, and only it, afterwards."""
    program = find_program()
    private_folder(folder)
    pid_file, log_path = folder / "pid", folder / "server.log"
    with log_path.open("wb") as log:
        log_path.chmod(0o600)
        server = await _start(program, folder, log)
        try:
            pid_file.write_text(str(server.pid))
            yield await _ready(server, log_path)
        finally:
            await asyncio.shield(_end(server))
            pid_file.unlink(missing_ok=True)


async def _start(program: Path, folder: Path, log: IO[bytes]) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", keeper.__name__),
        program,
        *("--host", "127.0.0.1", "--port", "0", "--ready-json"),
        *("--data-dir", str(folder), "--log-level", "warning"),
        # What the person has set for a server of his own is not meant for this one.
        env={key: value for key, value in os.environ.items() if not key.startswith("GINRUMMY_")},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=log,
        # Ctrl-C is for this program alone.
        start_new_session=True,
    )


async def _ready(server: asyncio.subprocess.Process, log: Path) -> str:
    assert server.stdout is not None
    try:
        line = await asyncio.wait_for(server.stdout.readline(), _READY_S)
    except TimeoutError:
        line = b""
    if not line:
        raise ServerStartError(_last_line(log))
    return _address(line.decode(errors="replace"))


def _last_line(log: Path) -> str:
    return " ".join(log.read_text(errors="replace").strip().splitlines()[-1:])


async def _end(server: asyncio.subprocess.Process) -> None:
    """Lets go of it; its keeper ends it."""
    if server.stdin is not None:
        server.stdin.close()
    await server.wait()
