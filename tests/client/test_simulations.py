"""Simulations by the client: followed while the real server is killed, cancelled, listed."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ginrummy.client import GinRummyClient, InvalidRequest, SimulationNotFound, has_ended
from ginrummy.v1.match_pb2 import BotSeat
from ginrummy.v1.simulation_service_pb2 import Entrant, Simulation, SimulationState

from .test_real_server import RealServer


def asked(matches: int) -> Simulation:
    bot = BotSeat(bot="bots/simple")
    entrants = [Entrant(label="A", bot=bot), Entrant(label="B", bot=bot)]
    return Simulation(
        ruleset="rulesets/short", entrants=entrants, matches_per_pairing=matches, seed=bytes(32)
    )


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RealServer]:
    server = RealServer(tmp_path)
    await server.start()
    yield server
    await server.kill()


async def test_a_simulation_is_followed_over_the_death_of_its_server(server: RealServer) -> None:
    async with GinRummyClient(f"localhost:{server.port}") as client:
        created = await client.create_simulation(asked(60_000))
        seen = []
        async for simulation in client.watch_simulation(created.name, min_interval_s=0.2):
            seen.append(simulation)
            if len(seen) == 2:
                assert not has_ended(simulation)
                await server.kill()
                await server.start()
        assert seen[-1].state == SimulationState.SIMULATION_STATE_SUCCEEDED
        assert seen[-1].progress.matches_done == 60_000
        assert sum(has_ended(simulation) for simulation in seen) == 1
        assert await client.get_simulation(created.name) == seen[-1]
        again = [s async for s in client.watch_simulation(created.name)]
        assert again == [seen[-1]]


async def test_names_go_with_or_without_their_collection(server: RealServer) -> None:
    async with GinRummyClient(f"localhost:{server.port}") as client:
        created = await client.create_simulation(asked(1_000_000))
        cancelled = await client.cancel_simulation(created.name.removeprefix("simulations/"))
        assert cancelled.state == SimulationState.SIMULATION_STATE_CANCELLED
        await client.create_simulation(asked(2))
        names = [simulation.name async for simulation in client.list_simulations(page_size=1)]
        assert names[1:] == [created.name]
        assert len(names) == 2


async def test_refusals_are_errors_of_their_own(server: RealServer) -> None:
    async with GinRummyClient(f"localhost:{server.port}") as client:
        with pytest.raises(SimulationNotFound):
            await client.get_simulation("simulations/nothing")
        with pytest.raises(SimulationNotFound):
            await anext(client.watch_simulation("nothing"))
        with pytest.raises(InvalidRequest, match="matches_per_pairing"):
            await client.create_simulation(asked(3))
