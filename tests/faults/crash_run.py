"""Matches in flight while the server is killed again and again: nothing may be lost.

python -m tests.faults.crash_run [--matches 100] [--kills 50] [--seed N]

Clients play MATCHES matches at once, by every way that the API has, and replace those that have
ended. Meanwhile the server is killed with SIGKILL when requests wait for their answers, and started
again on the same file. After the last kill the matches are played to their ends, and then
everything that clients were told is compared with what is stored. Exits with 1 on any difference.
"""

import argparse
import asyncio
import secrets
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from . import accounts
from .crowd import Crowd
from .plans import plan_of
from .record import Record
from .servers import SERVER, Server

MOST_SHOWN = 20


@dataclass(frozen=True)
class Run:
    """What to do."""

    matches: int
    kills: int
    seed: int
    program: Sequence[str] = SERVER
    stop_with: int = signal.SIGKILL
    """How each server but the last is ended."""
    has_short_matches: bool = False
    """Each is given up in its first hand."""
    end_s: float = 900
    """How long the matches may take to end after the last kill."""
    say: Callable[[str], None] = lambda _: None


@dataclass
class Outcome:
    """What came of it."""

    record: Record
    file: Path
    told: dict[str, accounts.Told] | None
    """None if it was no use to ask."""
    differences: list[str]
    interrupted: list[int] = field(default_factory=list)
    """Requests without an answer, at each kill."""
    start_s: list[float] = field(default_factory=list)
    seconds: float = 0

    def counts(self) -> str:
        """The run in numbers."""
        record, kills = self.record, len(self.interrupted)
        seen = sum(len(sighting.events) for sighting in record.sightings)
        asked = record.asked.values()
        hit = [request for request in asked if request.kills]
        return "\n".join(
            [
                f"servers ended              {kills}",
                f"matches                    {len(record.matches)}",
                f"requests answered          {record.count(is_answered=True)}",
                f"  of them actions          {record.count(is_answered=True, kind='act')}",
                f"requests refused           {sum(bool(request.refusal) for request in asked)}",
                f"requests interrupted       {len(hit)}, {min(self.interrupted, default=0)} to"
                f" {max(self.interrupted, default=0)} at a time",
                f"  stored and unanswered    {sum(request.is_replayed for request in hit)}",
                f"answers given again        {record.count(is_replayed=True)}",
                f"watchers                   {len(record.sightings)}",
                f"events shown               {seen}",
                f"restarts took              {sum(self.start_s) / max(kills, 1):.2f} s on"
                f" average, {max(self.start_s, default=0):.2f} s at most",
                f"time                       {self.seconds:.0f} s",
                f"differences                {len(self.differences)}",
            ]
        )


class CrashRun:
    """One run on a folder."""

    def __init__(self, run: Run, folder: Path) -> None:
        self._run = run
        self._random = Random(run.seed)
        self._record = Record()
        self._server = Server(folder / "data", program=run.program)
        self._is_replacing = True
        self._interrupted: list[int] = []
        self._start_s: list[float] = []

    async def outcome(self) -> Outcome:
        began_s = time.monotonic()
        async with self._server:
            async with Crowd(self._server.address, self._record) as crowd:
                places = [
                    asyncio.create_task(self._keep_playing(crowd, Random(f"{self._run.seed} {n}")))
                    for n in range(self._run.matches)
                ]
                for number in range(self._run.kills):
                    await self._crash()
                    self._tell_progress(number + 1)
                self._is_replacing = False
                told = await self._told(crowd, places)
            if await self._server.stop() != 0:
                self._record.troubles.append("the server did not stop in good order")
        if "Traceback" in self._server.said:
            self._record.troubles.append("the server wrote a traceback")
        file = self._server.file
        found = accounts.differences(self._record, file, told)
        seconds = time.monotonic() - began_s
        return Outcome(self._record, file, told, found, self._interrupted, self._start_s, seconds)

    async def _told(
        self, crowd: Crowd, places: list[asyncio.Task[None]]
    ) -> dict[str, accounts.Told] | None:
        """What the API says when every match has ended."""
        _, late = await asyncio.wait(places, timeout=self._run.end_s)
        for place in late:
            place.cancel()
        if late:
            await asyncio.wait(late)
            self._record.troubles.append(f"{len(late)} matches have not ended")
        if self._record.troubles:
            return None
        return await accounts.ask_api(crowd.client(self._random), self._record)

    async def _keep_playing(self, crowd: Crowd, random: Random) -> None:
        """One place: a match, and another when it has ended."""
        while True:
            await crowd.play_match(plan_of(random, is_short=self._run.has_short_matches), random)
            if not self._is_replacing or self._record.troubles:
                return

    async def _crash(self) -> None:
        """Ends the server at a random moment at which requests wait for their answers."""
        answered = self._record.count(is_answered=True)
        due = answered + self._random.choice((0, 1, 1, 1)) * self._run.matches
        await self._until(lambda: self._record.count(is_answered=True) >= due)
        await asyncio.sleep(self._random.uniform(0, 1))
        enough = max(2, min(5, self._run.matches // 3))
        await self._until(lambda: self._record.pending_count >= enough)
        await asyncio.sleep(self._random.uniform(0, 0.02))
        await self._until(lambda: self._record.pending_count >= enough)
        self._interrupted.append(self._record.note_kill())
        self._server.send(self._run.stop_with)
        code = await self._server.ended(60)
        if code != (-self._run.stop_with if self._run.stop_with == signal.SIGKILL else 0):
            self._record.troubles.append(f"the server ended with {code}")
        self._start_s.append(await self._server.start())

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not (holds() or self._record.troubles):  # noqa: ASYNC110 - a random moment
            await asyncio.sleep(self._random.uniform(0, 0.01))

    def _tell_progress(self, number: int) -> None:
        record = self._record
        self._run.say(
            f"{number}/{self._run.kills}: {self._interrupted[-1]} requests interrupted,"
            f" {record.count(is_answered=True)} answered in {len(record.matches)} matches,"
            f" restarted in {self._start_s[-1]:.2f} s"
        )


async def crash_run(run: Run, folder: Path) -> Outcome:
    """Does it."""
    (folder / "data").mkdir()
    return await CrashRun(run, folder).outcome()


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, prog="crash_run")
    parser.add_argument("--matches", type=int, default=100, help="in flight at once (100)")
    parser.add_argument("--kills", type=int, default=50, help="of the server (50)")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32), help="of all choices")
    given = parser.parse_args()
    say(f"seed {given.seed}")
    with tempfile.TemporaryDirectory() as folder:
        run = Run(given.matches, given.kills, given.seed, say=say)
        outcome = asyncio.run(crash_run(run, Path(folder)))
    say(outcome.counts())
    for difference in outcome.differences[:MOST_SHOWN]:
        say(f"DIFFERENCE {difference}")
    if outcome.differences:
        say(f"Again: make crash ARGS='--seed {given.seed}'")
    return 1 if outcome.differences else 0


if __name__ == "__main__":
    raise SystemExit(main())
