"""Runs a command for as long as anybody uses it.

A private server must not outlive the programs that use it, however they end: a killed program
cannot end anything, but its end of a pipe is closed, and its locks are let go of. So whoever
started this keeps its standard input open; when that ends, it waits for the other users, who share
the lock of a file. Whoever alone uses the command says `end` before, and waits for it.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

from ginrummy.cli.locks import lock_file, wait_lock

END = b"end"
_END_S = 10.0


def keep(alive: Path, users: Path, command: list[str]) -> int:
    """Its exit code. While it runs, this alone has the lock of `alive`."""
    with lock_file(alive) as handle:
        wait_lock(handle)
        kept = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        threading.Thread(target=_end_with_users, args=(kept, users), daemon=True).start()
        return kept.wait()


def _end_with_users(kept: subprocess.Popen[bytes], users: Path) -> None:
    said = b""
    while chunk := os.read(0, 1024):
        said += chunk
    # Its folder may have gone.
    with contextlib.suppress(FileNotFoundError):
        if said != END:
            # Never closed: who comes now waits until this program has ended.
            wait_lock(os.open(users, os.O_RDWR))
    kept.terminate()
    try:
        kept.wait(_END_S)
    except subprocess.TimeoutExpired:
        kept.kill()


if __name__ == "__main__":
    sys.exit(keep(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
