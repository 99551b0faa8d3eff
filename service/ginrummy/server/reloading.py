"""Files that are read again when they change: API keys and certificates."""

import asyncio
import logging
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

POLL_S = 1.0

lines = logging.getLogger(__name__)

Stamp = tuple[tuple[int, int, int] | None, ...]


class UnusableFileError(Exception):
    """A file cannot be used; the message names it and says why, and shows nothing of it."""


class FromFiles(Protocol):
    """What is made of files, and made anew when they change."""

    @property
    def what(self) -> str:
        """What it is, in plural."""

    @property
    def files(self) -> Sequence[Path]:
        """What it is made of."""

    def load(self) -> Any:
        """Reads and checks the files, in any thread. Raises UnusableFileError."""

    def take(self, loaded: Any) -> None:
        """Uses what `load` gave, from now on."""


def read_text(option: str, path: Path) -> str:
    """A file as the option names it. Raises UnusableFileError."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UnusableFileError(f"--{option} {path}: {reason}") from error
    except UnicodeDecodeError as error:
        raise UnusableFileError(f"--{option} {path}: is no text") from error
    if not text:
        # Whoever replaces a file in place empties it first.
        raise UnusableFileError(f"--{option} {path}: is empty")
    return text


def warn_if_exposed(option: str, path: Path) -> None:
    """A warning for a file of secrets that everybody on the machine may read or change."""
    if path.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH):
        lines.warning("--%s %s: other users may read or change it; chmod o-rwx", option, path)


class Reloading:
    """Looks at the files once a second, and at once when it is poked.

    A changed file is read when it has not changed any more for one look, since a certificate and
    its key are seldom written in the same moment. One that cannot be used changes nothing.
    """

    def __init__(self, parts: Sequence[FromFiles]) -> None:
        self._parts = [_Part(part) for part in parts]
        self._poked = asyncio.Event()

    def poke(self) -> None:
        """Reads all files again now, changed or not."""
        self._poked.set()

    async def forever(self) -> None:
        """Until it is cancelled."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._poked.wait(), POLL_S)
            was_poked = self._poked.is_set()
            self._poked.clear()
            for part in self._parts:
                if await asyncio.to_thread(part.is_due) or was_poked:
                    await part.reload()


class _Part:
    def __init__(self, part: FromFiles) -> None:
        self._part = part
        self._taken = self._seen = self._stamp()

    def _stamp(self) -> Stamp:
        return tuple(_stamp(path) for path in self._part.files)

    def is_due(self) -> bool:
        """They have changed since they were read, and not since the last look."""
        before, self._seen = self._seen, self._stamp()
        return self._seen != self._taken and self._seen == before

    async def reload(self) -> None:
        self._taken = self._seen = await asyncio.to_thread(self._stamp)
        try:
            self._part.take(await asyncio.to_thread(self._part.load))
        except UnusableFileError as error:
            lines.error("%s stay as they were: %s", self._part.what, error)
        else:
            lines.info("%s were read again", self._part.what)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
