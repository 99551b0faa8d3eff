"""Deals from the seed by the specification, and what the audit finds."""

import json
from collections import Counter
from pathlib import Path

import pytest

from ginrummy.cli import deals
from ginrummy.cli.audit import audit
from ginrummy.v1.action_pb2 import PILE_DISCARD, PILE_STOCK
from ginrummy.v1.cards_pb2 import CardList
from ginrummy.v1.events_pb2 import CardDrawn, HandDealt, MatchCreated, MatchEvent
from ginrummy.v1.match_pb2 import Match, MatchResult

from .tables import cards

SEED = bytes(range(32))
VECTORS = Path(__file__).parents[1] / "data" / "deals" / "vectors.json"


def test_a_key_stream_block_is_that_of_rfc_8439() -> None:
    # Section 2.3.2.
    nonce = bytes.fromhex("000000090000004a00000000")
    block = deals.chacha20_block(bytes(range(32)), 1, nonce)
    assert " ".join(f"{word:08x}" for word in block) == (
        "e4e7f110 15593bd1 1fdd0f50 c47120a3 c7f4d1c7 0368c033 9aaa2204 4e6cd4c3 "
        "466482d2 09aa9f07 05d7c214 a2028bd9 d19c12b5 b94e16de e883d0cb 4e3c50a2"
    )


@pytest.mark.parametrize("vector", json.loads(VECTORS.read_text()))
def test_decks_are_those_of_the_published_vectors(vector: dict[str, str | int]) -> None:
    seed = bytes.fromhex(str(vector["seed"]))
    assert deals.commitment(seed).hex() == vector["commitment"]
    assert deals.first_dealer(seed) == vector["first_dealer"]
    assert deals.deck(seed, int(vector["hand_number"])) == cards(str(vector["deck"]))


def test_every_deck_holds_the_52_cards_and_each_differs() -> None:
    decks = [tuple(deals.deck(SEED, n)) for n in range(1, 20)]
    assert all(sorted(deck) == list(range(1, 53)) for deck in decks)
    assert len(set(decks)) == len(decks)


def test_the_non_dealer_gets_the_first_card() -> None:
    deck = deals.deck(SEED, 1)
    assert deck[0] in deals.deal(SEED, 1, dealer=1).hands[1]
    assert deck[0] in deals.deal(SEED, 1, dealer=2).hands[0]
    assert deals.deal(SEED, 1, dealer=1).stock == tuple(deck[21:])


def a_match() -> Match:
    return Match(
        name="matches/abc",
        deal_commitment=deals.commitment(SEED),
        result=MatchResult(seed=SEED),
    )


def events() -> list[MatchEvent]:
    """A hand dealt from the seed, and two draws."""
    dealer = deals.first_dealer(SEED)
    dealt = deals.deal(SEED, 1, dealer)
    hand = HandDealt(
        hand_number=1,
        dealer=dealer,
        upcard=dealt.upcard,  # type: ignore[arg-type]
        hands=[CardList(cards=sorted(cards)) for cards in dealt.hands],  # type: ignore[arg-type]
    )
    upcard = CardDrawn(pile=PILE_DISCARD, card=hand.upcard)
    top = CardDrawn(pile=PILE_STOCK, card=dealt.stock[0])  # type: ignore[arg-type]
    return [
        MatchEvent(sequence=1, match_created=MatchCreated()),
        MatchEvent(sequence=2, hand_dealt=hand),
        MatchEvent(sequence=3, seat=1, card_drawn=upcard),
        MatchEvent(sequence=4, seat=2, card_drawn=top),
    ]


def test_an_honest_match_passes() -> None:
    found = audit(a_match(), events(), promised=deals.commitment(SEED))
    assert found.ok
    assert (found.hands, found.stock_draws) == (1, 1)


def wrong(found: Counter[str], *expected: str) -> None:
    assert found == Counter(expected)


def faults(match: Match, played: list[MatchEvent], promised: bytes = b"") -> Counter[str]:
    return Counter(f.what for f in audit(match, played, promised).findings if not f.ok)


def test_another_seed_than_the_committed_one_is_found() -> None:
    match = a_match()
    match.deal_commitment = deals.commitment(bytes(32))
    wrong(faults(match, events()), "verify-commitment")


def test_a_commitment_changed_during_the_match_is_found() -> None:
    wrong(faults(a_match(), events(), promised=bytes(32)), "verify-promised")


def test_a_changed_hand_is_found() -> None:
    played = events()
    hand = played[1].hand_dealt.hands[0]
    hand.cards[0] = next(c for c in played[1].hand_dealt.hands[1].cards)
    wrong(faults(a_match(), played), "verify-hand")


def test_a_changed_dealer_is_found() -> None:
    played = events()
    played[1].hand_dealt.dealer = 3 - played[1].hand_dealt.dealer
    wrong(faults(a_match(), played), "verify-first-dealer", "verify-hand")


def test_a_changed_stock_card_is_found() -> None:
    played = events()
    played[3].card_drawn.card = played[1].hand_dealt.upcard
    wrong(faults(a_match(), played), "verify-stock")


def test_missing_events_are_found() -> None:
    played = events()
    del played[2]
    wrong(faults(a_match(), played), "verify-sequence")


def test_a_seed_that_was_not_opened_is_found() -> None:
    match = a_match()
    match.result.seed = b""
    wrong(faults(match, events()), "verify-commitment", "verify-seed-missing")
