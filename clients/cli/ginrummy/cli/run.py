"""What every command gets: words, where to write, the saved seats, the wanted server."""

from __future__ import annotations

from dataclasses import dataclass

from ginrummy.cli.access import OPEN, Access
from ginrummy.cli.output import Output
from ginrummy.cli.state import SavedSeats
from ginrummy.cli.words import Words


@dataclass(frozen=True)
class Run:
    words: Words
    output: Output
    seats: SavedSeats
    server: str = ""
    """Empty = a private one."""
    access: Access = OPEN
    """To the named server."""
