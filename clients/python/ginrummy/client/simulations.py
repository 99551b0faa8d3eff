"""Following a simulation over connections that come and go."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from google.protobuf.duration_pb2 import Duration

from ginrummy.client.connection import Connection, StreamReader
from ginrummy.client.errors import GinRummyError
from ginrummy.client.retry import Patience, connection_lost
from ginrummy.client.watch import DEFAULT_HEARTBEAT_S
from ginrummy.v1.simulation_service_pb2 import (
    Simulation,
    SimulationState,
    WatchSimulationRequest,
)

USUAL_INTERVAL_S = 1.0
"""What the server uses when the request does not say."""

ENDED = frozenset(
    {
        SimulationState.SIMULATION_STATE_SUCCEEDED,
        SimulationState.SIMULATION_STATE_FAILED,
        SimulationState.SIMULATION_STATE_CANCELLED,
    }
)


def has_ended(simulation: Simulation) -> bool:
    """Nothing more is played of it."""
    return simulation.state in ENDED


async def follow(
    connection: Connection, name: str, min_interval_s: float | None
) -> AsyncGenerator[Simulation, None]:
    """How it stands, again and again, until it has ended; over as many streams as it takes."""
    request = WatchSimulationRequest(name=name)
    if min_interval_s is not None:
        interval = Duration()
        interval.FromNanoseconds(round(min_interval_s * 1e9))
        request.min_interval.CopyFrom(interval)
    # The server tells how it stands at least this often, even if nothing has changed.
    longest_s = max(min_interval_s or USUAL_INTERVAL_S, DEFAULT_HEARTBEAT_S)
    reader = StreamReader(connection.target, longest_s * connection.retry.missed_heartbeats)
    patience = Patience(connection.retry, connection.timeout_s)
    while True:
        loss: GinRummyError
        call = connection.simulations.WatchSimulation(request, metadata=connection.metadata(None))
        with connection.stream(call):
            try:
                while (response := await reader.read(call)) is not None:
                    patience.heard()
                    yield response.simulation
                    if has_ended(response.simulation):
                        return
                loss = connection_lost(f"the server at {connection.target} ended the stream")
            except GinRummyError as error:
                loss = error
        await patience.wait(loss)
