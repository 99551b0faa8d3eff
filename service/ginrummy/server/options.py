"""Every option of the server, in one table: its name, what it may be, its default, its meaning."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ginrummy.server.kinds import FOLDER, PATH, Keys, Kind, Number, OneOf, Switch, Text

IN_MEMORY = ":memory:"
LOG_LEVELS = ("debug", "info", "warning", "error")
LOG_FORMATS = ("text", "json")
PREFIX = "GINRUMMY_"
MOST = 10_000_000

Environment = Mapping[str, str]

SERVING = "where it listens, what it keeps"
TELLING = "what it tells"
SECURITY = "who may call"
LIMITS = "how much is done at once"
LIFETIME = "how long matches and simulations are kept"


@dataclass(frozen=True, slots=True)
class Option:
    """What can be set: as a flag, as an environment variable, and in the file."""

    topic: str
    name: str
    kind: Kind
    usual: Any
    """Its default, or what makes it from the environment."""
    text: str
    is_secret: bool = False
    """Never printed; and no flag, as others on the machine can read the arguments."""

    @property
    def key(self) -> str:
        return self.name.replace("-", "_")

    @property
    def flag(self) -> str:
        return f"--{self.name}"

    @property
    def variable(self) -> str:
        return PREFIX + self.key.upper()

    def default(self, environment: Environment) -> Any:
        """What it is when nobody sets it; None for nothing."""
        return self.usual(environment) if callable(self.usual) else self.usual


def usual_data_dir(environment: Environment) -> Path:
    """Where this system keeps a program's state; `data` here, where there is no home folder."""
    if sys.platform == "win32":
        base = environment.get("LOCALAPPDATA")
        return Path(base, "ginrummy", "server") if base else Path("data")
    if state := environment.get("XDG_STATE_HOME"):
        return Path(state, "ginrummy", "server")
    home = environment.get("HOME") or os.path.expanduser("~")  # noqa: PTH111 - raises without one
    if not home or home == "~":
        return Path("data")
    if sys.platform == "darwin":
        return Path(home, "Library", "Application Support", "ginrummy", "server")
    return Path(home, ".local", "state", "ginrummy", "server")


def _port(least: int) -> Number:
    return Number(int, least, 65_535, "PORT")


def _seconds(most: int) -> Number:
    return Number(float, 0, most, "SECONDS")


def _long() -> Number:
    return _seconds(10 * 366 * 86_400)


def _count(least: int = 1) -> Number:
    return Number(int, least, MOST)


OPTIONS = (
    Option(SERVING, "host", Text(str, "HOST"), "127.0.0.1", "address to listen on"),
    Option(SERVING, "port", _port(0), 50051, "port to listen on; 0: a free one"),
    Option(SERVING, "data-dir", FOLDER, usual_data_dir, f"where the match log is, or {IN_MEMORY}"),
    Option(SERVING, "in-memory", Switch(), False, "keep matches in memory only"),
    Option(SERVING, "allow-seeds", Switch(), False, "let two people choose their deals"),
    Option(SERVING, "grace-s", _seconds(3600), 5.0, "for calls to end when it stops"),
    Option(TELLING, "log-level", OneOf(LOG_LEVELS), "info", "which log lines it writes"),
    Option(TELLING, "log-format", OneOf(LOG_FORMATS), "text", "how it writes them"),
    Option(TELLING, "ready-json", Switch(), False, "tell where it listens as one line of JSON"),
    Option(TELLING, "metrics-host", Text(str, "HOST"), "127.0.0.1", "address of the metrics"),
    Option(TELLING, "metrics-port", _port(0), None, "port of the metrics; unset: none"),
    Option(TELLING, "otel", Switch(), False, "send traces to what the OTEL_... variables name"),
    Option(SECURITY, "api-keys-file", PATH, None, "API keys, a line each as hash-key prints them"),
    Option(SECURITY, "api-keys", Keys(), None, "API keys: NAME=KEY,NAME=KEY", is_secret=True),
    Option(SECURITY, "insecure", Switch(), False, "let in all who reach it, without API keys"),
    Option(SECURITY, "tls-cert", PATH, None, "certificate chain of the server (PEM)"),
    Option(SECURITY, "tls-key", PATH, None, "its private key (PEM)"),
    Option(SECURITY, "tls-client-ca", PATH, None, "who signs certificates that clients must have"),
    Option(LIMITS, "max-open-matches", _count(), 50_000, "matches that have not ended"),
    Option(LIMITS, "max-requests-per-s", _count(0), 0, "calls of a caller; 0: no limit"),
    Option(LIMITS, "max-streams-per-caller", _count(), 20_000, "open streams of a caller"),
    Option(LIMITS, "max-streams-per-seat", _count(), 32, "open streams of a seat"),
    Option(LIMITS, "max-spectators", _count(), 500, "spectators of a match"),
    Option(LIMITS, "max-followers", _count(), 1000, "streams of WatchMatches"),
    Option(LIMITS, "max-listings", _count(), 64, "listings answered at once"),
    Option(LIMITS, "max-analyses", _count(), 64, "analyses of many hands at once"),
    Option(LIMITS, "max-suggestions", _count(), 16, "suggestions thought about at once"),
    Option(
        LIMITS,
        "simulation-workers",
        _count(0),
        0,
        "threads that play simulations; 0: one less than cores",
    ),
    Option(LIMITS, "simulations-at-once", _count(), 2, "simulations played at once"),
    Option(LIMITS, "max-simulations", _count(), 100, "simulations that have not ended"),
    Option(LIMITS, "max-simulations-per-caller", _count(), 10, "of them of a caller"),
    Option(LIMITS, "require-deadlines", Switch(), True, "refuse changes that have no deadline"),
    Option(
        LIFETIME,
        "idle-expiry-s",
        _long(),
        604_800.0,
        "until an idle match is aborted; 0: never",
    ),
    Option(LIFETIME, "retention-s", _long(), 0.0, "until an ended match is forgotten; 0: never"),
    Option(
        LIFETIME,
        "simulation-retention-s",
        _long(),
        2_592_000.0,
        "until an ended simulation is forgotten; 0: never",
    ),
)
"""Within a topic in the order of the help."""

BY_KEY = {option.key: option for option in OPTIONS}
