"""What is measured on: the repository's files of hands and spreads, and whole decks.

Cards are the engine's names ("AS", "TD"). Each engine turns them into its own form before the clock
starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ginrummy import engine

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "data" / "bench"
SETS = ("r10", "r11", "l10", "l11", "d10", "d11")
"""Uniform random, late and dense hands, of ten and of eleven cards."""
SPREADS = "layoffs"
DEALS = "deals"
DEALS_SEED = bytes([5]) * 32

Cards = list[str]


@dataclass(frozen=True)
class Hands:
    """The first hands of one file, and the least deadwood that the file gives for each."""

    masks: list[int]
    cards: list[Cards]
    deadwood_points: list[int]

    @property
    def hand_len(self) -> int:
        """Cards of each hand."""
        return len(self.cards[0])


@dataclass(frozen=True)
class Spreads:
    """The first knocks of the file: the knocker's melds, the defender's cards, and the least
    deadwood after layoffs that the file gives for each."""

    melds: list[list[int]]
    defenders: list[int]
    deadwood_points: list[int]


def read_hands(name: str, most: int) -> Hands:
    """The first hands of a set."""
    rows = _rows(f"hands_{name}.txt", most)
    masks = [int(mask, 16) for mask, _ in rows]
    cards = [engine.from_mask(mask) for mask in masks]
    return Hands(masks, cards, [int(points) for _, points in rows])


def read_spreads(most: int) -> Spreads:
    """The first spreads."""
    rows = _rows(f"{SPREADS}.txt", most)
    return Spreads(
        [[int(meld, 16) for meld in row[0].split("|")] for row in rows],
        [int(row[1], 16) for row in rows],
        [int(row[2]) for row in rows],
    )


def decks(count: int) -> list[Cards]:
    """Whole decks in dealing order: the same cards for every engine."""
    return [engine.deck(DEALS_SEED, number) for number in range(1, count + 1)]


def _rows(name: str, most: int) -> list[list[str]]:
    lines = (FOLDER / name).read_text().splitlines()
    return [line.split() for line in lines[:most]]
