"""`make bench-scale`: what one server process costs with many matches.

Servers are real ones, over SQLite with every commit on disk, on a core without the client. Each
figure stands beside its aim. Prints Markdown tables, and how far it is on standard error; ends with
1 when something misses its aim.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench_scale import bots, busy, length, memory, simulating, startup, watchers
from bench_scale.crowd import Crowds
from bench_scale.report import Figure, table, tell

EXAMPLES = """\
examples:
  make bench-scale                                             everything, about ten minutes
  make bench-scale ARGS="--only memory,startup"                some parts
  make bench-scale ARGS="--only busy --data-dir /tmp/scale"    keeps the matches for the next time
  make bench-scale ARGS="--matches 1000 --rounds 1"            a quick look

parts:
  memory      kB an open match holds, loaded and at rest
  watchers    kB an idle watcher holds, beside a bare server's stream
  startup     seconds from a start to being ready, and how it answers then
  busy        CPU and time of a move while 99 % of the matches rest
  length      CPU of a move at the first hands and at the fiftieth
  bots        how much later than it must a bot's reply comes
  simulating  time of a move beside a simulation
"""


def options() -> argparse.Namespace:
    """What the caller chose."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawTextHelpFormatter,
        prog="bench_scale",
    )
    parser.add_argument("--only", default="", metavar="PARTS", help="some of the parts, as a,b")
    parser.add_argument("--matches", type=int, default=10_000, help="open at a time (10000)")
    parser.add_argument("--watchers", type=int, default=4000, help="idle at a time (4000)")
    parser.add_argument("--rounds", type=int, default=5, help="of what is compared (5)")
    parser.add_argument("--seconds", type=float, default=2, help="of each way in a round (2)")
    parser.add_argument("--data-dir", type=Path, help="where matches are made, and kept")
    return parser.parse_args()


def main() -> int:
    """The program."""
    given = options()
    with tempfile.TemporaryDirectory() as own:
        crowds = Crowds(given.data_dir or Path(own), given.matches)
        parts: dict[str, tuple[str, Callable[[], list[Figure]]]] = {
            "memory": ("Memory of an open match", lambda: memory.measure(crowds)),
            "watchers": (
                f"Memory of {given.watchers:,} idle watchers, each",
                lambda: watchers.measure(crowds.new_folder("watched"), given.watchers),
            ),
            "startup": (f"Start with {given.matches:,} matches", lambda: startup.measure(crowds)),
            "busy": (
                f"A move, {given.matches // 100} matches being played",
                lambda: busy.measure(crowds, given.watchers, given.rounds, given.seconds),
            ),
            "length": (
                "A move late in a match",
                lambda: length.measure(crowds, given.rounds),
            ),
            "bots": (
                "A bot's reply",
                lambda: bots.measure(crowds.new_folder("bots"), given.rounds),
            ),
            "simulating": (
                "A move beside a simulation",
                lambda: simulating.measure(
                    crowds.new_folder("simulating"), given.rounds, given.seconds
                ),
            ),
        }
        chosen = [part for part in given.only.split(",") if part] or list(parts)
        if unknown := set(chosen) - set(parts):
            raise SystemExit(f"there is no part {sorted(unknown)[0]!r}, only {', '.join(parts)}")
        are_kept = True
        for part in chosen:
            title, measure = parts[part]
            tell(f"measuring: {part}")
            figures = measure()
            are_kept = are_kept and all(f.aim is None or f.value <= f.aim for f in figures)
            print(table(title, figures), flush=True)
    return 0 if are_kept else 1


if __name__ == "__main__":
    sys.exit(main())
