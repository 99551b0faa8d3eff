"""Locks on files, which the system lets go of when their holder ends, however that happens.

Where the system has none (Windows), every lock is free: one program at a time still works.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

_POLL_S = 0.03


def try_lock(handle: int, *, shared: bool = False) -> bool:
    """Takes the lock, or changes the one that is held; False = somebody else has it."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def wait_lock(handle: int) -> None:
    """Waits until nobody else has it, and takes it."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX)


@contextmanager
def lock_file(path: Path) -> Iterator[int]:
    """The file of a lock, for nobody else to read; what was locked through it ends with it."""
    # Handles of Python are not inherited by the programs that it starts.
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield handle
    finally:
        os.close(handle)


@asynccontextmanager
async def locked(path: Path, *, shared: bool = False) -> AsyncIterator[int]:
    """Holds the lock; waits for it as long as it takes."""
    with lock_file(path) as handle:
        while True:
            if try_lock(handle, shared=shared):
                break
            await asyncio.sleep(_POLL_S)
        yield handle


def is_locked(path: Path) -> bool:
    """Whether somebody holds it alone."""
    with contextlib.suppress(FileNotFoundError):
        handle = os.open(path, os.O_RDWR)
        try:
            return not try_lock(handle, shared=True)
        finally:
            os.close(handle)
    return False
