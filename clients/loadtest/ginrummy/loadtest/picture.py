"""A run as a picture: rate and latency over time, and how latency is distributed."""

from __future__ import annotations

import base64
import html
import io
from pathlib import Path
from typing import Any

from ginrummy.loadtest.report import model_of, to_json
from ginrummy.loadtest.run import Result

FORMATS = (".html", ".png", ".svg", ".pdf")
TICKS = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99)
NAMES = {"answer": "move to answer", "delivery": "move to the other seat"}


def save(result: Result, failures: list[str], path: Path) -> None:
    """Writes the picture in the format of the file's ending. Raises OSError."""
    drawn = io.BytesIO()
    is_page = path.suffix.lower() == ".html"
    _draw(result).savefig(drawn, format="svg" if is_page else path.suffix[1:].lower())
    path.write_bytes(_page(result, failures, drawn.getvalue()) if is_page else drawn.getvalue())


def _draw(result: Result) -> Any:
    # Takes a second to import, and only a report needs it.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 9), layout="constrained")
    figure.suptitle(f"{model_of(result)}: {result.rate:,.0f} moves/s")
    rate, latency, spread = figure.subplots(3, 1)
    times_s = range(1, len(result.seconds) + 1)
    rate.plot(times_s, [s.moves / max(s.elapsed_s, 1e-9) for s in result.seconds], color="C0")
    rate.set(ylabel="moves/s", ylim=(0, None))
    others = rate.twinx()
    others.plot(times_s, [s.open for s in result.seconds], color="C7", linestyle=":")
    others.set(ylabel="matches open (dotted)", ylim=(0, None))
    for percentile, style in ((50.0, "-"), (99.0, "--"), (100.0, ":")):
        label = "max" if percentile == 100 else f"p{percentile:g}"
        values = [s.ms("answer", percentile) for s in result.seconds]
        latency.plot(times_s, values, style, color="C1", label=label)
    latency.set(xlabel="s", ylabel="move to answer, ms", yscale="log")
    latency.legend()
    for name, title in NAMES.items():
        share = [1 / (1 - q / 100) for q in TICKS]
        spread.plot(share, [result.total.ms(name, q) for q in TICKS], marker="o", label=title)
    spread.set(xscale="log", ylabel="ms", xlabel="percentile", ylim=(0, None))
    spread.set_xticks([1 / (1 - q / 100) for q in TICKS], [f"{q:g}" for q in TICKS])
    spread.minorticks_off()
    spread.legend()
    for axes in (rate, latency, spread):
        axes.grid(alpha=0.3)
    return figure


def _page(result: Result, failures: list[str], drawing: bytes) -> bytes:
    told = to_json(result, failures)
    del told["seconds"]
    rows = "".join(
        f"<tr><th>{html.escape(key)}</th><td>{html.escape(str(value))}</td></tr>"
        for key, value in told.items()
    )
    image = base64.b64encode(drawing).decode()
    return (
        "<!doctype html><meta charset=utf-8><title>ginrummy-load</title>"
        "<style>body{font:15px system-ui;margin:2em auto;max-width:70em}"
        "th{text-align:left;padding-right:2em;vertical-align:top}</style>"
        f"<h1>ginrummy-load</h1><img alt='' src='data:image/svg+xml;base64,{image}'>"
        f"<table>{rows}</table>"
    ).encode()
