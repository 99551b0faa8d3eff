"""The real server with planted decks, a clock that stands still and ids that come again.

    python -m tests.secrecy.planted_program FLAGS OF ginrummy-server

What it is told comes line by line as JSON on standard input, and each line is answered on standard
output: `{"plant": ...}` gives the next match its seed, decks and first dealer; `{"now_us": ...}`
sets the clock; `{"set_leak": NAME}` plants a leak and `{"set_leak": null}` takes it out again;
`{"mark": TEXT}` writes a line to the log.

Decks are kept in the file that SECRECY_DECKS names, so that a server that starts again can play its
log again.
"""

import asyncio
import hashlib
import json
import logging
import os
import secrets
import signal
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ginrummy import engine
from ginrummy.server import app
from ginrummy.tables import state, tokens
from ginrummy.tables.registry import Tables

from .leaks import LEAKS

START_US = 1_800_000_000_000_000
"""What the clock shows at first."""

lines = logging.getLogger("secrecy")


class PlantedEngine:
    """The engine as `tables.state` uses it, but for decks that were planted for a seed."""

    def __init__(self, planted: dict[str, dict[str, Any]]) -> None:
        self._planted = planted
        self.Match = self

    def __getattr__(self, name: str) -> Any:
        return getattr(engine, name)

    def start(self, rules: engine.Rules, seed: bytes) -> Any:
        """Deals the planted decks of this seed."""
        plant = self._planted.get(seed.hex())
        if plant is None:
            return engine.Match.start(rules, seed)
        return engine.Match.start_from_decks(rules, plant["decks"], plant["dealer"], seed)


class Control:
    """All that is the same in two worlds, and the decks that are not."""

    def __init__(self) -> None:
        self.now_us = START_US
        self.planted: dict[str, dict[str, Any]] = {}
        self._seeds: list[str] = []
        self._ids = 0
        self._tokens: Counter[str] = Counter()
        self._tables: list[tuple[Tables, asyncio.AbstractEventLoop]] = []
        self._leak = ExitStack()
        self._file = os.environ.get("SECRECY_DECKS")

    def install(self) -> None:
        """Takes the place of clock, chance and engine."""
        if os.environ.get("SECRECY_QUIET"):
            logging.getLogger("grpc").setLevel(logging.INFO)
        if self._file and Path(self._file).exists():
            for line in Path(self._file).read_text().splitlines():
                plant = json.loads(line)
                self.planted[plant["seed"]] = plant
        time.time_ns = lambda: self.now_us * 1000
        secrets.token_hex = self._token_hex
        tokens.new_token = self._new_token
        vars(state)["engine"] = PlantedEngine(self.planted)
        begin = Tables.start

        def start(tables: Tables) -> None:
            self._tables.append((tables, asyncio.get_running_loop()))
            begin(tables)

        setattr(Tables, "start", start)  # noqa: B010 - mypy knows it as a method
        threading.Thread(target=self._listen, daemon=True).start()

    def _token_hex(self, nbytes: int | None = None) -> str:
        if nbytes == 32 and self._seeds:
            return self._seeds.pop(0)
        self._ids += 1
        return hashlib.sha256(b"%d" % self._ids).hexdigest()[: 2 * (nbytes or 32)]

    def _new_token(self, match_id: str) -> str:
        """Counted for each match, as calls of several come in any order."""
        self._tokens[match_id] += 1
        secret = hashlib.sha256(f"{match_id} {self._tokens[match_id]}".encode()).hexdigest()
        return f"{match_id}.{secret}"

    def _listen(self) -> None:
        for line in sys.stdin:
            for key, value in json.loads(line).items():
                getattr(self, f"_{key}")(value)
            sys.stdout.write("done\n")
            sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGTERM)  # whoever started it has gone

    def _plant(self, plant: dict[str, Any]) -> None:
        self.planted[plant["seed"]] = plant
        self._seeds.append(plant["seed"])
        if self._file:
            with Path(self._file).open("a") as kept:
                kept.write(json.dumps(plant) + "\n")

    def _now_us(self, now_us: int) -> None:
        self.now_us = now_us
        for tables, loop in self._tables:
            loop.call_soon_threadsafe(_look, tables)

    def _set_leak(self, name: str | None) -> None:
        self._leak.close()
        if name is not None:
            self._leak.enter_context(LEAKS[name]())

    def _mark(self, text: str) -> None:
        lines.info("%s", text)


def _look(tables: Tables) -> None:
    """Lets everybody see the new time: their own timers run by the real one."""
    for live in tables._live.values():
        live.attendant.look()


if __name__ == "__main__":
    control = Control()
    control.install()
    raise SystemExit(app.main(sys.argv[1:]))
