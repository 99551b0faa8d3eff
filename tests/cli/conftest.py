"""A real server for the commands that need one."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


def serve(folder: Path, port: str = "0") -> tuple[subprocess.Popen[str], str]:
    """A running server, which simulates in one thread on any machine, and its address."""
    program = Path(sys.executable).parent / "ginrummy-server"
    options = ["--port", port, "--ready-json", "--log-level", "warning"]
    options += ["--simulation-workers", "1"]
    running = subprocess.Popen(
        [program, *options, "--data-dir", folder],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    return running, str(json.loads(running.stdout.readline())["address"])


def stop(running: subprocess.Popen[str]) -> None:
    running.terminate()
    running.wait(60)
    if running.stdout:
        running.stdout.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server on a free port; it ends with the module's tests."""
    running, address = serve(tmp_path_factory.mktemp("server"))
    yield address
    stop(running)
