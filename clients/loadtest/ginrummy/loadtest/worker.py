"""One of the client's processes: carries out its share of a plan and reports what happened.

Reads the plan, one line of JSON, from standard input, and writes a line of figures each half second
to standard output. Ends by itself when the plan's time is over, or when its input is closed.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from itertools import count
from random import Random
from typing import Any

from ginrummy.client import GinRummyClient, GinRummyError
from ginrummy.loadtest.checks import WrongAnswer
from ginrummy.loadtest.figures import Figures
from ginrummy.loadtest.game import Game
from ginrummy.loadtest.plan import Plan

REPORT_S = 0.5
MOST_OPEN = 5000
"""Matches of the open model at once; those that would be more are counted as late."""
MOST_WRONG = 20
"""Wrong answers that are told in full."""
AFTER_FAILURE_S = 0.2
"""A pause after a failed match, so that a server in trouble is not flooded."""

Report = Callable[[Figures], None]


class Load:
    """The running plan of one process."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._figures = Figures()
        self._clients = [
            GinRummyClient(plan.address, timeout_s=plan.timeout_s, api_key=plan.api_key)
            for _ in range(plan.connections)
        ]
        self._numbers = count()
        self._open: set[asyncio.Task[None]] = set()
        self._random = Random(f"{plan.seed} arrivals")
        self._is_over = False
        self._reported_s, self._reported_cpu_s = time.monotonic(), time.process_time()

    async def run(self, report: Report) -> None:
        """Loads until the plan's time is over; reports on the way and at the end."""
        reporting = asyncio.create_task(self._report_forever(report))
        begin = self._begin_at_rate if self._plan.is_open else self._keep_playing
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._plan.duration_s):
                    await begin()
        finally:
            self._is_over = True
            # What was begun is broken off and looked at, without counting as an error.
            for task in tuple(self._open):
                task.cancel()
            if self._open:
                await asyncio.wait(self._open)
            reporting.cancel()
            self._report(report)
            for client in self._clients:
                await client.close()

    async def _keep_playing(self) -> None:
        """The closed model: a match that ends makes room for the next."""
        step_s = self._plan.ramp_s / max(self._plan.matches, 1)
        for _ in range(self._plan.matches):
            self._start(self._one_after_another())
            await asyncio.sleep(step_s)
        await asyncio.Event().wait()

    async def _begin_at_rate(self) -> None:
        """The open model: matches begin at random moments, whatever has become of the others."""
        loop = asyncio.get_running_loop()
        began_s = next_s = loop.time()
        while True:
            share = min((next_s - began_s) / self._plan.ramp_s, 1) if self._plan.ramp_s else 1.0
            next_s += self._random.expovariate(self._plan.rate * max(share, 0.05))
            await asyncio.sleep(next_s - loop.time())
            if len(self._open) < MOST_OPEN:
                self._start(self._one())
            else:
                self._figures.late += 1

    def _start(self, playing: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(playing)
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _one_after_another(self) -> None:
        while not self._is_over:
            await self._one()

    async def _one(self) -> None:
        number = next(self._numbers)
        client = self._clients[number % len(self._clients)]
        try:
            await Game(client, self._plan, number, self._figures).play()
        except WrongAnswer as wrong:
            self._figures.errors["WRONG_ANSWER"] += 1
            if len(self._figures.wrong) < MOST_WRONG:
                self._figures.wrong.append(str(wrong))
        except GinRummyError as error:
            self._figures.errors[error.reason or error.code.name] += 1
            await asyncio.sleep(AFTER_FAILURE_S)

    async def _report_forever(self, report: Report) -> None:
        while True:
            await asyncio.sleep(REPORT_S)
            self._report(report)

    def _report(self, report: Report) -> None:
        """Hands out what happened since the last time."""
        now_s, cpu_s = time.monotonic(), time.process_time()
        self._figures.open = len(self._open)
        report(self._figures.take(now_s - self._reported_s, cpu_s - self._reported_cpu_s))
        self._reported_s, self._reported_cpu_s = now_s, cpu_s


async def work(plan: Plan) -> None:
    """Carries out the plan, as long as somebody reads what is reported."""

    def report(figures: Figures) -> None:
        sys.stdout.write(json.dumps(figures.to_json()) + "\n")
        sys.stdout.flush()

    loading = asyncio.create_task(Load(plan).run(report))
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin.fileno(), loading.cancel)
    with suppress(asyncio.CancelledError):
        await loading


def main() -> None:
    """The process."""
    plan = Plan.from_json(sys.stdin.readline())
    with suppress(BrokenPipeError, KeyboardInterrupt):
        asyncio.run(work(plan))


if __name__ == "__main__":
    main()
