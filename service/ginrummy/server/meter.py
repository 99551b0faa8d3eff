"""What the gate tells of calls: to meters and traces, which do nothing with it unless told to."""

from contextvars import ContextVar
from typing import Any

import grpc

from ginrummy.server.edge import Context
from ginrummy.server.errors import Failure
from ginrummy.server.methods import Method


class Meter:
    """Counts and times what happens; this one does not."""

    def call_ended(self, method: Method, code: grpc.StatusCode, length_s: float) -> None:
        """A call or stream of this method has ended with `code` after `length_s`."""

    def stream_opened(self, method: Method) -> None:
        """A stream has come, and is not let in yet."""

    def stream_closed(self, method: Method) -> None:
        """A stream has ended."""

    def command(self, name: str, outcome: str) -> None:
        """A command in a Play stream was accepted, replayed or refused."""

    def refused(self, failure: Failure) -> None:
        """A call or command is answered with this failure."""

    def unknown_method(self) -> None:
        """A method was called that there is none of."""


class Span:
    """Tells a trace of one call or command; this one does not."""

    def asks(self, request: Any) -> None:
        """What the request is about."""

    def answers(self, response: Any) -> None:
        """What the response is about."""

    def sits(self, seat: int) -> None:
        """Which seat is calling."""

    def refused(self, failure: Failure) -> None:
        """Why it failed."""

    def end(self, code: grpc.StatusCode | None) -> None:
        """It has ended; with a code, if it was a call."""


NO_SPAN = Span()
CURRENT_SPAN: ContextVar[Span] = ContextVar("CURRENT_SPAN", default=NO_SPAN)
"""Of the call that a task answers."""


class Spans:
    """Begins the spans of a trace; these are none."""

    def call(self, method: Method, context: Context) -> Span:
        """The span of a call that has just come."""
        return NO_SPAN

    def command(self, name: str, request: Any) -> Span:
        """The span of a command within a stream."""
        return NO_SPAN

    async def stop(self) -> None:
        """Sends what is left."""
