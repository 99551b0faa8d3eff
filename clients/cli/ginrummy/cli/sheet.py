"""The score sheet: a line for each hand, then what the match is worth so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from ginrummy.cli.telling import Teller
from ginrummy.v1.events_pb2 import HandScored
from ginrummy.v1.match_pb2 import ScoreColumn, ScoreSheet

_ROWS: tuple[tuple[str, Callable[[ScoreColumn], int]], ...] = (
    ("sheet-hand-points", lambda column: column.hand_points),
    ("sheet-boxes", lambda column: column.boxes),
    ("sheet-box-bonus", lambda column: column.box_bonus),
    ("sheet-game-bonus", lambda column: column.game_bonus),
    ("sheet-shutout", lambda column: column.shutout_bonus),
    ("sheet-total", lambda column: column.total),
)
_ALWAYS = ("sheet-hand-points", "sheet-boxes", "sheet-total")


@dataclass(frozen=True)
class _Grid:
    """Rows of a label and right-aligned cells."""

    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]] | None]
    """None = a rule."""

    def lines(self) -> list[str]:
        labels = max((cell_len(row[0]) for row in self.rows if row), default=0)
        widths = [
            max(cell_len(self.heads[i]), *(cell_len(row[1][i]) for row in self.rows if row), 5)
            for i in range(len(self.heads))
        ]
        rule = "─" * (labels + sum(width + 3 for width in widths))
        head = self._line("", self.heads, labels, widths)
        return [
            head,
            rule,
            *(self._line(*row, labels, widths) if row else rule for row in self.rows),
        ]

    @staticmethod
    def _line(label: str, cells: Sequence[str], labels: int, widths: Sequence[int]) -> str:
        padded = (
            " " * (width + 3 - cell_len(cell)) + cell
            for cell, width in zip(cells, widths, strict=True)
        )
        return (label + " " * (labels - cell_len(label)) + "".join(padded)).rstrip()


def score_sheet(
    teller: Teller, hands: Sequence[HandScored], sheets: Sequence[ScoreSheet]
) -> list[str]:
    """The sheet of both players; three columns each under Hollywood, and their sum."""
    if len(sheets) != 2:
        return []
    hollywood = len(sheets[0].columns) > 1
    order = (teller.me, 3 - teller.me) if teller.me else (1, 2)
    heads: list[str] = []
    for seat in order:
        name = teller.name(seat)
        count = len(sheets[seat - 1].columns)
        heads += [f"{name} {i}" for i in range(1, count + 1)] if hollywood else [name]
    rows = _hand_rows(teller, hands, order, len(heads) // 2)
    if rows:
        rows.append(None)
    columns = [column for seat in order for column in sheets[seat - 1].columns]
    for message, value in _ROWS:
        values = [value(column) for column in columns]
        if message in _ALWAYS or any(values):
            rows.append((teller.words(message), [str(number) for number in values]))
    lines = _Grid(heads, rows).lines()
    if hollywood:
        totals = {"first": sheets[order[0] - 1].total, "second": sheets[order[1] - 1].total}
        names = {"name": teller.name(order[0]), "other": teller.name(order[1])}
        lines.append(teller.words("sheet-sum", **names, **totals))
    return lines


def _hand_rows(
    teller: Teller, hands: Sequence[HandScored], order: tuple[int, int], columns: int
) -> list[tuple[str, Sequence[str]] | None]:
    """What each hand added to each column: the difference to the sheets of the hand before."""
    rows: list[tuple[str, Sequence[str]] | None] = []
    before = [0] * (2 * columns)
    for scored in hands:
        label = teller.words("sheet-hand", hand=scored.hand_number, outcome=teller.outcome(scored))
        after = [c.hand_points for seat in order for c in scored.sheets[seat - 1].columns]
        gains = (now - then for now, then in zip(after, before, strict=True))
        rows.append((label, [f"+{gain}" if gain else "" for gain in gains]))
        before = after
    return rows


def running_score(teller: Teller, sheets: Sequence[ScoreSheet]) -> str:
    """`You 34 : 12 simple`."""
    if len(sheets) != 2:
        return ""
    first, second = (teller.me, 3 - teller.me) if teller.me else (1, 2)
    scores = (sheets[first - 1].total, sheets[second - 1].total)
    return f"{teller.name(first)} {scores[0]} : {scores[1]} {teller.name(second)}"
