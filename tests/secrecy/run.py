"""`make secrecy`: plays twin matches until many positions are compared, and prints how many.

    python -m tests.secrecy.run [POSITIONS] [FIRST]

FIRST is the number of the first plan: other numbers are other matches.
"""

import sys
import time

import uvloop

from .checker import Checker
from .comparing import check_all
from .twins import knock_plan, plan, timed_plan
from .worlds import two_worlds

POSITIONS = 100_000
CHANCES = {
    "view": 0.3,
    "told": 0.005,
    "malformed": 0.001,
    "refused": 0.003,
    "again": 0.01,
    "resumed": 0.03,
    "resumed_everywhere": 0.0005,
}
"""Less often than in the short run, as there are so many positions."""
FIRST = 1000
ROUND = 36
"""Plans compared before it is seen whether that was enough."""
MOST_MATCHES = 400
"""Of two servers, which keep all of them in memory; then there are two new ones."""


async def run(positions: int, first: int) -> str:
    """What was compared. Raises Leak."""
    began_s = time.monotonic()
    told = []
    number = first
    while positions > 0:
        async with two_worlds() as worlds:
            checker = Checker(worlds, chances=CHANCES)
            while checker.counts.positions < positions and checker.counts.matches < MOST_MATCHES:
                numbers = range(number, number + ROUND)
                await check_all(checker, numbers, plan)
                await check_all(checker, numbers[::6], knock_plan)
                await check_all(checker, numbers[::9], timed_plan, at_once=1)
                await checker.compare_lines()
                number += ROUND
                sys.stdout.write(f"{checker.counts.positions:,} positions\n")
                sys.stdout.flush()
            positions -= checker.counts.positions
            told.append(checker.counts)
    total = sum(told[1:], told[0])
    return f"{total}\nin {time.monotonic() - began_s:.0f} s: nothing hidden made a difference\n"


def main() -> None:
    """Runs with the arguments of the command line."""
    positions = int(sys.argv[1]) if len(sys.argv) > 1 else POSITIONS
    first = int(sys.argv[2]) if len(sys.argv) > 2 else FIRST
    sys.stdout.write(uvloop.run(run(positions, first)))


if __name__ == "__main__":
    main()
