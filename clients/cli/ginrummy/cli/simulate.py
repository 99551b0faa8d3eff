"""`simulate`: bots against bots, by the thousand."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
)

from ginrummy.cli import simulation_picture
from ginrummy.cli.connect import throwaway
from ginrummy.cli.faults import CommandError, CommandLineError
from ginrummy.cli.run import Run
from ginrummy.cli.simulation_report import csv_text, report
from ginrummy.client import GinRummyClient, bot_name, has_ended, ruleset_name
from ginrummy.v1.match_pb2 import BotSeat
from ginrummy.v1.rules_pb2 import Rules
from ginrummy.v1.simulation_service_pb2 import Entrant, Simulation, SimulationState

DEFAULT_BOTS = "heuristic,simple"
MOST_MATCHES = 1_000_000
_INTERVAL_S = 0.5


@dataclass(frozen=True)
class SimulationWish:
    """What is to be played, or followed, and where what comes of it goes."""

    ruleset: str
    bots: str
    """NAME,NAME… each maybe as LABEL=NAME."""
    matches: int
    overrides: Rules
    seed: bytes | None = None
    single_deals: bool = False
    follow: str = ""
    """The name of one that was begun before."""
    detach: bool = False
    plot: Path | None = None
    csv: Path | None = None

    def simulation(self) -> Simulation:
        simulation = Simulation(
            ruleset=ruleset_name(self.ruleset),
            entrants=entrants_of(self.bots),
            matches_per_pairing=self.matches,
            single_deals=self.single_deals,
            seed=self.seed or b"",
        )
        if self.overrides.ListFields():
            simulation.overrides.CopyFrom(self.overrides)
        return simulation


def entrants_of(text: str) -> list[Entrant]:
    """`expert,simple` or `old=simple,new=simple`; a bot that is named again gets a number.

    >>> [entrant.label for entrant in entrants_of("simple,simple,x=simple")]
    ['simple', 'simple 2', 'x']
    """
    entrants: list[Entrant] = []
    times: Counter[str] = Counter()
    for part in text.split(","):
        label, _, bot = part.strip().rpartition("=")
        times[bot] += not label
        own = f"{bot} {times[bot]}" if times[bot] > 1 else bot
        entrants.append(Entrant(label=label or own, bot=BotSeat(bot=bot_name(bot))))
    return entrants


async def simulate(run: Run, wish: SimulationWish) -> None:
    """Has it played, shows how it goes, tells what came of it."""
    if (wish.detach or wish.follow) and not run.server:
        raise CommandLineError("simulate-needs-server")
    if wish.plot is not None:
        simulation_picture.check(wish.plot)
    for path in filter(None, (wish.plot, wish.csv)):
        if not path.parent.is_dir():
            raise CommandLineError("no-folder", path=str(path))
    async with throwaway(run.server, run.access) as server:
        client = server.client
        if wish.follow:
            simulation = await client.get_simulation(wish.follow)
        else:
            simulation = await client.create_simulation(wish.simulation())
        if wish.detach:
            _tell_name(run, simulation)
            return
        simulation = await _followed(run, client, simulation, ours=not wish.follow)
    _tell_end(run, simulation, wish)


def _tell_name(run: Run, simulation: Simulation) -> None:
    if run.output.json:
        run.output.message("simulation", simulation)
    else:
        run.output.line(simulation.name)


async def _followed(
    run: Run, client: GinRummyClient, simulation: Simulation, *, ours: bool
) -> Simulation:
    """The simulation when it has ended. Whoever began it here ends it by Ctrl-C."""
    updates = client.watch_simulation(simulation.name, min_interval_s=_INTERVAL_S)
    with _bar(run) as bar:
        try:
            async with aclosing(updates):
                async for simulation in updates:
                    bar.show(simulation)
        except asyncio.CancelledError:
            if ours and not has_ended(simulation):
                simulation = await client.cancel_simulation(simulation.name)
                bar.show(simulation)
                report(run, simulation)
            raise
    return simulation


def _tell_end(run: Run, simulation: Simulation, wish: SimulationWish) -> None:
    if run.output.json:
        run.output.message("simulation", simulation)
    else:
        report(run, simulation)
    if simulation.state == SimulationState.SIMULATION_STATE_FAILED:
        raise CommandError("simulation-failed", why=simulation.error_message)
    try:
        if wish.csv is not None:
            wish.csv.write_text(csv_text(simulation), encoding="utf-8", newline="")
        if wish.plot is not None:
            simulation_picture.save(simulation, wish.plot, run.words)
    except OSError as error:
        why = error.strerror or str(error)
        raise CommandError("cannot-write", path=str(error.filename), why=why) from None


@dataclass
class _Bar:
    """How far it is, for a person at a terminal; for anybody else nothing."""

    run: Run
    progress: Progress | None = None
    task: TaskID = field(default=TaskID(0))

    def show(self, simulation: Simulation) -> None:
        if self.progress is None:
            return
        progress = simulation.progress
        self.progress.update(
            self.task,
            total=progress.matches_total,
            completed=progress.matches_done,
            how=self._how(simulation),
        )

    def _how(self, simulation: Simulation) -> str:
        words, progress = self.run.words, simulation.progress
        if simulation.state == SimulationState.SIMULATION_STATE_QUEUED:
            return words("simulation-queued")
        if not progress.matches_per_second or not progress.HasField("time_left"):
            return ""
        left_s = round(progress.time_left.ToTimedelta().total_seconds())
        rate = f"{progress.matches_per_second:,.0f}".replace(",", " ")
        left = f"{left_s // 60}:{left_s % 60:02}"
        return words("simulation-rate", rate=rate, left=left)


@contextmanager
def _bar(run: Run) -> Iterator[_Bar]:
    """On standard error, so that standard output is the result alone."""
    if run.output.json or not run.output.errors.is_terminal:
        yield _Bar(run)
        return
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[how]}"))
    with Progress(*columns, console=run.output.errors, transient=True) as progress:
        yield _Bar(run, progress, progress.add_task("", total=None, how=""))
