"""The seats that this person holds, on disk, so that a match can be gone on with.

One file for each seat: two programs never write the same one. Tokens are secrets: the folders are
0700 and the files 0600.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from platformdirs import user_state_path

from ginrummy.cli.locks import is_locked, lock_file, try_lock

ENVIRONMENT = "GINRUMMY_STATE_DIR"


def state_folder() -> Path:
    """The user's folder for this program; GINRUMMY_STATE_DIR names another."""
    chosen = os.environ.get(ENVIRONMENT)
    return Path(chosen) if chosen else user_state_path("ginrummy", appauthor=False)


def private_folder(path: Path) -> Path:
    """Makes a folder that nobody else can read."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.chmod(0o700)
    return path


def write_private(path: Path, text: str) -> None:
    """Writes a file that nobody else can read. A program that stops meanwhile leaves the old one
    whole."""
    # mkstemp makes the file 0600.
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@dataclass(frozen=True)
class SavedSeat:
    """A seat at a table, with the token that plays it.

    The host's token is not kept, though who creates a match gets it: it could take the opponent's
    seat, and nothing here needs it.
    """

    match: str
    """`matches/{id}`"""
    seat: int
    token: str
    server: str = ""
    """Its address; empty = a private server."""
    folder: str = ""
    """Of the private server, by name."""
    ruleset: str = ""
    opponent: str = ""
    created: float = 0.0
    commitment: str = ""
    """The deal commitment in hex, as it was before the first card."""
    over: bool = False


class SavedSeats:
    """All saved seats of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _path(self, match: str, seat: int) -> Path:
        return self.folder / "seats" / f"{match.removeprefix('matches/')}-{seat}.json"

    def save(self, saved: SavedSeat) -> None:
        """Writes a seat down."""
        private_folder(self.folder)
        path = self._path(saved.match, saved.seat)
        private_folder(path.parent)
        write_private(path, json.dumps(asdict(saved)))

    @contextmanager
    def played(self, saved: SavedSeat) -> Iterator[bool]:
        """Holds the seat while this program plays it; False = another one does."""
        private_folder(self._path(saved.match, saved.seat).parent)
        with lock_file(self._lock(saved)) as handle:
            yield try_lock(handle)

    def is_played(self, saved: SavedSeat) -> bool:
        """Whether a program plays it now."""
        return is_locked(self._lock(saved))

    def _lock(self, saved: SavedSeat) -> Path:
        return self._path(saved.match, saved.seat).with_suffix(".lock")

    def all(self) -> list[SavedSeat]:
        """The latest first. A file that cannot be read is left alone and left out."""
        found = (_read(path) for path in (self.folder / "seats").glob("*.json"))
        return sorted((s for s in found if s), key=lambda saved: saved.created, reverse=True)

    def of_match(self, match: str, seat: int | None = None) -> SavedSeat | None:
        return next((s for s in self.all() if s.match == match and seat in (None, s.seat)), None)

    def latest(self, server: str, seat: int | None = None) -> SavedSeat | None:
        """The seat to go on with: of the latest match that is not over, on any server or this;
        rather one that is not being played."""
        found = [
            saved
            for saved in self.all()
            if server in ("", saved.server) and not saved.over and seat in (None, saved.seat)
        ]
        return next(
            (saved for saved in found if not self.is_played(saved)), next(iter(found), None)
        )


def _read(path: Path) -> SavedSeat | None:
    known = {field.name for field in fields(SavedSeat)}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return SavedSeat(**{key: value for key, value in content.items() if key in known})
    except (OSError, ValueError, TypeError, AttributeError):
        return None
