"""What `make bench-analysis` compares."""

import bench_analysis
from bench_analysis import made, plain, table

from ginrummy.engine import resolve_rules, wire
from ginrummy.v1 import analysis_service_pb2 as pb


def test_a_reply_is_made_anew_as_it_was() -> None:
    text = pb.HandInput(text="AS 2S 3S 8C 8D 8H TC JC QC KC 9D")
    request = pb.AnalyzeHandsRequest(hands=[pb.HandQuery(hand=text), pb.HandQuery()])
    answered = wire.analyze_hands(request.SerializeToString(), resolve_rules("short"))
    reply = pb.AnalyzeHandsResponse.FromString(answered)
    assert reply.results[0].discards
    assert made(pb.AnalyzeHandsResponse, plain(reply)) == reply


def test_ratios_are_those_within_a_round() -> None:
    rounds = {"engine": [1.0, 2.0, 4.0], "handler": [2.0, 2.0, 2.0], "loop": [0.1, 0.1, 0.1]}
    row = table({"columns": rounds})[-1]
    assert row == (
        "| columns | engine | 2000.00 (1000.00-4000.00) | 2000.00 (2000.00-2000.00)"
        " | 1.00 (0.50-2.00) | 100.00 (100.00-100.00) |"
    )


def test_spreads_have_melds_and_a_hand() -> None:
    problems = bench_analysis.problems()
    assert len(problems) > 1000
    assert all(problem.melds and problem.hand.mask for problem in problems)
