"""Events and results in sentences."""

import pytest

from ginrummy.cli.phrases import Phrases
from ginrummy.cli.plain import prompt, said_lines, table_lines
from ginrummy.cli.pressing import press
from ginrummy.cli.sheet import running_score, score_sheet
from ginrummy.cli.telling import Teller, teller_for
from ginrummy.cli.typed import enter
from ginrummy.cli.words import Words
from ginrummy.client import actions
from ginrummy.v1.action_pb2 import PILE_DISCARD, PILE_STOCK
from ginrummy.v1.analysis_service_pb2 import Suggestion
from ginrummy.v1.cards_pb2 import CardList
from ginrummy.v1.events_pb2 import (
    HAND_OUTCOME_DEAD,
    HAND_OUTCOME_GIN,
    HAND_OUTCOME_UNDERCUT,
    CardDiscarded,
    CardDrawn,
    HandDealt,
    HandScored,
    MatchEvent,
    Passed,
)
from ginrummy.v1.match_pb2 import (
    MATCH_END_REASON_RESIGNED,
    MATCH_END_REASON_TARGET_REACHED,
    MatchResult,
    ScoreColumn,
    ScoreSheet,
)

from .tables import card, cards, discard_view, game, layoff_view, match, scored, sheet, table


def teller(language: str = "en", me: int = 1, ruleset: str = "short") -> Teller:
    return teller_for(match(ruleset), me, Words(language))


def told(event: MatchEvent, language: str = "en", me: int = 1) -> str:
    return "\n".join(teller(language, me).event(event))


DRAWN = MatchEvent(seat=1, card_drawn=CardDrawn(pile=PILE_STOCK, card=card("10h")))


@pytest.mark.parametrize(
    ("event", "me", "english", "russian"),
    [
        (DRAWN, 1, "You draw 10♥ from the stock", "Вы берёте 10♥ из колоды"),
        (DRAWN, 2, "Ann draws 10♥ from the stock", "Ann берёт 10♥ из колоды"),
        (
            MatchEvent(seat=2, card_drawn=CardDrawn(pile=PILE_STOCK)),
            1,
            "simple draws from the stock",
            "simple берёт из колоды",
        ),
        (
            MatchEvent(seat=2, card_drawn=CardDrawn(pile=PILE_DISCARD, card=card("ac"))),
            1,
            "simple takes A♣ from the discard pile",
            "simple берёт A♣ из сброса",
        ),
        (MatchEvent(seat=2, passed=Passed()), 0, "simple passes", "simple пасует"),
        (
            MatchEvent(seat=1, card_discarded=CardDiscarded(card=card("kd"))),
            1,
            "You discard K♦",
            "Вы сбрасываете K♦",
        ),
        (MatchEvent(seat=1), 1, "", ""),
    ],
)
def test_events_are_sentences(event: MatchEvent, me: int, english: str, russian: str) -> None:
    assert told(event, "en", me) == english
    assert told(event, "ru", me) == russian


def test_a_deal_shows_the_hands_that_are_known() -> None:
    dealt = HandDealt(
        hand_number=2,
        dealer=2,
        upcard=card("6d"),
        hands=[CardList(cards=cards("ac 2c")), CardList()],
        stock_count=31,
        knock_limit=6,
    )
    assert told(MatchEvent(hand_dealt=dealt)).splitlines() == [
        "Hand 2 · simple deals · upcard 6♦ · knock limit 6",
        "  You: A♣ 2♣",
    ]


def test_kawu_in_russian_writes_russian_ranks() -> None:
    event = MatchEvent(seat=2, card_discarded=CardDiscarded(card=card("kd")))
    assert teller("ru", ruleset="kawu").event(event) == ["simple сбрасывает К♦"]


def test_a_result_lists_every_meld_and_every_layoff() -> None:
    assert teller().hand_result(scored()) == [
        "Hand 3: knock · you score 13 points (22 − 9)",
        "  You     7♣ 7♦ 7♥ · 3♠ 4♠ 5♠  |  deadwood 2♣ 4♦ 3♦ = 9",
        "  simple  9♥ 10♥ J♥  |  deadwood K♣ Q♦ 2♦ = 22",
        "  laid off: 6♠ on 3♠ 4♠ 5♠",
    ]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            HandScored(outcome=HAND_OUTCOME_UNDERCUT, winner=2, points=30, bonus=25),
            "Hand 3: undercut · simple scores 30 points (25 + 9 − 4)",
        ),
        (
            HandScored(outcome=HAND_OUTCOME_GIN, winner=1, points=94, bonus=25, doubled=True),
            "Hand 3: gin · you score 94 points ((25 + 22) × 2)",
        ),
    ],
)
def test_the_points_are_explained(changes: HandScored, line: str) -> None:
    result = scored()
    result.MergeFrom(changes)
    undercut = changes.outcome == HAND_OUTCOME_UNDERCUT
    result.deadwood_points[:] = [9, 4] if undercut else [0, 22]
    assert teller().scored(result) == [line]


def test_a_dead_hand_has_no_winner() -> None:
    dead = HandScored(hand_number=4, outcome=HAND_OUTCOME_DEAD, sheets=[sheet(0), sheet(0)])
    assert teller().hand_result(dead) == ["Hand 4: dead hand · the stock ran out, nobody scores"]


def test_the_end_tells_both_totals() -> None:
    result = MatchResult(
        winner=2, reason=MATCH_END_REASON_TARGET_REACHED, sheets=[sheet(40), sheet(52)]
    )
    assert teller().ended(result) == [
        "simple wins the match: target reached",
        "Final totals: 52 to 40",
    ]


def test_the_sheet_has_a_line_for_each_hand_and_the_sums() -> None:
    first = HandScored(
        hand_number=1, outcome=HAND_OUTCOME_GIN, winner=2, points=30, sheets=[sheet(0), sheet(30)]
    )
    dead = HandScored(hand_number=2, outcome=HAND_OUTCOME_DEAD, sheets=first.sheets)
    last = HandScored(hand_number=3, winner=1, outcome=1, sheets=[sheet(13, 1), sheet(30, 1)])  # type: ignore[arg-type]
    final = [sheet(13, 1, box_bonus=25), sheet(30, 1, box_bonus=25, game_bonus=100)]
    assert score_sheet(teller(), [first, dead, last], final) == [
        "                 You   simple",
        "─" * 29,
        "1. gin                    +30",
        "2. dead hand",
        "3. knock         +13",
        "─" * 29,
        "hand points       13       30",
        "hands won          1        1",
        "box bonus         25       25",
        "game bonus         0      100",
        "total             38      155",
    ]


def test_hollywood_has_three_columns_each() -> None:
    mine = ScoreSheet(columns=[ScoreColumn(hand_points=n, total=n) for n in (30, 20, 0)], total=50)
    his = ScoreSheet(columns=[ScoreColumn() for _ in range(3)])
    lines = score_sheet(teller(), [], [mine, his])
    assert lines[0].split("   ") == [
        "",
        "",
        "",
        " You 1",
        "You 2",
        "You 3",
        "simple 1",
        "simple 2",
        "simple 3",
    ] or ("You 1" in lines[0] and "simple 3" in lines[0])
    assert lines[2].split() == ["hand", "points", "30", "20", "0", "0", "0", "0"]
    assert lines[-1] == "All columns: You 50, simple 0"


def test_the_score_puts_the_player_first() -> None:
    sheets = [sheet(34), sheet(12)]
    assert running_score(teller(me=1), sheets) == "You 34 : 12 simple"
    assert running_score(teller(me=2), sheets) == "You 12 : 34 Ann"
    assert running_score(teller(me=0), sheets) == "Ann 34 : 12 simple"


def test_the_plain_table_fits_a_few_lines() -> None:
    phrases, view = Phrases(teller()), discard_view()
    lines = table_lines(phrases, game(view), table(view))
    assert lines[0].endswith("You 34 : 12 simple")
    assert lines[1] == "simple: 10 cards · dealer · took and holds 8♥"
    assert lines[2] == "stock 23 · discard pile 4: J♦ (10♠ 4♣ K♣)"
    assert lines[3].startswith("Your hand: [7♣ 7♦ 7♥] [3♠ 4♠ 5♠] 2♣ 4♦ 9♥ Q♥ K♦ · deadwood 35")
    assert lines[3].endswith("(you can knock)")
    assert prompt(phrases, table(view)) == "discard 7h, knock, hint >"


def test_the_plain_table_says_what_was_asked() -> None:
    phrases = Phrases(teller())
    hinted = enter(table(discard_view()), "hint")[0].advised([])
    assert said_lines(phrases, hinted) == [
        "Hint: knock with K♦, which leaves 9",
        "Left after a discard: K♦ 9 · Q♥ 9 · 9♥ 15",
    ]
    misread = enter(table(discard_view()), "ks")[0]
    assert said_lines(phrases, misread) == ["You do not hold that card."]
    assert any("knock 7h" in line for line in said_lines(phrases, enter(hinted, "help")[0]))


def test_the_plain_table_shows_where_to_lay_off() -> None:
    phrases, view = Phrases(teller("ru")), layoff_view()
    lines = table_lines(phrases, game(view), table(view))
    assert "A: 9♥ 10♥ J♥   B: K♣ K♥ K♠" in lines
    editing = press(table(view), "e")[0]
    assert prompt(phrases, editing).startswith("да, нет или подкладка")


def test_why_a_match_ended_is_told_to_each_in_his_own_words() -> None:
    result = MatchResult(winner=2, reason=MATCH_END_REASON_RESIGNED)
    assert teller(me=1).ended(result) == ["simple wins the match: you resigned"]
    assert teller(me=2).ended(result) == ["You win the match: the opponent resigned"]
    single = match()
    single.effective_rules.target = 0
    result = MatchResult(winner=1, reason=MATCH_END_REASON_TARGET_REACHED)
    decided = teller_for(single, 1, Words("en")).ended(result)
    assert decided == ["You win the match: the hand decides"]


def test_a_knock_card_that_lies_face_down_is_mentioned() -> None:
    hidden = match("kawu")
    hidden.effective_rules.knock_card_face_down = True
    shown = layoff_view().showdown
    assert "face down" in teller_for(hidden, 1, Words("en")).showdown(shown)[0]
    assert "face down" not in teller().showdown(shown)[0]


def test_straight_gin_has_no_limit_to_tell() -> None:
    view = discard_view()
    view.knock_limit = 0
    assert "gin only" in table_lines(Phrases(teller()), game(view), table(view))[0]


def test_advice_is_told_with_its_sentence_and_what_the_next_may_bring() -> None:
    told = [
        Suggestion(
            action=actions.knock(card("kd")),
            card=card("kd"),
            expected_points=4.49,
            text="Knock and put down K♦.",
        ),
        Suggestion(action=actions.discard(card("qh")), card=card("qh"), expected_points=-2),
        Suggestion(action=actions.draw_stock(), expected_points=0.25),
        Suggestion(action=actions.draw_discard(), card=card("2c"), expected_points=-0.3),
    ]
    shown = table(discard_view()).advised(told)
    assert said_lines(Phrases(teller()), shown) == [
        "Hint: Knock and put down K♦.",
        "Expected points: knock K♦ +4.5 · Q♥ −2.0 · stock +0.2 · take 2♣ −0.3",
    ]
    russian = said_lines(Phrases(teller("ru")), shown)
    assert "стук K♦ +4,5 · Q♥ −2,0 · колода +0,2" in russian[1]
