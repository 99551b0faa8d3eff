"""How the server is to run: flags first, then environment variables, then defaults."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ginrummy.server.catalog_service import SERVER_VERSION

IN_MEMORY = ":memory:"
LOG_LEVELS = ("debug", "info", "warning", "error")
SWITCH = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(
    ("0", "false", "no", "off"), False
)
"""What a variable that stands for a flag without a value may hold."""


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
    options = _options(environment)
    parser = _parser(options, environment)
    given = vars(parser.parse_args(arguments))
    for option in options:
        if given[option.key] is None:
            try:
                given[option.key] = option.default(environment)
            except argparse.ArgumentTypeError as error:
                parser.error(f"{option.variable}: {error}")
    in_memory = given["in_memory"] or str(given["data_dir"]) == IN_MEMORY
    return Settings(
        host=given["host"],
        port=given["port"],
        data_dir=None if in_memory else given["data_dir"],
        log_level=given["log_level"],
        ready_json=given["ready_json"],
        seeds_allowed=given["allow_seeds"],
        grace_s=given["grace_s"],
    )


@dataclass(frozen=True, slots=True)
class _Option:
    """A flag, which its environment variable stands in for."""

    name: str
    kind: Callable[[str], Any]
    """Reads its value. Raises ArgumentTypeError with what is allowed."""
    otherwise: str
    text: str

    @property
    def key(self) -> str:
        return self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        return f"GINRUMMY_{self.key.upper()}"

    def raw_default(self, environment: Mapping[str, str]) -> str:
        return environment.get(self.variable) or self.otherwise

    def default(self, environment: Mapping[str, str]) -> Any:
        return self.kind(self.raw_default(environment))


def _options(environment: Mapping[str, str]) -> list[_Option]:
    levels = ", ".join(LOG_LEVELS)
    usual = str(usual_data_dir(environment))
    return [
        _Option("host", str, "127.0.0.1", "address to listen on"),
        _Option("port", _number(int, 65535), "50051", "port to listen on, 0 for a free one"),
        _Option("data-dir", Path, usual, f"folder of the match log, or {IN_MEMORY}"),
        _Option("log-level", _log_level, "info", f"one of {levels}"),
        _Option(
            "grace-s",
            _number(float, 3600),
            "5",
            "seconds that calls may take to end when the server stops",
        ),
        _Option(
            "in-memory", _switch, "no", "keep matches in memory only; they end with the server"
        ),
        _Option("ready-json", _switch, "no", "tell where the server listens as one line of JSON"),
        _Option("allow-seeds", _switch, "no", "let matches between two people choose their deals"),
    ]


def _parser(options: Sequence[_Option], environment: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ginrummy-server",
        description="Serves gin rummy over gRPC.",
        epilog="Every option can be set as GINRUMMY_... in the environment too:"
        " GINRUMMY_DATA_DIR for --data-dir.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {SERVER_VERSION}")
    for option in options:
        flag = f"--{option.name}"
        if option.kind is _switch:
            parser.add_argument(flag, action="store_const", const=True, help=option.text)
        else:
            usual = option.raw_default(environment).replace("%", "%%")
            parser.add_argument(flag, type=option.kind, help=f"{option.text} ({usual})")
    return parser


def _number(kind: type[int] | type[float], most: int) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            number = kind(text)
        except ValueError:
            number = -1
        if not 0 <= number <= most:
            raise argparse.ArgumentTypeError(f"is 0 to {most}, not {text!r}")
        return number

    return read


def _log_level(text: str) -> str:
    if text.lower() not in LOG_LEVELS:
        raise argparse.ArgumentTypeError(f"is one of {', '.join(LOG_LEVELS)}, not {text!r}")
    return text.lower()


def _switch(text: str) -> bool:
    if text.lower() not in SWITCH:
        raise argparse.ArgumentTypeError(f"is one of {', '.join(SWITCH)}, not {text!r}")
    return SWITCH[text.lower()]


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
