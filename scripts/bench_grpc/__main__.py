"""`make bench-grpc`: releases of grpcio, event loops and settings under the bare skeleton.

All servers play at once, and take turns: in each round each runs for a slice of half a second,
in which the others are stopped, in an order that changes. So a busy machine spoils none alone.
Only the server changes: each release has an environment of its own in .venv/grpc, and the server a
core without the client, which stays on the pinned release. Figures are moves (in the fan-out:
messages) for each second of server CPU: the median of the slices. Ratios are to the first server
in the same round: their median, and between what the middle half of them are.
Prints a Markdown table. Everything stays on 127.0.0.1 and ends by itself.

A setting is NAME=VALUE: an option of the server's if the name begins with "grpc.", how many new
objects let Python seek garbage if it is "gc", else a variable of the server's environment.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import sys
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from uuid import uuid4

import uvloop

from bench_grpc.candidates import LOOPS, RELEASES, Candidate, candidates
from bench_grpc.figures import Slice, table, with_kept
from bench_grpc.games import SHAPES, Games, open_games

WARM_UP_ROUNDS = 1


def options() -> argparse.Namespace:
    """What the caller chose."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter, prog="bench_grpc"
    )
    parser.add_argument("--rounds", type=int, default=20, help="of all servers (20)")
    parser.add_argument("--slice", type=float, default=0.5, help="seconds of each in a round (0.5)")
    parser.add_argument("--matches", type=int, default=50, help="at once, two streams each (50)")
    parser.add_argument("--spectators", type=int, default=1000, help="of the fan-out (1000)")
    parser.add_argument("--shapes", nargs="+", default=SHAPES, choices=SHAPES)
    parser.add_argument("--releases", nargs="+", default=RELEASES, help=" ".join(RELEASES))
    parser.add_argument("--loops", nargs="+", default=LOOPS, choices=LOOPS, help=" ".join(LOOPS))
    parser.add_argument("--settings", nargs="+", default=[], help="each tried alone, beside none")
    parser.add_argument("--keep", type=Path, help="a file that adds up the figures of many runs")
    return parser.parse_args()


async def measure(given: argparse.Namespace, shape: str, chosen: list[Candidate]) -> list[Slice]:
    """Plays in one way on every server, in turns."""
    slices = []
    with ExitStack() as servers:
        async with AsyncExitStack() as stack:
            playing = []
            for candidate in chosen:
                server = servers.enter_context(candidate.running())
                opened = open_games(
                    server, shape, matches=given.matches, spectators=given.spectators
                )
                playing.append(await stack.enter_async_context(opened))
            for done in range(WARM_UP_ROUNDS + given.rounds):
                sys.stderr.write(f"{shape}: {done - WARM_UP_ROUNDS + 1} of {given.rounds}\n")
                this_round = uuid4().hex
                of_round = [
                    await played(games, given.slice, this_round)
                    for games in random.sample(playing, len(playing))
                ]
                slices += of_round if done >= WARM_UP_ROUNDS else []
    order = [candidate.name for candidate in chosen]
    return sorted(slices, key=lambda each: order.index(each.server))


async def played(games: Games, slice_s: float, this_round: str) -> Slice:
    """Lets one server run for a slice."""
    games.sample.latencies_s.clear()
    before, cpu_s = games.done(), games.server.cpu_s()
    with games.running():
        await asyncio.sleep(slice_s)
    done, cpu_s = games.done() - before, games.server.cpu_s() - cpu_s
    # A move that has taken longer was begun in an earlier round.
    millis = sorted(1e3 * each for each in games.sample.latencies_s if each < slice_s)
    p50_ms, p99_ms = (
        millis[len(millis) * percent // 100] if millis else math.inf for percent in (50, 99)
    )
    return Slice(games.shape, this_round, games.server.name, done, cpu_s, p50_ms, p99_ms)


def main() -> None:
    """The program."""
    given = options()
    chosen = candidates(given.releases, given.loops, given.settings)
    slices = [each for shape in given.shapes for each in uvloop.run(measure(given, shape, chosen))]
    sys.stdout.write("\n".join(table(with_kept(slices, given.keep))) + "\n")


if __name__ == "__main__":
    main()
