"""The one request of a call: waited for only so long, and told of when it does not come.

gRPC by itself waits for ever, and keeps a call that ended without a request as long as its
connection lives; who begins calls and never sends what they are about must not fill the memory.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import grpc

RECEIVING_S = 10.0
"""How long a call's request may take to come."""


class _Missing:
    """Stands for a request that did not come."""


MISSING = _Missing()

Serve = Callable[[Any, Any], Awaitable[Any]]


class Receiving:
    """Takes the first request of each call.

    Those that wait are kept in the order in which their time runs out, and one timer looks after
    all of them: a timer for each costs more than the wait.
    """

    def __init__(self) -> None:
        self._waiting: dict[asyncio.Task[Any], float] = {}
        self._late: set[asyncio.Task[Any]] = set()
        self._timer: asyncio.TimerHandle | None = None

    def received(self, handler: Any) -> Any:
        """The handler of one request as one of a stream of them, of which it takes the first."""
        if handler.request_streaming:
            return handler
        if handler.response_streaming:
            serve = self._of_first(handler.unary_stream)
            return handler._replace(request_streaming=True, unary_stream=None, stream_stream=serve)
        serve = self._of_first(handler.unary_unary)
        return handler._replace(request_streaming=True, unary_unary=None, stream_unary=serve)

    def _of_first(self, serve: Serve) -> Serve:
        async def serve_first(_: Any, context: Any) -> Any:
            return await serve(await self.first(context), context)

        return serve_first

    async def first(self, context: Any) -> Any:
        """The first request of a call; MISSING where none comes in time."""
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()
        self._waiting[task] = loop.time() + RECEIVING_S
        if self._timer is None:
            self._timer = loop.call_later(RECEIVING_S, self._look)
        try:
            request = await context.read()
        except asyncio.CancelledError:
            # As asyncio.timeout does: somebody else may have cancelled the task too.
            if task in self._late and task.uncancel() == 0:
                return MISSING
            raise
        finally:
            self._waiting.pop(task, None)
            self._late.discard(task)
        return MISSING if request is grpc.aio.EOF else request

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = None
        for task, due_s in tuple(self._waiting.items()):
            if due_s > loop.time():
                self._timer = loop.call_at(due_s, self._look)
                break
            del self._waiting[task]
            self._late.add(task)
            task.cancel()
