"""The edge: the one place where what a handler raises becomes a status, and bytes a request.

A request that is no message of its type, or too large to be read, is refused like any other bad
request, instead of as a fault of the server.
"""

import asyncio
import functools
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeVar, cast

import grpc
from google.protobuf.message import DecodeError

from ginrummy.engine import Panic
from ginrummy.server.beat import Beat
from ginrummy.server.errors import Failure, failure_of, failure_of_fault
from ginrummy.server.methods import EVERY_METHOD, Method
from ginrummy.server.receiving import CROWDED, MISSING, MOST_WAITING, Receiving, Unread
from ginrummy.server.refusals import BadField, MessageTooLarge
from ginrummy.tables.errors import LimitReached, Refused
from ginrummy.tables.faults import describe

lines = logging.getLogger(__name__)

LONGEST_REQUEST = 64 * 1024
"""Bytes of a request, and of a message within a stream. No sensible one has a tenth of it."""
LONGEST_OF_METHOD = {
    "AnalyzeHands": 128 * 1024,
    "FindLayoffs": 128 * 1024,
    "AnalyzeColumns": 896 * 1024,
}
"""Bytes of a request that holds many hands, by the method's name."""

Context = grpc.aio.ServicerContext[Any, Any]
Handler = TypeVar("Handler", bound=Callable[..., Awaitable[Any]])


class _Malformed(Unread):
    """Stands for a request that could not be read."""


class _TooLarge(Unread):
    """Stands for a request that was not read, as it has so many bytes."""

    def __init__(self, size: int, limit: int) -> None:
        self.size = size
        self.limit = limit


MALFORMED = _Malformed()

STREAMS_OF_A_CALLER = "streams_of_a_caller"
"""What LIMIT_REACHED names when too many calls wait for their first request, as open streams do."""


class StatusAlone(Exception):  # noqa: N818 - an answer
    """The answer of a standard service that is a status, without a reason of this API."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(message)
        self.code = code


def check_readable(request: Any) -> None:
    """Raises BadField, MessageTooLarge or LimitReached for a request that was not read."""
    if not isinstance(request, Unread):
        return
    if request is CROWDED:
        raise LimitReached(STREAMS_OF_A_CALLER, MOST_WAITING)
    if request is MISSING:
        raise BadField("", "no request came")
    if request is MALFORMED:
        raise BadField("", "the request is not a message of this method's type")
    if isinstance(request, _TooLarge):
        raise MessageTooLarge(request.size, request.limit)


class Call(Protocol):
    """One call, from when it comes until it has ended."""

    def enter(self) -> None:
        """Lets it in. Raises a Refused."""
        ...

    def check(self, request: Any) -> None:
        """Looks at the call with its request, None for a stream of them. Raises a Refused."""
        ...

    def refuse(self, failure: Failure) -> None:
        """It is about to be answered with this failure."""
        ...

    def decline(self, code: grpc.StatusCode) -> None:
        """It is about to be answered with this status alone."""
        ...

    def answer(self, response: Any) -> None:
        """It is about to be answered with this response, None after a stream of them."""
        ...

    def end(self) -> None:
        """It has ended, in whatever way."""
        ...


class Gate(Protocol):
    """Where calls come in."""

    beat: Beat
    """When those are taken up that are answered at once."""

    def call(self, method: Method, context: Context) -> Call:
        """A call that has just come."""
        ...


def answered(handler: Handler) -> Handler:
    """Wraps a servicer's method: what it raises is answered with a status and details.

    The servicer's `check_open` raises Draining once no more calls are taken; its `gate` is where
    the call comes in.
    """
    method = EVERY_METHOD[handler.__name__]

    @functools.wraps(handler)
    async def answering(servicer: Any, request: Any, context: Context) -> Any:
        call: Call = servicer.gate.call(method, context)
        try:
            if not method.is_stream and servicer.gate.beat.is_busy():
                await servicer.gate.beat.next()
            servicer.check_open()
            call.enter()
            check_readable(request)
            call.check(request)
            handling = handler(servicer, request, context)
            # A stream outlives its request by hours.
            del request
            response = await handling
            call.answer(response)
            return response
        except Refused as refused:
            await _abort(context, call, failure_of(refused))
        except StatusAlone as status:
            call.decline(status.code)
            await _end(context, status.code, str(status))
        except (asyncio.CancelledError, grpc.aio.AbortError):
            raise
        except (Exception, Panic) as error:
            if context.done():
                raise asyncio.CancelledError from None  # the caller has gone; nobody is answered
            await _abort(context, call, failure_of_unexpected(error))
        finally:
            call.end()

    return cast(Handler, answering)


async def _abort(context: Context, call: Call, failure: Failure) -> None:
    call.refuse(failure)
    await abort(context, failure)


def failure_of_unexpected(error: BaseException) -> Failure:
    """Notes a fault of ours in the log, and what the caller is told of it."""
    fault_id = secrets.token_hex(4)
    lines.error("fault %s: %s", fault_id, describe(error), extra={"fault": fault_id})
    return failure_of_fault(fault_id)


async def abort(context: Context, failure: Failure) -> None:
    """Ends the call with this failure, as far as the caller is still there to be told."""
    await _end(context, failure.code, failure.message, failure.trailer())


async def _end(
    context: Context, code: grpc.StatusCode, message: str, trailer: Sequence[Any] = ()
) -> None:
    try:
        await context.abort(code, message, tuple(trailer))
    except grpc.aio.AbortError:
        raise
    except Exception:
        raise asyncio.CancelledError from None


class Registrar:
    """Takes a generated service's handlers on their way to the server.

    Requests are read safely, and responses may be serialised already.
    """

    def __init__(self, server: grpc.aio.Server, caller_of: Callable[[Context], str]) -> None:
        self._server = server
        self._receiving = Receiving(caller_of)

    def add_generic_rpc_handlers(self, handlers: Any) -> None:
        """Not used: registered handlers are the same and faster."""

    def add_registered_method_handlers(self, service: str, handlers: dict[str, Any]) -> None:
        """Passes the handlers on, each with its own reader and writer."""
        safe = {
            name: self._receiving.received(handler)._replace(
                request_deserializer=_safe(
                    handler.request_deserializer, LONGEST_OF_METHOD.get(name, LONGEST_REQUEST)
                ),
                response_serializer=_once(handler.response_serializer),
            )
            for name, handler in handlers.items()
        }
        generic = grpc.method_handlers_generic_handler(service, safe)
        self._server.add_generic_rpc_handlers((generic,))
        self._server.add_registered_method_handlers(service, safe)


def _once(serialize: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """What is sent to many is serialised before, by whoever needs it first."""

    def serialize_unless_done(message: Any) -> bytes:
        return message if isinstance(message, bytes) else serialize(message)

    return serialize_unless_done


def _safe(parse: Callable[[bytes], Any], longest: int) -> Callable[[bytes], Any]:
    def parse_or_mark(raw: bytes) -> Any:
        if len(raw) > longest:
            return _TooLarge(len(raw), longest)
        try:
            return parse(raw)
        except DecodeError:
            return MALFORMED

    return parse_or_mark


class UnknownMethods(grpc.GenericRpcHandler):
    """Is asked for a method that no service has, and only tells of it."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell

    def service(self, handler_call_details: Any) -> None:
        """No handler: the call is UNIMPLEMENTED."""
        self._tell()
