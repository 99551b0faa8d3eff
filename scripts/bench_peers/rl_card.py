"""RLCard's calls: `rlcard.games.gin_rummy`, its environment and its novice bot.

It counts the deadwood of ten cards only, has no upcard offer (the non-dealer begins with eleven
cards) and no layoffs. Its novice draws at random.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy
import rlcard  # type: ignore[import-not-found]
from rlcard.games.base import Card  # type: ignore[import-not-found]
from rlcard.games.gin_rummy.utils import melding  # type: ignore[import-not-found]
from rlcard.games.gin_rummy.utils.utils import (  # type: ignore[import-not-found]
    get_deadwood_count,
)
from rlcard.models.gin_rummy_rule_models import (  # type: ignore[import-not-found]
    GinRummyNoviceRuleAgent,
)

from bench_peers.hands import Cards, Hands
from bench_peers.ours import RANDOM_SEED
from bench_peers.ways import Engine, Question, Way, Ways


def solver_ways(hands: Hands, every: int) -> dict[Question, Ways]:
    """What can be asked of hands of this length: of one hand in so many, for it is slow."""
    cards = [_named(hand) for hand in hands.cards[::every]]
    if hands.hand_len == 11:
        discard = Way(
            lambda: [_after_best_discard(hand) for hand in cards],
            list,
            every=every,
        )
        return {Question.DISCARD: {Engine.RLCARD: discard}}
    melds = Way(
        lambda: [melding.get_best_meld_clusters(hand) for hand in cards],
        lambda found: [
            get_deadwood_count(hand, clusters[0] if clusters else [])
            for hand, clusters in zip(cards, found, strict=True)
        ],
        every=every,
    )
    least = Way(lambda: [_least(hand) for hand in cards], list, every=every)
    return {
        Question.DEADWOOD: {Engine.RLCARD: least},
        Question.MELDS: {Engine.RLCARD: melds},
    }


def play_ways(decks: list[Cards]) -> dict[Question, Ways]:
    """Whole hands, dealt from the decks; the non-dealer is given the upcard."""
    table = rlcard.make("gin-rummy")
    dealt = [_named(deck) for deck in decks]
    novice = GinRummyNoviceRuleAgent()

    def play_bots() -> int:
        # The novice asks numpy for chance.
        numpy.random.seed(RANDOM_SEED)
        return _play(table, dealt, novice.step)

    def play_at_random() -> int:
        random = Random(RANDOM_SEED)
        return _play(table, dealt, lambda state: random.choice(list(state["legal_actions"])))

    return {
        Question.BOTS: {Engine.RLCARD: Way(play_bots)},
        Question.RANDOM: {Engine.RLCARD: Way(play_at_random)},
    }


class StackedDecks:
    """Deals given decks where the table expects a random generator."""

    def __init__(self, decks: list[Any]) -> None:
        self._decks = iter(decks)

    def choice(self, players: list[int]) -> int:
        """Who deals."""
        return players[0]

    def shuffle(self, cards: list[Any]) -> None:
        """Lays the next deck: eleven for the non-dealer, ten for the dealer, from the end."""
        deck = next(self._decks)
        cards[:] = reversed((*deck[0:20:2], deck[20], *deck[1:20:2], *deck[21:]))


def _play(table: Any, decks: list[Any], decide: Callable[[Any], int]) -> int:
    """Plays a hand of each deck; how many actions the players took."""
    table.game.np_random = StackedDecks(decks)
    actions = 0
    for _ in decks:
        state, _player = table.reset()
        while not table.is_over():
            state, _player = table.step(decide(state))
            actions += 1
    return actions


def _least(hand: list[Any]) -> int:
    clusters = melding.get_best_meld_clusters(hand)
    return int(get_deadwood_count(hand, clusters[0] if clusters else []))


def _after_best_discard(hand: list[Any]) -> int:
    return min(_least([*hand[:at], *hand[at + 1 :]]) for at in range(len(hand)))


def _named(cards: Cards) -> list[Any]:
    return [Card(suit=card[1], rank=card[0]) for card in cards]
