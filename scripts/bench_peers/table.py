"""The figures as a Markdown table."""

from __future__ import annotations

import statistics

from bench_peers.cases import Case
from bench_peers.rounds import ratio
from bench_peers.ways import OURS, PEERS, Engine

Rates = dict[Engine, list[float]]
"""Hands a second, round by round."""

NOTHING = "-"


def table(rows: list[tuple[Case, Rates]], versions: dict[Engine, str]) -> list[str]:
    """A row for each case: hands a second, and how many times as fast as each peer."""
    named = {engine: f"{engine.value} {versions.get(engine, '')}".strip() for engine in Engine}
    heads = ["question", "hands", *(named[engine] for engine in (*OURS, *PEERS))]
    heads += [f"{_kind(mine)} / {peer.value}" for peer in PEERS for mine in OURS]
    return [
        f"| {' | '.join(heads)} |",
        "|---" * len(heads) + "|",
        *(f"| {' | '.join(_cells(case, rates))} |" for case, rates in rows),
    ]


def _kind(mine: Engine) -> str:
    return mine.value.partition(", ")[2]


def _cells(case: Case, rates: Rates) -> list[str]:
    return [
        case.question.value,
        case.hands,
        *(_rate(rates.get(engine)) for engine in (*OURS, *PEERS)),
        *(_times(rates.get(mine), rates.get(peer)) for peer in PEERS for mine in OURS),
    ]


def _rate(rounds: list[float] | None) -> str:
    """The median, and in brackets the least and the most."""
    if not rounds:
        return NOTHING
    return f"{short(statistics.median(rounds))} ({short(min(rounds))}-{short(max(rounds))})"


def _times(ours: list[float] | None, theirs: list[float] | None) -> str:
    if not ours or not theirs:
        return NOTHING
    median, least, most = ratio(ours, theirs)
    return f"{short(median)} ({short(least)}-{short(most)})"


def short(value: float) -> str:
    """Three figures at most: 1234 is "1.23k"."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"
