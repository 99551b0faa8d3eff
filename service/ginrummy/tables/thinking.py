"""How bots choose: at once, or in a thread of their own where nobody waits for them."""

import asyncio
import hmac
from bisect import insort
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from operator import attrgetter
from time import perf_counter
from typing import NamedTuple

from ginrummy import engine
from ginrummy.engine.types import Action
from ginrummy.tables.state import TableState

THREADS = 2
"""Bots that think at a time. The engine lets go of the interpreter meanwhile."""
LONGEST_THINK_S = 5.0
"""For one decision, where the seat has no think time."""
SAMPLES = "samples"
"""The option that says how often a bot imagines the hidden cards for a decision."""
MOST_SAMPLES = 10_000


class Choice(NamedTuple):
    """What a bot does, and in how many seconds it was chosen."""

    action: Action
    think_s: float


def thinks(bot: str) -> bool:
    """Whether the bot takes its time; else it needs a few microseconds."""
    return engine.default_samples(bot) > 0


def think_time_s(state: TableState) -> float:
    """The longest that the bot which is to act may take, the wait for a thread included."""
    think_us = state.occupants[state.to_act - 1].get("think_time_us")
    return LONGEST_THINK_S if think_us is None else think_us / 1e6


def choose(state: TableState, cancel: engine.Cancel | None = None, waited_s: float = 0.0) -> Choice:
    """The choice of the bot that is to act, which sees what a player in its seat sees.

    What it has waited for a thread is taken off its think time; with none left it answers at once.
    """
    bot, seat = state.bot_to_act, state.to_act
    if bot is None or state.game is None:
        raise ValueError("no bot is to act")
    occupant = state.occupants[seat - 1]
    samples = occupant.get("options", {}).get(SAMPLES)
    began_s = perf_counter()
    action = state.game.bot_action(
        seat,
        bot,
        seed=seed_at(state),
        samples=None if samples is None else int(samples),
        think_s=max(think_time_s(state) - waited_s, 0.0),
        cancel=cancel,
    )
    if action is None:
        raise RuntimeError(f"bot {bot} has no move")
    return Choice(action, perf_counter() - began_s)


def seed_at(state: TableState) -> int:
    """The chance numbers of a decision, the same whenever the match is played again.

    Nobody can tell them before the end of the match opens its seed, nor anything of the deals from
    what comes of them.
    """
    key = bytes.fromhex(state.seed)
    return int.from_bytes(hmac.digest(key, b"bot to act after %d" % state.head, "sha256")[:8])


class Decision:
    """A bot's decision from when it is owed."""

    def __init__(self, state: TableState) -> None:
        self._state = state
        self._came_s = perf_counter()
        self.ends_s = self._came_s + think_time_s(state)
        """When its think time is over."""
        self.cancel = engine.Cancel()
        self.choice: asyncio.Future[Choice] = asyncio.get_running_loop().create_future()

    def think(self) -> Choice:
        """Takes as long as is left; for a thread."""
        return choose(self._state, self.cancel, perf_counter() - self._came_s)

    def settle(self, thinking: "asyncio.Future[Choice]") -> None:
        """Tells whoever still waits for it."""
        error = thinking.exception()
        if self.choice.done():
            return
        if error is None:
            self.choice.set_result(thinking.result())
        else:
            self.choice.set_exception(error)


class Thinkers:
    """Threads for the bots that think.

    The decision whose time is over first is begun first, so that those who take long are not in the
    way of others; of equal ones, the one that came first. What has begun is not broken off for it.
    """

    def __init__(self, threads: int = THREADS) -> None:
        self._pool = ThreadPoolExecutor(threads, "bot")
        self._free = threads
        self._waiting: list[Decision] = []
        """In the order in which their times are over."""

    async def choose(self, state: TableState) -> Choice:
        """The choice of the bot that is to act; whoever stops waiting for it ends its thinking."""
        decision = Decision(state)
        insort(self._waiting, decision, key=attrgetter("ends_s"))
        try:
            self._begin()
            return await decision.choice
        finally:
            decision.cancel.cancel()
            with suppress(ValueError):
                self._waiting.remove(decision)

    def close(self) -> None:
        """Nobody thinks here any more."""
        for decision in self._waiting:
            decision.choice.cancel()
        self._waiting.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _begin(self) -> None:
        """Gives free threads to those who wait."""
        while self._free and self._waiting:
            decision = self._waiting[0]
            loop = asyncio.get_running_loop()
            thinking = loop.run_in_executor(self._pool, decision.think)
            thinking.add_done_callback(partial(self._ended, decision))
            del self._waiting[0]
            self._free -= 1

    def _ended(self, decision: Decision, thinking: "asyncio.Future[Choice]") -> None:
        self._free += 1
        if thinking.cancelled():  # closed before a thread was at it
            decision.choice.cancel()
        else:
            decision.settle(thinking)
        self._begin()
