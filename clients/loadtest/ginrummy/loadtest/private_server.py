"""A server for one run, on a free port, with its matches in a temporary folder."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

PROGRAM = "ginrummy-server"
READY_S = 30.0
STOP_S = 20.0


class NoServer(Exception):  # noqa: N818 - as it is told
    """There is no server program, or it did not start; the message says which."""


@asynccontextmanager
async def private_server(*, in_memory: bool) -> AsyncIterator[str]:
    """The address of a server that ends afterwards."""
    beside = Path(sys.executable).parent / PROGRAM
    program = str(beside) if beside.exists() else shutil.which(PROGRAM)
    if program is None:
        raise NoServer(f"{PROGRAM} is not installed; name a server with --address")
    with tempfile.TemporaryDirectory(prefix="ginrummy-load-") as folder:
        store = ["--in-memory"] if in_memory else ["--data-dir", folder]
        server = await asyncio.create_subprocess_exec(
            *(program, "--port", "0", "--ready-json", "--log-level", "warning", *store),
            stdout=asyncio.subprocess.PIPE,
            # What is set for a server of one's own is not meant for this one.
            env={
                key: value for key, value in os.environ.items() if not key.startswith("GINRUMMY_")
            },
        )
        try:
            yield await _address(server)
        finally:
            if server.returncode is None:
                server.terminate()
                try:
                    await asyncio.wait_for(server.wait(), STOP_S)
                except TimeoutError:
                    server.kill()


async def _address(server: asyncio.subprocess.Process) -> str:
    assert server.stdout is not None
    try:
        line = await asyncio.wait_for(server.stdout.readline(), READY_S)
        return str(json.loads(line)["address"])
    except (TimeoutError, ValueError, KeyError):
        raise NoServer(f"{PROGRAM} did not start") from None
