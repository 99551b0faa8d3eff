"""Where the program writes: a person's terminal in colour, or clean lines for everything else."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO, TextIO

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from rich.console import Console
from rich.text import Text

from ginrummy.cli.paint import THEME, painted

# For encodings that lack them; each is one cell wide, so that nothing moves.
_PLAINER = {
    **dict(zip("♣♦♥♠╭╮╰╯─│▒▲▸→←↑↓·…−×●—", "cdhs++++-|#^>><^v-.-x*-", strict=True)),
    "«": '"',
    "»": '"',
}


class PlainerStream:
    """A text stream that writes a plainer sign for one that its encoding lacks."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.encoding = stream.encoding or "ascii"

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            text = "".join(self._sign(sign) for sign in text)
        return self._stream.write(text)

    def _sign(self, sign: str) -> str:
        try:
            sign.encode(self.encoding)
        except UnicodeEncodeError:
            return _PLAINER.get(sign, "?")
        return sign


def _console(stream: TextIO, plain: bool) -> Console:
    file: IO[str] = PlainerStream(stream)  # type: ignore[assignment]  # what rich uses of a file
    terminal = stream.isatty() and not plain
    return Console(
        file=file,
        theme=THEME,
        force_terminal=terminal,
        force_interactive=terminal,
        color_system="auto" if terminal else None,
        no_color=True if os.environ.get("NO_COLOR") or not terminal else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


@dataclass
class Output:
    """Standard output and standard error."""

    console: Console
    errors: Console
    json: bool
    interactive: bool
    """A person sits here: both ends are terminals, and lines of JSON were not asked for."""

    @classmethod
    def standard(cls, as_json: bool) -> Output:
        interactive = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
        return cls(
            _console(sys.stdout, as_json), _console(sys.stderr, as_json), as_json, interactive
        )

    @property
    def keys(self) -> bool:
        """Whether single keys can be read and the screen painted."""
        smart = os.environ.get("TERM", "dumb") not in ("dumb", "unknown", "")
        return self.interactive and smart and os.name == "posix"

    def line(self, text: str | Text = "", style: str = "") -> None:
        """A line, cards in colour. Never broken: whoever reads it by program finds it whole."""
        painted_text = painted(text, style) if isinstance(text, str) else text
        self.console.print(painted_text, soft_wrap=True)

    def lines(self, texts: Iterable[str | Text], style: str = "") -> None:
        for text in texts:
            self.line(text, style)

    def message(self, kind: str, message: Message, *, whole: bool = False) -> None:
        """A line of JSON: `{"event": {...}}`, the message in protobuf's JSON form.

        That leaves out zeros and empty lists, unless it is wanted `whole`.
        """
        told = MessageToDict(message, always_print_fields_with_no_presence=whole)
        self.record(**{kind: told})

    def record(self, **fields: object) -> None:
        """A line of JSON."""
        self.console.file.write(json.dumps(fields, ensure_ascii=False) + "\n")
        self.console.file.flush()

    def error(self, text: str) -> None:
        self.errors.print(Text(text), soft_wrap=True)
