"""The threads that play, for as long as there is something to play."""

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import perf_counter

from ginrummy.engine import Cancel, Tally
from ginrummy.simulations.run import PairRun, Slice


def usual_count() -> int:
    """A core is left to the tables."""
    return max((os.cpu_count() or 1) - 1, 1)


def playing_threads(count: int) -> ThreadPoolExecutor:
    """Threads that begin when they are first needed."""
    return ThreadPoolExecutor(count, "simulation", initializer=_give_way)


def _give_way() -> None:
    """Whoever plays at a table goes before whoever only counts.

    In Linux, where each thread has a policy; elsewhere the whole program has one priority.
    """
    if sys.platform == "linux":
        with suppress(OSError):  # of a system that does not let us
            os.sched_setscheduler(threading.get_native_id(), os.SCHED_IDLE, os.sched_param(0))


def playing(pair: PairRun, part: Slice, cancel: Cancel) -> Callable[[], tuple[Tally | None, float]]:
    """Plays the slice without Python's lock: the tally, None when cancelled, and the seconds."""
    pairing = pair.pairing

    def play() -> tuple[Tally | None, float]:
        began_s = perf_counter()
        tally = pairing.play(part.first, part.end, cancel)
        return tally, perf_counter() - began_s

    return play
