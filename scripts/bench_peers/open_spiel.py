"""OpenSpiel's calls: `pyspiel.gin_rummy`, its states and its simple bot.

Cards are numbers, suits in the order spades, clubs, diamonds, hearts.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pyspiel  # type: ignore[import-not-found]

from bench_peers.hands import Cards, Hands
from bench_peers.ours import RANDOM_SEED
from bench_peers.ways import Engine, Question, Way, Ways

DISCARDS_GREEDILY = (
    "with eleven cards it takes the melds that are best of all eleven and then drops the highest"
    " card left over; a discard that spoils those melds can leave less"
)

GAME = pyspiel.load_game("gin_rummy")
UTILS = pyspiel.gin_rummy.GinRummyUtils(
    pyspiel.gin_rummy.DEFAULT_NUM_RANKS,
    pyspiel.gin_rummy.DEFAULT_NUM_SUITS,
    pyspiel.gin_rummy.DEFAULT_HAND_SIZE,
)


def solver_ways(hands: Hands) -> dict[Question, Ways]:
    """What can be asked of hands of this length."""
    cards = [numbers(hand) for hand in hands.cards]
    least, best_melds, value = UTILS.min_deadwood, UTILS.best_meld_group, UTILS.total_card_value
    if hands.hand_len == 11:
        # `min_deadwood` of eleven cards means after a discard.
        all_cards = Way(lambda: [value(hand) - value(best_melds(hand)) for hand in cards], list)
        discard = Way(lambda: [least(hand) for hand in cards], list, DISCARDS_GREEDILY)
        return {
            Question.DEADWOOD: {Engine.OPEN_SPIEL: all_cards},
            Question.DISCARD: {Engine.OPEN_SPIEL: discard},
        }
    melds = Way(
        lambda: [best_melds(hand) for hand in cards],
        lambda groups: [
            value(hand) - value(group) for hand, group in zip(cards, groups, strict=True)
        ],
    )
    return {
        Question.DEADWOOD: {Engine.OPEN_SPIEL: Way(lambda: [least(h) for h in cards], list)},
        Question.MELDS: {Engine.OPEN_SPIEL: melds},
    }


def play_ways(decks: list[Cards]) -> dict[Question, Ways]:
    """Whole hands, dealt from the decks: what chance would draw is told to it."""
    numbered = [numbers(deck) for deck in decks]
    bots = [pyspiel.make_simple_gin_rummy_bot(GAME.get_parameters(), seat) for seat in (0, 1)]

    def play_bots() -> int:
        actions = 0
        for deck in numbered:
            for bot in bots:
                bot.restart()
            actions += _play(deck, lambda state: bots[state.current_player()].step(state))
        return actions

    def play_at_random() -> int:
        random = Random(RANDOM_SEED)
        return sum(
            _play(deck, lambda state: random.choice(state.legal_actions())) for deck in numbered
        )

    return {
        Question.BOTS: {Engine.OPEN_SPIEL: Way(play_bots)},
        Question.RANDOM: {Engine.OPEN_SPIEL: Way(play_at_random)},
    }


def _play(deck: list[int], decide: Callable[[Any], int]) -> int:
    """Plays one hand; player 0 is the non-dealer. How many actions the players took."""
    state = GAME.new_initial_state()
    for card in (*deck[0:20:2], *deck[1:20:2], deck[20]):
        state.apply_action(card)
    stock, actions = iter(deck[21:]), 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(next(stock))
        else:
            state.apply_action(decide(state))
            actions += 1
    return actions


def numbers(cards: Cards) -> list[int]:
    """The same cards as OpenSpiel's numbers."""
    return [13 * "SCDH".index(card[1]) + "A23456789TJQK".index(card[0]) for card in cards]
