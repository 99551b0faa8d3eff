"""What was measured: kept, and told in a table."""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass
from pathlib import Path

from bench_grpc.games import FAN_OUT, SHAPES


@dataclass(frozen=True, slots=True)
class Slice:
    """What one server did in its part of one round."""

    shape: str
    round: str
    server: str
    done: int
    server_cpu_s: float
    p50_ms: float
    p99_ms: float

    @property
    def per_cpu_second(self) -> float:
        """Moves, or messages, for each second of the server's CPU."""
        return self.done / max(self.server_cpu_s, 1e-9)


def with_kept(slices: list[Slice], file: Path | None) -> list[Slice]:
    """Those of earlier runs and these, which are kept with them."""
    if file is None:
        return slices
    with file.open("a") as out:
        out.writelines(json.dumps(asdict(each)) + "\n" for each in slices)
    return [Slice(**json.loads(line)) for line in file.read_text().splitlines()]


def table(slices: list[Slice]) -> list[str]:
    """The table's lines."""
    servers = list(dict.fromkeys(each.server for each in slices))
    by_round = {(each.server, each.shape, each.round): each for each in slices}
    lines = [
        f"| server | {' | '.join(f'{shape} | ratio' for shape in SHAPES)}"
        " | Play p50, p99 ms | Act p50, p99 ms |",
        f"|---|{'---|' * 2 * len(SHAPES)}---|---|",
    ]
    for server in servers:
        cells = [server]
        for shape in SHAPES:
            mine = [each for each in slices if (each.server, each.shape) == (server, shape)]
            first = [by_round[servers[0], shape, each.round] for each in mine]
            cells += [_rate(mine), _ratio(mine, first)]
        for shape in SHAPES:
            if shape != FAN_OUT:
                mine = [each for each in slices if (each.server, each.shape) == (server, shape)]
                cells.append(_times(mine))
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _rate(slices: list[Slice]) -> str:
    return f"{statistics.median(each.per_cpu_second for each in slices):,.0f}"


def _ratio(mine: list[Slice], first: list[Slice]) -> str:
    """The median of the rounds, and between what half of them are."""
    pairs = zip(mine, first, strict=True)
    ratios = sorted(each.per_cpu_second / other.per_cpu_second for each, other in pairs)
    low, high = ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]
    return f"{statistics.median(ratios):.2f} ({low:.2f}-{high:.2f})"


def _times(slices: list[Slice]) -> str:
    p50_ms = statistics.median(each.p50_ms for each in slices)
    p99_ms = statistics.median(each.p99_ms for each in slices)
    return f"{p50_ms:.1f}, {p99_ms:.1f}"
