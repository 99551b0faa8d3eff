"""Times every way in every round, so that a busy moment spoils none alone."""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

Key = TypeVar("Key")


@dataclass(frozen=True)
class Timed(Generic[Key]):
    """A pass to time, under which key, and how many hands it answers."""

    key: Key
    run: Callable[[], object]
    hands: int


def stay_on_one_core(core: int | None) -> int | None:
    """Binds this process to a core; tells which, or nothing where the system cannot."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    chosen = max(os.sched_getaffinity(0)) if core is None else core
    os.sched_setaffinity(0, {chosen})
    return chosen


def measure(
    passes: list[Timed[Key]], rounds: int, least_s: float, tell: Callable[[str], None]
) -> dict[Key, list[float]]:
    """Hands answered in a second of this process's own time, one figure a round.

    The order turns round from one round to the next. A pass is repeated until it lasts.
    """
    times = [_times_needed(timed.run, least_s) for timed in passes]
    rates: dict[Key, list[float]] = {timed.key: [] for timed in passes}
    for done in range(rounds):
        tell(f"round {done + 1} of {rounds}")
        order = list(zip(passes, times, strict=True))
        for timed, repeats in order if done % 2 == 0 else reversed(order):
            seconds = _seconds(timed.run, repeats)
            rates[timed.key].append(timed.hands * repeats / seconds)
    return rates


def ratio(ours: list[float], theirs: list[float]) -> tuple[float, float, float]:
    """How many times as fast ours was in the same round: the median, the least, the most."""
    shares = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    return statistics.median(shares), min(shares), max(shares)


def _times_needed(run: Callable[[], object], least_s: float) -> int:
    """How often a pass is repeated. Every pass has run before, when its answers were compared."""
    times = 1
    while (seconds := _seconds(run, times)) < least_s / 2:
        times *= 2
    return max(1, round(times * least_s / seconds))


def _seconds(run: Callable[[], object], times: int) -> float:
    with _no_garbage_collection():
        began_s = time.process_time()
        for _ in range(times):
            run()
        return time.process_time() - began_s


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
