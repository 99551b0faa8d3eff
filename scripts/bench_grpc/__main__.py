"""`make bench-grpc`: releases of grpcio, event loops and settings under the bare skeleton.

Each round measures every server in each way, one after the other, so that a busy machine spoils
none alone. Only the server changes: each release has an environment of its own in .venv/grpc, and
the server a core without the client, which stays on the pinned release. Figures are moves (in the
fan-out: messages) for each second of server CPU, medians and the spread; ratios are to the first
server. Of each figure's rounds the quieter half counts, in which others had least of the machine.
Prints a Markdown table. Everything stays on 127.0.0.1 and ends by itself.

A setting is NAME=VALUE: of the server if the name begins with "grpc.", else of its environment.
"""

from __future__ import annotations

import argparse
import math
import sys
from contextlib import ExitStack
from pathlib import Path

import uvloop
from bench_service.fan_out import sample_fan_out
from bench_service.moves import WAYS, sample_moves
from bench_service.servers import Server

from bench_grpc.candidates import LOOPS, RELEASES, candidates
from bench_grpc.figures import FAN_OUT, SHAPES, Figures, Others, table, with_kept


def options() -> argparse.Namespace:
    """What the caller chose."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter, prog="bench_grpc"
    )
    parser.add_argument("--rounds", type=int, default=4, help="of all servers and ways (4)")
    parser.add_argument("--seconds", type=float, default=2, help="of each way in a round (2)")
    parser.add_argument("--matches", type=int, default=50, help="at once, two streams each (50)")
    parser.add_argument("--spectators", type=int, default=1000, help="of the fan-out (1000)")
    parser.add_argument("--releases", nargs="+", default=RELEASES, help=" ".join(RELEASES))
    parser.add_argument("--loops", nargs="+", default=LOOPS, choices=LOOPS, help=" ".join(LOOPS))
    parser.add_argument("--settings", nargs="+", default=[], help="each tried alone, beside none")
    parser.add_argument("--keep", type=Path, help="a file that adds up the figures of many runs")
    return parser.parse_args()


async def measure(given: argparse.Namespace, running: list[Server]) -> list[Figures]:
    """Every way of every server, round by round."""
    figures = []
    for done in range(given.rounds):
        for shape in SHAPES:
            for server in running:
                sys.stderr.write(f"round {done + 1} of {given.rounds}: {shape}, {server.name}\n")
                figures.append(await sampled(given, shape, server))
    return figures


async def sampled(given: argparse.Namespace, shape: str, server: Server) -> Figures:
    """One way of one server, once."""
    others = Others(server)
    if shape == FAN_OUT:
        sample = await sample_fan_out(server, given.spectators, given.seconds)
    else:
        sample = await sample_moves(server, WAYS[shape], given.matches, given.seconds)
    share = others.share()
    millis = sorted(1e3 * latency_s for latency_s in sample.latencies_s) or [math.inf]
    p50_ms, p99_ms = (millis[len(millis) * percent // 100] for percent in (50, 99))
    return Figures(shape, server.name, sample.per_cpu_second, p50_ms, p99_ms, share)


def main() -> None:
    """The program."""
    given = options()
    with ExitStack() as stack:
        chosen = candidates(given.releases, given.loops, given.settings)
        running = [stack.enter_context(one.running()) for one in chosen]
        figures = uvloop.run(measure(given, running))
    sys.stdout.write("\n".join(table(with_kept(figures, given.keep))) + "\n")


if __name__ == "__main__":
    main()
