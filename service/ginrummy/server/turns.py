"""How the server's threads share a core: by turns, as long as it is busy.

In Linux a thread that wakes may interrupt the one that runs. gRPC has a thread that wakes for every
message which has been read or written, only to tell the event loop of it, and so interrupts that
two or three times a move. A thread of the policy SCHED_BATCH waits instead until the core is free
or it is its turn, some milliseconds at most; by then there is more to tell of at once.

It would wait for the threads of other programs too, and some of them never leave the core. So it is
done only while the server uses most of a core, which it does not get beside such a program.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

LOOK_S = 0.25
"""How often it is looked at whether the server is busy."""
BUSY = 0.75
"""Of one core, used by all threads. Beside a program that never rests they get two thirds."""

TASKS = Path("/proc/self/task")
"""A folder for each thread of this process, in Linux."""


async def take_turns_when_busy(used_s: Callable[[], float] = time.process_time) -> None:
    """Looks after all threads of this process, until it is cancelled.

    `used_s`: the processor time that they have used. Does nothing where there is no such policy, or
    where whoever started the process has chosen one.
    """
    if not _is_to_choose():
        return
    are_taking_turns = False
    try:
        while True:
            began_s, before_s = time.monotonic(), used_s()
            await asyncio.sleep(LOOK_S)
            is_busy = used_s() - before_s >= BUSY * (time.monotonic() - began_s)
            if is_busy != are_taking_turns:
                _schedule(os.SCHED_BATCH if is_busy else os.SCHED_OTHER)
                are_taking_turns = is_busy
    finally:
        if are_taking_turns:
            _schedule(os.SCHED_OTHER)


def _is_to_choose() -> bool:
    return TASKS.is_dir() and os.sched_getscheduler(0) == os.SCHED_OTHER


def _schedule(policy: int) -> None:
    """Sets the policy of every thread; those that they begin later have it too."""
    for task in TASKS.iterdir():
        with contextlib.suppress(OSError):  # it has ended, or the system does not let us
            os.sched_setscheduler(int(task.name), policy, os.sched_param(0))
