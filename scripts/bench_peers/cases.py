"""Every question of every set of hands, with the ways of all engines, and whether they agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bench_peers import ours
from bench_peers.hands import DEALS, SETS, SPREADS, Cards, Hands, decks, read_hands, read_spreads
from bench_peers.ways import Engine, Question, Ways, compare

SolverWays = Callable[[Hands], dict[Question, Ways]]
PlayWays = Callable[[list[Cards]], dict[Question, Ways]]


@dataclass
class Case:
    """A question of a set."""

    question: Question
    hands: str
    """The set's name."""
    count: int
    ways: Ways = field(default_factory=dict)
    points: list[int] | None = None
    """The right answers that the set's file gives."""


class DisagreementError(Exception):
    """An engine answers otherwise, and nobody knows why."""


def gather(
    peers: Iterable[tuple[SolverWays, PlayWays]], hand_count: int, deal_count: int
) -> list[Case]:
    """All cases, with the engine's own ways first."""
    engines: list[tuple[SolverWays, PlayWays]] = [(ours.solver_ways, ours.play_ways), *peers]
    cases: list[Case] = []
    for name in SETS:
        hands = read_hands(name, hand_count)
        _add(cases, name, len(hands.masks), [solver(hands) for solver, _ in engines])
        for case in cases:
            if case.hands == name and case.question in (Question.DEADWOOD, Question.MELDS):
                case.points = hands.deadwood_points
    spreads = read_spreads(hand_count)
    cases.append(
        Case(
            Question.DEFENCE,
            SPREADS,
            len(spreads.defenders),
            ours.defence_ways(spreads),
            spreads.deadwood_points,
        )
    )
    dealt = decks(deal_count)
    _add(cases, DEALS, deal_count, [player(dealt) for _, player in engines])
    order = list(Question)
    return sorted(cases, key=lambda case: order.index(case.question))


def _add(cases: list[Case], name: str, count: int, answered: list[dict[Question, Ways]]) -> None:
    """A case for each question that our own engine answers, with the ways of all."""
    for question in answered[0]:
        case = Case(question, name, count)
        for ways in answered:
            case.ways.update(ways.get(question, {}))
        cases.append(case)


def agreement(case: Case) -> list[str]:
    """Compares every engine's points with the right ones, and tells in a line or a few.

    Right is what the file says, else our own answer hand by hand.

    Raises DisagreementError where points differ and the way does not say why.
    """
    answers = {
        engine: way.points(way.run()) for engine, way in case.ways.items() if way.points is not None
    }
    right = case.points or answers.get(Engine.SINGLE, [])
    agreeing, lines = [], []
    for engine, points in answers.items():
        verdict = compare(points, right[:: case.ways[engine].every])
        if verdict.example is None:
            agreeing.append(f"{engine.value} ({verdict.count:,})")
            continue
        line = f"{case.question.value}, {case.hands}: {engine.value} differs in {verdict}"
        reason = case.ways[engine].differs
        if not reason:
            raise DisagreementError(line)
        lines.append(f"{line}: {reason}")
    if agreeing:
        same = f"right in all hands that were asked: {'; '.join(agreeing)}"
        lines.insert(0, f"{case.question.value}, {case.hands}: {same}")
    return lines
