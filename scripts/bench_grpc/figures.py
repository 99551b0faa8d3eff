"""What was measured: kept, and told in a table."""

from __future__ import annotations

import json
import os
import statistics
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

from bench_service.servers import CPU_TICKS_S, Server

FAN_OUT = "fan-out"
SHAPES = ("Play", "Act + WatchMatch", FAN_OUT)
IDLE, WAITING = 3, 4
"""Where /proc/stat has them."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one sample comes to."""

    shape: str
    server: str
    per_cpu_second: float
    p50_ms: float
    p99_ms: float
    others_share: float
    """What others had of the machine's CPU meanwhile: the greater, the less it is worth."""


class Others:
    """Everything else that runs on the machine, from now on."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._start_s, self._cpu_s = time.perf_counter(), self._others_s()

    def share(self) -> float:
        """What they have had since of the machine's CPU."""
        wall_s = time.perf_counter() - self._start_s
        return (self._others_s() - self._cpu_s) / wall_s / (os.cpu_count() or 1)

    def _others_s(self) -> float:
        line = Path("/proc/stat").read_text().splitlines()[0]
        # The times of guests, at the end, are contained in those before.
        ticks = [int(word) for word in line.split()[1:9]]
        busy_s = (sum(ticks) - ticks[IDLE] - ticks[WAITING]) / CPU_TICKS_S
        return busy_s - self._server.cpu_s() - time.process_time()


def with_kept(figures: list[Figures], file: Path | None) -> list[Figures]:
    """Those of earlier runs and these, which are kept with them."""
    if file is None:
        return figures
    with file.open("a") as out:
        out.writelines(json.dumps(asdict(each)) + "\n" for each in figures)
    return [Figures(**json.loads(line)) for line in file.read_text().splitlines()]


def table(figures: list[Figures]) -> list[str]:
    """The table's lines. Of each cell's rounds the quieter half counts."""
    rounds: dict[str, dict[str, list[Figures]]] = defaultdict(lambda: defaultdict(list))
    for each in figures:
        rounds[each.server][each.shape].append(each)
    first = next(iter(rounds))
    lines = [
        f"| server | {' | '.join(f'{shape} | ratio' for shape in SHAPES)}"
        " | p50, p99 ms of Play | of Act |",
        f"|---|{'---|' * 2 * len(SHAPES)}---|---|",
    ]
    used: list[Figures] = []
    for server, shapes in rounds.items():
        quiet = {shape: quieter_half(shapes[shape]) for shape in SHAPES}
        cells = [server]
        for shape in SHAPES:
            base = _median(quieter_half(rounds[first][shape]), "per_cpu_second")
            cells += [_rate(quiet[shape]), f"{_median(quiet[shape], 'per_cpu_second') / base:.2f}"]
            used += quiet[shape]
        cells += [_times(quiet[shape]) for shape in SHAPES if shape != FAN_OUT]
        lines.append(f"| {' | '.join(cells)} |")
    most = max(each.others_share for each in used)
    middle = _median(used, "others_share")
    return [*lines, "", f"Others had {middle:.0%} of the machine's CPU, {most:.0%} at most."]


def quieter_half(rounds: list[Figures]) -> list[Figures]:
    """The rounds in which others had least of the machine."""
    return sorted(rounds, key=lambda each: each.others_share)[: (len(rounds) + 1) // 2]


def _median(figures: list[Figures], name: str) -> float:
    return float(statistics.median(getattr(each, name) for each in figures))


def _rate(figures: list[Figures]) -> str:
    done = [each.per_cpu_second for each in figures]
    return f"{statistics.median(done):,.0f} ({min(done):,.0f}-{max(done):,.0f})"


def _times(figures: list[Figures]) -> str:
    return f"{_median(figures, 'p50_ms'):.1f}, {_median(figures, 'p99_ms'):.1f}"
