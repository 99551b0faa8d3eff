"""What players feel of a simulation: moves with and without one, on the server's one core."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import grpc.aio
from bench_service.moves import TIMEOUT_S, WAYS, Sample, sample_moves

from bench_scale.report import Figure, median, percentile, tell
from bench_scale.servers import Service, service
from ginrummy.v1 import match_pb2, simulation_service_pb2
from ginrummy.v1.simulation_service_pb2_grpc import SimulationServiceStub

if TYPE_CHECKING:
    from ginrummy.v1.simulation_service_pb2_grpc import SimulationServiceAsyncStub

AIM_TIMES = 1.5
WAY = "Act + WatchMatch"
PLAYED = (1, 16)
"""Matches at once; of one, most of the time nobody moves."""
ENDLESS = simulation_service_pb2.Simulation(
    ruleset="rulesets/short",
    entrants=[
        simulation_service_pb2.Entrant(bot=match_pb2.BotSeat(bot=f"bots/{bot}"))
        for bot in ("heuristic", "simple")
    ],
    matches_per_pairing=1_000_000,
)
SIMULATED = "simulated_matches_total"


def measure(folder: Path, rounds: int, seconds: float) -> list[Figure]:
    """Rounds without a simulation and with one, in turn."""
    with service("SQLite FULL", folder) as running:
        figures = []
        for matches in PLAYED:
            tell(f"{rounds} rounds: {matches} matches, without and with a simulation")
            samples = [asyncio.run(_round(running, matches, seconds)) for _ in range(rounds)]
            figures += _figures(matches, samples)
        tell("a simulation alone")
        rates = [asyncio.run(_alone(running, seconds)) for _ in range(rounds)]
    return [*figures, median("simulated while nobody plays", rates, "matches/s")]


async def _round(running: Service, matches: int, seconds: float) -> tuple[Sample, Sample, float]:
    """Moves without and with a simulation, and how many matches that has played in a second."""
    without = await sample_moves(running.server, WAYS[WAY], matches, seconds)
    async with _simulation(running):
        began_s, before = time.perf_counter(), running.metric(SIMULATED)
        beside = await sample_moves(running.server, WAYS[WAY], matches, seconds)
        simulated = running.metric(SIMULATED) - before
        return without, beside, simulated / (time.perf_counter() - began_s)


async def _alone(running: Service, seconds: float) -> float:
    async with _simulation(running):
        began_s, before = time.perf_counter(), running.metric(SIMULATED)
        await asyncio.sleep(seconds)
        return (running.metric(SIMULATED) - before) / (time.perf_counter() - began_s)


@asynccontextmanager
async def _simulation(running: Service) -> AsyncIterator[None]:
    """One that plays for as long as the block."""
    async with grpc.aio.insecure_channel(running.server.address) as channel:
        stub: SimulationServiceAsyncStub = SimulationServiceStub(channel)
        request = simulation_service_pb2.CreateSimulationRequest(simulation=ENDLESS)
        created = await stub.CreateSimulation(request, timeout=TIMEOUT_S)
        await asyncio.sleep(1)
        yield
        name = created.simulation.name
        cancel = simulation_service_pb2.CancelSimulationRequest(name=name)
        await stub.CancelSimulation(cancel, timeout=TIMEOUT_S)


def _figures(matches: int, samples: list[tuple[Sample, Sample, float]]) -> list[Figure]:
    what = f"{WAY}, {matches} {'match' if matches == 1 else 'matches'}"
    figures = []
    for percent in (50, 99):
        without = [_ms(sample, percent) for sample, _, _ in samples]
        beside = [_ms(sample, percent) for _, sample, _ in samples]
        times = [a / b for a, b in zip(beside, without, strict=True)]
        figures += [
            median(f"{what}: p{percent}", without, "ms"),
            median(f"{what}, beside a simulation: p{percent}", beside, "ms"),
            median(f"{what}, beside a simulation: p{percent}, times", times, "", AIM_TIMES),
        ]
    return [*figures, median(f"simulated beside {what}", [s for _, _, s in samples], "matches/s")]


def _ms(sample: Sample, percent: float) -> float:
    return 1e3 * percentile(sample.latencies_s, percent)
