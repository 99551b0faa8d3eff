"""How the server is to run: flags first, then environment variables, then defaults."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ginrummy.server.catalog_service import SERVER_VERSION

IN_MEMORY = ":memory:"
LOG_LEVELS = ("debug", "info", "warning", "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What `ginrummy-server` was told."""

    host: str = "127.0.0.1"
    port: int = 50051
    """0: a free one."""
    data_dir: Path | None = None
    """None: keep matches in memory only."""
    log_level: str = "info"
    ready_json: bool = False
    seeds_allowed: bool = False
    grace_s: float = 5.0
    """How long calls may take to end when the server stops."""


def read_settings(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """The settings; a wrong one ends the program with a message that says what is allowed."""
    parser = _parser(environment)
    given = parser.parse_args(arguments)
    in_memory = given.in_memory or str(given.data_dir) == IN_MEMORY
    if given.log_level not in LOG_LEVELS:
        parser.error(f"--log-level is one of {', '.join(LOG_LEVELS)}, not {given.log_level!r}")
    if not 0 <= given.port <= 65535:
        parser.error(f"--port is 0 to 65535, not {given.port}")
    if not 0 <= given.grace_s <= 3600:
        parser.error(f"--grace-s is 0 to 3600, not {given.grace_s}")
    return Settings(
        host=given.host,
        port=given.port,
        data_dir=None if in_memory else given.data_dir,
        log_level=given.log_level,
        ready_json=given.ready_json,
        seeds_allowed=given.allow_seeds,
        grace_s=given.grace_s,
    )


class _Environment:
    """The `GINRUMMY_...` variables, as defaults of flags."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables

    def value(self, name: str, otherwise: str) -> str:
        return self._variables.get(f"GINRUMMY_{name}") or otherwise

    def is_set(self, name: str) -> bool:
        return self._variables.get(f"GINRUMMY_{name}", "").lower() in ("1", "true", "yes", "on")


def _parser(variables: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ginrummy-server",
        description="Serves gin rummy over gRPC.",
        epilog="Every option can be set as GINRUMMY_... in the environment too:"
        " GINRUMMY_DATA_DIR for --data-dir.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {SERVER_VERSION}")
    environment = _Environment(variables)
    usual = str(usual_data_dir(variables))
    for name, kind, otherwise, text in (
        ("host", str, "127.0.0.1", "address to listen on"),
        ("port", int, "50051", "port to listen on, 0 for a free one"),
        ("data-dir", Path, usual, f"folder of the match log, or {IN_MEMORY}"),
        ("log-level", str.lower, "info", f"one of {', '.join(LOG_LEVELS)}"),
        ("grace-s", float, "5", "seconds that calls may take to end when the server stops"),
    ):
        default = environment.value(_variable(name), otherwise)
        parser.add_argument(f"--{name}", type=kind, default=default, help=f"{text} (%(default)s)")
    for name, text in (
        ("in-memory", "keep matches in memory only; they end with the server"),
        ("ready-json", "tell where the server listens as one line of JSON"),
        ("allow-seeds", "let matches between two people choose their deals"),
    ):
        is_set = environment.is_set(_variable(name))
        parser.add_argument(f"--{name}", action="store_true", default=is_set, help=text)
    return parser


def _variable(name: str) -> str:
    return name.upper().replace("-", "_")


def usual_data_dir(environment: Mapping[str, str]) -> Path:
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
