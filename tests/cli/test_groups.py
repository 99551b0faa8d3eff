"""Groups made by hand."""

from ginrummy.cli.groups import Grouping

from .tables import card, cards

HAND = cards("7c 7d 7h 3s 4s 5s 2c 4d qh kd")
GROUPS = [cards("7c 7d 7h"), cards("3s 4s 5s")]


def test_a_proposal_shows_its_groups_first() -> None:
    grouping = Grouping.proposed(HAND, GROUPS)
    assert list(grouping.cards[:6]) == cards("7c 7d 7h 3s 4s 5s")
    assert grouping.melds == GROUPS
    assert grouping.deadwood_points == 26


def test_a_card_moves_between_groups_and_the_deadwood() -> None:
    grouping = Grouping.proposed(HAND, GROUPS).put(card("7h"), 0)
    assert grouping.bad_groups == [1]
    # Two sevens are no meld: all three count.
    assert grouping.deadwood_points == 26 + 21
    assert grouping.put(card("7h"), 1).bad_groups == []


def test_layoffs_come_in_an_order_in_which_each_fits() -> None:
    knockers = [cards("6s 7s 8s"), cards("kc kh ks")]
    grouping = Grouping.proposed(HAND, [cards("7c 7d 7h")], knockers)
    for name in ("3s", "4s", "5s"):
        grouping = grouping.put(card(name), -1)
    grouping = grouping.put(card("kd"), -2)
    assert grouping.moves == [
        (card("5s"), 0),
        (card("4s"), 0),
        (card("3s"), 0),
        (card("kd"), 1),
    ]
    assert grouping.misfits == []


def test_a_card_that_fits_nowhere_is_a_misfit() -> None:
    grouping = Grouping.proposed(HAND, GROUPS, [cards("9h 10h jh")]).put(card("4d"), -1)
    assert grouping.misfits == cards("4d")
    assert grouping.put(card("qh"), -1).moves == [(card("qh"), 0)]
