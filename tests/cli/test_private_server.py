"""Starting and ending a private server, with scripted programs in its place."""

import asyncio
import os
import stat
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ginrummy.cli import private_server as ps

READY = """
import json, os, signal, sys, time
folder = sys.argv[sys.argv.index("--data-dir") + 1]
open(os.path.join(folder, "arguments"), "w").write(json.dumps([sys.argv[1:], dict(os.environ)]))
open(os.path.join(folder, "server"), "w").write(str(os.getpid()))
print(json.dumps({"address": "127.0.0.1:1234"}), flush=True)
time.sleep(600)
"""
REFUSES = "import sys; sys.stderr.write('busy\\nthe data file is in use\\n'); sys.exit(1)"
BABBLES = "print('hello', flush=True); import time; time.sleep(600)"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path that is found as the server program; the test writes it."""
    path = tmp_path / "ginrummy-server"
    monkeypatch.setattr(ps, "find_program", lambda: path)
    return path


@pytest.fixture(autouse=True)
async def keepers(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[Process]]:
    """The keepers that a test has begun. All end before it does: one may outlive its owner."""
    begun: list[Process] = []
    start = ps._start

    async def start_told(*arguments: Any) -> Process:
        begun.append(await start(*arguments))
        return begun[-1]

    monkeypatch.setattr(ps, "_start", start_told)
    yield begun
    for keeper in begun:
        await asyncio.wait_for(keeper.communicate(), 60)


def write(program: Path, code: str) -> None:
    program.write_text(f"#!{sys.executable}\n{code}")
    program.chmod(0o755)


def server_of(folder: Path) -> int:
    """The number of the scripted server's process."""
    return int((folder / "server").read_text())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def gone(pid: int) -> bool:
    """Whether the process ends within a minute."""
    for _ in range(1200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        await asyncio.sleep(0.05)
    return False


async def test_it_runs_on_a_free_port_and_ends(program: Path, tmp_path: Path) -> None:
    write(program, READY)
    folder = tmp_path / "state" / "private"
    async with ps.private_server(folder) as address:
        assert address == "127.0.0.1:1234"
        pid = server_of(folder)
        os.kill(pid, 0)
        assert mode(folder) == 0o700
        files = ("server.json", "server.log", "server.lock", "users.lock", "start.lock")
        assert {mode(folder / name) for name in files} == {0o600}
        assert ps.running_address(folder) == address
        assert '"--port", "0", "--ready-json"' in (folder / "arguments").read_text()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert ps.running_address(folder) == ""
    assert ps.folders(tmp_path / "state") == ["private"]


async def test_who_comes_second_uses_the_server_that_runs(program: Path, tmp_path: Path) -> None:
    write(program, READY)
    async with ps.private_server(tmp_path / "p") as first:
        pid = server_of(tmp_path / "p")
        log = (tmp_path / "p" / "server.log").stat().st_ino
        (tmp_path / "p" / "server.log").write_text("something")
        async with ps.private_server(tmp_path / "p") as second:
            assert second == first
            assert server_of(tmp_path / "p") == pid
        os.kill(pid, 0)
        assert ps.running_address(tmp_path / "p") == first
        assert (tmp_path / "p" / "server.log").stat().st_ino == log
        assert (tmp_path / "p" / "server.log").read_text() == "something"
    assert await gone(pid)


async def test_it_runs_on_for_the_others_and_ends_with_the_last(
    program: Path, tmp_path: Path
) -> None:
    write(program, READY)
    owner = ps.private_server(tmp_path / "p")
    guest = ps.private_server(tmp_path / "p")
    await owner.__aenter__()
    address = await guest.__aenter__()
    pid = server_of(tmp_path / "p")
    await owner.__aexit__(None, None, None)
    os.kill(pid, 0)
    assert ps.running_address(tmp_path / "p") == address
    await guest.__aexit__(None, None, None)
    # Who comes at once finds one that runs, whether it is that one or another.
    async with ps.private_server(tmp_path / "p"):
        os.kill(server_of(tmp_path / "p"), 0)
    assert await gone(pid)


async def test_many_at_once_start_one_server(program: Path, tmp_path: Path) -> None:
    write(program, READY.replace('w").write(str(os', "a\").write(' ' + str(os"))
    everybody = asyncio.Barrier(4)

    async def use() -> None:
        async with ps.private_server(tmp_path / "p"):
            await everybody.wait()

    await asyncio.gather(*(use() for _ in range(4)))
    assert len((tmp_path / "p" / "server").read_text().split()) == 1


async def test_what_a_dead_server_left_is_not_believed(program: Path, tmp_path: Path) -> None:
    write(program, READY)
    folder = tmp_path / "p"
    folder.mkdir()
    # This number is that of another program by now.
    (folder / "server.json").write_text(f'{{"pid": {os.getpid()}, "address": "127.0.0.1:9"}}')
    (folder / "server.lock").touch()
    async with ps.private_server(folder) as address:
        assert address == "127.0.0.1:1234"


async def test_a_failing_start_leaves_the_log_of_others(program: Path, tmp_path: Path) -> None:
    write(program, REFUSES)
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "server.log").write_text("what another server said\n")
    with pytest.raises(ps.ServerStartError, match=r"^the data file is in use$"):
        async with ps.private_server(tmp_path / "p"):
            pass
    assert (tmp_path / "p" / "server.log").read_text().startswith("what another server said\n")
    assert not (tmp_path / "p" / "server.json").exists()


async def test_settings_for_another_server_are_not_handed_on(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GINRUMMY_IN_MEMORY", "1")
    write(program, READY)
    async with ps.private_server(tmp_path / "p"):
        assert "GINRUMMY_IN_MEMORY" not in (tmp_path / "p" / "arguments").read_text()


async def test_it_ends_when_the_command_is_cancelled(program: Path, tmp_path: Path) -> None:
    write(program, READY)
    started = asyncio.Event()

    async def command() -> None:
        async with ps.private_server(tmp_path / "p"):
            started.set()
            await asyncio.sleep(60)

    task = asyncio.create_task(command())
    await started.wait()
    pid = server_of(tmp_path / "p")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_what_it_said_last_is_told_when_it_does_not_start(
    program: Path, tmp_path: Path
) -> None:
    write(program, REFUSES)
    with pytest.raises(ps.ServerStartError, match=r"^the data file is in use$"):
        async with ps.private_server(tmp_path / "p"):
            pass


async def test_a_program_that_says_something_else_is_ended(program: Path, tmp_path: Path) -> None:
    write(program, BABBLES)
    with pytest.raises(ps.ServerStartError, match="hello"):
        async with ps.private_server(tmp_path / "p"):
            pass


def test_a_missing_program_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ps.NoServerProgramError):
        ps.find_program()
