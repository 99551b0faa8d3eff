"""Cards and actions as people write them."""

import doctest
import importlib

import pytest

from ginrummy.client import actions, bot_name, cards, match_name
from ginrummy.v1.cards_pb2 import Card, MeldKind


@pytest.mark.parametrize("text", ["TS", "ts", "10S", "10s", " 10♠ ", "T♤"])
def test_a_card_is_read_however_it_is_written(text: str) -> None:
    assert cards.parse_card(text) == Card.CARD_TS


@pytest.mark.parametrize("text", ["", "S", "1S", "11S", "ASS", "AX", "0S", "♠A", "10"])
def test_what_is_no_card_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(ValueError, match="as in KS or 10H"):
        cards.parse_card(text)


def test_every_card_is_named_as_the_api_names_it() -> None:
    for card in cards.ALL_CARDS:
        assert Card.Name(card) == f"CARD_{cards.card_name(card)}"
        assert cards.parse_card(cards.card_name(card)) == card
    assert len(cards.ALL_CARDS) == 52


def test_a_deck_counts_340_points() -> None:
    assert sum(cards.points(card) for card in cards.ALL_CARDS) == 340


def test_an_unknown_number_is_no_card() -> None:
    with pytest.raises(ValueError, match="numbered 1 to 52"):
        cards.points(Card.CARD_UNSPECIFIED)


def test_each_action_is_what_it_says() -> None:
    assert actions.pass_upcard().WhichOneof("kind") == "pass"
    assert actions.draw_stock().draw.pile == 1
    assert actions.draw_discard().draw.pile == 2
    assert actions.discard(Card.CARD_KS) == actions.discard("KS")
    assert actions.big_gin().WhichOneof("kind") == "big_gin"
    assert actions.lay_off().WhichOneof("kind") == "lay_off"
    laid_off = actions.lay_off(["7C 7D 7H"], [("4S", 1), ("5S", 1)]).lay_off
    assert [move.card for move in laid_off.moves] == [Card.CARD_4S, Card.CARD_5S]


def test_a_meld_can_be_text_cards_or_a_message() -> None:
    as_text = actions.meld("3C 4C 5C")
    assert actions.meld(["3C", Card.CARD_4C, "5C"]) == as_text
    assert actions.meld(as_text) is as_text
    assert as_text.kind == MeldKind.MELD_KIND_UNSPECIFIED
    assert actions.knock("KS", [as_text, "7C 7D 7H"]).knock.melds[0] == as_text


def test_a_name_that_is_whole_stays_as_it_is() -> None:
    assert match_name("x") == match_name("matches/x") == "matches/x"
    assert bot_name("simple") == "bots/simple"
    assert match_name("") == ""


@pytest.mark.parametrize("module", ["actions", "analysis", "cards"])
def test_the_examples_in_the_docs_hold(module: str) -> None:
    outcome = doctest.testmod(importlib.import_module(f"ginrummy.client.{module}"))
    assert outcome.attempted > 0
    assert outcome.failed == 0
