"""Whether a move costs more late in a long match: the first hands beside the fiftieth."""

from __future__ import annotations

import asyncio
import statistics
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import grpc.aio
from bench_service.moves import WAYS, Sample, Seat, end_match, new_match

from bench_scale.crowd import play_on
from bench_scale.report import Figure, median, percentile, tell
from bench_scale.servers import Service, service
from ginrummy.v1 import match_service_pb2, view_pb2
from ginrummy.v1.match_service_pb2_grpc import MatchServiceStub

if TYPE_CHECKING:
    from ginrummy.v1.match_service_pb2_grpc import MatchServiceAsyncStub

AIM = 1.1
"""The noise of a round."""
MATCHES = 32
LATE_HAND = 50
PLAYED = ("Play", "Act + WatchMatch")
AGEING_S = 5
Made = list[tuple[list[Seat], str]]


def measure(folder: Path, rounds: int) -> list[Figure]:
    """New matches and old ones in turn."""
    with service("SQLite FULL", folder) as running:
        return asyncio.run(_measure(running, rounds))


async def _measure(running: Service, rounds: int) -> list[Figure]:
    early: dict[str, list[Sample]] = defaultdict(list)
    late: dict[str, list[Sample]] = defaultdict(list)
    address = running.server.address
    async with grpc.aio.insecure_channel(address) as channel:
        stub: MatchServiceAsyncStub = MatchServiceStub(channel)
        old = await _new(stub)
        # One hand before, so that the figure is of what later hands add.
        await play_on(running.server, _seats(old), WAYS["Play"], AGEING_S / 5)
        before_kb = running.server.memory_kb()
        await _grow_old(running, stub, old)
        kb = (running.server.memory_kb() - before_kb) / MATCHES
        heads = [(await _view(stub, seats[0])).sequence for seats, _ in old]
        for done in range(rounds):
            tell(f"round {done + 1} of {rounds}: new matches and old ones")
            for way in PLAYED:
                new = await _new(stub)
                # Two hands at most are played in it.
                early[way].append(await play_on(running.server, _seats(new), WAYS[way], 1))
                late[way].append(await play_on(running.server, _seats(old), WAYS[way], 1))
                await _end(stub, new)
        await _end(stub, old)
    figures = [
        Figure("events of an old match", statistics.median(heads), ""),
        Figure("memory of an old match more than of a new one", kb, "kB"),
    ]
    for way in PLAYED:
        figures += _figures(way, early[way], late[way])
    return figures


def _figures(way: str, early: list[Sample], late: list[Sample]) -> list[Figure]:
    pairs = list(zip(late, early, strict=True))
    ratios = [b.per_cpu_second / a.per_cpu_second for a, b in pairs]
    late_ms = [1e3 * percentile(s.latencies_s, 99) for s in late]
    return [
        median(f"{way}: CPU of a move at hand 1", [1e6 / s.per_cpu_second for s in early], "us"),
        median(f"{way}: at hand {LATE_HAND}", [1e6 / s.per_cpu_second for s in late], "us"),
        median(f"{way}: times", ratios, "", AIM),
        median(f"{way}: p99 at hand {LATE_HAND}", late_ms, "ms"),
    ]


async def _new(stub: MatchServiceAsyncStub) -> Made:
    return [await new_match(stub) for _ in range(MATCHES)]


async def _end(stub: MatchServiceAsyncStub, made: Made) -> None:
    for seats, host_token in made:
        await end_match(stub, seats, host_token)


def _seats(made: Made) -> list[Seat]:
    return [seat for seats, _ in made for seat in seats]


async def _grow_old(running: Service, stub: MatchServiceAsyncStub, made: Made) -> None:
    youngest = 0
    while youngest < LATE_HAND:
        await play_on(running.server, _seats(made), WAYS["Play"], AGEING_S)
        views = [await _view(stub, seats[0]) for seats, _ in made]
        youngest = min(view.hand_number for view in views)
        tell(f"{MATCHES} matches are at hand {youngest} of {LATE_HAND}")


async def _view(stub: MatchServiceAsyncStub, seat: Seat) -> view_pb2.View:
    request = match_service_pb2.GetViewRequest(name=seat.match)
    return (await stub.GetView(request, metadata=seat.metadata, timeout=30)).view
