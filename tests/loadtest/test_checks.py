"""Each wrong answer that the load test looks for is found when there is one."""

from collections.abc import Callable

import pytest

from ginrummy.loadtest.checks import SPECTATOR, Witness, WrongAnswer, check_agree, check_log
from ginrummy.v1.action_pb2 import Pile
from ginrummy.v1.cards_pb2 import Card, CardList
from ginrummy.v1.events_pb2 import CardDiscarded, CardDrawn, HandDealt, MatchEvent, Showdown
from ginrummy.v1.match_pb2 import MatchResult
from ginrummy.v1.rules_pb2 import Rules

MATCH = "matches/1"
FACE_DOWN = Rules(knock_card_face_down=True)


def told(*events: MatchEvent, viewer: int = 1, rules: Rules | None = None) -> Witness:
    witness = Witness(MATCH, viewer, rules or Rules())
    for event in events:
        witness.note(event)
    return witness


def dealt(*hands: list[Card.ValueType], sequence: int = 1) -> MatchEvent:
    lists = [CardList(cards=hand) for hand in hands]
    return MatchEvent(sequence=sequence, hand_dealt=HandDealt(upcard=Card.CARD_KS, hands=lists))


def drawn(card: Card.ValueType | None, seat: int = 2, sequence: int = 1) -> MatchEvent:
    draw = CardDrawn(pile=Pile.PILE_STOCK, card=card)
    return MatchEvent(sequence=sequence, seat=seat, card_drawn=draw)


def discarded(card: Card.ValueType, sequence: int = 1) -> MatchEvent:
    return MatchEvent(sequence=sequence, seat=2, card_discarded=CardDiscarded(card=card))


def ended(winner: int, sequence: int = 1) -> MatchEvent:
    return MatchEvent(sequence=sequence, match_ended=MatchResult(winner=winner))


def test_what_is_the_players_own_may_be_shown_to_him() -> None:
    told(dealt([Card.CARD_AS], []), drawn(Card.CARD_2C, seat=1, sequence=2))


@pytest.mark.parametrize(
    "events",
    [
        [discarded(Card.CARD_AS, sequence=2)],
        [discarded(Card.CARD_AS), discarded(Card.CARD_2S, sequence=3)],
        [discarded(Card.CARD_AS), discarded(Card.CARD_AS)],
    ],
    ids=["the first is missing", "one is missing", "one comes twice"],
)
def test_a_gap_in_the_numbers_is_wrong(events: list[MatchEvent]) -> None:
    with pytest.raises(WrongAnswer, match="came after"):
        told(*events)


@pytest.mark.parametrize("viewer", [1, SPECTATOR])
def test_a_hand_that_is_not_the_viewers_is_wrong(viewer: int) -> None:
    with pytest.raises(WrongAnswer, match="shows a hand not his"):
        told(dealt([], [Card.CARD_AS]), viewer=viewer)


@pytest.mark.parametrize("viewer", [1, SPECTATOR])
def test_the_card_that_another_drew_from_the_stock_is_wrong(viewer: int) -> None:
    with pytest.raises(WrongAnswer, match="shows a card of the stock"):
        told(drawn(Card.CARD_AS), viewer=viewer)


def test_a_knock_card_that_lies_face_down_is_wrong() -> None:
    knock = MatchEvent(sequence=1, seat=2, knocked=Showdown(knock_card=Card.CARD_KS))
    told(knock)
    with pytest.raises(WrongAnswer, match="shows the covered card"):
        told(knock, rules=FACE_DOWN)


def test_seats_that_are_told_different_discards_disagree() -> None:
    one, two = told(discarded(Card.CARD_AS)), told(discarded(Card.CARD_2S), viewer=2)
    with pytest.raises(WrongAnswer, match="told different things in event 1"):
        check_agree(one, two)


def test_seats_agree_where_each_is_shown_his_own() -> None:
    one = told(dealt([Card.CARD_AS], []), drawn(None, sequence=2))
    two = told(dealt([], [Card.CARD_2S]), drawn(Card.CARD_3C, sequence=2), viewer=2)
    check_agree(one, two)


def test_a_log_that_says_otherwise_is_wrong() -> None:
    seen = told(drawn(None), ended(1, sequence=2))
    check_log(seen, [drawn(Card.CARD_AS), ended(1, sequence=2)])
    wrong: dict[str, Callable[[], list[MatchEvent]]] = {
        "is another one in the log": lambda: [discarded(Card.CARD_AS), ended(1, sequence=2)],
        "saw 2 events of 3": lambda: [drawn(None), drawn(None), ended(1, sequence=3)],
        "another": lambda: [drawn(Card.CARD_AS), ended(2, sequence=2)],
    }
    for message, stored in wrong.items():
        with pytest.raises(WrongAnswer, match=message):
            check_log(seen, stored())
