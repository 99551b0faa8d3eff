"""The defence that is proposed is as good as the engine's own."""

from pathlib import Path

from ginrummy.cli.defence import best_defence, possible_melds
from ginrummy.client.cards import CardValue
from ginrummy.v1.cards_pb2 import Card

from .tables import card, cards

LAYOFFS = Path(__file__).parents[1] / "data" / "bench" / "layoffs.txt"


def test_every_meld_of_a_hand_is_found() -> None:
    melds = possible_melds(cards("7c 7d 7h 7s 6c 5c 4c"))
    assert cards("7c 7d 7h 7s") in melds
    assert cards("4c 5c 6c 7c") in melds
    assert len(melds) == 5 + 3


def of_mask(mask: str) -> list[CardValue]:
    return [Card.ValueType(i + 1) for i in range(52) if int(mask, 16) >> i & 1]


def test_it_is_the_engine_s() -> None:
    for line in LAYOFFS.read_text().splitlines()[::4]:
        knockers, defender, deadwood, laid_off = line.split()
        melds = [of_mask(mask) for mask in knockers.split("|")]
        found = best_defence(of_mask(defender), melds)
        assert (found.deadwood_points, len(found.moves)) == (int(deadwood), int(laid_off)), line
        assert not found.bad_groups
        assert not found.misfits


def test_a_run_grows_card_by_card() -> None:
    hand = cards("qh 8h 2c 2d 2s 4c 4d 6s ks 7d")
    found = best_defence(hand, [cards("9h 10h jh"), cards("kc kd kh")])
    assert found.melds == [cards("2c 2d 2s")]
    assert {laid for laid, _ in found.moves} == {card("qh"), card("8h"), card("ks")}
