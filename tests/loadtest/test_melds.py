"""The load test's own melds are as good as the engine's."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ginrummy import engine
from ginrummy.loadtest.melds import arrange, cards_of, mask_of, points_of
from ginrummy.v1 import cards_pb2

HANDS = st.sets(st.integers(1, 52), min_size=10, max_size=11)


def names(cards: list[int]) -> list[str]:
    return [cards_pb2.Card.Name(card).removeprefix("CARD_") for card in cards]  # type: ignore[arg-type]


@given(HANDS)
@settings(deadline=None)
def test_deadwood_is_the_least_there_is(hand: set[int]) -> None:
    assert arrange(mask_of(hand)).deadwood == engine.deadwood(names(sorted(hand)))


@given(HANDS)
@settings(deadline=None)
def test_melds_and_rest_are_the_hand(hand: set[int]) -> None:
    found = arrange(mask_of(hand))
    parts = [*found.melds, found.rest]
    assert sorted(card for part in parts for card in cards_of(part)) == sorted(hand)
    assert found.deadwood == points_of(found.rest)


def test_a_card_is_in_one_meld_only() -> None:
    ace_in_run_or_set = mask_of([1, 2, 3, 14, 27, 40])
    found = arrange(ace_in_run_or_set)
    assert sorted(map(cards_of, found.melds)) == [[1, 2, 3], [14, 27, 40]]
    assert found.deadwood == 0
