"""`make bench-service`: moves and fan-out of the service, beside a bare skeleton's.

Each round measures every server in each way, one after the other, so that a busy machine spoils
none alone. Server and client are on separate cores. Shares are of a skeleton's moves for each
second of server CPU, once as grpc.aio makes it and once with threads that take turns, as the
service's do: the median over the rounds of the share within a round. Prints a Markdown table.
Everything stays on 127.0.0.1 and ends by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from collections import defaultdict
from contextlib import ExitStack

from bench_service import servers
from bench_service.fan_out import sample_fan_out
from bench_service.moves import WAYS, Sample, sample_moves
from bench_service.servers import Server

FAN_OUT = "fan-out"
Samples = dict[tuple[str, str], list[Sample]]


def options() -> argparse.Namespace:
    """What the caller chose."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter, prog="bench_service"
    )
    parser.add_argument("--rounds", type=int, default=5, help="of all ways (5)")
    parser.add_argument("--seconds", type=float, default=4, help="of each way in a round (4)")
    parser.add_argument("--matches", type=int, default=50, help="at once, two streams each (50)")
    parser.add_argument("--spectators", type=int, default=1000, help="of the fan-out (1000)")
    return parser.parse_args()


async def measure(given: argparse.Namespace, running: list[Server]) -> Samples:
    """Every way of every server, round by round."""
    samples: Samples = defaultdict(list)
    for done in range(given.rounds):
        for way, player in WAYS.items():
            for server in running:
                _tell(f"round {done + 1} of {given.rounds}: {way}, {server.name}")
                sample = await sample_moves(server, player, given.matches, given.seconds)
                samples[way, server.name].append(sample)
        for server in running:
            _tell(f"round {done + 1} of {given.rounds}: {FAN_OUT}, {server.name}")
            sample = await sample_fan_out(server, given.spectators, given.seconds)
            samples[FAN_OUT, server.name].append(sample)
    return samples


def table(samples: Samples, running: list[Server]) -> list[str]:
    """The table's lines."""
    limits = [server.name for server in running[:2]]
    lines = [
        "| way | server | per server-CPU-second (spread) | share of the skeleton"
        " | of the one by turns"
        " | CPU, us each | per s | p50 ms | p99 ms |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for way in (*WAYS, FAN_OUT):
        for server in running:
            compared = [samples[way, limit] for limit in limits]
            lines.append(_row(way, server.name, samples[way, server.name], compared))
    return lines


def _row(way: str, name: str, rounds: list[Sample], limits: list[list[Sample]]) -> str:
    done = [sample.per_cpu_second for sample in rounds]
    shares = " | ".join(_share(rounds, limit) for limit in limits)
    rates = [len(sample.latencies_s) / sample.wall_s for sample in rounds]
    millis = sorted(1e3 * latency for sample in rounds for latency in sample.latencies_s)
    times = f"{millis[len(millis) // 2]:.1f} | {millis[len(millis) * 99 // 100]:.1f}"
    median = statistics.median(done)
    return (
        f"| {way} | {name} | {median:,.0f} ({min(done):,.0f}-{max(done):,.0f})"
        f" | {shares}"
        f" | {1e6 / median:,.0f} | {statistics.median(rates):,.0f}"
        f" | {'- | -' if way == FAN_OUT else times} |"
    )


def _share(rounds: list[Sample], limit: list[Sample]) -> str:
    shares = [
        mine.per_cpu_second / bare.per_cpu_second for mine, bare in zip(rounds, limit, strict=True)
    ]
    return f"{statistics.median(shares):.2f} ({min(shares):.2f}-{max(shares):.2f})"


def _tell(line: str) -> None:
    sys.stderr.write(line + "\n")


def main() -> None:
    """The program."""
    given = options()
    with ExitStack() as stack:
        running = [
            stack.enter_context(servers.skeleton()),
            stack.enter_context(servers.skeleton(turns=True)),
            stack.enter_context(servers.service(in_memory=False)),
            stack.enter_context(servers.service(in_memory=True)),
        ]
        samples = asyncio.run(measure(given, running))
    sys.stdout.write("\n".join(table(samples, running)) + "\n")


if __name__ == "__main__":
    main()
