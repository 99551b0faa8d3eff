"""How soon a server is ready with many matches in its log, and how it answers meanwhile."""

from __future__ import annotations

import asyncio
import shutil
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

import grpc.aio
from bench_service.moves import TIMEOUT_S, play, sample_moves

from bench_scale.crowd import CLOCKED, ENDED, OVERDUE, RESTING, Crowds, Kind
from bench_scale.report import Figure, median, tell
from bench_scale.servers import Service
from ginrummy.v1 import match_service_pb2
from ginrummy.v1.match_service_pb2_grpc import MatchServiceStub

if TYPE_CHECKING:
    from ginrummy.v1.match_service_pb2_grpc import MatchServiceAsyncStub

AIM_S = 5
STARTS = 3
LOOKED_S = 20
"""After it is ready, at least until it has gone on with what it has to."""
EACH_S = 0.02
QUIET_CPU = 0.1
"""Of a core: a server that uses less has done what it had to."""


def measure(crowds: Crowds) -> list[Figure]:
    """All figures."""
    figures: list[Figure] = []
    for kind in (RESTING, CLOCKED, OVERDUE, ENDED):
        folder = crowds.folder(kind)
        if kind is OVERDUE:
            _wait_until_over(folder)
        figures += _starts(crowds, kind, folder)
    for kind in (RESTING, CLOCKED):
        figures.append(_after_kill(kind, crowds.folder(kind)))
    return figures


def _wait_until_over(folder: Path) -> None:
    over_s = (folder / "made").stat().st_mtime + OVERDUE.turn_time_s + 1
    time.sleep(max(over_s - time.time(), 0))


def _starts(crowds: Crowds, kind: Kind, folder: Path) -> list[Figure]:
    """Several starts; after the first one it is seen how the server answers."""
    times_s, first = [], None
    for _ in range(STARTS):
        # Of a copy, as a server goes on with what it finds.
        copy = crowds.new_folder("started")
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        running = Service(kind.name, copy)
        times_s.append(running.ready_s)
        tell(f"{kind.text}: ready after {running.ready_s:.2f} s")
        try:
            first = first or asyncio.run(_look(running))
        finally:
            running.stop()
    assert first is not None
    return [median(f"ready, {kind.text}", times_s, "s", AIM_S), *_told(kind, first)]


def _told(kind: Kind, first: tuple[float, list[float]]) -> list[Figure]:
    busy_s, answers_s = first
    # Clocks that run out one after the other keep a server at work for as long as it is looked at.
    busy = [] if kind is OVERDUE else [Figure(f"then busy, {kind.text}", busy_s, "s")]
    return [
        *busy,
        Figure(f"GetView meanwhile, {kind.text}: p50", 1e3 * statistics.median(answers_s), "ms"),
        Figure(f"the longest, {kind.text}", 1e3 * max(answers_s), "ms"),
    ]


def _after_kill(kind: Kind, folder: Path) -> Figure:
    times_s = []
    for _ in range(STARTS):
        running = Service(kind.name, folder)
        asyncio.run(sample_moves(running.server, play, 20, 1))
        running.kill()
        running = Service(kind.name, folder)
        times_s.append(running.ready_s)
        running.stop()
        tell(f"{kind.text}, killed: ready after {running.ready_s:.2f} s")
    return median(f"ready after SIGKILL, {kind.text}", times_s, "s", AIM_S)


async def _look(running: Service) -> tuple[float, list[float]]:
    """For how long a new server is busy by itself, and how long calls take meanwhile."""
    server, answers_s = running.server, []
    began_s = time.perf_counter()
    busy_until_s = began_s
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub: MatchServiceAsyncStub = MatchServiceStub(channel)
        names = await _some_names(stub)
        while time.perf_counter() - busy_until_s < 1 and time.perf_counter() - began_s < LOOKED_S:
            cpu_s, part_s = server.cpu_s(), time.perf_counter()
            for name in names:
                asked_s = time.perf_counter()
                view = match_service_pb2.GetViewRequest(name=name)
                await stub.GetView(view, timeout=TIMEOUT_S)
                answers_s.append(time.perf_counter() - asked_s)
                await asyncio.sleep(EACH_S)
            now_s = time.perf_counter()
            if (server.cpu_s() - cpu_s) / (now_s - part_s) > QUIET_CPU:
                busy_until_s = now_s
    return busy_until_s - began_s, answers_s


async def _some_names(stub: MatchServiceAsyncStub) -> list[str]:
    listed = await stub.ListMatches(
        match_service_pb2.ListMatchesRequest(page_size=20), timeout=TIMEOUT_S
    )
    return [match.name for match in listed.matches]
