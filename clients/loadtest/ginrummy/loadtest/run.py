"""A run: the client's processes, started, listened to and added up."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ginrummy.loadtest import worker
from ginrummy.loadtest.figures import Figures
from ginrummy.loadtest.plan import Plan, Thresholds

SECOND_S = 1.0
CLIENT_FULL = 0.9
"""A client process that uses more of a core than this is the limit, not the server."""
GRACE_S = 20.0
"""How long processes may take to end after the plan's time."""
LONGEST_LINE = 1 << 22


class ClientFailed(Exception):  # noqa: N818 - as it is told
    """A process of the client ended by itself; the message is its last word."""


@dataclass(slots=True)
class Result:
    """All that was measured: as a whole after the ramp, and second by second."""

    plan: Plan
    total: Figures = field(default_factory=Figures)
    """After the ramp; errors and wrong answers of the whole run."""
    seconds: list[Figures] = field(default_factory=list)
    elapsed_s: float = 0.0

    @property
    def measured_s(self) -> float:
        """The time that `total` covers."""
        return max(self.elapsed_s - self.plan.ramp_s, 1e-9)

    @property
    def rate(self) -> float:
        """Moves a second."""
        return self.total.moves / self.measured_s

    @property
    def error_count(self) -> int:
        """Failed matches, wrong answers among them."""
        return self.total.errors.total()

    @property
    def limited_share(self) -> float:
        """The share of the time in which a client process had no room left."""
        measured = self.seconds[int(self.plan.ramp_s) :]
        return sum(s.busiest > CLIENT_FULL for s in measured) / max(len(measured), 1)

    def failures(self, thresholds: Thresholds) -> list[str]:
        """What the run did not keep to."""
        failures = [f"wrong answer: {wrong}" for wrong in self.total.wrong]
        if self.error_count > thresholds.max_errors:
            allowed = thresholds.max_errors
            failures.append(f"{self.error_count} matches failed, at most {allowed} may")
        p99_ms = self.total.ms("answer", 99)
        if thresholds.max_p99_ms is not None and p99_ms > thresholds.max_p99_ms:
            failures.append(
                f"p99 was {p99_ms:.1f} ms, at most {thresholds.max_p99_ms:g} ms allowed"
            )
        if thresholds.min_rate is not None and self.rate < thresholds.min_rate:
            failures.append(
                f"{self.rate:.0f} moves/s were done, at least {thresholds.min_rate:g} are needed"
            )
        if not self.total.moves:
            failures.append("no move was made")
        return failures


class Run:
    """Carries out a plan. `on_second` is told of every second as it ends."""

    def __init__(self, plan: Plan, on_second: Callable[[Result], None]) -> None:
        self.result = Result(plan)
        self._plan = plan
        self._on_second = on_second
        self._current = Figures()
        self._open_by_process: dict[int, int] = {}

    async def go(self) -> Result:
        """The whole run. Raises ClientFailed."""
        processes = [await self._start(number) for number in range(self._plan.processes)]
        began_s = time.monotonic()
        listening = [
            asyncio.create_task(self._listen(number, process))
            for number, process in enumerate(processes)
        ]
        counting = asyncio.create_task(self._count_seconds(began_s))
        try:
            async with asyncio.timeout(self._plan.duration_s + GRACE_S):
                await asyncio.gather(*listening)
        except TimeoutError:
            raise ClientFailed("a process of the client did not end in time") from None
        finally:
            counting.cancel()
            for process in processes:
                if process.returncode is None:
                    process.kill()
                await process.wait()
        self._end_second(min(time.monotonic() - began_s, self._plan.duration_s))
        return self.result

    async def _start(self, number: int) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", worker.__name__),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
        )
        assert process.stdin is not None
        process.stdin.write(self._plan.share(number).to_json().encode() + b"\n")
        await process.stdin.drain()
        return process

    async def _listen(self, number: int, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        async for line in process.stdout:
            figures = Figures.from_json(json.loads(line))
            self._open_by_process[number] = figures.open
            self._current.add(figures)
        if await process.wait():
            said = (await process.stderr.read()).decode(errors="replace").strip().splitlines()
            raise ClientFailed(said[-1] if said else f"exit code {process.returncode}")

    async def _count_seconds(self, began_s: float) -> None:
        second = 0
        while True:
            second += 1
            await asyncio.sleep(began_s + second * SECOND_S - time.monotonic())
            self._end_second(time.monotonic() - began_s)

    def _end_second(self, elapsed_s: float) -> None:
        result, current = self.result, self._current
        self._current = Figures()
        current.elapsed_s = elapsed_s - result.elapsed_s
        current.open = sum(self._open_by_process.values())
        result.elapsed_s = elapsed_s
        result.seconds.append(current)
        if elapsed_s > self._plan.ramp_s:
            result.total.add(current)
        else:
            result.total.errors.update(current.errors)
            result.total.wrong += current.wrong
        self._on_second(result)
