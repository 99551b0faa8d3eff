"""Cards as people write them."""

import pytest

from ginrummy.cli.faces import (
    RUSSIAN_RANKS,
    Faces,
    faces_for,
    meld_kind,
    points,
    typed_card,
)
from ginrummy.v1.cards_pb2 import MELD_KIND_RUN, MELD_KIND_SET, Card

from .tables import cards

ALL = Card.values()[1:]


@pytest.mark.parametrize("faces", [Faces(), Faces(RUSSIAN_RANKS)])
def test_every_card_can_be_typed_as_it_is_shown(faces: Faces) -> None:
    assert [typed_card(faces.text(card)) for card in ALL] == ALL


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("7h", Card.CARD_7H),
        ("TH", Card.CARD_TH),
        ("10♥", Card.CARD_TH),
        ("1c", Card.CARD_AC),
        (" aS ", Card.CARD_AS),
        ("Тч", Card.CARD_AH),
        ("Дп", Card.CARD_QS),
        ("10б", Card.CARD_TD),
        ("Кт", Card.CARD_KC),
        ("вБ", Card.CARD_JD),
    ],
)
def test_cards_are_understood_in_both_alphabets(text: str, card: Card.ValueType) -> None:
    assert typed_card(text) == card


@pytest.mark.parametrize("text", ["", "h", "7", "11h", "7x", "hh", "7hh", "0c"])
def test_what_is_no_card_is_refused(text: str) -> None:
    assert typed_card(text) is None


def test_a_ten_is_10_and_kawu_in_russian_has_its_own_letters() -> None:
    ace_ten_king = cards("as 10s ks")
    assert faces_for("en", "rulesets/kawu").row(ace_ten_king) == "A♠ 10♠ K♠"
    assert faces_for("ru", "rulesets/solo").row(ace_ten_king) == "A♠ 10♠ K♠"
    assert faces_for("ru", "rulesets/kawu").row(ace_ten_king) == "Т♠ 10♠ К♠"


def test_points_are_those_of_the_rules() -> None:
    assert [points(card) for card in cards("ac 2c 10c jc qc kc")] == [1, 2, 10, 10, 10, 10]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("7c 7d 7h", MELD_KIND_SET),
        ("7c 7d 7h 7s", MELD_KIND_SET),
        ("ac 2c 3c", MELD_KIND_RUN),
        ("9h 10h jh qh kh", MELD_KIND_RUN),
        ("qc kc ac", None),
        ("7c 7d", None),
        ("7c 8c 9d", None),
        ("qc kc ad", None),
        ("kc ad 2d", None),
        ("7c 7c 7d", None),
    ],
)
def test_sets_and_runs_are_told_apart(text: str, kind: int | None) -> None:
    assert meld_kind(cards(text)) == kind
