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
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    async def finish(self) -> None:
        """Waits until everything is finished."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # nobody may be waiting for it any more
