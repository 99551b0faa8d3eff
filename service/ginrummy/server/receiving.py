"""The first request of a call: waited for only so long, by so many calls of one caller.

gRPC by itself waits for ever, and keeps a call that ended without a request as long as its
connection lives; who begins calls and never sends what they are about must not fill the memory.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import Any, Self

import grpc

RECEIVING_S = 10.0
"""How long a call's first request may take to come."""
MOST_WAITING = 1000
"""Calls of one caller that wait for it. A request that is on its way is here in a moment."""
MOST_AT_ONCE = 32
"""Calls that are let go at a stretch, before others are let run."""


class Unread:
    """Stands for a request that could not be had."""


class _Missing(Unread):
    """Stands for a request that did not come."""


class _Crowded(Unread):
    """Stands for a request that too many calls of the same caller were waiting beside."""


MISSING = _Missing()
CROWDED = _Crowded()

Serve = Callable[[Any, Any], Awaitable[Any]]


class Requests:
    """The requests of a stream, of which the first has come."""

    def __init__(self, first: Any, context: Any) -> None:
        self._next: Any = first
        self._context = context

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        request, self._next = self._next, None
        if request is None:
            request = await self._context.read()
        if request is grpc.aio.EOF:
            raise StopAsyncIteration
        return request


class Receiving:
    """Takes the first request of each call.

    Those that wait are kept in the order in which their time runs out, and one timer looks after
    all of them: a timer for each costs more than the wait. A caller with too many of them loses
    the oldest, so that who sends what his calls are about is served beside one who does not. Whose
    they are is asked only once there are so many.
    """

    def __init__(self, caller_of: Callable[[Any], str]) -> None:
        self._caller_of = caller_of
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[asyncio.Task[Any], tuple[float, Any]] = {}
        """When their time runs out, and their contexts."""
        self._callers: dict[asyncio.Task[Any], str] = {}
        """Whose they are, as far as that was asked: of the first of those that wait."""
        self._of_callers: dict[str, dict[asyncio.Task[Any], None]] = {}
        self._let_go: dict[asyncio.Task[Any], _Missing | _Crowded] = {}
        """Those that are to end, with what they are told."""
        self._timer: asyncio.Handle | None = None

    def received(self, handler: Any) -> Any:
        """The handler as one of a stream of requests, which begins when the first has come."""
        if handler.request_streaming:
            serve = self._of_all(handler.stream_stream)
            return handler._replace(stream_stream=serve)
        if handler.response_streaming:
            serve = self._of_first(handler.unary_stream)
            return handler._replace(request_streaming=True, unary_stream=None, stream_stream=serve)
        serve = self._of_first(handler.unary_unary)
        return handler._replace(request_streaming=True, unary_unary=None, stream_unary=serve)

    def _of_first(self, serve: Serve) -> Serve:
        async def serve_first(_: Any, context: Any) -> Any:
            first = await self.first(context)
            handling = serve(MISSING if first is grpc.aio.EOF else first, context)
            # A stream outlives its request by hours.
            del first
            return await handling

        return serve_first

    def _of_all(self, serve: Serve) -> Serve:
        async def serve_all(_: Any, context: Any) -> Any:
            first = await self.first(context)
            is_none = first is MISSING or first is CROWDED
            handling = serve(first if is_none else Requests(first, context), context)
            del first
            return await handling

        return serve_all

    async def first(self, context: Any) -> Any:
        """The first request of a call, or grpc's EOF; MISSING where none comes in time."""
        task = asyncio.current_task(self._loop)
        assert task is not None
        if len(self._waiting) >= MOST_WAITING:
            self._make_room(self._caller_of(context))
        self._waiting[task] = (self._loop.time() + RECEIVING_S, context)
        if self._timer is None:
            self._timer = self._loop.call_later(RECEIVING_S, self._look)
        try:
            return await context.read()
        except asyncio.CancelledError:
            # As asyncio.timeout does: somebody else may have cancelled the task too.
            if task in self._let_go and task.uncancel() == 0:
                return self._let_go[task]
            raise
        finally:
            self._waiting.pop(task, None)
            if self._let_go:
                self._let_go.pop(task, None)
            if self._callers:
                self._forget_caller(task)

    def _make_room(self, caller: str) -> None:
        """Lets the oldest of this caller's calls go, if they are too many."""
        latest = reversed(self._waiting)
        new = list(itertools.takewhile(lambda task: task not in self._callers, latest))
        for task in reversed(new):
            whose = self._callers[task] = self._caller_of(self._waiting[task][1])
            self._of_callers.setdefault(whose, {})[task] = None
        his = self._of_callers.get(caller, {})
        if len(his) >= MOST_WAITING:
            self._tell(next(iter(his)), CROWDED)

    def _forget_caller(self, task: asyncio.Task[Any]) -> None:
        caller = self._callers.pop(task, None)
        if caller is not None:
            his = self._of_callers[caller]
            del his[task]
            if not his:
                del self._of_callers[caller]

    def _tell(self, task: asyncio.Task[Any], told: _Missing | _Crowded) -> None:
        del self._waiting[task]
        self._forget_caller(task)
        self._let_go[task] = told
        task.cancel()

    def _look(self) -> None:
        self._timer = None
        for count, (task, (due_s, _)) in enumerate(tuple(self._waiting.items())):
            if due_s > self._loop.time():
                self._timer = self._loop.call_at(due_s, self._look)
                break
            if count == MOST_AT_ONCE:
                self._timer = self._loop.call_soon(self._look)
                break
            self._tell(task, MISSING)

    def __len__(self) -> int:
        """How many calls wait."""
        return len(self._waiting)
