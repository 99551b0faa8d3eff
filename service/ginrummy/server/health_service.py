"""Whether this server serves, as gRPC's standard health service tells it, and what it offers.

The standard services come in where all others do, with the same limits: the libraries' own would
read any request whole, hold whatever they are sent and count for nobody.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc  # type: ignore[import-untyped]
from grpc_reflection.v1alpha import reflection  # type: ignore[import-untyped]

from ginrummy.server.edge import Context, StatusAlone, answered, check_readable
from ginrummy.server.gate import Gate
from ginrummy.server.streams import StreamWriter

Status = health_pb2.HealthCheckResponse


class HealthService(health_pb2_grpc.HealthServicer):  # type: ignore[misc] # untyped
    """Tells how the server and each of its services does, also while it stops.

    All of them do the same. A name that is none of theirs is never kept, however long it is.
    """

    def __init__(self, gate: Gate, services: Iterable[str]) -> None:
        """`services` beside the server as a whole, whose name is empty."""
        self.gate = gate
        self._services = frozenset(("", *services))
        self._status = Status.NOT_SERVING
        self._change = asyncio.Event()

    def check_open(self) -> None:
        """Answers as long as anybody can call."""

    def tell(self, *, serving: bool) -> None:
        """From now on it is so; whoever watches is told."""
        self._status = Status.SERVING if serving else Status.NOT_SERVING
        # Each waits for the change that comes next, and nobody's leaving is felt by the others.
        change, self._change = self._change, asyncio.Event()
        change.set()

    @answered
    async def Check(self, request: Any, context: Context) -> Any:
        if request.service not in self._services:
            raise StatusAlone(grpc.StatusCode.NOT_FOUND, "there is no service of this name")
        return Status(status=self._status)

    @answered
    async def Watch(self, request: Any, context: Context) -> None:
        is_known = request.service in self._services
        del request
        told = None
        with StreamWriter(context) as writer:
            while True:
                change = self._change
                status = self._status if is_known else Status.SERVICE_UNKNOWN
                if status != told:
                    await writer.write(Status(status=status))
                    told = status
                await change.wait()


class ReflectionService(reflection.aio.ReflectionServicer):  # type: ignore[misc] # untyped
    """Tells which services there are, and their messages. Each request is counted as a call."""

    def __init__(self, gate: Gate, services: Iterable[str]) -> None:
        super().__init__(services)
        self.gate = gate

    def check_open(self) -> None:
        """Answers as long as anybody can call."""

    @answered
    async def ServerReflectionInfo(self, requests: Any, context: Context) -> None:
        commands = self.gate.commands(context)
        is_first = True
        with StreamWriter(context) as writer:
            async for request in requests:
                if not is_first:  # which the call itself was counted for
                    commands.enter()
                is_first = False
                check_readable(request)
                async for response in super().ServerReflectionInfo(_only(request), context):
                    await writer.write(response)
                # Until the next one comes, which may take hours.
                del request, response


async def _only(request: Any) -> AsyncIterator[Any]:
    yield request
