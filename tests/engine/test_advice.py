"""Advice in positions that are met seldom, and the reasons that it gives."""

from typing import Any

import pytest

from ginrummy.engine import Hand, Match, Suggestion, bots, deck, parse_cards, resolve_rules
from ginrummy.engine.types import Rules, SeatPosition

KAWU = resolve_rules("kawu")
BIG_GIN = resolve_rules("kawu", {"big_gin": True, "layoff_on_gin": True})
PLAYGRIDIA = resolve_rules("playgridia")
LAST_CHANCE = resolve_rules("kawu", {"wall": "last_chance"})

GIN_BY_TEN = "AC 2C 3C 4D 5D 6D 7H 8H 9H"
OTHERS = "KC QD 9S 7S 5C 3D JC KS TS 8D"
TAKE = {"type": "draw", "pile": "discard"}


def dealt(rules: Rules, first: str, second: str, upcard: str, next_card: str = "") -> Match:
    """A match whose non-dealer, seat 2, has `first`; `next_card` is on top of the stock."""
    hands = [None] * 20
    hands[0::2], hands[1::2] = parse_cards(first), parse_cards(second)  # type: ignore[assignment]
    top = [upcard, next_card] if next_card else [upcard]
    rest = [card for card in deck(bytes(32), 1) if card not in {*hands, *top}]
    game, _ = Match.start_from_decks(rules, [[*hands, *top, *rest]], 1, bytes(32))  # type: ignore[list-item]
    return game


def act(game: Match, action: Any) -> list[Any]:
    return game.apply({"type": "act", "seat": game.to_act or 0, "action": action})


def exchange(game: Match, *discards: str) -> Match:
    """Each in turn takes the card on the pile and puts one of these down."""
    for card in discards:
        act(game, TAKE)
        act(game, {"type": "discard", "card": card})
    return game


@pytest.mark.parametrize("bot", bots())
@pytest.mark.parametrize("ends", ["with a knock card face down", "with big gin"])
def test_a_defender_is_advised_where_cards_lie_that_nobody_counts(bot: str, ends: str) -> None:
    """All draws came from the pile, so that the stock is full, and there is one card more."""
    if ends == "with big gin":
        game = dealt(BIG_GIN, "AC 2C 3C 4D 5D 6D 7H 8H TH JH", OTHERS, "9H")
        act(game, TAKE)
        act(game, {"type": "big_gin"})
    else:
        game = dealt(KAWU, "AC 2C 3C 4D 5D 6D 7H 8H KH 2S", OTHERS, "9H")
        act(game, TAKE)
        act(game, {"type": "knock", "discard": "KH"})
    assert game.phase == "layoff"
    [best, *_] = game.suggest(1, bot, samples=3)
    assert best["reason"] == "lays_off"


@pytest.mark.parametrize("bot", bots())
def test_a_defender_is_advised_on_eleven_known_cards(bot: str) -> None:
    position: SeatPosition = {
        "seat": 1,
        "dealer": 2,
        "phase": "layoff",
        "hand": parse_cards("KC QD 9H 7S 5C 3D 2C JH TS 8D"),
        "discard_pile": ["KD", "4C"],
        "known_of_opponent": parse_cards("AC AD AH AS 4D 5D 6D 7D 8H 8S 8C"),
    }
    hand = Hand.from_seat_position(BIG_GIN, position)
    assert hand.suggest(1, bot, samples=3)[0]["reason"] == "lays_off"


@pytest.mark.parametrize("bot", sorted(set(bots()) - {"easy"}))
def test_who_can_take_the_card_for_gin_does_however_long_cards_were_exchanged(bot: str) -> None:
    game = dealt(PLAYGRIDIA, f"{GIN_BY_TEN} KC", "KD QD 9S 7S 5C TH JC KS TS 8D", "QS")
    exchange(game, "KC", "KD", "QS", "QD", "KD", "9S", "QD", "TH")
    seat = game.to_act or 0
    assert game.bot_action(seat, bot, samples=20) == TAKE
    assert {line["action"]["type"] for line in game.suggest(seat, bot, samples=20)} == {"draw"}
    assert len(game.suggest(seat, bot, samples=20)) == 2


@pytest.mark.parametrize("bonus", [25, 200, 500])
def test_what_ends_the_match_is_certain_to_win_it_however_large_the_bonus(bonus: int) -> None:
    rules = resolve_rules("playgridia", {"target": max(bonus, 50), "gin_bonus": bonus})
    game = dealt(rules, f"{GIN_BY_TEN} JH", OTHERS, "KD", "TH")
    act(game, {"type": "draw", "pile": "stock"})
    best = game.suggest(2, "expert", samples=20)[0]
    assert best["reason"] == "gin"
    assert best["match_win_chance"] == 1


def position(
    hand: str, top: str, phase: Any, pile_len: int, drawn: str | None = None
) -> SeatPosition:
    """The pile ends with `top`; the rest of it are cards of no interest."""
    cards = parse_cards(hand)
    rest = [card for card in deck(bytes(32), 1) if card not in {*cards, top}]
    pile = [*rest[: pile_len - 1], top]
    return {
        "seat": 1,
        "dealer": 2,
        "phase": phase,
        "hand": cards,
        "discard_pile": pile,
        "drawn": drawn,
    }


def advice(rules: Rules, bot: str, told: SeatPosition) -> list[Suggestion]:
    return Hand.from_seat_position(rules, told).suggest(1, bot, samples=20)


@pytest.mark.parametrize("bot", ["simple", "heuristic", "expert"])
@pytest.mark.parametrize(
    ("last", "top", "reasons", "after"),
    [("KD", "4S", {"gin"}, 0), ("TS", "9H", {"knock_now", "undercut_risk"}, 9)],
)
def test_at_the_last_chance_a_card_is_taken_to_knock(
    bot: str, last: str, top: str, reasons: set[str], after: int
) -> None:
    hand = f"AS 2S 3S 8C 8D 8H TC JC QC {last}"
    told = {
        line["action"]["type"]: line
        for line in advice(LAST_CHANCE, bot, position(hand, top, "last_chance", 30))
    }
    assert told["draw"]["reason"] in reasons
    assert told["draw"]["deadwood_after"] == after
    assert (told["pass"]["reason"], told["pass"]["card"]) == ("keeps_chances", top)


def discards(rules: Rules, hand: str, *, pile_len: int = 5) -> dict[str | None, str]:
    """The reasons of all discards, by the card."""
    told = position(hand, "QH", "discard", pile_len, drawn=parse_cards(hand)[0])
    lines = Hand.from_seat_position(rules, told).suggest(1, "heuristic")
    return {line["card"]: line["reason"] for line in lines if line["action"]["type"] == "discard"}


def test_nobody_waits_for_gin_with_more_than_he_could_knock_with() -> None:
    reasons = discards(PLAYGRIDIA, "AS 2S 3S 8C 8D 8H TC JC QC 4D KD")
    assert reasons["KD"] == "wait_for_gin"
    assert reasons["4D"] == "wait_for_gin"
    assert "wait_for_gin" not in {reasons[card] for card in ("8C", "AS", "TC")}


def test_nobody_waits_for_the_gin_that_he_has() -> None:
    assert "wait_for_gin" not in discards(PLAYGRIDIA, "AS 2S 3S 8C 8D 8H TC JC QC KC KD").values()


def test_nobody_waits_where_the_discard_ends_the_hand() -> None:
    hand = "AS 2S 3S 8C 8D 8H TC JC QC 4D KD"
    assert "wait_for_gin" in discards(PLAYGRIDIA, hand, pile_len=28).values()
    assert "wait_for_gin" not in discards(PLAYGRIDIA, hand, pile_len=29).values()


@pytest.mark.parametrize("upcard", ["2C", "AC", "5S", "6H"])
def test_an_upcard_that_is_nowhere_else_is_with_the_opponent(upcard: str) -> None:
    told: SeatPosition = {
        "seat": 1,
        "dealer": 2,
        "phase": "discard",
        "hand": parse_cards("AS 2S 3S 8C 8D 8H TC JC QC KD KC"),
        "discard_pile": [],
        "upcard": upcard,
        "drawn": "KC",
        "drawn_from": "discard",
    }
    view = Hand.from_seat_position(resolve_rules("solo"), told).view(1)
    assert view["known_cards"][1] == [upcard]
