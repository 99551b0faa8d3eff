"""Work that takes long, done aside: the engine lets go of Python's lock, and others are served."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from ginrummy.server.limits import AtOnce

Done = TypeVar("Done")


class Aside:
    """A few threads, and a bound on how much may wait for them."""

    def __init__(self, name: str, threads: int, at_once: AtOnce) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._at_once = at_once

    async def do(self, caller: str, work: Callable[[], Done]) -> Done:
        """What the work comes to. Raises LimitReached.

        It counts for its caller until it has ended, even if he hangs up before.
        """
        loop = asyncio.get_running_loop()
        self._at_once.enter(caller)

        def ended(_: Future[Done]) -> None:
            loop.call_soon_threadsafe(self._at_once.leave, caller)

        doing = self._threads.submit(work)
        doing.add_done_callback(ended)
        return await asyncio.wrap_future(doing)

    async def close(self) -> None:
        """Waits for what has begun, and gives up what has not."""
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
