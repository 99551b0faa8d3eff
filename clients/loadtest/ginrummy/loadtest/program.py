"""`ginrummy-load`: the program."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any, ClassVar

import click
from rich.console import Console

from ginrummy.client import GinRummyClient, GinRummyError
from ginrummy.loadtest.live import View
from ginrummy.loadtest.picture import FORMATS, save
from ginrummy.loadtest.plan import Plan, Thresholds, Way
from ginrummy.loadtest.private_server import NoServer, private_server
from ginrummy.loadtest.report import client_warning, counts_table, times_table, to_json
from ginrummy.loadtest.run import ClientFailed, Result, Run

READY_S = 10.0
API_KEY_VARIABLE = "GINRUMMY_API_KEY"
"""No flag: others on the machine can read the arguments."""
EXAMPLES = """\b
Examples:
  ginrummy-load                                    a minute, 50 matches, a server of its own
  ginrummy-load --address localhost:50051 --matches 200 --duration 5m --processes 2
  ginrummy-load --rate 2 --ramp 30s --think 500ms  matches begin at a rate (open model)
  ginrummy-load --way act --spectators 10 --reconnect-every 20
  ginrummy-load --rulesets short=3,kawu=1 --report load.html
  ginrummy-load --max-p99 50 --min-rate 500 --json > load.json    in CI: exit code 1 if not kept
"""


class Length(click.ParamType[float]):
    """A length of time: `90`, `90s`, `5m`, `250ms`."""

    name = "time"
    _UNITS: ClassVar = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Seconds."""
        text = str(value).strip()
        unit = next((u for u in ("ms", "s", "m", "h") if text.endswith(u)), "")
        try:
            length_s = float(text.removesuffix(unit)) * self._UNITS.get(unit, 1.0)
        except ValueError:
            length_s = -1.0
        if not 0 <= length_s < float("inf"):
            self.fail(f"{text!r} is no length of time: 90s, 5m or 250ms", param, ctx)
        return length_s


class Mix(click.ParamType[dict[str, float]]):
    """Rulesets with their shares: `short=3,kawu=1`, or just `short`."""

    name = "mix"

    def convert(self, value: Any, param: Any, ctx: Any) -> dict[str, float]:
        """The shares by name."""
        if isinstance(value, dict):
            return value
        mix: dict[str, float] = {}
        for part in str(value).split(","):
            name, _, share = part.strip().partition("=")
            try:
                mix[name] = float(share or 1)
            except ValueError:
                mix[name] = -1.0
            if not name or not 0 < mix[name] < float("inf"):
                self.fail(f"{part.strip()!r} is no ruleset with a share: short=3", param, ctx)
        return mix


@click.command(epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--address", help="Of the server; without it one is started for the run.")
@click.option("--in-memory", is_flag=True, help="The started server keeps matches in memory.")
@click.option("--matches", type=click.IntRange(1, 100_000), help="At once (closed model); 50.")
@click.option(
    "--rate", type=click.FloatRange(0, min_open=True), help="Begun a second (open model)."
)
@click.option("--duration", type=Length(), default="60s", show_default=True)
@click.option("--ramp", type=Length(), default="5s", show_default=True, help="Not measured.")
@click.option(
    "--way",
    type=click.Choice([way.value for way in Way]),
    default="play",
    show_default=True,
    help="Play streams, Act + WatchMatch, or both by turns.",
)
@click.option("--rulesets", type=Mix(), default="short", show_default=True)
@click.option(
    "--spectators", type=click.IntRange(0, 500), default=0, show_default=True, help="Of each match."
)
@click.option(
    "--think", type=Length(), default="0s", show_default=True, help="Mean time before a move."
)
@click.option(
    "--reconnect-every",
    type=click.IntRange(0),
    default=0,
    metavar="MOVES",
    help="Breaks off a seat's stream after so many of its moves, and resumes it.",
)
@click.option(
    "--audit",
    type=click.FloatRange(0, 1),
    default=1.0,
    show_default=True,
    help="Share of the ended matches compared with the server's log.",
)
@click.option(
    "--processes",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Of the client; more when it is the limit.",
)
@click.option(
    "--connections",
    type=click.IntRange(1, 1000),
    default=4,
    show_default=True,
    help="Of each process.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the players' choices.")
@click.option(
    "--max-p99",
    type=click.FloatRange(0),
    metavar="MS",
    help="Fails the run when p99 from move to answer is longer.",
)
@click.option(
    "--min-rate",
    type=click.FloatRange(0),
    metavar="MOVES/S",
    help="Fails the run when fewer are done.",
)
@click.option(
    "--max-errors",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Matches that may fail. A wrong answer always fails the run.",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    help=f"A picture: {', '.join(FORMATS)}.",
)
@click.option("--json", "as_json", is_flag=True, help="The result as JSON on standard output.")
def main(**given: Any) -> None:
    """Plays many whole matches at once, both seats over the wire, and checks every answer.

    Checks while it loads: event numbers without gaps, no hidden card ever shown, both seats told
    the same, final scores as in the log. Exit code 1: a check or a threshold failed. 2: wrong use.
    A server that asks for an API key gets that of GINRUMMY_API_KEY.
    """
    if given["rate"] and given["matches"]:
        raise click.UsageError(
            "--matches (closed model) and --rate (open model) exclude each other"
        )
    if given["duration"] <= given["ramp"]:
        raise click.UsageError("--duration has to be longer than --ramp, which is not measured")
    report = given["report"]
    if report is not None and report.suffix.lower() not in FORMATS:
        raise click.UsageError(f"--report: {report.name} has to end with {', '.join(FORMATS)}")
    if report is not None and not report.parent.is_dir():
        raise click.UsageError(f"--report: there is no folder {report.parent}")
    told = Console(stderr=True)
    try:
        result = asyncio.run(_run(given, told))
    except (NoServer, ClientFailed, GinRummyError) as error:
        raise click.ClickException(str(error)) from None
    except KeyboardInterrupt:
        raise click.ClickException("broken off") from None
    _tell(result, given, told)


async def _run(given: dict[str, Any], told: Console) -> Result:
    if given["address"]:
        return await _load(given["address"], given, told)
    async with private_server(in_memory=given["in_memory"]) as address:
        return await _load(address, given, told)


async def _load(address: str, given: dict[str, Any], told: Console) -> Result:
    async with GinRummyClient(address, api_key=os.environ.get(API_KEY_VARIABLE)) as client:
        await client.wait_ready(READY_S)
        for ruleset in given["rulesets"]:
            await client.ruleset(ruleset)
    plan = Plan(
        address=address,
        duration_s=given["duration"],
        ramp_s=given["ramp"],
        matches=0 if given["rate"] else given["matches"] or 50,
        rate=given["rate"] or 0.0,
        way=Way(given["way"]),
        rulesets=given["rulesets"],
        spectators=given["spectators"],
        think_s=given["think"],
        reconnect_every=given["reconnect_every"],
        audit=given["audit"],
        connections=given["connections"],
        processes=given["processes"],
        seed=given["seed"],
        api_key=os.environ.get(API_KEY_VARIABLE),
    )
    view = View(told)
    with view.shown():
        return await Run(plan, view.second).go()


def _tell(result: Result, given: dict[str, Any], told: Console) -> None:
    thresholds = Thresholds(
        max_p99_ms=given["max_p99"], min_rate=given["min_rate"], max_errors=given["max_errors"]
    )
    failures = result.failures(thresholds)
    if given["as_json"]:
        click.echo(json.dumps(to_json(result, failures), indent=2))
    else:
        out = Console()
        out.print(times_table(result))
        out.print(counts_table(result))
    if warning := client_warning(result):
        told.print(warning, style="yellow")
    if given["report"] is not None:
        try:
            save(result, failures, given["report"])
        except OSError as error:
            raise click.ClickException(f"{given['report']}: {error.strerror}") from None
    for failure in failures:
        told.print(f"failed: {failure}", style="red", markup=False)
    if failures:
        sys.exit(1)
