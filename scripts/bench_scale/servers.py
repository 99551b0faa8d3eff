"""Servers that are started, stopped and killed on purpose, each on a core without the client."""

from __future__ import annotations

import json
import signal
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench_service.servers import STOP_S, Server, begun_apart

READY_S = 120
LIMITS = ("--max-spectators", "1000", "--max-streams-per-caller", "100000")
PROGRAM = (
    *(str(Path(sys.executable).with_name("ginrummy-server")), "--port", "0", "--ready-json"),
    *("--log-level", "warning", "--metrics-port", "0", *LIMITS),
)
"""Counts what it does, as servers in service do."""


class Service:
    """One process of the service, over SQLite FULL in `folder`, or in memory without one."""

    def __init__(self, name: str, folder: Path | None) -> None:
        began_s = time.perf_counter()
        where = ["--in-memory"] if folder is None else ["--data-dir", str(folder)]
        self._process = begun_apart([*PROGRAM, *where])
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{name}: the server did not start")
        ready = json.loads(line)
        self.ready_s = time.perf_counter() - began_s
        """From the process's start to its being ready."""
        self.server = Server(name, ready["address"], self._process.pid)
        self._metrics = f"http://127.0.0.1:{ready['metrics_port']}/metrics"

    def metric(self, name: str) -> float:
        """A metric without labels, as it stands."""
        with urllib.request.urlopen(self._metrics, timeout=STOP_S) as answer:
            for line in answer.read().decode().splitlines():
                if line.startswith(f"ginrummy_{name} "):
                    return float(line.split()[1])
        raise SystemExit(f"the server has no metric {name}")

    def mean_s(self, name: str, since: tuple[float, float] = (0, 0)) -> float:
        """The mean of a histogram in seconds, of what it has observed after `since`."""
        total, count = self.observed(name)
        return (total - since[0]) / max(count - since[1], 1)

    def observed(self, name: str) -> tuple[float, float]:
        """Sum and count of a histogram."""
        return self.metric(f"{name}_sum"), self.metric(f"{name}_count")

    def stop(self) -> None:
        """Ends it cleanly."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it as a power cut would."""
        self._end(signal.SIGKILL)

    def _end(self, number: signal.Signals) -> None:
        if self._process.poll() is None:
            self._process.send_signal(number)
        self._process.wait(timeout=STOP_S)


@contextmanager
def service(name: str, folder: Path | None) -> Iterator[Service]:
    """The service, until the block ends."""
    running = Service(name, folder)
    try:
        yield running
    finally:
        running.stop()
