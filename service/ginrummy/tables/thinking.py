"""How bots choose: at once, or in a thread of their own where nobody waits for them."""

import asyncio
import hmac
from concurrent.futures import ThreadPoolExecutor
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


def choose(state: TableState, cancel: engine.Cancel | None = None) -> Choice:
    """The choice of the bot that is to act, which sees what a player in its seat sees."""
    bot, seat = state.bot_to_act, state.to_act
    if bot is None or state.game is None:
        raise ValueError("no bot is to act")
    occupant = state.occupants[seat - 1]
    samples = occupant.get("options", {}).get(SAMPLES)
    think_us = occupant.get("think_time_us")
    began_s = perf_counter()
    action = state.game.bot_action(
        seat,
        bot,
        seed=seed_at(state),
        samples=None if samples is None else int(samples),
        think_s=LONGEST_THINK_S if think_us is None else think_us / 1e6,
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


class Thinkers:
    """Threads for the bots that think."""

    def __init__(self, threads: int = THREADS) -> None:
        self._pool = ThreadPoolExecutor(threads, "bot")

    async def choose(self, state: TableState) -> Choice:
        """The choice of the bot that is to act; whoever stops waiting for it ends its thinking."""
        cancel = engine.Cancel()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._pool, choose, state, cancel)
        finally:
            cancel.cancel()

    def close(self) -> None:
        """Nobody thinks here any more."""
        self._pool.shutdown(wait=False, cancel_futures=True)
