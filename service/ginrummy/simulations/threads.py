"""The threads that play, for as long as there is something to play."""

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

from ginrummy.engine import Cancel, Tally
from ginrummy.simulations.run import PairRun, Slice

LOWEST_PRIORITY = 19
"""As `nice` has it. Whoever plays at a table goes before whoever only counts."""


def usual_count() -> int:
    """A core is left to the tables."""
    return max((os.cpu_count() or 1) - 1, 1)


def playing_threads(count: int) -> ThreadPoolExecutor:
    """Threads that begin when they are first needed."""
    return ThreadPoolExecutor(count, "simulation", initializer=_give_way)


def _give_way() -> None:
    """Linux has a priority for each thread; elsewhere it is the whole program's."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST_PRIORITY)


def playing(pair: PairRun, part: Slice, cancel: Cancel) -> Callable[[], tuple[Tally | None, float]]:
    """Plays the slice without Python's lock: the tally, None when cancelled, and the seconds."""
    pairing = pair.pairing

    def play() -> tuple[Tally | None, float]:
        began_s = perf_counter()
        tally = pairing.play(part.first, part.end, cancel)
        return tally, perf_counter() - began_s

    return play
