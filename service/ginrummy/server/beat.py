"""When calls are taken up: at once, or, on a busy server, together with those that come just then.

One call after the other costs a good deal more processor time than as many of them in one go: in
between gRPC's threads and the kernel have their turn, and nothing that the next call needs is at
hand in the processor's caches any more. So a busy server lets what comes wait until for a moment
nothing more does, and its callers are answered sooner for it. With time to spare nobody waits.
"""

import asyncio
import time
from collections.abc import Callable

LULL_S = 0.001
"""When for so long no further call has come, those that wait are taken up."""
LONGEST_S = 0.020
"""They are after so long anyway."""
LOOK_S = 0.05
"""How often it is looked at whether the server is busy."""
BUSY = 0.5
"""Of one core, used by the event loop's thread. What other threads do takes no time from calls."""


class Beat:
    """Tells whether the server is busy, and lets calls wait for each other.

    if beat.is_busy():
        await beat.next()
    """

    def __init__(self, used_s: Callable[[], float] = time.thread_time) -> None:
        """`used_s`: the processor time that the event loop's thread has used."""
        self._loop = asyncio.get_running_loop()
        self._used_s = used_s
        self._is_busy = False
        self._looked = (self._loop.time(), used_s())
        """When it was looked, and the processor time used until then."""
        self._waiting: list[asyncio.Future[None]] = []
        self._began_s = 0.0
        """When the first of them came."""
        self._count = 0
        """How many there were at the last moment."""

    def is_busy(self) -> bool:
        """Whether calls have to wait. Asked by each call; it is not always looked anew."""
        now_s = self._loop.time()
        past_s, past_used_s = self._looked
        if now_s - past_s >= LOOK_S:
            used_s = self._used_s()
            self._is_busy = used_s - past_used_s >= BUSY * (now_s - past_s)
            self._looked = (now_s, used_s)
        return self._is_busy

    async def next(self) -> None:
        """Waits for the next beat, which comes by itself."""
        if not self._waiting:
            self._began_s = self._loop.time()
            self._count = 1
            self._loop.call_later(LULL_S, self._listen)
        strike: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append(strike)
        await strike

    def _listen(self) -> None:
        """Strikes in a lull, or after so long."""
        count = len(self._waiting)
        if count > self._count and self._loop.time() - self._began_s < LONGEST_S:
            self._count = count
            self._loop.call_later(LULL_S, self._listen)
            return
        waiting, self._waiting = self._waiting, []
        for strike in waiting:
            if not strike.done():  # its caller has not gone
                strike.set_result(None)
