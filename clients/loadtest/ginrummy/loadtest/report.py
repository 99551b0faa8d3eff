"""What a run has shown: as a table for people, as JSON for programs, as a picture."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from ginrummy.loadtest.figures import TIMES
from ginrummy.loadtest.run import Result

PERCENTILES = (50.0, 90.0, 99.0, 99.9, 100.0)
TITLES = {
    "answer": "move to answer",
    "delivery": "move to the other seat",
    "create": "CreateMatch",
}


def model_of(result: Result) -> str:
    """How the load was made, in words."""
    plan = result.plan
    load = f"{plan.rate:g} matches/s" if plan.is_open else f"{plan.matches} matches at once"
    return f"{load}, {plan.way.value}"


def to_json(result: Result, failures: list[str]) -> dict[str, Any]:
    """Everything that the table says, and each second. Times are milliseconds."""
    total, plan = result.total, result.plan
    return {
        "way": plan.way.value,
        "matches_at_once": plan.matches or None,
        "matches_per_s": plan.rate or None,
        "rulesets": plan.rulesets,
        "spectators": plan.spectators,
        "processes": plan.processes,
        "measured_s": round(result.measured_s, 3),
        "moves": total.moves,
        "moves_per_s": round(result.rate, 1),
        "events": total.events,
        "matches_begun": total.begun,
        "matches_ended": total.ended,
        "matches_audited": total.audited,
        "reconnects": total.reconnects,
        "late": total.late,
        "errors": dict(total.errors),
        "wrong": total.wrong,
        "client_cores": round(total.cpu_s / result.measured_s, 3),
        "client_was_the_limit": round(result.limited_share, 3),
        "ms": {
            name: {f"p{q:g}": round(total.ms(name, q), 3) for q in PERCENTILES} for name in TIMES
        },
        "seconds": [
            {
                "moves": second.moves,
                "open": second.open,
                "errors": second.errors.total(),
                "p50_ms": round(second.ms("answer", 50), 3),
                "p99_ms": round(second.ms("answer", 99), 3),
            }
            for second in result.seconds
        ],
        "failures": failures,
        "passed": not failures,
    }


def times_table(result: Result) -> Table:
    """The percentiles."""
    table = Table(title=f"{model_of(result)}; milliseconds", title_justify="left")
    table.add_column("")
    for percentile in PERCENTILES:
        table.add_column("max" if percentile == 100 else f"p{percentile:g}", justify="right")
    for name in TIMES:
        values = [f"{result.total.ms(name, percentile):,.2f}" for percentile in PERCENTILES]
        table.add_row(TITLES[name], *values)
    return table


def counts_table(result: Result) -> Table:
    """What was done."""
    total = result.total
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(justify="right")
    table.add_column()
    table.add_row(f"{result.rate:,.0f}", f"moves/s over {result.measured_s:.0f} s")
    table.add_row(f"{total.moves:,}", f"moves, {total.events:,} events seen and checked")
    audited = f"{total.audited:,} compared with their logs"
    table.add_row(f"{total.ended:,}", f"matches played to the end, {audited}")
    if total.reconnects:
        table.add_row(f"{total.reconnects:,}", "streams broken off and resumed")
    if total.late:
        table.add_row(f"{total.late:,}", "matches not begun: too many were open already")
    cores = total.cpu_s / result.measured_s
    table.add_row(f"{cores:.2f}", f"cores used by {result.plan.processes} client process(es)")
    for reason, count in total.errors.most_common():
        table.add_row(Text(f"{count:,}", "red"), f"matches failed: {reason}")
    return table


WORTH_TELLING = 0.01
"""Share of the time in which the client was the limit, under which it changes no figure."""


def client_warning(result: Result) -> str:
    """What to know when the figures are the client's rather than the server's; else empty."""
    if result.limited_share < WORTH_TELLING:
        return ""
    share = f"{result.limited_share:.0%}"
    return (
        f"In {share} of the time a client process used its whole core, so the client was the limit:"
        " take more --processes, or fewer matches."
    )
