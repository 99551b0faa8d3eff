"""Purges of the file, shared by those who wait for one.

A purge holds up everything that is to be stored. However many names are erased at once, the writer
has most of the time for the others.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

REST = 4
"""After a purge the writer rests from purges this many times as long as it took."""

LONGEST_REST_S = 5.0


class Purges:
    """The purges of one file, one after the other."""

    def __init__(self, purge: Callable[[], Awaitable[None]]) -> None:
        self._purge = purge
        self._has_remains = True  # an earlier process may have been stopped before its purge
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()
        self._rested_s = 0.0
        self._closing = asyncio.Event()

    def need(self) -> None:
        """Something is about to be rewritten, of which bytes will remain."""
        self._has_remains = True

    async def done(self) -> None:
        """Returns once nothing remains of what was rewritten before the call.

        Raises what the purge raised; cancelling the wait does not cancel it.
        """
        task = asyncio.create_task(self._run())
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        await asyncio.shield(task)

    async def close(self) -> None:
        """Finishes the purges that somebody waits for, without rest."""
        self._closing.set()
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # nobody may be waiting for it any more

    async def _run(self) -> None:
        """Purges, if the turn of those before has not done it for this one too."""
        loop = asyncio.get_running_loop()
        async with self._turn:
            if not self._has_remains:
                return
            await self._rest(self._rested_s - loop.time())
            # What is rewritten from now on comes after the purge, and needs one of its own.
            self._has_remains = False
            began_s = loop.time()
            try:
                await self._purge()
            except BaseException:
                self._has_remains = True
                raise
            finally:
                ended_s = loop.time()
                self._rested_s = ended_s + min(REST * (ended_s - began_s), LONGEST_REST_S)

    async def _rest(self, rest_s: float) -> None:
        if rest_s > 0:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(rest_s):
                    await self._closing.wait()
