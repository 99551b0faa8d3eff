"""The engine's own Python calls, over whole buffers and hand by hand."""

from __future__ import annotations

from array import array
from random import Random

from bench_peers.hands import Cards, Hands, Spreads
from bench_peers.ways import Engine, Question, Way, Ways
from ginrummy import engine

DEALER = 1
RANDOM_SEED = 1


def solver_ways(hands: Hands) -> dict[Question, Ways]:
    """What can be asked of hands of this length."""
    masks, cards = array("Q", hands.masks), hands.cards
    deadwood: Ways = {
        Engine.BATCH: Way(lambda: engine.deadwood_batch(masks), list),
        Engine.SINGLE: Way(lambda: [engine.deadwood(hand) for hand in cards], list),
    }
    if hands.hand_len == 11:
        discard: Ways = {
            Engine.BATCH: Way(lambda: engine.best_discard_batch(masks), lambda best: list(best[1])),
            Engine.SINGLE: Way(
                lambda: [engine.best_discard(hand) for hand in cards],
                lambda best: [priced["deadwood_points"] for priced in best],
            ),
        }
        return {Question.DEADWOOD: deadwood, Question.DISCARD: discard}
    melds: Ways = {
        Engine.BATCH: Way(
            lambda: engine.arrangement_batch(masks),
            lambda melds: _left_by(memoryview(melds).cast("Q").tolist(), hands.masks),
        ),
        Engine.SINGLE: Way(
            lambda: [engine.best_arrangement(hand) for hand in cards],
            lambda arranged: [arrangement["deadwood_points"] for arrangement in arranged],
        ),
    }
    return {Question.DEADWOOD: deadwood, Question.MELDS: melds}


def defence_ways(spreads: Spreads) -> Ways:
    """The defender's best layoffs; no peer chooses them together with his melds."""
    melds = array("Q")
    for masks in spreads.melds:
        melds.extend([*masks, 0, 0][:3])
    defenders = array("Q", spreads.defenders)
    named = [
        ([engine.from_mask(mask) for mask in masks], engine.from_mask(defender))
        for masks, defender in zip(spreads.melds, spreads.defenders, strict=True)
    ]
    return {
        Engine.BATCH: Way(lambda: engine.defence_batch(melds, defenders), list),
        Engine.SINGLE: Way(
            lambda: [engine.best_defence(groups, defender) for groups, defender in named],
            lambda chosen: [defence["arrangement"]["deadwood_points"] for defence in chosen],
        ),
    }


def play_ways(decks: list[Cards]) -> dict[Question, Ways]:
    """Whole hands by the rules that the peers play: the upcard is offered, no big gin."""
    rules = engine.resolve_rules("short", {"big_gin": False})

    def play_bots() -> int:
        actions = 0
        for deck in decks:
            hand = engine.Hand.deal(rules, deck, DEALER)
            while (seat := hand.to_act) is not None:
                action = hand.bot_action(seat, "simple")
                assert action is not None
                hand.apply(seat, action)
                actions += 1
        return actions

    def play_at_random() -> int:
        random, actions = Random(RANDOM_SEED), 0
        for deck in decks:
            hand = engine.Hand.deal(rules, deck, DEALER)
            while (seat := hand.to_act) is not None:
                hand.apply(seat, random.choice(hand.view(seat, hints=False)["legal_actions"]))
                actions += 1
        return actions

    return {
        Question.BOTS: {Engine.SINGLE: Way(play_bots)},
        Question.RANDOM: {Engine.SINGLE: Way(play_at_random)},
    }


def _left_by(melds: list[int], hands: list[int]) -> list[int]:
    """The points of what three melds a hand leave."""
    return [
        _points(hand & ~(melds[3 * at] | melds[3 * at + 1] | melds[3 * at + 2]))
        for at, hand in enumerate(hands)
    ]


def _points(mask: int) -> int:
    return sum(min(bit % 13 + 1, 10) for bit in range(52) if mask >> bit & 1)
