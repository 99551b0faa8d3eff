"""What a simulation came to as a picture: win rates, how hands ended, and what they were worth."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ginrummy.cli.faults import CommandError, CommandLineError
from ginrummy.cli.simulation_report import ENDS, Figures
from ginrummy.cli.words import Words
from ginrummy.v1.simulation_service_pb2 import Simulation

FORMATS = (".png", ".svg", ".pdf")
MOST_LINES = 6
"""Pairings whose hands are drawn one over another; more could not be told apart."""


def check(path: Path) -> None:
    """Whether a picture can be made, before anything is played for it."""
    if path.suffix.lower() not in FORMATS:
        raise CommandLineError("plot-format", path=str(path), allowed=", ".join(FORMATS))
    if find_spec("matplotlib") is None:
        raise CommandError("plot-needs")


def save(simulation: Simulation, path: Path, words: Words) -> None:
    """Writes the picture in the format of the file's ending. Raises OSError."""
    _draw(simulation, words).savefig(path, dpi=110)


def _draw(simulation: Simulation, words: Words) -> Any:
    # Takes a second to import, and only a picture needs it.
    from matplotlib.figure import Figure

    figures = Figures(words)
    progress = simulation.progress
    figure = Figure(figsize=(10, 7), layout="constrained")
    title = words(
        "simulation-title",
        ruleset=simulation.ruleset.removeprefix("rulesets/"),
        done=figures.whole(progress.matches_done),
        total=figures.whole(progress.matches_total),
    )
    figure.suptitle(title)
    above, points = figure.subfigures(2, 1, squeeze=False)[:, 0]
    rates, ends = above.subplots(1, 2)
    _draw_rates(rates, simulation, words)
    _draw_ends(ends, simulation, words)
    _draw_points(points.subplots(), simulation, words)
    return figure


def _draw_rates(axes: Any, simulation: Simulation, words: Words) -> None:
    standings = simulation.progress.standings
    for i, standing in enumerate(standings):
        rate = standing.win_rate
        low, high = (100 * end for end in (rate.low, rate.high))
        value = 100 * rate.value
        axes.errorbar(value, i, xerr=[[value - low], [high - value]], fmt="o", capsize=4)
    axes.axvline(50, color="C7", linestyle=":")
    axes.set_yticks(range(len(standings)), [standing.label for standing in standings])
    axes.set(xlabel=words("plot-win-rate"), ylim=(len(standings) - 0.5, -0.5))
    axes.grid(alpha=0.3)


def _draw_ends(axes: Any, simulation: Simulation, words: Words) -> None:
    """A bar for each side of each pairing: the hands that it won, by how they ended."""
    labels = [entrant.label for entrant in simulation.entrants]
    bars: list[tuple[str, Any, int]] = []
    for pairing in simulation.progress.pairings:
        sides = (
            (pairing.first, pairing.second, pairing.first_ends),
            (pairing.second, pairing.first, pairing.second_ends),
        )
        for own, other, ended in sides:
            name = labels[own] if len(labels) == 2 else f"{labels[own]} : {labels[other]}"
            bars.append((name, ended, pairing.hands or 1))
    left = [0.0] * len(bars)
    for name in ENDS:
        shares = [100 * getattr(ended, name) / hands for _, ended, hands in bars]
        axes.barh(range(len(bars)), shares, left=left, label=words(f"end-{name.replace('_', '-')}"))
        left = [a + b for a, b in zip(left, shares, strict=True)]
    axes.set_yticks(range(len(bars)), [name for name, _, _ in bars])
    axes.invert_yaxis()
    axes.set(xlabel=words("plot-ends"))
    # Above the bars, which leave no room within.
    axes.legend(fontsize="small", ncols=len(ENDS), loc="lower center", bbox_to_anchor=(0.5, 1.0))
    axes.grid(axis="x", alpha=0.3)


def _draw_points(axes: Any, simulation: Simulation, words: Words) -> None:
    labels = [entrant.label for entrant in simulation.entrants]
    for pairing in list(simulation.progress.pairings)[:MOST_LINES]:
        hands = {count.points: count.hands for count in pairing.hand_points}
        if not hands:
            continue
        points = range(min(hands) - 1, max(hands) + 2)
        shares = [100 * hands.get(value, 0) / pairing.hands for value in points]
        label = f"{labels[pairing.first]} : {labels[pairing.second]}"
        axes.step(points, shares, where="mid", label=label, linewidth=1)
    axes.set(xlabel=words("plot-points"), ylabel=words("plot-share"), ylim=(0, None))
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)
