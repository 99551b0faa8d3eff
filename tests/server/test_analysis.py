"""Answers about hands: the engine's, item by item, and errors that spare the others."""

from collections.abc import Iterable
from random import Random
from typing import Any

import pytest

from ginrummy import engine
from ginrummy.v1 import analysis_service_pb2 as pb
from ginrummy.v1 import cards_pb2, errors_pb2, rules_pb2
from ginrummy.v1 import catalog_service_pb2 as catalog_pb

from ..engine.reading import DECK, cases
from .players import Desk, names
from .refusals import refusal

BAD_CARD, BAD_FIELD = errors_pb2.ERROR_REASON_BAD_CARD, errors_pb2.ERROR_REASON_BAD_FIELD
NUMBER: dict[str, Any] = {name: cards_pb2.Card.Value(f"CARD_{name}") for name in DECK}
ELEVEN = "AS 2S 3S 8C 8D 8H TC JC QC KC 9D"


def as_text(cards: Iterable[str]) -> pb.HandInput:
    return pb.HandInput(text=" ".join(cards))


def as_list(cards: Iterable[str]) -> pb.HandInput:
    return pb.HandInput(list=cards_pb2.CardList(cards=[NUMBER[card] for card in cards]))


def as_mask(cards: Iterable[str]) -> pb.HandInput:
    return pb.HandInput(mask=engine.to_mask(list(cards)))


def asked(text: str, barred: str = "") -> pb.HandQuery:
    barred_discard = NUMBER[barred] if barred else None
    return pb.HandQuery(hand=pb.HandInput(text=text), barred_discard=barred_discard)


async def analyze(desk: Desk, *queries: pb.HandQuery, **fields: object) -> list[pb.HandAnalysis]:
    request = pb.AnalyzeHandsRequest(hands=queries, **fields)  # type: ignore[arg-type]
    return list((await desk.analysis.AnalyzeHands(request)).results)


def melds_of(arrangement: cards_pb2.Arrangement) -> list[list[str]]:
    return [names(meld.cards) for meld in arrangement.melds]


@pytest.mark.parametrize("form", [as_text, as_list, as_mask])
async def test_hands_of_any_size_get_the_engines_answers(desk: Desk, form: object) -> None:
    random = Random(3)
    hands = [random.sample(DECK, random.choice([0, 1, 7, 10, 11, 11])) for _ in range(200)]
    queries = [pb.HandQuery(hand=form(hand)) for hand in hands]  # type: ignore[operator]
    for hand, result in zip(hands, await analyze(desk, *queries), strict=True):
        assert not result.HasField("error")
        assert names(result.cards) == sorted(hand, key=DECK.index)
        [arrangement] = result.arrangements
        expected = engine.best_arrangement(hand)
        assert melds_of(arrangement) == expected["melds"]
        assert names(arrangement.deadwood) == expected["deadwood"]
        assert arrangement.deadwood_points == expected["deadwood_points"]
        assert result.deadwood_points == engine.deadwood(hand)
        if len(hand) == 11:
            prices = {names([p.card])[0]: p.deadwood_points for p in result.discards}
            expected_prices = engine.price_discards(hand)
            assert prices == {p["card"]: p["deadwood_points"] for p in expected_prices}
            assert next(iter(prices)) == engine.best_discard(hand)["card"]
            assert list(prices.values()) == sorted(prices.values())
            assert [p.can_knock for p in result.discards] == [p <= 10 for p in prices.values()]
            assert result.can_knock == (min(prices.values()) <= 10)
            assert result.can_gin == (min(prices.values()) == 0)
        else:
            assert not result.discards
            assert result.can_knock == (len(hand) == 10 and engine.deadwood(hand) <= 10)


async def test_published_hands_have_their_deadwood_and_their_best_discards(desk: Desk) -> None:
    published = cases("partition")
    queries = [
        asked(" ".join(case["input"]["cards"]), case["input"].get("taken_from_discard") or "")
        for case in published
    ]
    for case, result in zip(published, await analyze(desk, *queries), strict=True):
        assert result.deadwood_points == case["expect"]["deadwood"], case
        if len(result.cards) == 11:
            best = [
                p
                for p in result.discards
                if p.deadwood_points == result.discards[0].deadwood_points
            ]
            assert names(p.card for p in best) == sorted(
                case["expect"]["best_discards"],
                key=lambda c: ("A23456789TJQK".index(c[0]), "CDHS".index(c[1])),
                reverse=True,
            )


async def test_a_barred_discard_has_no_price(desk: Desk) -> None:
    free, barred = await analyze(desk, asked(ELEVEN), asked(ELEVEN, "9D"))
    assert (names([free.discards[0].card]), free.can_gin) == (["9D"], True)
    assert NUMBER["9D"] not in [price.card for price in barred.discards]
    assert (names([barred.discards[0].card]), barred.can_gin, barred.can_knock) == (
        ["KC"],
        False,
        True,
    )


async def test_big_gin_is_told_where_the_rules_have_it(desk: Desk) -> None:
    query = asked("AS 2S 3S 8C 8D 8H TC JC QC KC 4S")
    [usual] = await analyze(desk, query)
    assert (usual.can_big_gin, usual.can_gin, usual.deadwood_points) == (True, True, 0)
    [solo] = await analyze(desk, query, ruleset="rulesets/solo")
    assert not solo.can_big_gin
    [off] = await analyze(desk, query, overrides=rules_pb2.Rules(big_gin=False))
    assert not off.can_big_gin


async def test_knocks_follow_the_knock_limit(desk: Desk) -> None:
    [usual] = await analyze(desk, asked(ELEVEN, "9D"))
    [low] = await analyze(desk, asked(ELEVEN, "9D"), overrides=rules_pb2.Rules(knock_limit=8))
    assert (usual.can_knock, low.can_knock) == (True, False)
    assert not any(price.can_knock for price in low.discards)


async def test_all_arrangements_begin_with_the_engines(desk: Desk) -> None:
    hand = "4S 5S 6S 5D 5H KC"
    [result] = await analyze(desk, asked(hand), all_arrangements=True)
    expected = engine.minimal_arrangements(hand)
    assert len(expected) > 1
    assert [melds_of(found) for found in result.arrangements] == [e["melds"] for e in expected]


async def test_a_bad_hand_gets_its_own_error_and_spares_the_others(desk: Desk) -> None:
    bad = [
        (pb.HandQuery(), BAD_FIELD, "hand", "is required"),
        (asked("AS 2X"), BAD_CARD, "hand.text", '"2X" is not a card'),
        (asked("AS 2"), BAD_CARD, "hand.text", '"2" is not a card'),
        (asked("AS 2S as"), BAD_CARD, "hand.text", "AS comes twice"),
        (asked(" ".join(DECK[:12])), BAD_FIELD, "hand.text", "12 cards: a hand has at most eleven"),
        (pb.HandQuery(hand=pb.HandInput(mask=1 << 52)), BAD_CARD, "hand.mask", "below 52"),
        (pb.HandQuery(hand=pb.HandInput(mask=(1 << 12) - 1)), BAD_FIELD, "hand.mask", "12 cards"),
        (
            pb.HandQuery(hand=as_list(["AS", "2S", "AS"])),
            BAD_CARD,
            "hand.list.cards[2]",
            "AS comes twice",
        ),
        (listed(1, 0), BAD_CARD, "hand.list.cards[1]", "a card is required"),
        (listed(1, 53), BAD_CARD, "hand.list.cards[1]", "there is no card 53"),
        (listed(-(2**31)), BAD_CARD, "hand.list.cards[0]", "there is no card -2147483648"),
        (pb.HandQuery(hand=as_list(DECK)), BAD_FIELD, "hand.list", "52 cards"),
        (asked(ELEVEN, "KD"), BAD_FIELD, "barred_discard", "KD is not among the cards"),
        (barring(99), BAD_CARD, "barred_discard", "there is no card 99"),
    ]
    good = asked("AS 2S 3S 9D")
    queries = [query for row in bad for query in (row[0], good)]
    results = await analyze(desk, *queries)
    for i, (_, reason, field, message) in enumerate(bad):
        error = results[2 * i].error
        assert (error.reason, error.field) == (reason, f"hands[{2 * i}].{field}")
        assert message in error.message
        assert results[2 * i] == pb.HandAnalysis(error=error)
        assert results[2 * i + 1].deadwood_points == 9


def listed(*numbers: Any) -> pb.HandQuery:
    return pb.HandQuery(hand=pb.HandInput(list=cards_pb2.CardList(cards=numbers)))


def barring(number: Any) -> pb.HandQuery:
    return pb.HandQuery(hand=as_list(["AS"]), barred_discard=number)


async def test_a_ten_may_be_written_with_two_digits(desk: Desk) -> None:
    [result] = await analyze(desk, asked("10S,10h 10D as"))
    assert names(result.cards) == ["TD", "TH", "AS", "TS"]


async def test_an_empty_or_too_large_batch_is_refused(desk: Desk) -> None:
    for hands in ([], [asked("AS")] * 1001):
        refused = await refusal(analyze(desk, *hands))
        assert (refused.reason, refused.fields) == ("BAD_FIELD", ["hands"])
        assert f"1 to 1000 are allowed, not {len(hands)}" in refused.message
    problem = pb.LayoffProblem()
    for problems in ([], [problem] * 1001):
        call = desk.analysis.FindLayoffs(pb.FindLayoffsRequest(problems=problems))
        refused = await refusal(call)
        assert (refused.reason, refused.fields) == ("BAD_FIELD", ["problems"])
    info = (await desk.catalog.GetServerInfo(catalog_pb.GetServerInfoRequest())).max_batch
    assert info == 1000


async def test_rules_that_are_none_are_refused(desk: Desk) -> None:
    refused = await refusal(analyze(desk, asked("AS"), ruleset="rulesets/none"))
    assert refused.reason == "RULESET_NOT_FOUND"
    refused = await refusal(analyze(desk, asked("AS"), ruleset="none"))
    assert (refused.reason, refused.fields) == ("BAD_FIELD", ["ruleset"])
    overrides = rules_pb2.Rules(knock_limit=11)
    refused = await refusal(analyze(desk, asked("AS"), overrides=overrides))
    assert (refused.reason, refused.fields) == ("BAD_FIELD", ["overrides.knock_limit"])


async def test_a_thousand_hands_of_any_form_fit_into_a_request(desk: Desk) -> None:
    random = Random(7)
    hands = [random.sample(DECK, 11) for _ in range(1000)]
    results = await analyze(desk, *(asked(", ".join(hand), hand[0]) for hand in hands))
    assert [result.deadwood_points for result in results] == [engine.deadwood(h) for h in hands]


def problem_of(melds: Iterable[Iterable[str]], hand: Iterable[str]) -> pb.LayoffProblem:
    shown = [cards_pb2.Meld(cards=[NUMBER[card] for card in meld]) for meld in melds]
    return pb.LayoffProblem(melds=shown, hand=as_text(hand))


async def find(desk: Desk, *problems: pb.LayoffProblem) -> list[pb.LayoffSolution]:
    request = pb.FindLayoffsRequest(problems=problems)
    return list((await desk.analysis.FindLayoffs(request)).results)


async def test_published_layoffs_are_the_joint_optimum(desk: Desk) -> None:
    published = [case for case in cases("layoff") if case["input"]["knocker_melds"]]
    problems = [problem_of(c["input"]["knocker_melds"], c["input"]["defender"]) for c in published]
    assert len(problems) > 40
    for case, found in zip(published, await find(desk, *problems), strict=True):
        assert found.rest.deadwood_points == case["expect"]["defender_deadwood"], case
        assert len(found.moves) == case["expect"]["laid_off_count_min"]


async def test_layoffs_come_in_an_order_in_which_each_fits(desk: Desk) -> None:
    [found] = await find(desk, problem_of([["4H", "5H", "6H"]], ["7H", "8H", "KS", "AC", "2D"]))
    assert [(names([m.card])[0], m.meld_index) for m in found.moves] == [("7H", 0), ("8H", 0)]
    assert names(found.rest.deadwood) == ["AC", "2D", "KS"]
    assert found.rest.deadwood_points == 13


async def test_a_bad_layoff_problem_spares_the_others(desk: Desk) -> None:
    run, four = ["4H", "5H", "6H"], ["7C", "7D", "7H", "7S"]
    twelve = [DECK[0:4], DECK[13:17], DECK[26:30]]
    hand = ["KS"]
    bad = [
        (problem_of([], hand), BAD_FIELD, "melds", "one to three melds, not 0"),
        (problem_of([run] * 4, hand), BAD_FIELD, "melds", "one to three melds, not 4"),
        (problem_of([four, ["4H", "6H"]], hand), BAD_FIELD, "melds[1]", "4H 6H is no meld"),
        (problem_of([four, []], hand), BAD_FIELD, "melds[1]", "a group without cards is no meld"),
        (problem_of([run, run], hand), BAD_FIELD, "melds[1]", "4H comes twice"),
        (problem_of([run], ["6H"]), BAD_FIELD, "melds[0]", "6H comes twice"),
        (problem_of(twelve, hand), BAD_FIELD, "melds", "12 cards in melds"),
        (problem_of([run], DECK[:11]), BAD_FIELD, "hand", "a defender holds ten"),
        (problem_of([["4H", "5H", "5H"]], hand), BAD_CARD, "melds[0].cards[2]", "5H comes twice"),
        (
            pb.LayoffProblem(melds=[cards_pb2.Meld(cards=[NUMBER[card] for card in run])]),
            BAD_FIELD,
            "hand",
            "required",
        ),
    ]
    good = problem_of([run], ["7H", "KS"])
    found = await find(desk, *(problem for row in bad for problem in (row[0], good)))
    for i, (_, reason, field, message) in enumerate(bad):
        error = found[2 * i].error
        assert (error.reason, error.field) == (reason, f"problems[{2 * i}].{field}")
        assert message in error.message
        assert found[2 * i] == pb.LayoffSolution(error=error)
        assert found[2 * i + 1].rest.deadwood_points == 10
