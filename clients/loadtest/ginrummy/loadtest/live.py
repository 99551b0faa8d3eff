"""How a run is going, for whoever watches it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ginrummy.loadtest.report import model_of
from ginrummy.loadtest.run import CLIENT_FULL, Result

BARS = "▁▂▃▄▅▆▇█"
HISTORY = 60
BAR_WIDTH = 40


class View:
    """The last second and the way so far; on a terminal in place, else a line in ten seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None

    @contextmanager
    def shown(self) -> Iterator[None]:
        """While the run goes on."""
        if not self._console.is_terminal:
            yield
            return
        with Live(console=self._console, transient=True, auto_refresh=False) as self._live:
            yield

    def second(self, result: Result) -> None:
        """Shows where the run stands."""
        if self._live is not None:
            self._live.update(picture(result), refresh=True)
        elif len(result.seconds) % 10 == 0:
            self._console.print(line(result), soft_wrap=True, highlight=False)


def picture(result: Result) -> RenderableType:
    """The run as it stands, a few lines high."""
    now = result.seconds[-1]
    left_s = max(result.plan.duration_s - result.elapsed_s, 0)
    progress = Table.grid(padding=(0, 1))
    bar = ProgressBar(result.plan.duration_s, result.elapsed_s, width=BAR_WIDTH)
    progress.add_row(bar, f"{left_s:.0f} s left", f"[dim]{model_of(result)}[/]")
    figures = Table.grid(padding=(0, 3))
    figures.add_row(
        f"[bold]{now.moves / max(now.elapsed_s, 1e-9):,.0f}[/] moves/s",
        f"[bold]{now.open:,}[/] matches open",
        f"[bold]{result.total.ended:,}[/] ended",
        Text(f"{result.error_count} failed", "red" if result.error_count else "dim"),
    )
    figures.add_row(
        f"p50 [bold]{now.ms('answer', 50):.1f}[/] ms",
        f"p99 [bold]{now.ms('answer', 99):.1f}[/] ms",
        f"max [bold]{now.ms('answer', 100):.1f}[/] ms",
        Text(f"client {now.busiest:.0%}", "yellow" if now.busiest > CLIENT_FULL else "dim"),
    )
    rates = [second.moves / max(second.elapsed_s, 1e-9) for second in result.seconds[-HISTORY:]]
    return Group(progress, figures, Text(sparkline(rates), "cyan"))


def line(result: Result) -> str:
    """The same in one line, for a log."""
    now = result.seconds[-1]
    return (
        f"{result.elapsed_s:4.0f} s  {now.moves / max(now.elapsed_s, 1e-9):7,.0f} moves/s"
        f"  {now.open:5,} open  {result.total.ended:6,} ended"
        f"  p50 {now.ms('answer', 50):6.1f} ms  p99 {now.ms('answer', 99):6.1f} ms"
        f"  {result.error_count} failed"
    )


def sparkline(values: list[float]) -> str:
    """A row of bars, the largest one full.

    >>> sparkline([0, 1, 2])
    '▁▄█'
    """
    most = max(values, default=0) or 1
    return "".join(BARS[int(value / most * (len(BARS) - 1))] for value in values)
