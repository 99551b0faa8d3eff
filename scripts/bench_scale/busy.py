"""What a move costs where many other matches are open, beside a server where none are."""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack

from bench_service.moves import WAYS, Sample
from bench_service.servers import Server

from bench_scale.crowd import CLOCKED, RESTING, Crowds, new_matches
from bench_scale.report import Figure, median, percentile, tell
from bench_scale.servers import Service, service
from bench_scale.turns import in_turns
from bench_scale.watchers import Streams, Watched

AIM = 1.5
PLAYED = ("Play", "Act + WatchMatch")
FEW = "few"
WATCHED = "watched"
LOADED_S = 60
LONGEST_HEARTBEAT_S = 60
OTHERS = (
    "{matches:,} " + RESTING.text,
    "{matches:,} " + CLOCKED.text,
    "{streams:,} idle streams of the seats of others",
)
"""What there is beside the matches being played, in each server after the first."""


def measure(crowds: Crowds, watchers: int, rounds: int, seconds: float) -> list[Figure]:
    """The servers in turn, each with as many matches being played."""
    active = max(crowds.count // 100, 1)
    with ExitStack() as stack:
        running = [stack.enter_context(service(FEW, crowds.new_folder(FEW)))]
        for kind in (RESTING, CLOCKED):
            running.append(stack.enter_context(service(kind.name, crowds.folder(kind))))
        running.append(stack.enter_context(service(WATCHED, crowds.new_folder(WATCHED))))
        _wait_until_settled(running[2])
        servers = [one.server for one in running]
        figures: list[Figure] = []
        for way in PLAYED:
            tell(f"{rounds} rounds: {active} matches played by {way}")
            taken = asyncio.run(_play(servers, way, active, watchers, rounds, seconds))
            others = [text.format(matches=crowds.count, streams=watchers) for text in OTHERS]
            figures += _figures(way, active, others, taken)
        return figures


async def _play(
    servers: list[Server], way: str, active: int, watchers: int, rounds: int, seconds: float
) -> list[list[Sample]]:
    watched_server = servers[-1]
    async with Streams(watched_server.address) as streams:
        watched = await new_matches(watched_server, watchers // 2)
        # As few heartbeats as can be: those of the others' turns would fall into its own.
        seats = watched.seats
        await streams.open([Watched(s.match, s.metadata, LONGEST_HEARTBEAT_S) for s in seats])
        pairs = [(server, await new_matches(server, active)) for server in servers]
        taken = await in_turns(WAYS[way], pairs, rounds, seconds)
        for server, made in pairs:
            await made.end(server)
    await watched.end(watched_server)
    return taken


def _wait_until_settled(running: Service) -> None:
    """Until a server that has just started does nothing by itself."""
    began_s = time.perf_counter()
    cpu_s = -1.0
    while running.server.cpu_s() - cpu_s > 0.1 and time.perf_counter() - began_s < LOADED_S:
        cpu_s = running.server.cpu_s()
        time.sleep(1)


def _figures(way: str, active: int, others: list[str], taken: list[list[Sample]]) -> list[Figure]:
    few = taken[0]
    base = f"{way}, {active} matches"
    figures = [
        median(f"{base}: CPU of a move", [_cpu_us(s) for s in few], "us"),
        median(f"{base}: p50", [_ms(s, 50) for s in few], "ms"),
        median(f"{base}: p99", [_ms(s, 99) for s in few], "ms"),
    ]
    for text, many in zip(others, taken[1:], strict=True):
        pairs = list(zip(many, few, strict=True))
        what = f"{way}, beside {text}"
        figures += [
            median(f"{what}: CPU, times", [_cpu_us(a) / _cpu_us(b) for a, b in pairs], "", AIM),
            median(f"{what}: p50, times", [_ms(a, 50) / _ms(b, 50) for a, b in pairs], "", AIM),
            median(f"{what}: p99", [_ms(s, 99) for s in many], "ms"),
        ]
    return figures


def _cpu_us(sample: Sample) -> float:
    return 1e6 / sample.per_cpu_second


def _ms(sample: Sample, percent: float) -> float:
    return 1e3 * percentile(sample.latencies_s, percent)
