"""Starting and ending a private server, with scripted programs in its place."""

import asyncio
import os
import stat
import sys
from pathlib import Path

import pytest

from ginrummy.cli import private_server as ps

READY = """
import json, os, signal, sys, time
folder = sys.argv[sys.argv.index("--data-dir") + 1]
open(os.path.join(folder, "arguments"), "w").write(json.dumps([sys.argv[1:], dict(os.environ)]))
open(os.path.join(folder, "server"), "w").write(str(os.getpid()))
print(json.dumps({"address": "127.0.0.1:1234"}), flush=True)
time.sleep(60)
"""
REFUSES = "import sys; sys.stderr.write('busy\\nthe data file is in use\\n'); sys.exit(1)"
BABBLES = "print('hello', flush=True); import time; time.sleep(60)"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path that is found as the server program; the test writes it."""
    path = tmp_path / "ginrummy-server"
    monkeypatch.setattr(ps, "find_program", lambda: path)
    return path


def write(program: Path, code: str) -> None:
    program.write_text(f"#!{sys.executable}\n{code}")
    program.chmod(0o755)


def server_of(folder: Path) -> int:
    """The number of the scripted server's process."""
    return int((folder / "server").read_text())


async def test_it_runs_on_a_free_port_and_ends(program: Path, tmp_path: Path) -> None:
    write(program, READY)
    folder = tmp_path / "state" / "private"
    async with ps.private_server(folder) as address:
        assert address == "127.0.0.1:1234"
        pid = server_of(folder)
        os.kill(pid, 0)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert ps.free_folder(tmp_path / "state") == "private-2"
        assert '"--port", "0", "--ready-json"' in (folder / "arguments").read_text()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert ps.free_folder(tmp_path / "state") == "private"
    assert ps.free_folder(tmp_path / "state", "private-7") == "private-7"


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
