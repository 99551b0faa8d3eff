"""What a simulation came to: tables for people, lines of CSV for programs."""

from __future__ import annotations

import csv
import io

from rich.table import Table

from ginrummy.cli.run import Run
from ginrummy.cli.words import Words
from ginrummy.v1.simulation_service_pb2 import (
    Estimate,
    HandEnds,
    Pairing,
    Simulation,
    SimulationState,
)

ENDS = ("knocks", "gins", "big_gins", "undercuts")


class Figures:
    """Numbers as people of a language write them."""

    def __init__(self, words: Words) -> None:
        self._comma = words.language == "ru"

    def whole(self, number: int) -> str:
        return f"{number:,}".replace(",", "\u00a0")

    def decimal(self, number: float, digits: int, *, sign: bool = False) -> str:
        text = f"{number:{'+' if sign else ''}.{digits}f}".replace("-", "−")
        return text.replace(".", ",") if self._comma else text

    def percent(self, share: float) -> str:
        return f"{self.decimal(share * 100, 1)}\u00a0%"

    def rate(self, estimate: Estimate) -> str:
        """`52.3 % (51.0–53.6)`"""
        if not estimate.HasField("low"):
            return self.percent(estimate.value)
        low, high = (self.decimal(100 * end, 1) for end in (estimate.low, estimate.high))
        return f"{self.percent(estimate.value)} ({low}…{high})"

    def difference(self, estimate: Estimate, digits: int) -> str:
        """`+1.25 (+0.98…+1.52)`"""
        value = self.decimal(estimate.value, digits, sign=True)
        if not estimate.HasField("low"):
            return value
        ends = (estimate.low, estimate.high)
        low, high = (self.decimal(end, digits, sign=True) for end in ends)
        return f"{value} ({low}…{high})"


def report(run: Run, simulation: Simulation) -> None:
    """Who won how often, and how hands ended; each figure with its 95 % interval."""
    words, output = run.words, run.output
    progress = simulation.progress
    figures = Figures(words)
    title = words(
        "simulation-title",
        ruleset=simulation.ruleset.removeprefix("rulesets/"),
        done=figures.whole(progress.matches_done),
        total=figures.whole(progress.matches_total),
    )
    output.line(title, "title")
    if simulation.state == SimulationState.SIMULATION_STATE_CANCELLED:
        output.line(words("simulation-cancelled"), "muted")
    if not progress.matches_done:
        return
    output.line()
    output.console.print(_standings(simulation, words, figures))
    output.line()
    for pairing in progress.pairings:
        if pairing.matches:
            _tell_pairing(run, simulation, pairing, figures)
    deals = "simulation-single" if simulation.single_deals else "simulation-duplicate"
    output.line(words(deals), "muted")
    output.line(words("simulation-seed", seed=simulation.seed.hex()), "muted")


def _standings(simulation: Simulation, words: Words, figures: Figures) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(words("simulation-entrant"))
    for name in (
        "simulation-matches",
        "simulation-wins",
        "simulation-win-rate",
        "simulation-points",
    ):
        table.add_column(words(name), justify="right", no_wrap=True)
    for standing in simulation.progress.standings:
        table.add_row(
            standing.label,
            figures.whole(standing.matches),
            figures.whole(standing.wins),
            figures.rate(standing.win_rate),
            figures.difference(standing.points_per_hand, 2),
        )
    return table


def _tell_pairing(run: Run, simulation: Simulation, pairing: Pairing, figures: Figures) -> None:
    words, output = run.words, run.output
    labels = [standing.label for standing in simulation.progress.standings]
    first, second = labels[pairing.first], labels[pairing.second]
    output.line(f"{first} : {second}", "title")
    if len(labels) > 2:
        output.line("  " + words("simulation-first-wins", rate=figures.rate(pairing.win_rate)))
    total = figures.difference(pairing.total_difference, 1)
    output.line("  " + words("simulation-totals", difference=total))
    hands = figures.decimal(pairing.hands_per_match.value, 1)
    output.line("  " + words("simulation-hands", hands=figures.whole(pairing.hands), each=hands))
    if pairing.unfinished:
        output.line("  " + words("simulation-unfinished", matches=pairing.unfinished))
    output.line()
    output.console.print(_ends(pairing, first, second, words, figures))
    output.line()


def _ends(pairing: Pairing, first: str, second: str, words: Words, figures: Figures) -> Table:
    """How many of all hands each of the two won, and how."""
    table = Table(box=None, pad_edge=False)
    table.add_column("  " + words("simulation-how"))
    for label in (first, second):
        table.add_column(label, justify="right")

    def share(hands: int) -> str:
        return figures.percent(hands / pairing.hands)

    for name in ENDS:
        ends = (getattr(pairing.first_ends, name), getattr(pairing.second_ends, name))
        if any(ends):
            table.add_row("  " + words(f"end-{name.replace('_', '-')}"), *map(share, ends))
    for name, hands in (("end-dead", pairing.dead_hands), ("end-tied", pairing.tied_hands)):
        if hands:
            table.add_row("  " + words(name), share(hands))
    return table


def csv_text(simulation: Simulation) -> str:
    """A line for each pairing, with a head."""
    labels = [entrant.label for entrant in simulation.entrants]
    text = io.StringIO()
    rows = [_csv_row(pairing, labels) for pairing in simulation.progress.pairings]
    writer = csv.DictWriter(text, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _csv_row(pairing: Pairing, labels: list[str]) -> dict[str, object]:
    row: dict[str, object] = {
        "first": labels[pairing.first],
        "second": labels[pairing.second],
        "matches": pairing.matches,
        "first_wins": pairing.first_wins,
        "second_wins": pairing.second_wins,
        "unfinished": pairing.unfinished,
    }
    for name in ("win_rate", "total_difference", "points_per_hand", "hands_per_match"):
        estimate: Estimate = getattr(pairing, name)
        row[name] = estimate.value
        for end in ("low", "high"):
            row[f"{name}_{end}"] = getattr(estimate, end) if estimate.HasField("low") else ""
    row["hands"] = pairing.hands
    for side in ("first", "second"):
        ends: HandEnds = getattr(pairing, f"{side}_ends")
        row.update({f"{side}_{name}": getattr(ends, name) for name in ENDS})
    return row | {"dead_hands": pairing.dead_hands, "tied_hands": pairing.tied_hands}
