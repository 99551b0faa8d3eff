"""A server of one's own, for as long as one plays: found or started on a free port, ended.

One folder has one server at a time. Whoever comes second uses the server that runs; it ends with
the last of its users (see `keeper`). Files in the folder:

* `server.json`: where the running server listens;
* `server.lock`: locked by the server's keeper, alone, as long as it runs;
* `users.lock`: shared by all who use the server;
* `start.lock`: locked while one of them looks for the server or starts it.
"""

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
from ginrummy.cli.locks import is_locked, locked, try_lock
from ginrummy.cli.state import private_folder, write_private

PROGRAM = "ginrummy-server"
_READY_S = 30.0
_LOG_LIMIT = 1 << 18


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


def folders(state: Path) -> list[str]:
    """The names of all folders that private servers have served from."""
    return sorted(path.name for path in state.glob("private*") if path.is_dir())


def running_address(folder: Path) -> str:
    """Where the folder's server listens; empty = none runs."""
    if not is_locked(folder / "server.lock"):
        return ""
    try:
        return _address((folder / "server.json").read_text())
    except (OSError, ServerStartError):
        return ""


def _address(line: str) -> str:
    """Of the ready line."""
    try:
        ready = json.loads(line)
        return str(ready["address"])
    except (ValueError, KeyError, TypeError):
        raise ServerStartError(line.strip()) from None


@asynccontextmanager
async def private_server(folder: Path) -> AsyncIterator[str]:
    """The address of the folder's server, which is started when none runs. It ends afterwards,
    unless somebody else uses it."""
    private_folder(folder)
    server: asyncio.subprocess.Process | None = None
    async with locked(folder / "users.lock", shared=True) as users:
        try:
            async with locked(folder / "start.lock"):
                address = running_address(folder)
                if not address:
                    program = find_program()
                    with _log(folder) as log:
                        server = await _start(program, folder, log)
                        said_from = log.tell()
                    address = await _ready(server, folder / "server.log", said_from)
                    ready = {"pid": server.pid, "address": address}
                    write_private(folder / "server.json", json.dumps(ready))
            yield address
        finally:
            if server is not None:
                await asyncio.shield(_let_go(server, users))


def _log(folder: Path) -> IO[bytes]:
    """Written on at its end, so that what another server has said stays."""
    path = folder / "server.log"
    log = path.open("ab")
    path.chmod(0o600)
    if log.tell() > _LOG_LIMIT:
        log.truncate(0)
    return log


async def _start(program: Path, folder: Path, log: IO[bytes]) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", keeper.__name__),
        *(folder / "server.lock", folder / "users.lock", program),
        *("--host", "127.0.0.1", "--port", "0", "--ready-json"),
        *("--data-dir", str(folder), "--log-level", "warning"),
        # Whoever has a server to himself has all its cores.
        *("--simulation-workers", str(os.cpu_count() or 1)),
        # What the person has set for a server of his own is not meant for this one.
        env={key: value for key, value in os.environ.items() if not key.startswith("GINRUMMY_")},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=log,
        # Ctrl-C is for this program alone.
        start_new_session=True,
    )


async def _ready(server: asyncio.subprocess.Process, log: Path, said_from: int) -> str:
    assert server.stdout is not None
    try:
        line = await asyncio.wait_for(server.stdout.readline(), _READY_S)
    except TimeoutError:
        line = b""
    if not line:
        raise ServerStartError(_last_line(log, said_from))
    return _address(line.decode(errors="replace"))


def _last_line(log: Path, said_from: int) -> str:
    said = log.read_bytes()[said_from:].decode(errors="replace")
    return " ".join(said.strip().splitlines()[-1:])


async def _let_go(server: asyncio.subprocess.Process, users: int) -> None:
    """Its keeper ends it: now, when nobody else uses it, or with the last of the others."""
    assert server.stdin is not None
    alone = try_lock(users)
    if alone and server.returncode is None:
        server.stdin.write(keeper.END)
    server.stdin.close()
    if alone:
        # The lock is held until it has ended: who comes now starts another.
        await server.wait()
