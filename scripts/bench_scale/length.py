"""Whether a move costs more late in a long match: the first hands beside the fiftieth."""

from __future__ import annotations

import asyncio
import statistics
from typing import TYPE_CHECKING

import grpc.aio
from bench_service.moves import WAYS, Sample
from bench_service.servers import Server

from bench_scale.crowd import Crowds, Made, look_again, new_matches
from bench_scale.report import Figure, median, percentile, tell
from bench_scale.servers import service
from bench_scale.turns import games, in_turns
from ginrummy.v1.match_service_pb2_grpc import MatchServiceStub

if TYPE_CHECKING:
    from ginrummy.v1 import view_pb2
    from ginrummy.v1.match_service_pb2_grpc import MatchServiceAsyncStub

AIM = 1.1
"""What is left of a busy machine's noise."""
MATCHES = 32
LATE_HAND = 50
PLAYED = ("Play", "Act + WatchMatch")
PLAYED_S = 0.8
"""In each round: the new matches are still at their first hands when it is measured."""
TOLD_EACH = 10
"""Turns of half a second."""


def measure(crowds: Crowds, rounds: int) -> list[Figure]:
    """A server with new matches, and one with old ones."""
    with (
        service("new matches", crowds.new_folder("new")) as new,
        service("old matches", crowds.new_folder("old")) as old,
    ):
        return asyncio.run(_measure(new.server, old.server, rounds))


async def _measure(new: Server, old: Server, rounds: int) -> list[Figure]:
    aged = await new_matches(old, MATCHES)
    await _play_turns(old, aged, 1)
    before_kb = old.memory_kb()
    heads = await _grow_old(old, aged)
    kb = (old.memory_kb() - before_kb) / MATCHES
    figures = [
        Figure("events of an old match", statistics.median(heads), ""),
        Figure("memory of an old match, loaded, beyond that of a new one", kb, "kB"),
    ]
    for way in PLAYED:
        tell(f"{rounds} rounds: new matches and old ones by {way}")
        young = await new_matches(new, MATCHES)
        pairs = [(new, young), (old, aged)]
        early, late = await in_turns(WAYS[way], pairs, rounds, PLAYED_S)
        await young.end(new)
        figures += _figures(way, early, late)
    return figures


def _figures(way: str, early: list[Sample], late: list[Sample]) -> list[Figure]:
    pairs = list(zip(late, early, strict=True))
    ratios = [b.per_cpu_second / a.per_cpu_second for a, b in pairs]
    late_ms = [1e3 * percentile(s.latencies_s, 99) for s in late]
    return [
        median(f"{way}, first hands: CPU of a move", [1e6 / s.per_cpu_second for s in early], "us"),
        median(f"{way}, from hand {LATE_HAND}", [1e6 / s.per_cpu_second for s in late], "us"),
        median(f"{way}, from hand {LATE_HAND}: times", ratios, "", AIM),
        median(f"{way}, from hand {LATE_HAND}: p99", late_ms, "ms"),
    ]


async def _grow_old(server: Server, made: Made) -> list[int]:
    """Plays until every match is at the late hand; how many events each has then."""
    youngest, heads = 0, []
    while youngest < LATE_HAND:
        await _play_turns(server, made, TOLD_EACH)
        views = await _views(server, made)
        youngest = min(view.hand_number for view in views)
        heads = [view.sequence for view in views]
        tell(f"{MATCHES} matches are at hand {youngest} of {LATE_HAND}")
    return heads


async def _play_turns(server: Server, made: Made, turns: int) -> None:
    async with games(server, WAYS["Play"], made.seats) as playing:
        for _ in range(turns):
            await playing.turn(Sample())


async def _views(server: Server, made: Made) -> list[view_pb2.View]:
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub: MatchServiceAsyncStub = MatchServiceStub(channel)
        return [await look_again(stub, seats[0]) for seats, _ in made.matches]
