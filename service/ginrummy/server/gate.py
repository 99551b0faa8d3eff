"""The gate: what is asked of every call and command before it is let in, and what is told of it.

It says no before anything is done for the caller: too many requests, too many streams, no deadline.
"""

import logging
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import grpc

from ginrummy.server.beat import Beat
from ginrummy.server.convert.fields import UUID4
from ginrummy.server.edge import Context
from ginrummy.server.errors import Failure
from ginrummy.server.limits import AtOnce, LimitName, Rates, half_for_one
from ginrummy.server.meter import NO_SPAN, Meter, Span, Spans
from ginrummy.server.methods import METHODS, PROBE, Method
from ginrummy.server.refusals import DeadlineRequired
from ginrummy.server.settings import Limits
from ginrummy.tables.about import About, begin, current, nothing

lines = logging.getLogger(__name__)

CallerOf = Callable[[Context], str]

Code = grpc.StatusCode
OK = Code.OK
ROUNDED = 0.02
"""Of a caller's time. gRPC sends it rounded up by as much as a hundredth, and he gives up when his
own is over: he is taken for out of time when no more than this is left of what a call had."""


def request_id_of(request: Any) -> dict[str, str]:
    """The id, for log lines, of a request that has a good one."""
    request_id = getattr(request, "request_id", "")
    return {"request_id": request_id.lower()} if request_id and UUID4.fullmatch(request_id) else {}


class Gate:
    """Where the calls of all services come in."""

    def __init__(
        self,
        limits: Limits,
        caller_of: CallerOf,
        meter: Meter | None = None,
        spans: Spans | None = None,
    ) -> None:
        self.beat = Beat()
        self.caller_of = caller_of
        self.meter = meter or Meter()
        self.spans = spans or Spans()
        self.rates = Rates(limits.max_requests_per_s) if limits.max_requests_per_s else None
        self.streams = AtOnce(LimitName.STREAMS_OF_A_CALLER, limits.max_streams_per_caller)
        self.listings = half_for_one(LimitName.LISTINGS, limits.max_listings)
        self.event_listings = half_for_one(LimitName.LISTINGS, limits.max_listings)
        self.deadlines_required = limits.require_deadlines

    def call(self, method: Method, context: Context) -> "GatedCall":
        """A call that has just come."""
        return GatedCall(self, method, context)

    def commands(self, context: Context) -> "Commands":
        """The commands that come in one stream."""
        return Commands(self, self.caller_of(context) if self.rates else "")


class GatedCall:
    """One call on its way through the gate and back."""

    __slots__ = (
        "_about",
        "_began_s",
        "_caller",
        "_code",
        "_context",
        "_gate",
        "_method",
        "_span",
    )

    def __init__(self, gate: Gate, method: Method, context: Context) -> None:
        self._gate = gate
        self._method = method
        self._context = context
        self._caller: str | None = None
        """Who has a stream here."""
        self._code: grpc.StatusCode | None = None
        self._span: Span = gate.spans.call(method, context) if method.name in METHODS else NO_SPAN
        self._began_s = perf_counter()
        self._about = begin(call=method.label)
        if method.is_stream:
            gate.meter.stream_opened(method)

    def enter(self) -> None:
        """Counts the call, and the stream for as long as it is open. Raises LimitReached.

        A probe costs no more than a refusal, and its asker must not take the server for dead
        because somebody else calls from the same address.
        """
        gate = self._gate
        if self._method is PROBE:
            return
        if gate.rates is None and not self._method.is_stream:
            return
        caller = gate.caller_of(self._context)
        if gate.rates is not None:
            gate.rates.take(caller)
        if self._method.is_stream:
            gate.streams.enter(caller)
            self._caller = caller

    def check(self, request: Any) -> None:
        """Raises DeadlineRequired."""
        self._span.asks(request)
        if self._method.tells_request_id:
            self._about.tell = partial(request_id_of, request)
        if (
            self._method.changes
            and self._gate.deadlines_required
            and self._context.time_remaining() is None
        ):
            raise DeadlineRequired

    def refuse(self, failure: Failure) -> None:
        """Notes what is about to be answered."""
        self._code = failure.code
        self._gate.meter.refused(failure)
        self._span.refused(failure)

    def decline(self, code: grpc.StatusCode) -> None:
        """Notes what is about to be answered, which is no refusal of the API's."""
        self._code = code

    def answer(self, response: Any) -> None:
        """Notes that the call has done what it was for."""
        self._code = OK
        self._span.answers(response)

    def end(self) -> None:
        """Lets go of what the call held."""
        if self._caller is not None:
            self._gate.streams.leave(self._caller)
        if self._method.is_stream:
            self._gate.meter.stream_closed(self._method)
        length_s = perf_counter() - self._began_s
        code = self._code or code_of_left(length_s, self._context.time_remaining())
        if lines.isEnabledFor(logging.DEBUG):
            lines.debug("%s %s in %d ms", self._method.label, code.name, length_s * 1000)
        self._about.tell = nothing  # timers begun meanwhile know it for longer
        self._gate.meter.call_ended(self._method, code, length_s)
        self._span.end(code)


def code_of_left(length_s: float, left_s: float | None) -> grpc.StatusCode:
    """How the caller sees a call that was given up after so long: out of time, or by himself."""
    if left_s is None or left_s > ROUNDED * (length_s + left_s):
        return Code.CANCELLED
    return Code.DEADLINE_EXCEEDED


class Commands:
    """What comes in one Play stream after its first message."""

    def __init__(self, gate: Gate, caller: str) -> None:
        self._gate = gate
        self._caller = caller
        self._about = current()

    def one(self, name: str, request: Any) -> "OneCommand":
        """While one command is carried out."""
        span = self._gate.spans.command(name, request)
        if name:
            self._about.tell = partial(request_id_of, getattr(request, name))
        return OneCommand(span, self._about)

    def enter(self) -> None:
        """Counts one command. Raises LimitReached."""
        if self._gate.rates is not None:
            self._gate.rates.take(self._caller)

    def accepted(self, name: str, *, replayed: bool) -> None:
        """Notes a command that has done what it was for."""
        self._gate.meter.command(name, "replayed" if replayed else "accepted")

    def refused(self, name: str, failure: Failure) -> None:
        """Notes a command that was refused."""
        self._gate.meter.command(name, "refused")
        self._gate.meter.refused(failure)


class OneCommand:
    """One command on its way, which log lines are about meanwhile."""

    __slots__ = ("_about", "_span")

    def __init__(self, span: Span, about: About) -> None:
        self._span = span
        self._about = about

    def __enter__(self) -> Span:
        return self._span

    def __exit__(self, *_: object) -> None:
        self._about.tell = nothing
        self._span.end(None)
