"""Cards drawn with lines: a face, a back, a fan of backs, a hand in groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from ginrummy.cli.paint import card_style, centred

CARD_WIDTH = 5
_TOP, _BOTTOM = "╭───╮", "╰───╯"
_RAISE = 1


@dataclass(frozen=True)
class CardArt:
    """One card to draw."""

    text: str
    """`10♥`; empty = a back."""
    frame: str = "frame"
    raised: bool = False
    caption: str = ""
    """Below it, up to five signs."""


def card_rows(card: CardArt) -> list[Text]:
    """Three rows of five cells."""
    face = Text(f"{card.text:>3}", card_style(card.text)) if card.text else Text("▒▒▒", "card.back")
    side = Text("│", card.frame)
    return [Text(_TOP, card.frame), Text.assemble(side, face, side), Text(_BOTTOM, card.frame)]


def fan_rows(count: int) -> list[Text]:
    """Backs, one over the other, the last one whole."""
    if not count:
        return [Text() for _ in range(3)]
    before = count - 1
    rows = ["╭─" * before + "╭──╮", "│▒" * before + "│▒▒│", "╰─" * before + "╰──╯"]
    return [Text(row, "card.back") for row in rows]


def hand_rows(
    groups: Sequence[Sequence[CardArt]], labels: Sequence[Sequence[str]], indent: int
) -> list[Text]:
    """A hand: four rows of cards, of which raised ones stand a row higher, then a row of captions
    and one of labels: below each group the first of its labels that it is wide enough for."""
    rows = [Text(" " * indent, no_wrap=True) for _ in range(3 + _RAISE + 2)]
    for at, group in enumerate(groups):
        for row in rows if at else []:
            row.append("  ")
        for card in group:
            drawn = card_rows(card)
            blank = [Text(" " * CARD_WIDTH)]
            column = [*drawn, *blank] if card.raised else [*blank, *drawn]
            for row, piece in zip(rows, column, strict=False):
                row.append_text(piece)
            style = card.frame if card.frame != "frame" else "muted"
            rows[4].append(centred(card.caption, CARD_WIDTH), style)
        width = CARD_WIDTH * len(group)
        fitting = (label for label in (labels[at : at + 1] or [[]])[0] if cell_len(label) <= width)
        rows[5].append(centred(next(fitting, ""), width), "muted")
    return rows
