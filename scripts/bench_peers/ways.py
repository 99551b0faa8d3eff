"""A question, the ways to ask it, and whether their answers agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

Answer = TypeVar("Answer")


class Question(Enum):
    """What is asked of every hand of a set."""

    DEADWOOD = "least deadwood"
    MELDS = "melds of least deadwood"
    DISCARD = "deadwood after the best discard"
    DEFENCE = "defender's deadwood after the best layoffs"
    BOTS = "whole hand, each engine's simple bot"
    RANDOM = "whole hand, random legal actions"


class Engine(Enum):
    """Whose call it is."""

    BATCH = "ginrummy, whole buffers"
    SINGLE = "ginrummy, hand by hand"
    OPEN_SPIEL = "OpenSpiel"
    RLCARD = "RLCard"


OURS = (Engine.BATCH, Engine.SINGLE)
PEERS = (Engine.OPEN_SPIEL, Engine.RLCARD)


@dataclass(frozen=True)
class Way(Generic[Answer]):
    """One engine's way to answer a question of a set."""

    run: Callable[[], Answer]
    """Answers for every hand once, in the engine's own words: this is timed. A way to play whole
    hands tells how many actions the players took."""
    points: Callable[[Answer], list[int]] | None = None
    """The answers as points, one number a hand; none for whole hands."""
    differs: str = ""
    """Why its points differ from the right ones in some hands, where that is known."""
    every: int = 1
    """It answers for the first of so many hands only, because it is slow."""


Ways = dict[Engine, Way[Any]]


@dataclass(frozen=True)
class Verdict:
    """How one engine's points compare with the right ones."""

    count: int
    different: list[int]
    """The hands, from 0."""
    example: tuple[int, int] | None
    """What it answered and what is right, in the first hand that differs."""

    def __str__(self) -> str:
        if self.example is None:
            return f"0 of {self.count:,}"
        said, right = self.example
        return (
            f"{len(self.different):,} of {self.count:,}"
            f" (hand {self.different[0]}: {said} instead of {right})"
        )


def compare(points: list[int], right: list[int]) -> Verdict:
    """Which hands are answered otherwise than right."""
    pairs = list(zip(points, right, strict=True))
    different = [at for at, (said, truth) in enumerate(pairs) if said != truth]
    return Verdict(len(pairs), different, pairs[different[0]] if different else None)
