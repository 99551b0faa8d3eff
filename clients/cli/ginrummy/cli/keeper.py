"""Runs a command for as long as whoever started this keeps its standard input open.

A private server must not outlive the program that it is for, however that ends: a killed program
cannot end anything, but its end of a pipe is closed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading

_END_S = 10.0


def keep(command: list[str]) -> int:
    """Its exit code."""
    kept = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    threading.Thread(target=_end_with_owner, args=(kept,), daemon=True).start()
    return kept.wait()


def _end_with_owner(kept: subprocess.Popen[bytes]) -> None:
    while os.read(0, 1024):
        pass
    kept.terminate()
    try:
        kept.wait(_END_S)
    except subprocess.TimeoutExpired:
        kept.kill()


if __name__ == "__main__":
    sys.exit(keep(sys.argv[1:]))
