"""Traces for OpenTelemetry: a span for each call, and for each command within Play.

Imported only where traces are switched on. The endpoint and all else is set by the standard OTEL_*
variables. A span tells what was done to which match by which seat and how it ended: no cards, no
tokens, no names of people. The request_id of a call that gives out tokens is left out as well,
because whoever repeats such a request gets its tokens.
"""

import asyncio
import os
import threading
from typing import Any

import grpc
from google.protobuf.message import Message
from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from ginrummy.server.catalog_service import SERVER_VERSION
from ginrummy.server.convert.fields import MATCH_NAME, UUID4
from ginrummy.server.edge import Context
from ginrummy.server.errors import Failure
from ginrummy.server.meter import CURRENT_SPAN, Span, Spans
from ginrummy.server.methods import Method

USUAL_NAME = "ginrummy-server"
PROPAGATED = ("traceparent", "tracestate")
LONGEST_FLUSH_S = 3.0
"""How long a server that stops waits for its last spans to be taken."""

Code = grpc.StatusCode
FAULTS = frozenset(
    {
        Code.UNKNOWN,
        Code.DEADLINE_EXCEEDED,
        Code.UNIMPLEMENTED,
        Code.INTERNAL,
        Code.UNAVAILABLE,
        Code.DATA_LOSS,
    }
)
"""What makes a server's span an error, by OpenTelemetry's conventions for gRPC."""


class OpenSpan(Span):
    """A span that is sent once it ends."""

    def __init__(self, span: trace.Span, *, tells_request_id: bool) -> None:
        self.span = span
        self._tells_request_id = tells_request_id

    def asks(self, request: Any) -> None:
        """What the request is about."""
        if isinstance(request, Message):
            self._note_match(getattr(request, "name", ""))
            request_id = getattr(request, "request_id", "")
            if self._tells_request_id and UUID4.fullmatch(request_id):
                self.span.set_attribute("ginrummy.request_id", request_id.lower())

    def _note_match(self, name: str) -> None:
        if found := MATCH_NAME.fullmatch(name):
            self.span.set_attribute("ginrummy.match", found[1])

    def answers(self, response: Any) -> None:
        """What the response is about: a match that was created, a seat that was taken."""
        if isinstance(response, Message):
            self._note_match(getattr(getattr(response, "match", None), "name", ""))
            if seat := getattr(response, "seat", 0):
                self.sits(seat)

    def sits(self, seat: int) -> None:
        """Who is calling."""
        self.span.set_attribute("ginrummy.seat", seat)

    def refused(self, failure: Failure) -> None:
        """Why it failed, without the words, which may name cards."""
        self.span.set_attribute("ginrummy.reason", failure.reason)
        if fault_id := failure.metadata.get("fault_id"):
            self.span.set_attribute("ginrummy.fault_id", fault_id)

    def end(self, code: grpc.StatusCode | None) -> None:
        """It has ended; with a code, if it was a call."""
        if code is not None:
            self.span.set_attribute("rpc.grpc.status_code", code.value[0])
            if code in FAULTS:
                self.span.set_status(trace.StatusCode.ERROR)
        self.span.end()


class Tracing(Spans):
    """Begins spans, and sends them in the background."""

    def __init__(self) -> None:
        # Its own way of ending waits for a receiver for as long as that likes.
        self._provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("ginrummy.server", SERVER_VERSION)
        self._propagator = TraceContextTextMapPropagator()

    def call(self, method: Method, context: Context) -> Span:
        """The span of a call that has just come, within its caller's trace if there is one."""
        span = self._tracer.start_span(
            f"{method.service}/{method.name}",
            self._parent(context),
            trace.SpanKind.SERVER,
            {"rpc.system": "grpc", "rpc.service": method.service, "rpc.method": method.name},
        )
        open_span = OpenSpan(span, tells_request_id=method.tells_request_id)
        CURRENT_SPAN.set(open_span)
        return open_span

    def _parent(self, context: Context) -> contexts.Context:
        metadata = context.invocation_metadata() or ()
        carrier = {key: str(value) for key, value in metadata if key in PROPAGATED}
        return self._propagator.extract(carrier, contexts.Context())

    def command(self, name: str, request: Any) -> Span:
        """The span of a command, within the one of its stream."""
        parent = CURRENT_SPAN.get()
        around = contexts.Context()
        if isinstance(parent, OpenSpan):
            around = trace.set_span_in_context(parent.span, around)
        span = self._tracer.start_span(
            f"Play {name}".rstrip(), around, attributes={"ginrummy.command": name}
        )
        open_span = OpenSpan(span, tells_request_id=True)
        if name:
            open_span.asks(getattr(request, name))
        return open_span

    async def stop(self) -> None:
        """Sends what is left, as far as somebody takes it soon."""
        done = asyncio.Event()
        loop = asyncio.get_running_loop()

        def shut_down() -> None:
            self._provider.shutdown()
            loop.call_soon_threadsafe(done.set)

        # A daemon, so that a receiver that takes nothing does not keep the server from ending.
        threading.Thread(target=shut_down, name="last-spans", daemon=True).start()
        try:
            await asyncio.wait_for(done.wait(), LONGEST_FLUSH_S)
        except TimeoutError:
            return


def _resource() -> Resource:
    """Who sends these: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, or the usual name."""
    resource = Resource.create({SERVICE_VERSION: SERVER_VERSION})
    named = os.environ.get("OTEL_SERVICE_NAME") or SERVICE_NAME in os.environ.get(
        "OTEL_RESOURCE_ATTRIBUTES", ""
    )
    return resource if named else resource.merge(Resource({SERVICE_NAME: USUAL_NAME}))
