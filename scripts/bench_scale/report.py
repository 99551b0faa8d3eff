"""Figures beside their aims, as Markdown, and lines that tell how far it is."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure. An aim is the most that it may be; without one it is told only."""

    what: str
    value: float
    unit: str
    aim: float | None = None
    spread: tuple[float, float] | None = None

    @property
    def row(self) -> str:
        """Its line of the table."""
        spread = (
            "" if self.spread is None else f" ({_text(self.spread[0])}-{_text(self.spread[1])})"
        )
        aim = "" if self.aim is None else f"<= {_text(self.aim)}"
        kept = "" if self.aim is None else "yes" if self.value <= self.aim else "**no**"
        return f"| {self.what} | {_text(self.value)}{spread} {self.unit} | {aim} | {kept} |"


def median(what: str, values: Sequence[float], unit: str, aim: float | None = None) -> Figure:
    """The median of some rounds, with their spread."""
    return Figure(what, statistics.median(values), unit, aim, (min(values), max(values)))


def table(title: str, figures: Sequence[Figure]) -> str:
    """A table under its title."""
    head = [f"#### {title}", "", "| | measured | aim | kept |", "|---|---|---|---|"]
    return "\n".join([*head, *(figure.row for figure in figures), ""])


def percentile(values: Sequence[float], percent: float) -> float:
    """Of some values, the one that so many percent are not above."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * percent / 100), len(ordered) - 1)]


def tell(line: str) -> None:
    """One line of progress."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _text(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
