"""What does an undercut bonus of 10 instead of 25 change? Told by bots, with how sure it is.

Plays the same deals under both bonuses on a server, and compares. Needs `ginrummy-client`, and for
`--plot` matplotlib; starts a server of its own unless `--server` names one.

    python docs/undercut_bonus.py --bots expert,simple --matches 20000 --plot undercut.png
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.util import find_spec
from math import hypot
from pathlib import Path
from typing import Any

from ginrummy.client import GinRummyClient
from ginrummy.v1.match_pb2 import BotSeat
from ginrummy.v1.rules_pb2 import Rules
from ginrummy.v1.simulation_service_pb2 import Entrant, Estimate, Pairing, Simulation

BONUSES = (25, 10)
SEED = sha256(b"undercut bonus").digest()


async def played(target: str, bots: list[str], matches: int) -> list[Pairing]:
    """The same deals under each bonus."""
    entrants = [Entrant(label=bot, bot=BotSeat(bot=f"bots/{bot}")) for bot in bots]
    if bots[0] == bots[1]:
        entrants[1].label += " too"
    async with GinRummyClient(target) as client:
        names = []
        for bonus in BONUSES:
            asked = Simulation(
                ruleset="rulesets/short",
                overrides=Rules(undercut_bonus=bonus),
                entrants=entrants,
                matches_per_pairing=matches,
                seed=SEED,
            )
            names.append((await client.create_simulation(asked)).name)
        pairings = []
        for name in names:
            async for simulation in client.watch_simulation(name):
                progress = simulation.progress
                sys.stderr.write(f"\r{progress.matches_done}/{progress.matches_total} ")
            if simulation.error_message:
                raise SystemExit(simulation.error_message)
            pairings.append(simulation.progress.pairings[0])
        sys.stderr.write("\n")
        return pairings


@contextmanager
def a_server() -> Iterator[str]:
    """A server that keeps nothing, on all cores."""
    program = Path(sys.executable).with_name("ginrummy-server")
    workers = str(os.cpu_count() or 1)
    options = ("--in-memory", "--port", "0", "--ready-json", "--simulation-workers", workers)
    server = subprocess.Popen([program, *options], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield json.loads(server.stdout.readline())["address"]
    finally:
        server.terminate()
        server.communicate()


def half(estimate: Estimate) -> float:
    """Half the width of its 95 % interval."""
    return (estimate.high - estimate.low) / 2


def undercuts(pairing: Pairing) -> float:
    """The share of all hands that ended with one."""
    return (pairing.first_ends.undercuts + pairing.second_ends.undercuts) / pairing.hands


def rows(pairings: list[Pairing]) -> Iterator[tuple[str, list[str], str]]:
    """What is compared, under each bonus, and what changes.

    A change is taken for the difference of two figures that know nothing of each other. They share
    their deals, so that it is known a little better than that.
    """
    for what, name, scale, digits in (
        ("matches won by the first, %", "win_rate", 100, 2),
        ("points a hand, first less second", "points_per_hand", 1, 3),
        ("final totals, first less second", "total_difference", 1, 2),
        ("hands a match", "hands_per_match", 1, 3),
    ):
        found: list[Estimate] = [getattr(pairing, name) for pairing in pairings]
        cells = [f"{scale * e.value:.{digits}f} ± {scale * half(e):.{digits}f}" for e in found]
        change = scale * (found[1].value - found[0].value)
        error = scale * hypot(*(half(estimate) for estimate in found))
        yield what, cells, f"{change:+.{digits}f} ± {error:.{digits}f}"
    shares = [100 * undercuts(pairing) for pairing in pairings]
    cells = [f"{share:.2f}" for share in shares]
    yield "hands that end with an undercut, %", cells, f"{shares[1] - shares[0]:+.2f}"


def as_table(pairings: list[Pairing]) -> str:
    """As Markdown."""
    head = ["| | " + " | ".join(f"bonus {bonus}" for bonus in BONUSES) + " | change |"]
    head += ["|---|---|---|---|"]
    lines = [
        f"| {what} | {' | '.join(cells)} | {change} |" for what, cells, change in rows(pairings)
    ]
    return "\n".join(head + lines)


def draw(pairings: list[Pairing], bots: list[str], path: Path) -> None:
    """How often each difference of points came, and who wins how often."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="constrained")
    points, rates = figure.subplots(1, 2, width_ratios=(3, 1))
    for bonus, pairing in zip(BONUSES, pairings, strict=True):
        hands: dict[int, float] = {each.points: each.hands for each in pairing.hand_points}
        values = range(min(hands), max(hands) + 1)
        shares = [100 * hands.get(value, 0) / pairing.hands for value in values]
        points.step(values, shares, where="mid", linewidth=1, label=f"bonus {bonus}")
    points.set(xlabel=f"points in a hand, {bots[0]} less {bots[1]}", ylabel="% of hands")
    points.legend()
    for i, pairing in enumerate(pairings):
        rate = pairing.win_rate
        error: Any = [[100 * (rate.value - rate.low)], [100 * (rate.high - rate.value)]]
        rates.errorbar([i], [100 * rate.value], yerr=error, fmt="o", capsize=5)
    rates.set_xticks(range(len(BONUSES)), [f"bonus {bonus}" for bonus in BONUSES])
    rates.set(ylabel=f"matches won by {bots[0]}, %", xlim=(-0.5, 1.5))
    for axes in (points, rates):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=100)


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bots", default="expert,simple", help="two of them")
    parser.add_argument("--matches", type=int, default=20_000, help="under each bonus")
    parser.add_argument("--plot", type=Path, help="draw it into this file")
    parser.add_argument("--server", default="", help="HOST:PORT; else one of its own")
    given = parser.parse_args()
    if given.plot and find_spec("matplotlib") is None:
        parser.error("--plot needs matplotlib: pip install matplotlib")
    bots = given.bots.split(",")
    if given.server:
        pairings = asyncio.run(played(given.server, bots, given.matches))
    else:
        with a_server() as address:
            pairings = asyncio.run(played(address, bots, given.matches))
    print(as_table(pairings))
    if given.plot:
        draw(pairings, bots, given.plot)


if __name__ == "__main__":
    main()
