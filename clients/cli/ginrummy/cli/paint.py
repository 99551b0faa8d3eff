"""Colours, and lines of text that are built of pieces."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from rich.theme import Theme

from ginrummy.cli.faces import RED_SUITS

THEME = Theme(
    {
        "card.red": "bold red",
        "card.black": "bold",
        "card.back": "blue",
        "frame": "dim",
        "frame.cursor": "bold yellow",
        "frame.chosen": "bold green",
        "good": "bold green",
        "warn": "yellow",
        "urgent": "bold red",
        "muted": "dim",
        "title": "bold",
        "key": "bold cyan",
    }
)

_CARD = re.compile(r"(?<!\w)(?:10|[2-9AJQKТВДК])([♣♦♥♠])")


def painted(text: str, style: str | Style = "") -> Text:
    """A sentence with its cards in colour."""
    line = Text(text, style=style, no_wrap=True, overflow="ellipsis")
    for found in _CARD.finditer(text):
        suit = found.group(1)
        line.stylize("card.red" if suit in RED_SUITS else "card.black", *found.span())
    return line


def card_style(text: str) -> str:
    return "card.red" if text[-1:] in RED_SUITS and text else "card.black"


def spread(left: Text, right: Text, width: int) -> Text:
    """Two pieces at the two ends of a line; the left one is cut when there is no room."""
    room = max(width - right.cell_len - 1, 0)
    if left.cell_len > room:
        left = left.copy()
        left.truncate(room, overflow="ellipsis")
    gap = width - left.cell_len - right.cell_len
    return Text.assemble(left, " " * gap, right, no_wrap=True, overflow="ellipsis")


def flowed(pieces: Iterable[Text], width: int, indent: str = " ", gap: str = "   ") -> list[Text]:
    """Pieces side by side, on as many lines as they need; none is broken."""
    lines: list[Text] = []
    line = Text(indent, no_wrap=True)
    for piece in pieces:
        used = line.cell_len > len(indent)
        if used and line.cell_len + len(gap) + piece.cell_len > width:
            lines.append(line)
            line, used = Text(indent, no_wrap=True), False
        line.append(gap if used else "")
        line.append_text(piece)
    return [*lines, line] if line.cell_len > len(indent) else lines


def centred(text: str, width: int) -> str:
    """Text in the middle of `width` cells, cut to fit."""
    while cell_len(text) > width:
        text = text[:-1]
    left = (width - cell_len(text)) // 2
    return " " * left + text + " " * (width - cell_len(text) - left)
