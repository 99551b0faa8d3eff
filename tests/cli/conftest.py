"""A real server for the commands that need one."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server on a free port; it ends with the module's tests."""
    program = Path(sys.executable).parent / "ginrummy-server"
    folder = tmp_path_factory.mktemp("server")
    running = subprocess.Popen(
        [program, "--port", "0", "--ready-json", "--data-dir", folder, "--log-level", "warning"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stdout is not None
        yield json.loads(running.stdout.readline())["address"]
    finally:
        running.terminate()
        running.wait(20)
        if running.stdout:
            running.stdout.close()
