"""What is compared: the bare skeleton on a release of grpcio, an event loop, with one setting."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from itertools import product
from pathlib import Path

from bench_service.servers import Server, started

from ginrummy.server.serving import channel_options

PINNED = version("grpcio")
RELEASES = (PINNED, "1.62.3", "1.71.2", "1.75.0", "1.78.2", "1.80.1", "1.85.3")
LOOPS = ("asyncio", "uvloop")
BESIDE_GRPCIO = ("protobuf", "typing_extensions", "uvloop")
"""What a server needs too: in every environment the releases that are pinned."""
SOURCES = Path(__file__).parent.parent.parent
ENVIRONMENTS = Path(sys.prefix) / "grpc"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One server to measure."""

    release: str
    loop: str
    setting: str = ""
    """NAME=VALUE: an option of the server's if the name begins with "grpc.", how many new objects
    let Python seek garbage if it is "gc", else a variable of its environment."""

    @property
    def name(self) -> str:
        """As the table has it."""
        return " ".join(filter(None, (self.release, self.loop, self.setting)))

    @contextmanager
    def running(self) -> Iterator[Server]:
        """Its server, with the options that the service has too."""
        environment = {"PYTHONPATH": f"{SOURCES / 'scripts'}:{SOURCES / 'proto'}"}
        options: dict[str, int | str] = dict(channel_options())
        # While others have their turn nobody answers pings.
        options["grpc.keepalive_time_ms"] = 3_600_000
        command = [str(python_with(self.release)), "-m", "bench_service.skeleton"]
        name, _, value = self.setting.partition("=")
        if name.startswith("grpc."):
            options[name] = int(value) if value.isdecimal() else value
        elif name == "gc":
            command += ["--gc-threshold", value]
        elif name:
            environment[name] = value
        command += ["--loop", self.loop, "--options", json.dumps(list(options.items()))]
        with started(self.name, command, environment) as server:
            yield server


def candidates(releases: list[str], loops: list[str], settings: list[str]) -> list[Candidate]:
    """Every release on every loop, as it comes and with each setting."""
    return [Candidate(*chosen) for chosen in product(releases, loops, ("", *settings))]


def python_with(release: str) -> Path:
    """The Python of an environment with that grpcio, made when it is first asked for."""
    folder = ENVIRONMENTS / release
    python, stamp = folder / "bin" / "python", folder / "complete"
    if not stamp.exists():
        sys.stderr.write(f"setting up grpcio {release} in {folder}\n")
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        wanted = [f"grpcio=={release}", *(f"{name}=={version(name)}" for name in BESIDE_GRPCIO)]
        install = ["install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
        subprocess.run([str(python), "-m", "pip", *install, *wanted], check=True)
        stamp.touch()
    return python
