"""Every step of every task counted, so that a test can come between any two of them."""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from typing import Any


class Steps:
    """Counts the steps of the tasks begun while it is entered; calls `do` before step `at`.

    A step is what a task does from one wait to the next. Nothing else in a program of one thread
    can be interrupted, so who has tried all steps has tried all orders.
    """

    def __init__(self, at: int, do: Callable[[], object]) -> None:
        self.count = 0
        self._at = at
        self._do = do

    def __enter__(self) -> "Steps":
        asyncio.get_running_loop().set_task_factory(self._make)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.get_running_loop().set_task_factory(None)

    @property
    def has_come(self) -> bool:
        """Whether there were so many steps."""
        return self.count >= self._at

    def note(self) -> None:
        self.count += 1
        if self.count == self._at:
            self._do()

    def _make(
        self, loop: asyncio.AbstractEventLoop, work: Any, **options: Any
    ) -> "asyncio.Task[Any]":
        task = asyncio.Task(_run(_Counted(work, self)), loop=loop, **options)
        # One that is cancelled before its first step has not begun its work.
        task.add_done_callback(lambda _: work.close())
        return task


async def _run(counted: "_Counted") -> Any:
    return await counted


class _Counted:
    def __init__(self, work: Coroutine[Any, Any, Any], steps: Steps) -> None:
        self._work = work
        self._steps = steps

    def __await__(self) -> Generator[Any, Any, Any]:
        sent: Any = None
        thrown: BaseException | None = None
        while True:
            self._steps.note()
            try:
                waited = self._work.send(sent) if thrown is None else self._work.throw(thrown)
            except StopIteration as stop:
                return stop.value
            thrown = None
            try:
                sent = yield waited
            except BaseException as error:
                thrown = error
