"""How the server's threads share a core: by turns, as long as it is busy.

In Linux a thread that wakes may interrupt the one that runs. gRPC has a thread that wakes for every
message which has been read or written, only to tell the event loop of it, and so interrupts that
two or three times a move. A thread of the policy SCHED_BATCH waits instead until the core is free
or it is its turn, some milliseconds at most; by then there is more to tell of at once.

It would wait for any other thread too, and some of them never rest. So it is done only while the
event loop itself has most of a core, of which beside such a thread it gets half at most.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

LOOK_S = 0.25
"""How often it is looked at whether the server is busy."""
BUSY = 0.55
"""Of one core, used by the event loop's thread."""
SPARE = 0.4
"""The same of one that is not busy any more: by turns the same load takes less."""
SPARE_LOOKS = 2
"""After so many in a row; one alone may be of a process that was stopped for a moment."""

THREADS = Path("/proc/self/task")
"""A folder for each thread of this process, in Linux."""


async def take_turns_when_busy(used_s: Callable[[], float] = time.thread_time) -> None:
    """Looks after the threads of this process, until it is cancelled.

    `used_s`: the processor time that the event loop's thread has used. Threads with a policy that
    somebody chose for them keep it. Does nothing where there are no such policies.
    """
    if not _can_choose():
        return
    are_taking_turns = False
    spare_looks = 0
    try:
        while True:
            began_s, before_s = time.monotonic(), used_s()
            await asyncio.sleep(LOOK_S)
            share = (used_s() - before_s) / (time.monotonic() - began_s)
            spare_looks = spare_looks + 1 if share < SPARE else 0
            if share >= BUSY or (are_taking_turns and spare_looks < SPARE_LOOKS):
                _reschedule(os.SCHED_OTHER, os.SCHED_BATCH)
                are_taking_turns = True
            elif are_taking_turns:
                are_taking_turns = not _reschedule(os.SCHED_BATCH, os.SCHED_OTHER)
    finally:
        if are_taking_turns:
            _reschedule(os.SCHED_BATCH, os.SCHED_OTHER)


def _can_choose() -> bool:
    try:
        return THREADS.is_dir() and os.sched_getscheduler(0) == os.SCHED_OTHER
    except OSError:
        return False


def _reschedule(before: int, after: int) -> bool:
    """Gives the threads that have the one policy the other; whether they could be listed.

    A thread has at first the policy of the one that begins it.
    """
    try:
        threads = [int(folder.name) for folder in THREADS.iterdir()]
    except OSError:  # such as too many open files
        return False
    for thread in threads:
        with contextlib.suppress(OSError):  # it has ended, or the system does not let us
            if os.sched_getscheduler(thread) == before:
                os.sched_setscheduler(thread, after, os.sched_param(0))
    return True
