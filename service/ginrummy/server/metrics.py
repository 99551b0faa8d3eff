"""What the server counts and times for Prometheus, on a port of its own.

Every label is one of a few words that are known beforehand, and the children of those that a call
touches are made at the start: a call finds them by one look into a dictionary.
"""

import asyncio
import platform
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import Any, cast

import grpc
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from ginrummy import engine
from ginrummy.log import EventLog, LogUnavailable
from ginrummy.server.catalog_service import SERVER_VERSION
from ginrummy.server.errors import Failure
from ginrummy.server.limits import LimitName
from ginrummy.server.meter import Meter
from ginrummy.server.methods import EVERY_METHOD, Method
from ginrummy.server.metrics_port import MetricsServer
from ginrummy.simulations.observer import SimulationObserver
from ginrummy.simulations.simulations import Simulations
from ginrummy.simulations.store import State
from ginrummy.tables.observer import Observer
from ginrummy.tables.registry import Tables
from ginrummy.v1 import errors_pb2
from ginrummy.v1 import match_service_pb2 as pb

UNKNOWN = "unknown"
"""Stands for every method or command that there is none of."""
COMMANDS = (*(field.name for field in pb.PlayRequest.DESCRIPTOR.oneofs[0].fields), UNKNOWN)
OUTCOMES = ("accepted", "replayed", "refused")
REASONS = [name.removeprefix("ERROR_REASON_") for name in errors_pb2.ErrorReason.keys()[1:]]
VIEWERS = ("seat", "host", "spectator")

CALL_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
STREAM_BUCKETS = (1, 10, 60, 300, 900, 3600, 4 * 3600, 24 * 3600)
STORE_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)
BATCH_BUCKETS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
THINK_BUCKETS = (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1)
LAG_BUCKETS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)
LAG_S = 0.5
"""How often the event loop is asked how late it is."""


class Metrics(Meter, Observer, SimulationObserver):
    """The numbers of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=True)
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self.registry)
        self._make_call_metrics()
        self._make_table_metrics()
        self._make_log_metrics()
        self.loop_lag = self._histogram(
            "loop_lag_seconds", "How late the event loop comes to what is due.", LAG_BUCKETS
        )
        build = Gauge(
            "ginrummy_build_info",
            "Versions of what runs; always 1.",
            ("version", "engine_version", "python_version"),
            registry=self.registry,
        )
        build.labels(SERVER_VERSION, engine.__version__, platform.python_version()).set(1)

    def _counter(self, name: str, text: str, labels: Iterable[str] = ()) -> Counter:
        return Counter(f"ginrummy_{name}", text, tuple(labels), registry=self.registry)

    def _histogram(
        self, name: str, text: str, buckets: Iterable[float], labels: Iterable[str] = ()
    ) -> Histogram:
        return Histogram(
            f"ginrummy_{name}",
            text,
            tuple(labels),
            buckets=tuple(buckets),
            registry=self.registry,
        )

    def _make_call_metrics(self) -> None:
        calls = self._counter("calls", "Calls and streams that ended.", ("method", "code"))
        self._calls = {
            (method, code): calls.labels(method.label, code.name)
            for method in EVERY_METHOD.values()
            for code in grpc.StatusCode
        }
        self._unknown_calls = calls.labels(UNKNOWN, grpc.StatusCode.UNIMPLEMENTED.name)
        spans = self._histogram(
            "call_seconds", "How long calls took; not streams.", CALL_BUCKETS, ("method",)
        )
        lives = self._histogram(
            "stream_seconds", "How long streams were open.", STREAM_BUCKETS, ("method",)
        )
        self._lengths = {
            method: (lives if method.is_stream else spans).labels(method.label)
            for method in EVERY_METHOD.values()
        }
        streams = Gauge(
            "ginrummy_streams", "Streams that are open.", ("method",), registry=self.registry
        )
        self._streams = {
            method: streams.labels(method.label)
            for method in EVERY_METHOD.values()
            if method.is_stream
        }
        commands = self._counter(
            "play_commands", "Commands that came in Play.", ("command", "outcome")
        )
        self._commands = {
            (name, outcome): commands.labels(name, outcome)
            for name in COMMANDS
            for outcome in OUTCOMES
        }
        refusals = self._counter("refusals", "Calls and commands refused.", ("reason",))
        self._refusals = {reason: refusals.labels(reason) for reason in REASONS}
        reached = self._counter("limits_reached", "Refusals as LIMIT_REACHED.", ("limit",))
        self._limits = {limit.value: reached.labels(limit.value) for limit in LimitName}

    def _make_table_metrics(self) -> None:
        self._bot_moves = self._counter("bot_moves", "Actions that bots have played.")
        self._bot_thoughts = self._histogram(
            "bot_think_seconds", "How long bots took to choose an action.", THINK_BUCKETS
        )
        self._time_outs = self._counter("time_outs", "Seats whose time ran out.")
        self._expired = self._counter("matches_expired", "Matches aborted because they were idle.")
        self._forgotten = self._counter("matches_forgotten", "Ended matches that are kept no more.")
        self._simulated = self._counter("simulated_matches", "Matches that simulations played.")

    def _make_log_metrics(self) -> None:
        self._appends = self._counter("appends", "Entries that became durable.")
        self._append_seconds = self._histogram(
            "append_seconds", "From an entry to its being durable, queue included.", STORE_BUCKETS
        )
        self._commit_seconds = self._histogram(
            "commit_seconds", "How long the log's transactions took.", STORE_BUCKETS
        )
        self._commit_sizes = self._histogram(
            "commit_entries", "How many changes became durable together.", BATCH_BUCKETS
        )
        self.log_errors = self._counter("log_errors", "What the log could not do, or not then.")

    def call_ended(self, method: Method, code: grpc.StatusCode, length_s: float) -> None:
        """A call or stream of this method has ended with `code` after `length_s`."""
        self._calls[method, code].inc()
        self._lengths[method].observe(length_s)

    def stream_opened(self, method: Method) -> None:
        """A stream has come, and is not let in yet."""
        self._streams[method].inc()

    def stream_closed(self, method: Method) -> None:
        """A stream has ended."""
        self._streams[method].dec()

    def command(self, name: str, outcome: str) -> None:
        """A command in a Play stream was accepted, replayed or refused."""
        self._commands[name or UNKNOWN, outcome].inc()

    def refused(self, failure: Failure) -> None:
        """A call or command is answered with this failure."""
        self._refusals[failure.reason].inc()
        if failure.reason == "LIMIT_REACHED":
            self._limits[failure.metadata["limit"]].inc()

    def unknown_method(self) -> None:
        """A method was called that there is none of."""
        self._unknown_calls.inc()

    def bot_moved(self, think_s: float) -> None:
        """A bot has played an action, which it chose in `think_s`."""
        self._bot_moves.inc()
        self._bot_thoughts.observe(think_s)

    def timed_out(self) -> None:
        """The engine has acted for a seat whose time ran out."""
        self._time_outs.inc()

    def expired(self) -> None:
        """A match in which nothing happened for too long has been aborted."""
        self._expired.inc()

    def forgotten(self) -> None:
        """An ended match has been kept for long enough, and is no more."""
        self._forgotten.inc()

    def matches_simulated(self, count: int) -> None:
        """So many more matches of simulations were played."""
        self._simulated.inc(count)

    def appended(self, length_s: float) -> None:
        """An entry is durable, which took so long."""
        self._appends.inc()
        self._append_seconds.observe(length_s)

    def committed(self, count: int, length_s: float) -> None:
        """So many changes became durable together. Called in the log's thread."""
        self._commit_sizes.observe(count)
        self._commit_seconds.observe(length_s)


class MeasuredLog:
    """A log whose appends are timed and whose troubles are counted; else the log itself."""

    def __init__(self, log: EventLog, metrics: Metrics) -> None:
        self._log = log
        self._metrics = metrics
        log.on_commit = metrics.committed

    def append(self, *given: Any) -> "asyncio.Future[int]":
        """As the log's own."""
        began_s = perf_counter()
        appending = self._log.append(*given)
        appending.add_done_callback(partial(self._appended, began_s))
        return appending

    def _appended(self, began_s: float, appending: "asyncio.Future[int]") -> None:
        if appending.cancelled():
            return
        error = appending.exception()
        if error is None:
            self._metrics.appended(perf_counter() - began_s)
        elif isinstance(error, LogUnavailable):
            self._metrics.log_errors.inc()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._log, name)
        if not asyncio.iscoroutinefunction(found):
            return found

        async def counting(*given: Any, **named: Any) -> Any:
            with self._counting():
                return await found(*given, **named)

        setattr(self, name, counting)
        return counting

    @contextmanager
    def _counting(self) -> Iterator[None]:
        try:
            yield
        except LogUnavailable:
            self._metrics.log_errors.inc()
            raise


class TableGauges(Collector):
    """What can be counted when somebody asks. Asked in the exporter's thread."""

    def __init__(self, tables: Tables, simulations: Simulations) -> None:
        self._tables = tables
        self._simulations = simulations

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """How things stand."""
        tables = self._tables
        for name, text, value in (
            ("open_matches", "Matches that have not ended.", tables.log.unfinished_count),
            ("live_tables", "Matches in memory.", tables.live_count),
            (
                "matches_set_aside",
                "Matches that cannot be read, since the start.",
                tables.set_aside_count,
            ),
        ):
            yield GaugeMetricFamily(f"ginrummy_{name}", text, value=value)
        watchers = GaugeMetricFamily(
            "ginrummy_watchers", "Streams that follow a match.", labels=("viewer",)
        )
        counts = tables.count_watchers()
        for viewer in VIEWERS:
            watchers.add_metric((viewer,), counts[viewer])
        yield watchers
        simulations = GaugeMetricFamily(
            "ginrummy_simulations", "Simulations that have not ended.", labels=("state",)
        )
        for state in (State.QUEUED, State.RUNNING):
            simulations.add_metric((state.value,), self._simulations.count(state))
        yield simulations


class Exporter:
    """Shows the metrics to whoever asks for them over HTTP, from a thread of its own."""

    def __init__(self) -> None:
        self.metrics = Metrics()
        self._server: MetricsServer | None = None
        self._lag: asyncio.Task[None] | None = None

    def measuring(self, log: EventLog) -> EventLog:
        """The log, measured."""
        return cast(EventLog, MeasuredLog(log, self.metrics))

    def start(self, host: str, port: int, tables: Tables, simulations: Simulations) -> int:
        """Listens; the port. Raises OSError."""
        self.metrics.registry.register(TableGauges(tables, simulations))
        self._server = MetricsServer(host, port, self.metrics.registry)
        self._server.start()
        self._lag = asyncio.create_task(self._measure_lag())
        return self._server.server_port

    async def stop(self) -> None:
        """Shows them no more."""
        if self._lag is not None:
            self._lag.cancel()
        if self._server is not None:
            await asyncio.to_thread(self._server.shutdown)
            self._server.server_close()

    async def _measure_lag(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due_s = loop.time() + LAG_S
            await asyncio.sleep(LAG_S)
            self.metrics.loop_lag.observe(max(loop.time() - due_s, 0))
