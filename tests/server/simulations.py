"""Callers of SimulationService, by the generated stubs alone."""

import asyncio
from typing import Any

import grpc

from ginrummy.v1 import match_pb2
from ginrummy.v1 import simulation_service_pb2 as pb
from ginrummy.v1 import simulation_service_pb2_grpc as pb_grpc

from .players import TIMEOUT_S

SEED = bytes(range(32))
ENDED = (
    pb.SIMULATION_STATE_SUCCEEDED,
    pb.SIMULATION_STATE_FAILED,
    pb.SIMULATION_STATE_CANCELLED,
)
ENDLESS = 1_000_000
"""Matches of a pairing: minutes of playing."""


def entrant(label: str = "", bot: str = "simple", **fields: Any) -> pb.Entrant:
    return pb.Entrant(label=label, bot=match_pb2.BotSeat(bot=f"bots/{bot}", **fields))


def asked(matches: int = 20, **fields: Any) -> pb.Simulation:
    usual = {
        "ruleset": "rulesets/short",
        "entrants": [entrant("A"), entrant("B")],
        "matches_per_pairing": matches,
        "seed": SEED,
    }
    return pb.Simulation(**{**usual, **fields})


class Office:
    """A connection to a server that simulates."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.stub: pb_grpc.SimulationServiceAsyncStub = pb_grpc.SimulationServiceStub(channel)

    async def create(
        self, simulation: pb.Simulation | None = None, request_id: str = ""
    ) -> pb.Simulation:
        request = pb.CreateSimulationRequest(
            simulation=simulation or asked(), request_id=request_id
        )
        response = await self.stub.CreateSimulation(request, timeout=TIMEOUT_S)
        return response.simulation

    async def get(self, name: str) -> pb.Simulation:
        request = pb.GetSimulationRequest(name=name)
        return (await self.stub.GetSimulation(request, timeout=TIMEOUT_S)).simulation

    async def cancel(self, name: str) -> pb.Simulation:
        request = pb.CancelSimulationRequest(name=name)
        return (await self.stub.CancelSimulation(request, timeout=TIMEOUT_S)).simulation

    async def page(self, size: int = 0, token: str = "") -> pb.ListSimulationsResponse:
        request = pb.ListSimulationsRequest(page_size=size, page_token=token)
        return await self.stub.ListSimulations(request, timeout=TIMEOUT_S)

    def watch(self, name: str, interval_ms: int = 100) -> Any:
        request = pb.WatchSimulationRequest(name=name)
        request.min_interval.FromMilliseconds(interval_ms)
        return self.stub.WatchSimulation(request, timeout=240)

    async def ended(self, name: str) -> pb.Simulation:
        """How it stands when it has ended."""
        last = pb.Simulation()
        async for response in self.watch(name):
            last = response.simulation
        assert last.state in ENDED
        return last

    async def begun(self, name: str) -> pb.Simulation:
        """How it stands when some of it has been played."""
        async with asyncio.timeout(120):
            async for response in self.watch(name):
                if response.simulation.progress.matches_done:
                    return response.simulation  # type: ignore[no-any-return]
        raise AssertionError("it has ended")
