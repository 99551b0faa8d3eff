"""A server: its services on a port, from start to a clean stop."""

import asyncio
import errno
import logging
import socket
from typing import TYPE_CHECKING, Any

import grpc
from grpc_health.v1 import health_pb2_grpc  # type: ignore[import-untyped]
from grpc_reflection.v1alpha import reflection_pb2_grpc  # type: ignore[import-untyped]

from ginrummy.log import EventLog
from ginrummy.server.analysis_service import AnalysisService
from ginrummy.server.catalog_service import CatalogService
from ginrummy.server.edge import Registrar, UnknownMethods
from ginrummy.server.encoding import EventEncoder
from ginrummy.server.gate import Gate
from ginrummy.server.health_service import HealthService, ReflectionService
from ginrummy.server.keys import KeyRing, caller_of_call
from ginrummy.server.match_service import MatchService
from ginrummy.server.meter import Spans
from ginrummy.server.methods import API_SERVICES, HEALTH_SERVICE, REFLECTION_SERVICE
from ginrummy.server.reloading import Reloading
from ginrummy.server.settings import Limits, Settings, Telemetry
from ginrummy.server.simulation_service import SimulationService
from ginrummy.server.tls import Certificate
from ginrummy.simulations.errors import StoreTrouble
from ginrummy.simulations.observer import NOBODY as NOBODY_COUNTS
from ginrummy.simulations.simulations import Bounds, Simulations
from ginrummy.simulations.store import FILE_NAME as SIMULATIONS_FILE
from ginrummy.simulations.threads import usual_count
from ginrummy.tables.audience import Sending
from ginrummy.tables.lifetimes import Lifetimes
from ginrummy.tables.observer import NOBODY
from ginrummy.tables.registry import Tables
from ginrummy.v1 import (
    analysis_service_pb2_grpc,
    catalog_service_pb2_grpc,
    match_service_pb2_grpc,
    simulation_service_pb2_grpc,
)

if TYPE_CHECKING:
    from ginrummy.server.metrics import Exporter

lines = logging.getLogger(__name__)

MORE_STREAMS = 1000
"""Calls of one connection, beside the streams that it may have. More have to wait their turn."""
HARD_BOUND = 1024 * 1024
"""Bytes that are received at all; what is larger than a request may be is refused with words."""
PING_S = 20
HANDSHAKE_S = 10
LAST_ANSWERS_S = 0.2
"""How long a server that stops answers calls with DRAINING. Then it takes none."""


def channel_options(ping_s: float = PING_S) -> tuple[tuple[str, int], ...]:
    """How connections are treated; clients may ping each `ping_s`."""
    ping_ms = int(ping_s * 1000)
    return (
        # A second server on the same port has to fail instead of sharing it silently.
        ("grpc.so_reuseport", 0),
        # Keeps what is in flight to a slow reader at 96 kB instead of megabytes.
        ("grpc.http2.bdp_probe", 0),
        # Thousands of streams opened at once are not turned away.
        ("grpc.server.max_pending_requests", 20_000),
        ("grpc.server.max_pending_requests_hard_limit", 40_000),
        ("grpc.max_receive_message_length", HARD_BOUND),
        # A small message may hold a huge one: its size is known when it is unpacked, too late.
        ("grpc.compression_enabled_algorithms_bitset", 1),
        ("grpc.per_message_decompression", 0),
        # Who connects and does not speak HTTP/2 holds nothing for long.
        ("grpc.server_handshake_timeout_ms", HANDSHAKE_S * 1000),
        # Clients may ping often enough to keep a connection through a router alive.
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", ping_ms),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", ping_ms),
        # Dead connections are found, so that presence is true.
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        # A ping is waited for by a time of its own, without which it would be a minute.
        ("grpc.http2.ping_timeout_ms", 10_000),
    )


SERVICES = tuple(service.full_name for service in API_SERVICES)


class CannotTraceError(Exception):
    """Traces are switched on, and what they need is not installed."""


def most_streams(limits: Limits) -> int:
    """Of one connection: so many that a caller with too many is still told so, in words."""
    return limits.max_streams_per_caller + MORE_STREAMS


class CannotListenError(Exception):
    """Nobody can listen there; the message says why."""


class CannotKeepError(Exception):
    """The file of the simulations cannot be used; the message says which and why."""


def why_not_listen(host: str, port: int) -> str:
    """What the system says to listening there, as gRPC does not tell it."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, address in found:
            with socket.socket(family, kind, protocol) as trial:
                trial.bind(address)
    except socket.gaierror:
        return f"there is no host {host!r}"
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return "the port is in use"
        return (error.strerror or str(error)).lower()
    return "gRPC refuses the address"


def sending_within(limits: Limits) -> Sending:
    """How events are sent, and to how many."""
    return Sending(
        EventEncoder(),
        most_spectators=limits.max_spectators,
        most_streams_of_a_seat=limits.max_streams_per_seat,
        most_followers=limits.max_followers,
    )


def simulating_within(settings: Settings) -> Bounds:
    """How much is simulated, and for how long what came of it is kept."""
    limits = settings.limits
    return Bounds(
        workers=limits.simulation_workers or usual_count(),
        most_running=limits.simulations_at_once,
        most_unfinished=limits.max_simulations,
        most_of_a_caller=limits.max_simulations_per_caller,
        retention_us=int(settings.lifetime.simulation_retention_s * 1_000_000),
    )


def exporter_of(telemetry: Telemetry) -> "Exporter | None":
    """What shows metrics, if they are switched on; else nothing that they need is loaded."""
    if telemetry.metrics_port is None:
        return None
    from ginrummy.server.metrics import Exporter

    return Exporter()


def spans_of(telemetry: Telemetry) -> Spans:
    """Traces if they are switched on. Raises CannotTraceError."""
    if not telemetry.otel:
        return Spans()
    try:
        from ginrummy.server.tracing import Tracing
    except ModuleNotFoundError as error:
        raise CannotTraceError(
            f"--otel needs {error.name}; install it with: pip install 'ginrummy-server[otel]'"
        ) from error
    return Tracing()


class Serving:
    """Matches over one log, served on one port."""

    def __init__(self, log: EventLog, settings: Settings | None = None) -> None:
        """Raises UnusableFileError or CannotTraceError."""
        settings = settings or Settings()
        limits = settings.limits
        telemetry = settings.telemetry
        self._exporter = exporter_of(telemetry)
        metrics = self._exporter.metrics if self._exporter is not None else None
        if self._exporter is not None:
            log = self._exporter.measuring(log)
        lifetime = settings.lifetime
        self.tables = Tables(
            log,
            sending_within(limits),
            observer=metrics or NOBODY,
            lifetimes=Lifetimes.of_seconds(lifetime.idle_expiry_s, lifetime.retention_s),
            most_open=limits.max_open_matches,
        )
        self.simulations = Simulations(
            settings.data_dir / SIMULATIONS_FILE if settings.data_dir else None,
            simulating_within(settings),
            observer=metrics or NOBODY_COUNTS,
        )
        self._telemetry = telemetry
        self._spans = spans_of(telemetry)
        self._log = log
        self.port = 0
        """Where it listens, once it does."""
        self.metrics_port: int | None = None
        """Where the metrics are, once they are there."""
        self._server = grpc.aio.server(
            options=(*channel_options(), ("grpc.max_concurrent_streams", most_streams(limits)))
        )
        security = settings.security
        keys = KeyRing(security.api_keys, security.api_keys_file)
        self.gate = Gate(
            limits, lambda context: caller_of_call(context, keys), metrics, self._spans
        )
        registrar: Any = Registrar(self._server, self.gate.caller_of)
        self._certificate = Certificate(security.tls) if security.tls else None
        self._reloading = Reloading([keys, self._certificate] if self._certificate else [keys])
        self._reloads: asyncio.Task[None] | None = None
        match_service_pb2_grpc.add_MatchServiceServicer_to_server(
            MatchService(self.tables, self.gate, keys, seeds_allowed=settings.seeds_allowed),
            registrar,
        )
        catalog_service_pb2_grpc.add_CatalogServiceServicer_to_server(
            CatalogService(
                self.gate,
                seeds_allowed=settings.seeds_allowed,
                lifetimes=self.tables.lifetimes,
            ),
            registrar,
        )
        self.analysis = AnalysisService(self.tables, self.gate, limits)
        analysis_service_pb2_grpc.add_AnalysisServiceServicer_to_server(self.analysis, registrar)
        simulation_service_pb2_grpc.add_SimulationServiceServicer_to_server(
            SimulationService(self.simulations, self.gate, keys), registrar
        )
        self._health = HealthService(self.gate, SERVICES)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, registrar)
        names = (*SERVICES, HEALTH_SERVICE.full_name, REFLECTION_SERVICE.full_name)
        reflection_pb2_grpc.add_ServerReflectionServicer_to_server(
            ReflectionService(self.gate, names), registrar
        )
        # The last that is asked, after every service.
        self._server.add_generic_rpc_handlers((UnknownMethods(self.gate.meter.unknown_method),))

    async def start(self, host: str, port: int) -> int:
        """Listens, goes on with what the log and the simulations hold; the port.

        Raises CannotListenError or CannotKeepError.
        """
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        try:
            if self._certificate is None:
                bound = self._server.add_insecure_port(address)
            else:
                bound = self._server.add_secure_port(address, self._certificate.credentials())
        except RuntimeError as error:
            reason = await asyncio.to_thread(why_not_listen, host, port)
            raise CannotListenError(f"cannot listen on {address}: {reason}") from error
        try:
            await self.simulations.start()
        except StoreTrouble as error:
            raise CannotKeepError(f"simulations cannot be kept: {error}") from error
        self.port = bound
        self.metrics_port = self._export_metrics()
        await self._server.start()
        self.tables.start()
        self._reloads = asyncio.create_task(self._reloading.forever())
        self._health.tell(serving=True)
        return bound

    def _export_metrics(self) -> int | None:
        if self._exporter is None:
            return None
        host, port = self._telemetry.metrics_host, self._telemetry.metrics_port or 0
        try:
            return self._exporter.start(host, port, self.tables, self.simulations)
        except OSError as error:
            reason = why_not_listen(host, port)
            address = f"--metrics-host {host} --metrics-port {port}"
            raise CannotListenError(f"cannot listen on {address}: {reason}") from error

    def reload(self) -> None:
        """Reads keys and certificates again now, not only when their files change."""
        self._reloading.poke()

    async def stop(self, grace_s: float) -> None:
        """Ends everything in order; no accepted action is lost."""
        self._health.tell(serving=False)
        if self._reloads is not None:
            self._reloads.cancel()
        await self.simulations.close()
        try:
            async with asyncio.timeout(grace_s):
                await self.tables.close()
        except TimeoutError:
            lines.warning(
                "some commands were not finished in %s s; none of them was answered", grace_s
            )
        # Whoever calls now is told why, and to come back; later callers find the door shut.
        await asyncio.sleep(min(LAST_ANSWERS_S, grace_s / 10))
        await self._server.stop(grace_s)
        await self.analysis.close()
        await self._log.close()
        if self._exporter is not None:
            await self._exporter.stop()
        await self._spans.stop()
