"""Waiting for a server: for long if it is there and says nothing, not at all if nobody is."""

import asyncio
import os
import signal
import socket
from pathlib import Path

import pytest

from ginrummy.cli import connect
from ginrummy.cli.connect import connected
from ginrummy.cli.faults import CommandError
from ginrummy.cli.state import SavedSeats

from ..ports import free_port
from .conftest import serve, stop


async def refusal(address: str, folder: Path) -> CommandError:
    with pytest.raises(CommandError) as refused:
        async with connected(address, SavedSeats(folder)):
            pass
    return refused.value


async def test_nobody_there_is_told_without_the_longer_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "_SLOW_S", 1000)
    async with asyncio.timeout(60):
        refused = await refusal(f"127.0.0.1:{free_port()}", tmp_path)
    assert str(refused.values["why"]).startswith("Connection refused")


async def test_a_server_that_says_nothing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "_READY_S", 0.2)
    monkeypatch.setattr(connect, "_SLOW_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        refused = await refusal(f"127.0.0.1:{silent.getsockname()[1]}", tmp_path)
    assert refused.values["why"] == "no answer"


async def test_a_server_that_stands_still_for_a_while_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "_READY_S", 0.2)
    monkeypatch.setattr(connect, "_SLOW_S", 60)
    running, address = serve(tmp_path / "server")
    os.kill(running.pid, signal.SIGSTOP)
    asyncio.get_running_loop().call_later(1, os.kill, running.pid, signal.SIGCONT)
    try:
        async with connected(address, SavedSeats(tmp_path)) as server:
            assert (await server.client.server_info()).version
    finally:
        os.kill(running.pid, signal.SIGCONT)
        stop(running)
