"""Work that goes on when whoever asked for it goes away."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class Work:
    """Coroutines that each run in a task of their own, to their end."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def is_going_on(self) -> bool:
        """Whether anything is not finished."""
        return bool(self._tasks)

    async def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The result of `work`, which a cancellation of this wait does not touch."""
        answer: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(_answering(work, answer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await answer

    async def finish(self) -> None:
        """Waits until everything is finished."""
        while self._tasks:
            await asyncio.wait(self._tasks)


async def _answering(work: Coroutine[Any, Any, Result], answer: "asyncio.Future[Result]") -> None:
    """Does the work and tells how it went, as far as anybody still waits for it.

    It does what `asyncio.shield` would, at half its price: each move is such a piece of work.
    """
    try:
        result = await work
    except BaseException as error:
        if not answer.done():
            answer.set_exception(error)
        if not isinstance(error, Exception):
            raise
    else:
        if not answer.done():
            answer.set_result(result)
