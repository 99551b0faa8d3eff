"""Random input into every function: refused or answered, never a panic."""

import sys
from array import array
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ginrummy import engine
from ginrummy.engine import (
    EngineError,
    Hand,
    Ledger,
    Match,
    SeatPosition,
    deck,
    resolve_rules,
    wire,
)
from ginrummy.v1.view_pb2 import SeatStatus, View

from .reading import DECK

RULES = resolve_rules("kawu")
GAME, EVENTS = Match.start(RULES, bytes(32))
HAND = Hand.deal(RULES, deck(bytes(32), 1), 1)
STEP = GAME.after({"type": "act", "seat": 2, "action": {"type": "pass"}})
TABLE = View(match="matches/m", seats=[SeatStatus(number=1)]).SerializeToString()
SPREAD = {
    "dealer": 1,
    "phase": "layoff",
    "to_act": 2,
    "hands": [DECK[:10], DECK[20:30]],
    "stock": DECK[30:],
    "discard_pile": DECK[10:20],
    "knocker_melds": [],
}

SEEN: SeatPosition = {
    "seat": 2,
    "dealer": 1,
    "phase": "discard",
    "hand": DECK[:11],
    "discard_pile": DECK[20:23],
    "known_of_opponent": DECK[30:32],
    "stock_count": 28,
    "drawn": DECK[0],
}

GARBAGE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-2, 60)
    | st.floats()
    | st.text(max_size=4)
    | st.just("\ud800")  # a lone surrogate
    | st.sampled_from([*DECK, "auto", "knock", "type", "stock"])
    | st.binary(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=12)
        | st.tuples(inner, inner)
        | st.dictionaries(st.sampled_from(["type", "seat", "card", "melds", "x"]), inner)
        | st.dictionaries(st.integers(), inner, max_size=2)
    ),
    max_leaves=12,
)
CARD = st.sampled_from(DECK)
CARDS = st.lists(CARD, max_size=13) | st.lists(CARD, max_size=12, unique=True)
GROUPS = st.lists(CARDS, max_size=4)
SEAT = st.integers(-1, 4)
SEED = st.binary(min_size=32, max_size=32) | st.binary(max_size=40)
LAYOFFS = st.lists(
    st.fixed_dictionaries({"card": CARD, "meld_index": st.integers(0, 1 << 64)}), max_size=12
)
ACTION = st.one_of(
    st.fixed_dictionaries({"type": st.just("pass")}),
    st.fixed_dictionaries({"type": st.just("draw"), "pile": st.sampled_from(["stock", "discard"])}),
    st.fixed_dictionaries({"type": st.just("discard"), "card": CARD}),
    st.fixed_dictionaries({"type": st.just("knock"), "discard": CARD, "melds": GROUPS}),
    st.fixed_dictionaries({"type": st.just("big_gin"), "melds": GROUPS}),
    st.fixed_dictionaries({"type": st.just("lay_off"), "melds": GROUPS, "layoffs": LAYOFFS}),
)


def spoilt(value: Any) -> st.SearchStrategy[Any]:
    """A good value with something in it replaced by garbage."""
    if isinstance(value, dict) and value:
        at_key = st.sampled_from(sorted(value)).flatmap(
            lambda key: spoilt(value[key]).map(lambda new: {**value, key: new})
        )
        less = st.sampled_from(sorted(value)).map(
            lambda key: {name: kept for name, kept in value.items() if name != key}
        )
        more = st.tuples(st.text(max_size=3), GARBAGE).map(lambda new: {**value, new[0]: new[1]})
        return at_key | at_key | less | more | GARBAGE
    if isinstance(value, list) and value:
        at_index = st.integers(0, len(value) - 1).flatmap(
            lambda i: spoilt(value[i]).map(lambda new: [*value[:i], new, *value[i + 1 :]])
        )
        return at_index | st.permutations(value) | GARBAGE
    return GARBAGE


RULES_IN = st.just(RULES) | spoilt(RULES)


@st.composite
def layouts(draw: st.DrawFn) -> dict[str, Any]:
    """All 52 cards laid out anyhow."""
    deck = draw(st.permutations(DECK))
    one, two = draw(st.sampled_from([(10, 10), (11, 10), (10, 11), (9, 11)]))
    pile = 52 - draw(st.integers(0, 3) | st.integers(0, 32))
    phases = ["upcard", "draw", "discard", "layoff", "last_chance", "over"]
    return {
        "dealer": draw(SEAT),
        "phase": draw(st.sampled_from(phases)),
        "to_act": draw(SEAT),
        "hands": [deck[:one], deck[one : one + two]],
        "stock": deck[one + two : pile],
        "discard_pile": deck[pile:],
        "upcard": draw(st.none() | CARD),
        "drawn": draw(st.none() | CARD | st.just(deck[0])),
        "drawn_from": draw(st.sampled_from(["stock", "discard"])),
    }


POSITION = spoilt(HAND.position()) | spoilt(SPREAD) | layouts()
SEAT_POSITION = st.just(SEEN) | spoilt(SEEN)
EVENT = st.sampled_from(EVENTS) | spoilt(EVENTS[0])
COMMAND = (
    st.fixed_dictionaries({"type": st.just("act"), "seat": SEAT, "action": ACTION | GARBAGE})
    | spoilt({"type": "act", "seat": 1, "action": {"type": "discard", "card": "AS"}})
    | spoilt({"type": "time_out", "timeouts_to_forfeit": 3})
)
BUFFER = st.binary(max_size=64) | st.lists(st.integers(0, (1 << 64) - 1), max_size=6).map(
    lambda masks: array("Q", masks)
)
NAME = st.sampled_from(["short", "solo", "simple"])
DEADLINE = st.none() | st.integers()
PLACE = st.none() | st.tuples(st.integers(), st.integers(), st.integers(), DEADLINE)

BOT = st.sampled_from(engine.bots())
SEED_OF_BOT = st.integers(0, (1 << 64) - 1)
SAMPLES = st.integers(-1, 9)
THINK_S = st.floats(0, 0.01) | st.floats()


def thinking(ask: Callable[..., Any]) -> Callable[..., Any]:
    """The call with what has to be named, and a few samples whatever they are asked to be."""

    def call_by_name(seat: Any, bot: Any, seed: Any, samples: Any, think_s: Any) -> Any:
        if isinstance(samples, int):
            samples = min(samples, 9)
        return ask(seat, bot, seed=seed, samples=samples, think_s=think_s)

    return call_by_name


CALLS: dict[str, tuple[Callable[..., Any], list[st.SearchStrategy[Any]]]] = {
    "parse_cards": (engine.parse_cards, [CARDS | st.text()]),
    "deadwood": (engine.deadwood, [CARDS | st.text()]),
    "best_arrangement": (engine.best_arrangement, [CARDS]),
    "minimal_arrangements": (engine.minimal_arrangements, [CARDS]),
    "price_discards": (engine.price_discards, [CARDS, CARD]),
    "best_discard": (
        engine.best_discard,
        [st.lists(CARD, min_size=11, max_size=11, unique=True), CARD],
    ),
    "best_defence": (engine.best_defence, [GROUPS, CARDS]),
    "score_hand": (
        engine.score_hand,
        [RULES_IN, st.sampled_from(["knock", "gin", "big_gin"]), st.integers(), st.integers()],
    ),
    "to_mask": (engine.to_mask, [CARDS]),
    "from_mask": (engine.from_mask, [st.integers()]),
    "deadwood_batch": (engine.deadwood_batch, [BUFFER]),
    "best_discard_batch": (engine.best_discard_batch, [BUFFER]),
    "price_discards_batch": (engine.price_discards_batch, [BUFFER]),
    "arrangement_batch": (engine.arrangement_batch, [BUFFER]),
    "defence_batch": (engine.defence_batch, [BUFFER, BUFFER]),
    "solve_batch": (engine.solve_batch, [BUFFER, st.none() | BUFFER, st.integers()]),
    "rulesets": (engine.rulesets, []),
    "resolve_rules": (engine.resolve_rules, [NAME, RULES_IN]),
    "check_turn_time": (engine.check_turn_time, [NAME, st.integers()]),
    "bots": (engine.bots, []),
    "default_samples": (engine.default_samples, [NAME]),
    "deck": (engine.deck, [SEED, st.integers()]),
    "first_dealer": (engine.first_dealer, [SEED]),
    "commitment": (engine.commitment, [SEED]),
    "next_dealer": (engine.next_dealer, [st.just("winner"), SEAT, SEAT]),
    "seen_by": (engine.seen_by, [EVENT, SEAT, st.booleans()]),
    "replayed_to": (
        engine.replayed_to,
        [SEAT, st.lists(EVENT, max_size=3), st.sampled_from(["all", "top_only"]), st.booleans()],
    ),
    "Hand.deal": (Hand.deal, [RULES_IN, st.permutations(DECK), SEAT]),
    "Hand.from_position": (Hand.from_position, [RULES_IN, POSITION]),
    "Hand.apply": (lambda *args: HAND.clone().apply(*args), [SEAT, ACTION]),
    "Hand.view": (HAND.view, [SEAT, st.booleans()]),
    "Hand.from_seat_position": (Hand.from_seat_position, [RULES_IN, SEAT_POSITION]),
    "Hand.bot_action": (thinking(HAND.bot_action), [SEAT, BOT, SEED_OF_BOT, SAMPLES, THINK_S]),
    "Hand.suggest": (thinking(HAND.suggest), [SEAT, BOT, SEED_OF_BOT, SAMPLES, THINK_S]),
    "Match.start": (Match.start, [RULES_IN, SEED]),
    "Match.start_from_decks": (
        Match.start_from_decks,
        [RULES_IN, st.lists(st.permutations(DECK), max_size=2), SEAT, SEED],
    ),
    "Match.apply": (lambda *args: GAME.clone().apply(*args), [COMMAND]),
    "Match.after": (GAME.after, [COMMAND]),
    "Match.view": (GAME.view, [SEAT, st.booleans()]),
    "Match.bot_action": (thinking(GAME.bot_action), [SEAT, BOT, SEED_OF_BOT, SAMPLES, THINK_S]),
    "Match.suggest": (thinking(GAME.suggest), [SEAT, BOT, SEED_OF_BOT, SAMPLES, THINK_S]),
    "Step.stored": (STEP.stored, [st.integers(), DEADLINE]),
    "match_event": (
        wire.match_event,
        [EVENT, st.integers(), st.integers(), st.integers(), DEADLINE],
    ),
    "match_events": (
        wire.match_events,
        [st.just(STEP), st.integers(), st.integers(), st.integers(), DEADLINE],
    ),
    "match_view": (
        wire.match_view,
        [st.just(TABLE) | st.binary(), st.just(GAME), SEAT, st.booleans(), PLACE],
    ),
    "analyze_hands": (wire.analyze_hands, [st.binary(), RULES_IN]),
    "find_layoffs": (wire.find_layoffs, [st.binary()]),
    "action": (wire.action, [ACTION]),
    "hand_cards": (wire.hand_cards, [st.binary(), st.text()]),
    "Ledger": (Ledger, [RULES_IN]),
    "Ledger.record": (lambda *args: Ledger(RULES).record(*args), [SEAT, st.integers()]),
}
"""Each callable with arguments of the right kind."""


def call(function: Callable[..., Any], args: list[Any]) -> Any:
    try:
        return function(*args)
    except (EngineError, TypeError):
        return None


def test_no_function_is_left_out() -> None:
    functions = {name for name in engine.__all__ if callable(getattr(engine, name))}
    classes = {name for name in functions if isinstance(getattr(engine, name), type)}
    aliases = {"Action", "Card", "Cards", "Command", "Event", "Seat"}
    assert functions - classes - aliases <= set(CALLS)
    assert set(wire.__all__) <= set(CALLS)


@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(drawn=st.data())
def test_random_input_is_answered_or_refused(name: str, drawn: st.DataObject) -> None:
    function, strategies = CALLS[name]
    args = [drawn.draw(strategy | GARBAGE) for strategy in strategies]
    call(function, args)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(drawn=st.data())
def test_a_hand_from_any_position_plays_on_with_any_actions(drawn: st.DataObject) -> None:
    hand = call(Hand.from_position, [RULES, drawn.draw(POSITION)])
    if hand is None:
        return
    for _ in range(4):
        call(hand.apply, [drawn.draw(st.integers(1, 2)), drawn.draw(ACTION)])
        for viewer in (0, 1, 2):
            hand.view(viewer)
    hand.time_out()
    for seat in (1, 2):
        hand.bot_action(seat, "simple")


def test_deep_values_are_refused_before_the_stack_ends() -> None:
    deep: Any = []
    for _ in range(sys.getrecursionlimit() * 50):
        deep = [deep]
    with pytest.raises(EngineError, match="nested more than 10 deep"):
        GAME.apply({"type": deep})
