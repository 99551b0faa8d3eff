"""The engine's Python calls beside those of OpenSpiel and RLCard: `make bench-peers`.

First every engine answers for every hand, and all must agree; where a peer is known to answer
otherwise, that is told with how often and why. Then every call is timed in every round, in turn,
on one core and on the same hands; RLCard, which is slow, is asked of every fortieth of them. Each
engine has them in its own form before the clock starts.
Prints a Markdown table of hands a second of processor time: the median of the rounds, and in
brackets the least and the most; and how many times as fast, within the same round.

  make bench-peers                                           # a minute or two
  make bench-peers ARGS="--only bots random --rounds 21"     # whole hands alone
  make bench-peers ARGS="--agreement-only --rlcard-every 1"  # compare all answers, time nothing
"""

from __future__ import annotations

import argparse
import platform
import sys
from importlib import metadata

from bench_peers.cases import Case, DisagreementError, agreement, gather
from bench_peers.hands import Hands
from bench_peers.rounds import Timed, measure, stay_on_one_core
from bench_peers.table import Rates, table
from bench_peers.ways import Engine, Question, Ways

LEAST_S = 0.02
"""How long a call is repeated, at least, for one figure."""
PACKAGES = {Engine.OPEN_SPIEL: "open_spiel", Engine.RLCARD: "rlcard"}


def options() -> argparse.Namespace:
    """What the caller chose."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter, prog="bench_peers"
    )
    names = [question.name.lower() for question in Question]
    parser.add_argument("--rounds", type=int, default=7, help="of all calls (7)")
    parser.add_argument("--hands", type=int, default=10_000, help="of each file (10000)")
    parser.add_argument("--rlcard-every", type=int, default=40, help="RLCard: of these (40)")
    parser.add_argument("--deals", type=int, default=20, help="whole hands of a pass (20)")
    parser.add_argument("--only", choices=names, nargs="+", default=names, help="these questions")
    parser.add_argument("--core", type=int, help="the core to stay on (the last)")
    parser.add_argument("--agreement-only", action="store_true", help="compare, time nothing")
    return parser.parse_args()


def timed(cases: list[Case], rounds: int) -> list[tuple[Case, Rates]]:
    """Hands a second of every way of every case."""
    passes = [
        Timed((at, engine), way.run, len(range(0, case.count, way.every)))
        for at, case in enumerate(cases)
        for engine, way in case.ways.items()
    ]
    rates = measure(passes, rounds, LEAST_S, _tell)
    return [
        (case, {engine: rates[at, engine] for engine in case.ways}) for at, case in enumerate(cases)
    ]


def actions(case: Case) -> list[str]:
    """How many actions the players take in a hand: rules and bots are not quite the same."""
    counts = [
        f"{way.run() / case.count:.0f} {engine.value}"
        for engine, way in case.ways.items()
        if way.points is None
    ]
    return [f"{case.question.value}, actions a hand: {'; '.join(counts)}"] if counts else []


def main() -> int:
    """The program; 1 when an engine disagrees and nobody knows why."""
    given = options()
    try:
        from bench_peers import open_spiel, rl_card
    except ModuleNotFoundError as missing:
        _tell(f"{missing}: `make bench-peers` installs the peers")
        return 1
    core = stay_on_one_core(given.core)

    def some(hands: Hands) -> dict[Question, Ways]:
        return rl_card.solver_ways(hands, given.rlcard_every)

    peers = [(open_spiel.solver_ways, open_spiel.play_ways), (some, rl_card.play_ways)]
    cases = [
        case
        for case in gather(peers, given.hands, given.deals)
        if case.question.name.lower() in given.only
    ]
    try:
        told = [line for case in cases for line in [*agreement(case), *actions(case)]]
    except DisagreementError as unexplained:
        _tell(str(unexplained))
        return 1
    _print(told)
    if not given.agreement_only:
        _tell(f"core {core}, Python {platform.python_version()}")
        versions = {engine: metadata.version(name) for engine, name in PACKAGES.items()}
        _print(["", *table(timed(cases, given.rounds), versions)])
    return 0


def _print(lines: list[str]) -> None:
    sys.stdout.write("\n".join(lines) + "\n")


def _tell(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
