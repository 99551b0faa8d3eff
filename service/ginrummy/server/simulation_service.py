"""SimulationService: bots against bots, as asked for and as far as they were played."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from ginrummy.server.convert.fields import page_size_from_wire, request_id_from_wire
from ginrummy.server.convert.simulations import (
    simulation_id_from_wire,
    simulation_to_wire,
    spec_from_wire,
)
from ginrummy.server.convert.times import SECOND_US, duration_from_wire
from ginrummy.server.edge import Context, answered
from ginrummy.server.gate import Gate
from ginrummy.server.keys import KeyRing
from ginrummy.server.limits import LimitName
from ginrummy.server.refusals import BadField, SimulationNotFound
from ginrummy.server.streams import StreamWriter
from ginrummy.simulations.errors import (
    Closing,
    NoSuchSimulation,
    OtherRequest,
    StoreTrouble,
    TooMany,
)
from ginrummy.simulations.simulations import Simulations
from ginrummy.simulations.snapshot import Snapshot
from ginrummy.tables.errors import Draining, LimitReached, RequestIdReused, StoreUnavailable
from ginrummy.v1 import simulation_service_pb2 as pb
from ginrummy.v1 import simulation_service_pb2_grpc as pb_grpc

USUAL_INTERVAL_US = SECOND_US
SHORTEST_INTERVAL_US = SECOND_US // 10
LONGEST_INTERVAL_S = 60
ROOM_RETRY_S = 10.0
"""When there may be room for another simulation."""


@contextmanager
def refusing(name: str = "", request_id: str | None = None) -> Iterator[None]:
    """What simulations refuse, in the words of the API."""
    try:
        yield
    except NoSuchSimulation:
        raise SimulationNotFound(name[:100]) from None
    except OtherRequest:
        raise RequestIdReused(request_id or "") from None
    except TooMany as error:
        limit = LimitName.OPEN_SIMULATIONS
        if error.of_caller:
            limit = LimitName.SIMULATIONS_OF_A_CALLER
        raise LimitReached(limit, error.most, ROOM_RETRY_S) from None
    except Closing:
        raise Draining from None
    except StoreTrouble as error:
        raise StoreUnavailable from error


class SimulationService(pb_grpc.SimulationServiceServicer):
    """Whoever may create matches may simulate them, and see what others do."""

    def __init__(self, simulations: Simulations, gate: Gate, keys: KeyRing) -> None:
        self.gate = gate
        self._keys = keys
        self._simulations = simulations
        self._sent: WeakKeyDictionary[Snapshot, bytes] = WeakKeyDictionary()
        """Serialised once for all who follow."""

    def check_open(self) -> None:
        """Raises Draining."""
        with refusing():
            self._simulations.check_open()

    @answered
    async def CreateSimulation(
        self, request: pb.CreateSimulationRequest, context: Context
    ) -> pb.CreateSimulationResponse:
        self._keys.check(context)
        request_id = request_id_from_wire(request.request_id)
        spec = spec_from_wire(request)
        with refusing(request_id=request_id):
            caller = self.gate.caller_of(context)
            created = await self._simulations.create(spec, request_id, caller)
        return pb.CreateSimulationResponse(simulation=simulation_to_wire(created))

    @answered
    async def GetSimulation(
        self, request: pb.GetSimulationRequest, context: Context
    ) -> pb.GetSimulationResponse:
        self._keys.check(context)
        simulation_id = simulation_id_from_wire(request.name, "name")
        with refusing(request.name):
            found = await self._simulations.find(simulation_id)
        return pb.GetSimulationResponse(simulation=simulation_to_wire(found))

    @answered
    async def ListSimulations(
        self, request: pb.ListSimulationsRequest, context: Context
    ) -> pb.ListSimulationsResponse:
        self._keys.check(context)
        size = page_size_from_wire(request.page_size)
        before = _before_from_wire(request.page_token)
        response = pb.ListSimulationsResponse()
        last = 0
        with self.gate.listings.one(self.gate.caller_of(context)), refusing():
            # One more than is shown tells whether there is a next page.
            async for found in self._simulations.page(before, size + 1):
                if len(response.simulations) == size:
                    response.next_page_token = str(last)
                    break
                response.simulations.append(simulation_to_wire(found, with_points=False))
                last = found.number
        return response

    @answered
    async def CancelSimulation(
        self, request: pb.CancelSimulationRequest, context: Context
    ) -> pb.CancelSimulationResponse:
        self._keys.check(context)
        simulation_id = simulation_id_from_wire(request.name, "name")
        with refusing(request.name):
            cancelled = await self._simulations.cancel(simulation_id)
        return pb.CancelSimulationResponse(simulation=simulation_to_wire(cancelled))

    @answered
    async def WatchSimulation(  # type: ignore[override] # written through the context
        self, request: pb.WatchSimulationRequest, context: Context
    ) -> None:
        simulation_id = simulation_id_from_wire(request.name, "name")
        interval_s = _interval_us_from_wire(request) / SECOND_US
        gone = asyncio.Event()
        with (
            self._keys.holding(context, gone.set) as holder,
            StreamWriter(context) as writer,
            refusing(request.name),
        ):
            async for snapshot in self._simulations.follow(simulation_id, interval_s, gone):
                holder.check()
                await writer.write(self._to_send(snapshot))

    def _to_send(self, snapshot: Snapshot) -> bytes:
        sent = self._sent.get(snapshot)
        if sent is None:
            response = pb.WatchSimulationResponse(simulation=simulation_to_wire(snapshot))
            sent = self._sent[snapshot] = response.SerializeToString()
        return sent


def _before_from_wire(page_token: str) -> int | None:
    """The token is the number of the last simulation of the page before. Raises BadField."""
    if not page_token:
        return None
    if not page_token.isascii() or not page_token.isdigit() or len(page_token) > 18:
        raise BadField("page_token", "is not one of this server's")
    return int(page_token)


def _interval_us_from_wire(request: pb.WatchSimulationRequest) -> int:
    """The least time between two messages. Raises BadField."""
    if not request.HasField("min_interval"):
        return USUAL_INTERVAL_US
    length_us = duration_from_wire(request.min_interval, "min_interval", LONGEST_INTERVAL_S)
    if length_us < SHORTEST_INTERVAL_US:
        least_ms = SHORTEST_INTERVAL_US // 1000
        raise BadField("min_interval", f"is {least_ms} ms to {LONGEST_INTERVAL_S} s")
    return length_us
