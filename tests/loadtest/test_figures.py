"""Figures add up, over processes and over time."""

import pytest

from ginrummy.loadtest.figures import Figures
from ginrummy.loadtest.live import sparkline
from ginrummy.loadtest.plan import Plan, Thresholds, Way
from ginrummy.loadtest.run import Result


def some(moves: int, *times_s: float) -> Figures:
    figures = Figures(moves=moves, cpu_s=0.5, busiest=0.5)
    for time_s in times_s:
        figures.note("answer", time_s)
    return figures


def result(figures: Figures) -> Result:
    plan = Plan(address="x", duration_s=12.0, ramp_s=2.0, matches=1)
    return Result(plan, total=figures, elapsed_s=12.0)


def test_times_of_two_processes_are_one_distribution() -> None:
    total = some(2, 0.001, 0.002)
    total.add(Figures.from_json(some(2, 0.003, 1.0).to_json()))
    assert total.moves == 4
    assert total.ms("answer", 50) == pytest.approx(2, rel=0.002)
    assert total.ms("answer", 75) == pytest.approx(3, rel=0.002)
    assert total.ms("answer", 100) == pytest.approx(1000, rel=0.002)


def test_what_is_taken_is_not_counted_again() -> None:
    counting = some(3, 0.001)
    counting.errors["X"] += 1
    counting.open = 7
    taken = counting.take(2.0, 1.0)
    assert (taken.moves, taken.errors["X"], taken.open, taken.busiest) == (3, 1, 7, 0.5)
    assert (counting.moves, counting.errors.total(), counting.ms("answer", 50)) == (0, 0, 0)
    counting.moves += 1
    assert taken.moves == 3


def test_a_plan_is_shared_among_processes_without_rest() -> None:
    plan = Plan(address="x", duration_s=1.0, matches=7, rate=3.0, processes=3, way=Way.ACT)
    parts = [plan.share(i) for i in range(3)]
    assert [part.matches for part in parts] == [3, 2, 2]
    assert sum(part.rate for part in parts) == pytest.approx(3.0)
    assert len({part.seed for part in parts}) == 3
    assert Plan.from_json(plan.to_json()) == plan


def test_a_run_that_keeps_to_its_thresholds_has_no_failures() -> None:
    good = result(some(1000, *[0.01] * 100))
    assert good.rate == 100
    assert good.failures(Thresholds(max_p99_ms=11, min_rate=100)) == []


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        (Thresholds(max_p99_ms=9), "p99 was 10.0 ms, at most 9 ms"),
        (Thresholds(min_rate=101), "100 moves/s were done, at least 101"),
    ],
)
def test_a_threshold_that_is_not_kept_is_told(thresholds: Thresholds, message: str) -> None:
    [failure] = result(some(1000, *[0.01] * 100)).failures(thresholds)
    assert message in failure


def test_errors_fail_a_run_and_wrong_answers_always_do() -> None:
    figures = some(1, 0.01)
    figures.errors["STALE_SEQUENCE"] = 2
    assert result(figures).failures(Thresholds(max_errors=2)) == []
    assert result(figures).failures(Thresholds()) == ["2 matches failed, at most 0 may"]
    figures.wrong.append("a card")
    assert result(figures).failures(Thresholds(max_errors=9)) == ["wrong answer: a card"]


def test_a_run_without_a_move_fails() -> None:
    assert result(Figures()).failures(Thresholds()) == ["no move was made"]


def test_bars_show_the_largest_as_full() -> None:
    assert sparkline([0.0, 5.0, 10.0]) == "▁▄█"
    assert sparkline([]) == ""
