"""Blocks of past events, made ready to be sent once for all who read them.

Past events do not change, and reading them is what anybody may do without a token; so a thousand
readers of one match shall cost hardly more than one.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Any, TypeAlias

BLOCK_LEN = 64
"""Events in a block. Block n holds the events from n * BLOCK_LEN + 1 on."""
MOST_BLOCKS = 1024
"""Blocks kept, of all matches together. Each has some kB."""

Key: TypeAlias = tuple[str, int, Hashable]
"""Match, last event, and for whom."""


def block_end(cursor: int) -> int:
    """The last event of the block that the event after `cursor` is in."""
    return (cursor // BLOCK_LEN + 1) * BLOCK_LEN


class Blocks:
    """The blocks that were asked for lately.

    They are made one at a time: each takes the event loop for a millisecond or two, and everybody
    else has a turn between two of them, however many are asked for at once.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._made: OrderedDict[Key, asyncio.Task[Any]] = OrderedDict()

    def drop(self, match_id: str) -> None:
        """Keeps no blocks of a match, not even those that are being made."""
        for key in [key for key in self._made if key[0] == match_id]:
            del self._made[key]

    def count_of(self, match_id: str) -> int:
        """How many blocks of a match are kept."""
        return sum(key[0] == match_id for key in self._made)

    async def get(self, key: Key, make: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """The block of this key, from `make` if it is not here; those who ask meanwhile wait."""
        making = self._made.get(key)
        if making is None:
            making = asyncio.create_task(self._in_turn(make))
            self._made[key] = making
            making.add_done_callback(lambda task: self._forget_failed(key, task))
            while len(self._made) > MOST_BLOCKS:
                self._made.popitem(last=False)
        self._made.move_to_end(key)
        waited: Awaitable[Any] = asyncio.shield(making)
        return await waited

    async def _in_turn(self, make: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        async with self._turn:
            return await make()

    def _forget_failed(self, key: Key, task: asyncio.Task[Any]) -> None:
        has_failed = task.cancelled() or task.exception() is not None
        if has_failed and self._made.get(key) is task:
            del self._made[key]
