"""What `make bench-peers` makes of answers and times, where no peer is installed."""

import pytest
from bench_peers.cases import Case, DisagreementError, agreement, gather
from bench_peers.rounds import Timed, measure
from bench_peers.table import short, table
from bench_peers.ways import Engine, Question, Way, compare


def case(*, peer: list[int], differs: str = "") -> Case:
    """Three hands whose least deadwood is 1, 2 and 3, and what a peer says of them."""
    ways = {
        Engine.SINGLE: Way(lambda: [1, 2, 3], list),
        Engine.OPEN_SPIEL: Way(lambda: peer, list, differs),
    }
    return Case(Question.DEADWOOD, "r10", 3, ways, [1, 2, 3])


def test_answers_that_differ_are_counted_and_the_first_is_shown() -> None:
    verdict = compare([1, 9, 8], [1, 2, 3])
    assert verdict.different == [1, 2]
    assert str(verdict) == "2 of 3 (hand 1: 9 instead of 2)"


def test_engines_that_agree_are_told_in_one_line() -> None:
    assert agreement(case(peer=[1, 2, 3])) == [
        "least deadwood, r10: right in all hands that were asked:"
        " ginrummy, hand by hand (3); OpenSpiel (3)"
    ]


def test_known_difference_is_told_with_its_reason() -> None:
    lines = agreement(case(peer=[1, 9, 3], differs="it discards greedily"))
    assert lines == [
        "least deadwood, r10: right in all hands that were asked: ginrummy, hand by hand (3)",
        "least deadwood, r10: OpenSpiel differs in 1 of 3 (hand 1: 9 instead of 2):"
        " it discards greedily",
    ]


def test_slow_engine_is_compared_on_the_hands_that_it_answers() -> None:
    asked = case(peer=[1, 2, 3])
    asked.ways[Engine.RLCARD] = Way(lambda: [1, 3], list, every=2)
    assert agreement(asked)[0].endswith("OpenSpiel (3); RLCard (2)")


def test_difference_that_nobody_explains_ends_the_run() -> None:
    with pytest.raises(DisagreementError, match="OpenSpiel differs in 1 of 3"):
        agreement(case(peer=[1, 9, 3]))


def test_all_our_own_ways_agree_on_every_set() -> None:
    cases = gather([], hand_count=30, deal_count=2)
    assert {case.question for case in cases} == set(Question)
    compared = [case for case in cases if any(way.points is not None for way in case.ways.values())]
    assert len(compared) == 6 + 3 + 3 + 1
    for case in compared:
        assert agreement(case) == [
            f"{case.question.value}, {case.hands}: right in all hands that were asked:"
            " ginrummy, whole buffers (30); ginrummy, hand by hand (30)"
        ]


def test_every_call_is_timed_in_every_round() -> None:
    rounds: list[str] = []
    passes = [Timed(name, lambda: sum(range(100)), hands=10) for name in ("one", "other")]
    rates = measure(passes, 3, least_s=0.001, tell=rounds.append)
    assert rounds == ["round 1 of 3", "round 2 of 3", "round 3 of 3"]
    assert {name: len(figures) for name, figures in rates.items()} == {"one": 3, "other": 3}
    assert all(rate > 0 for figures in rates.values() for rate in figures)


def test_row_has_medians_spread_and_the_ratio_within_a_round() -> None:
    rates = {Engine.SINGLE: [2000.0, 4000.0, 3000.0], Engine.OPEN_SPIEL: [1000.0, 1000.0, 500.0]}
    lines = table([(case(peer=[1, 2, 3]), rates)], {Engine.OPEN_SPIEL: "2.0"})
    head, _, row = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    told = dict(zip(head, row, strict=True))
    assert told["ginrummy, hand by hand"] == "3k (2k-4k)"
    assert told["OpenSpiel 2.0"] == "1k (500-1k)"
    assert told["hand by hand / OpenSpiel"] == "4 (2-6)"
    assert told["RLCard"] == told["hand by hand / RLCard"] == "-"


@pytest.mark.parametrize(
    ("value", "told"), [(51_234_567, "51.2M"), (1234, "1.23k"), (87.65, "87.7"), (2.625, "2.62")]
)
def test_figures_have_three_digits(value: float, told: str) -> None:
    assert short(value) == told
