"""The program as a person starts it: through a pipe, or in a pseudo-terminal."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

PATIENCE_S = 90
"""What a program is given to start, say or end what takes it a second or two."""
CLI = [sys.executable, "-m", "ginrummy.cli"]
PLAY = ("play", "--ruleset", "short", "--bot", "simple", "--hints", "--seed", "tuesday")
"""A match that does not end, nor the first hand, before the player has acted."""
_CODES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])")


def environment(state: Path, **more: str) -> dict[str, str]:
    """An English terminal of its own, with a folder of its own."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("GINRUMMY_", "LC_", "LANG", "NO_COLOR", "COLUMNS", "LINES"))
    }
    own = {"LANG": "en_GB.UTF-8", "GINRUMMY_STATE_DIR": str(state), "PYTHONUTF8": "1"}
    return {**kept, **own, **more}


def run(
    *arguments: str, state: Path, typed: str = "", timeout_s: float = PATIENCE_S, **more: str
) -> subprocess.CompletedProcess[str]:
    """Runs a command with pipes instead of a terminal."""
    return subprocess.run(
        [*CLI, *arguments],
        input=typed,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        env=environment(state, **more),
        check=False,
    )


class Terminal:
    """The program in a pseudo-terminal, with what it has last painted.

    A thread reads all that it says: a program that nobody reads is held up by its own screens.
    """

    def __init__(
        self, *arguments: str, env: Mapping[str, str], columns: int = 80, rows: int = 24
    ) -> None:
        pid, self.fd = pty.fork()
        if pid == 0:
            # Whoever runs the tests in the background ignores it, and that would be inherited.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            # The parent sets the size before it lets the program read anything.
            os.execvpe(CLI[0], [*CLI, *arguments], dict(env))
        self.pid = pid
        self.heard = ""
        self._code: int | None = None
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._spoke = threading.Condition()
        self._is_silent = False
        """Nothing will come any more."""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """All of it, without control codes."""
        return _CODES.sub("", self.heard).replace("\r", "")

    @property
    def screen(self) -> str:
        """What was painted last: since the cursor last went home."""
        return _CODES.sub("", self.heard.rpartition("\x1b[H")[2]).replace("\r", "")

    @property
    def state(self) -> str:
        """All there is to know when a test fails: screen, process, connections."""
        connections = []
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            local, remote, state = line.split()[1:4]
            ports = [int(end.rpartition(":")[2], 16) for end in (local, remote)]
            connections.append(f"{ports[0]} -> {ports[1]} state {state}")
        ended = f"ended: {self.has_ended}, with {self._code}"
        return "\n".join(
            [self.screen, f"the end of all: {self.text[-300:]!r}", ended, *connections]
        )

    @property
    def has_ended(self) -> bool:
        """Whether the program is over."""
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code is not None

    def send(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def wait_for(self, wanted: Callable[[], bool], timeout_s: float = PATIENCE_S) -> bool:
        """Waits until it is there; False, and says all, when the program ends or takes too long."""
        with self._spoke:
            self._spoke.wait_for(lambda: wanted() or self._is_silent, timeout_s)
            is_there = wanted()
        if not is_there:
            sys.stdout.write(self.state)
        return is_there

    def settle(self, quiet_s: float = 0.15) -> None:
        """Waits until nothing more comes."""
        with self._spoke:
            while not self._is_silent and self._spoke.wait(quiet_s):
                pass

    def _read(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        while chunk := self._chunk():
            with self._spoke:
                self.heard += decoder.decode(chunk)
                self._spoke.notify_all()
        with self._spoke:
            self._is_silent = True
            self._spoke.notify_all()

    def _chunk(self) -> bytes:
        try:
            return os.read(self.fd, 65536)
        except OSError:
            # Linux says so when the program has ended.
            return b""

    def exit_code(self, timeout_s: float = PATIENCE_S) -> int:
        """The code it ended with, once all that it said is read."""
        until = time.monotonic() + timeout_s
        while not self.has_ended:
            assert time.monotonic() < until, f"did not end; it said:\n{self.state}"
            time.sleep(0.01)
        self._reader.join(timeout_s)
        assert not self._reader.is_alive(), "somebody else keeps the terminal open"
        assert self._code is not None
        return self._code

    def close(self) -> None:
        if self._code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self._reader.join(PATIENCE_S)
        os.close(self.fd)
