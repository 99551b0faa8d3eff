"""The servers that are measured, each a process of its own, on a core without the client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ginrummy.server.app import MADE_BETWEEN
from ginrummy.server.serving import channel_options

CPU_TICKS_S = os.sysconf("SC_CLK_TCK")
STOP_S = 30


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    name: str
    address: str
    pid: int

    def cpu_s(self) -> float:
        """CPU time that all its threads have used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / CPU_TICKS_S

    def memory_kb(self) -> float:
        """What of it is in memory, in units of 1000 bytes."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1000


@contextmanager
def skeleton(*, turns: bool = False) -> Iterator[Server]:
    """The limit: it moves messages and computes nothing.

    It looks for garbage as rarely as the service. With `turns` its threads do not interrupt each
    other, as those of the service do not when it is busy.
    """
    command = [sys.executable, "-m", "bench_service.skeleton"]
    command += ["--options", json.dumps(channel_options())]
    command += ["--gc-threshold", str(MADE_BETWEEN[0])]
    name = "bare skeleton"
    if turns:
        command.append("--turns")
        name += " by turns"
    with started(name, command) as server:
        yield server


@contextmanager
def service(*, in_memory: bool, folder: str | None = None) -> Iterator[Server]:
    """The service, over SQLite with every commit on disk or with its log in memory."""
    program = str(Path(sys.executable).with_name("ginrummy-server"))
    command = [program, "--port", "0", "--ready-json", "--log-level", "warning"]
    command += ["--max-spectators", "1000", "--max-streams-per-caller", "100000"]
    with tempfile.TemporaryDirectory() as own_folder:
        where = ["--in-memory"] if in_memory else ["--data-dir", folder or own_folder]
        name = "log in memory" if in_memory else "SQLite FULL"
        with started(name, [*command, *where]) as server:
            yield server


@contextmanager
def started(
    name: str, command: list[str], environment: dict[str, str] | None = None
) -> Iterator[Server]:
    """A server, from its line that tells where it is, until the block ends."""
    path = [str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    own = {"PYTHONPATH": os.pathsep.join(filter(None, path))} | (environment or {})
    process = begun_apart(command, os.environ | own)
    try:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        yield Server(name, ready["address"], process.pid)
    finally:
        process.terminate()
        process.wait(timeout=STOP_S)


def begun_apart(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """A program on the last core, and this process on the others from now on.

    A thread is born to the core of its parent: once they run, only the first could be moved.
    """
    *mine, its = range(os.cpu_count() or 1)
    os.sched_setaffinity(0, {its})
    begun = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    os.sched_setaffinity(0, mine or {its})
    return begun
