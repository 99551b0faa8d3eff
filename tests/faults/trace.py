"""A server's system calls, in their order: when it waits for the disk, and when it answers.

An action is answered only after its entry is on the disk. So between the last write to the
write-ahead log and the next answer on a client's socket there has to be an fdatasync (or fsync) of
that log which has returned 0.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

CALLS = "pwrite64,pwritev,pwritev2,write,writev,fdatasync,fsync,sendmsg,sendto"
WAL = "-wal"
HEADER_LEN = 9
DATA = 0
"""The type of the frames that carry messages, beside headers, settings and pings."""
SYNCS = ("fdatasync", "fsync")

_LINE = re.compile(r"^(?P<task>\d+) +(?P<rest>.*)$")
_CALL = re.compile(r"^(?P<name>\w+)\(\d+<(?P<target>.*?)>(?=[,)]|$| <unfinished)(?P<rest>.*)$")
_RESUMED = re.compile(r"^<\.\.\. (?P<name>\w+) resumed>(?P<rest>.*)$")
_RESULT = re.compile(r"= (?P<result>-?\d+)[^=]*$")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


class AnsweredTooEarly(AssertionError):  # noqa: N818 - as it is read
    """An answer was sent before the disk had what it speaks of."""


def strace(trace: Path) -> tuple[str, ...]:
    """The program that runs another one and writes down its calls."""
    options = ("-f", "-yy", "-xx", "-s", "65536", "-e", f"trace={CALLS}", "-e", "signal=none")
    return ("strace", *options, "-o", str(trace))


@dataclass(frozen=True)
class Call:
    """The begin or the end of one system call."""

    name: str
    target: str
    """The file or the connection."""
    sent: bytes
    """What is written or sent. Known at the begin."""
    result: int | None
    """None at the begin."""


def calls(lines: Iterable[str]) -> Iterator[Call]:
    """Begins and ends in their order. A call that nothing interrupts has both in one line."""
    unfinished: dict[str, tuple[str, str]] = {}
    for line in lines:
        read = _LINE.match(line)
        if read is None:
            continue
        task, rest = read["task"], read["rest"]
        if begun := _CALL.match(rest):
            target = _text(begun["target"])
            yield Call(begun["name"], target, _bytes_in(begun["rest"]), None)
            if "<unfinished" in begun["rest"]:
                unfinished[task] = begun["name"], target
            else:
                yield Call(begun["name"], target, b"", _result_of(begun["rest"]))
        elif (resumed := _RESUMED.match(rest)) and task in unfinished:
            name, target = unfinished.pop(task)
            yield Call(name, target, b"", _result_of(resumed["rest"]))


def _text(target: str) -> str:
    """A path, which strace writes as bytes, or a connection."""
    in_bytes = target.startswith("\\x")
    return bytes.fromhex(target.replace("\\x", "")).decode() if in_bytes else target


def _bytes_in(rest: str) -> bytes:
    return b"".join(bytes.fromhex(text.replace("\\x", "")) for text in _TEXT.findall(rest))


def _result_of(rest: str) -> int:
    found = _RESULT.search(rest)
    return int(found["result"]) if found else -1


@dataclass
class _Connection:
    """What was sent on one socket: frames of HTTP/2, which calls may cut anywhere."""

    rest: bytes = b""

    def frames_in(self, sent: bytes) -> Iterator[int]:
        """The types of the frames that begin in `sent`."""
        self.rest += sent
        while len(self.rest) >= HEADER_LEN:
            length = int.from_bytes(self.rest[:3], "big")
            if len(self.rest) < HEADER_LEN + length:
                return
            yield self.rest[3]
            self.rest = self.rest[HEADER_LEN + length :]


@dataclass
class Found:
    """A trace in numbers."""

    syncs: int = 0
    """Waits for the disk that had something to wait for."""
    answers: int = 0
    """Messages with content that were sent to clients."""
    connections: dict[str, _Connection] = field(default_factory=dict, repr=False)


def check_trace(lines: Iterable[str]) -> Found:
    """Raises AnsweredTooEarly if an answer was sent while the disk had yet to write an entry.

    For a server with one client that asks for one thing after the other; or another one's answer
    could come in between.
    """
    found = Found()
    is_unsynced = is_syncing = False
    for call in calls(lines):
        if call.target.endswith(WAL) and call.name in SYNCS:
            if call.result is None:
                is_syncing = True
            elif call.result == 0 and is_syncing:
                found.syncs += is_unsynced
                is_unsynced = is_syncing = False
        elif call.target.endswith(WAL) and call.result is None:
            is_unsynced, is_syncing = True, False  # what is written during a sync waits for another
        elif call.target.startswith("TCP") and call.result is None:
            connection = found.connections.setdefault(call.target, _Connection())
            if DATA in list(connection.frames_in(call.sent)):
                found.answers += 1
                if is_unsynced:
                    raise AnsweredTooEarly(f"answer {found.answers} came before its entry was kept")
    return found
