"""Counts the engine's instructions, the steady figure on a noisy machine: `make bench-counts`.

Runs one pass of every question over every set of measured hands under valgrind's callgrind, which
counts the same on a busy machine as on a quiet one. The counts are compared with those kept in
rust_core/bench/counts.json; where one differs by more than the tolerance, more or fewer, the exit
code is 1. Counts depend on the compiler, the processor's kind and the C library: when the compiler
is another than the kept counts were made with, that is told.

  make bench-counts                       # compare; half a minute
  make bench-counts ARGS="--tolerance 5"  # let counts differ by up to 5 %
  make bench-counts ARGS="--only discard" # only the questions with this word
  make bench-counts ARGS=--record         # keep the new counts, and commit them with the change
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "rust_core" / "bench"
KEPT = BENCH / "counts.json"
TOLERANCE_PERCENT = 2.0
LONGEST_S = 300
"""For the build, and for each pass."""

Counts = dict[str, dict[str, float]]
"""Instructions a call, by question and set."""


@dataclass(frozen=True)
class Record:
    """Counts, and what they were made with."""

    rustc: str
    host: str
    valgrind: str
    instructions: Counts = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """One count beside the kept one; either may be missing."""

    question: str
    inputs: str
    kept: float | None
    now: float | None

    @property
    def percent(self) -> float | None:
        """How much more is counted than was kept."""
        if not self.kept or self.now is None:
            return None
        return 100 * (self.now / self.kept - 1)

    def is_beyond(self, tolerance_percent: float) -> bool:
        """Whether it is worth a look: a count that came or went is, too."""
        return self.percent is None or abs(self.percent) > tolerance_percent


def changes(kept: Counts, now: Counts) -> list[Change]:
    """Every count beside the kept one."""
    keys = {(question, name): None for counts in (now, kept) for question, name in _keys(counts)}
    return [
        Change(question, name, kept.get(question, {}).get(name), now.get(question, {}).get(name))
        for question, name in keys
    ]


def report(kept: Record | None, now: Record, tolerance_percent: float) -> tuple[list[str], bool]:
    """A table of the counts and what to say of them; whether any differs beyond the tolerance."""
    lines = table(now.instructions)
    if kept is None:
        return [*lines, "", "nothing is kept to compare with: ARGS=--record keeps these"], False
    lines.append("")
    for name, then, here in _tools(kept, now):
        lines.append(
            f"counted with {here}; those kept with {then}: another {name} counts otherwise"
        )
    beyond = [
        change
        for change in changes(kept.instructions, now.instructions)
        if change.is_beyond(tolerance_percent)
    ]
    lines += [_told(change) for change in beyond]
    if beyond:
        lines.append("if that is meant, keep the new counts: make bench-counts ARGS=--record")
    else:
        lines.append(f"all counts are within {tolerance_percent:g} % of those kept")
    return lines, bool(beyond)


def table(counts: Counts) -> list[str]:
    """The counts as a Markdown table; sets of one question alone share the last column."""
    shared = dict.fromkeys(name for sets in counts.values() if len(sets) > 1 for name in sets)
    heads = [*shared, "other"]
    lines = [f"| instructions a call | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for question, sets in counts.items():
        alone = [figure for name, figure in sets.items() if name not in shared]
        cells = [f"{sets[name]:,.1f}" if name in sets else "" for name in shared]
        cells.append(f"{alone[0]:,.1f}" if alone else "")
        lines.append(f"| {question} | {' | '.join(cells)} |")
    return lines


def read_kept() -> Record | None:
    """The counts in the repository."""
    return Record(**json.loads(KEPT.read_text())) if KEPT.exists() else None


def keep(record: Record) -> None:
    """Writes the counts into the repository."""
    KEPT.write_text(json.dumps(asdict(record), indent=2) + "\n")


def count_all(word: str) -> Record:
    """Builds the program and counts every pass of the questions that have this word."""
    program = build()
    counts: Counts = {}
    for line in _output(str(program)).splitlines():
        question, name = line.split("\t")
        if word in question:
            counts.setdefault(question, {})[name] = count(program, question, name)
            _tell(f"{question}, {name}: {counts[question][name]:,.1f}")
    about = _output("rustc", "--version", "--verbose")
    host = re.search(r"^host: (.+)$", about, re.MULTILINE)
    return Record(
        rustc=about.splitlines()[0],
        host=host[1] if host else "unknown",
        valgrind=_output("valgrind", "--version").strip(),
        instructions=counts,
    )


def build() -> Path:
    """Builds what is counted, as optimised as a wheel."""
    manifest = ("--manifest-path", str(BENCH / "Cargo.toml"))
    _tell("building")
    _output("cargo", "build", "--quiet", "--release", "--bin", "counts", *manifest)
    about = json.loads(
        _output("cargo", "metadata", "--no-deps", "--format-version", "1", *manifest)
    )
    return Path(about["target_directory"]) / "release" / "counts"


def count(program: Path, question: str, name: str) -> float:
    """Instructions a call of one pass."""
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "callgrind.out"
        calls = int(
            _output(
                *("valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={profile}"),
                "--toggle-collect=*counted*",
                *(str(program), question, name),
            )
        )
        return round(instructions(profile.read_text()) / calls, 2)


def instructions(profile: str) -> int:
    """All instructions of a callgrind profile."""
    found = re.search(r"^totals: (\d+)$", profile, re.MULTILINE)
    if found is None or found[1] == "0":
        raise SystemExit("callgrind counted nothing: is the function still called `counted`?")
    return int(found[1])


def _keys(counts: Counts) -> list[tuple[str, str]]:
    return [(question, name) for question, sets in counts.items() for name in sets]


def _tools(kept: Record, now: Record) -> list[tuple[str, str, str]]:
    """What the counts were made with, where that is not the same."""
    both = [
        ("compiler", kept.rustc, now.rustc),
        ("machine", kept.host, now.host),
        ("valgrind", kept.valgrind, now.valgrind),
    ]
    return [(name, then, here) for name, then, here in both if then != here]


def _told(change: Change) -> str:
    where = f"{change.question}, {change.inputs}"
    if change.percent is None:
        return f"{where}: {'new' if change.kept is None else 'no longer counted'}"
    how = "more" if change.percent > 0 else "fewer"
    return f"{where}: {change.kept:,.1f} -> {change.now:,.1f}, {abs(change.percent):.1f} % {how}"


def _output(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> int:
    """The program; 1 when a count differs beyond the tolerance."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--record", action="store_true", help="keep the new counts")
    parser.add_argument(
        "--tolerance",
        type=float,
        default=TOLERANCE_PERCENT,
        metavar="PERCENT",
        help=f"by how much a count may differ ({TOLERANCE_PERCENT:g})",
    )
    parser.add_argument("--only", default="", metavar="WORD", help="questions with this word")
    given = parser.parse_args()
    if shutil.which("valgrind") is None:
        _tell("valgrind is needed and was not found; Linux distributions have it as `valgrind`")
        return 1
    if given.record and given.only:
        parser.error("all counts are kept together: --record goes without --only")
    now = count_all(given.only)
    kept = read_kept()
    if kept is not None and given.only:
        asked = {name: sets for name, sets in kept.instructions.items() if given.only in name}
        kept = Record(kept.rustc, kept.host, kept.valgrind, asked)
    lines, has_changed = report(kept, now, given.tolerance)
    print("\n".join(lines))
    if given.record:
        keep(now)
        print(f"kept in {KEPT.relative_to(ROOT)}")
        return 0
    return 1 if has_changed else 0


if __name__ == "__main__":
    raise SystemExit(main())
