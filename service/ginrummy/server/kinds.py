"""Kinds of options: what a value may be, as text or as TOML has it, and how it is written."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ginrummy.server.keys import keys_from_text

SWITCH = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(
    ("0", "false", "no", "off"), False
)
"""What a variable that stands for a switch may hold."""


class Kind(Protocol):
    """Reads an option's value from text, or from what a TOML file holds, and writes it as TOML."""

    @property
    def metavar(self) -> str | None:
        """What stands for a value in the help; None for a switch, whose flag takes none."""

    def read(self, given: Any) -> Any:
        """Raises ValueError that says what is allowed, as in "is 0 to 9"."""

    def toml(self, value: Any) -> str:
        """The value as TOML."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number between two bounds."""

    kind: type[int] | type[float]
    least: int
    most: int
    metavar: str | None = "N"

    def read(self, given: Any) -> float:
        try:
            # A fraction is no whole number, and neither is `true`.
            number = math.nan if isinstance(given, bool) else self.kind(str(given))
        except ValueError:
            number = math.nan
        if not self.least <= number <= self.most:
            raise ValueError(f"is {self.least} to {self.most}")
        return number

    def toml(self, value: Any) -> str:
        return repr(value)


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text."""

    make: Callable[[str], Any] = str
    metavar: str | None = "TEXT"

    def read(self, given: Any) -> Any:
        if not isinstance(given, str) or not given or not given.isprintable():
            raise ValueError("is one line of text")
        return self.make(given)

    def toml(self, value: Any) -> str:
        return json.dumps(str(value), ensure_ascii=False)


PATH = Text(Path, "FILE")
FOLDER = Text(Path, "FOLDER")


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of a few words, in any case."""

    words: Sequence[str]

    @property
    def metavar(self) -> str | None:
        return "|".join(self.words)

    def read(self, given: Any) -> str:
        if not isinstance(given, str) or given.lower() not in self.words:
            raise ValueError(f"is one of {', '.join(self.words)}")
        return given.lower()

    def toml(self, value: Any) -> str:
        return json.dumps(value)


@dataclass(frozen=True, slots=True)
class Switch:
    """Yes or no: `--x` and `--no-x`."""

    metavar: str | None = None

    def read(self, given: Any) -> bool:
        if isinstance(given, bool):
            return given
        if not isinstance(given, str) or given.lower() not in SWITCH:
            raise ValueError(f"is one of {', '.join(SWITCH)}")
        return SWITCH[given.lower()]

    def toml(self, value: Any) -> str:
        return "true" if value else "false"


@dataclass(frozen=True, slots=True)
class Keys:
    """Named API keys; only their hashes are kept."""

    metavar: str | None = "NAME=KEY,…"

    def read(self, given: Any) -> Any:
        if not isinstance(given, str):
            raise ValueError("is NAME=KEY,NAME=KEY…")
        return keys_from_text(given)

    def toml(self, value: Any) -> str:
        return '"***"'
