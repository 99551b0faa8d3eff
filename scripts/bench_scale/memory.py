"""What an open match holds of a server's memory, 1 % of them being played."""

from __future__ import annotations

import asyncio
import time

from bench_service.moves import play, sample_moves

from bench_scale.crowd import CLOCKED, RESTING, Crowds, Kind
from bench_scale.report import Figure
from bench_scale.servers import Service, service

AIM_KB = 20
PLAYED_S = 2
LET_GO_S = 90
"""At the latest by then the tables that nobody needs are no longer live."""
SHARE_IN_MEMORY = 5
"""With the log in memory only so many times fewer are made."""


def measure(crowds: Crowds) -> list[Figure]:
    """All figures. Makes the matches anew."""
    figures = [_loaded(crowds)]
    figures += _at_rest(crowds)
    figures.append(_after_restart(crowds))
    figures.append(_in_memory(crowds))
    return figures


def _loaded(crowds: Crowds) -> Figure:
    folder = crowds.new_folder(f"{CLOCKED.name}-{crowds.count}")
    with service(CLOCKED.name, folder) as running:
        kb = _each_kb(crowds, running, CLOCKED)
        loaded = running.metric("live_tables")
    crowds.keep(folder)
    return Figure(f"with a clock, just made, {loaded:,.0f} loaded", kb, "kB", AIM_KB)


def _at_rest(crowds: Crowds) -> list[Figure]:
    folder = crowds.new_folder(f"{RESTING.name}-{crowds.count}")
    with service(RESTING.name, folder) as running:
        before_kb = _active_kb(crowds, running)
        crowds.fill(running, RESTING)
        loaded = running.metric("live_tables")
        loaded_kb = running.server.memory_kb() - before_kb
        began_s = time.perf_counter()
        while running.metric("live_tables") > 0 and time.perf_counter() - began_s < LET_GO_S:
            time.sleep(1)
        let_go_s = time.perf_counter() - began_s
        rest_kb = _active_kb(crowds, running) - before_kb
    crowds.keep(folder)
    return [
        Figure(
            f"without a clock, just made, {loaded:,.0f} loaded",
            loaded_kb / crowds.count,
            "kB",
            AIM_KB,
        ),
        Figure("at rest, when they have been let go", rest_kb / crowds.count, "kB", AIM_KB),
        Figure("until they have been let go, after the last call", let_go_s, "s"),
    ]


def _after_restart(crowds: Crowds) -> Figure:
    with service("empty", crowds.new_folder("empty")) as running:
        empty_kb = _active_kb(crowds, running)
    with service(RESTING.name, crowds.folder(RESTING)) as running:
        kb = _active_kb(crowds, running) - empty_kb
    return Figure("at rest, after a restart", kb / crowds.count, "kB", AIM_KB)


def _in_memory(crowds: Crowds) -> Figure:
    few = Crowds(crowds.root, crowds.count // SHARE_IN_MEMORY)
    with service("log in memory", None) as running:
        kb = _each_kb(few, running, CLOCKED)
    return Figure("loaded, with the log in memory too", kb, "kB")


def _each_kb(crowds: Crowds, running: Service, kind: Kind) -> float:
    before_kb = _active_kb(crowds, running)
    crowds.fill(running, kind)
    return (_active_kb(crowds, running) - before_kb) / crowds.count


def _active_kb(crowds: Crowds, running: Service) -> float:
    """The server's memory after 1 % of the matches have been played for a while."""
    asyncio.run(sample_moves(running.server, play, max(crowds.count // 100, 1), PLAYED_S))
    return running.server.memory_kb()
