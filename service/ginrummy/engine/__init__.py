"""Gin rummy as pure functions and state machines: melds, layoffs, hands, matches and bots.

Time, seed and randomness are arguments; nothing here waits, writes or sends. Values that go in and
come out are plain dictionaries and lists, described in :mod:`ginrummy.engine.types`.

A hand is text or a list of card names:

>>> deadwood("AS 2S 3S 4S 4D 4H 6D 2C AD 3D")
12
>>> best_arrangement("AS 2S 3S 4D 4H 4C KD")["melds"]
[['4C', '4D', '4H'], ['AS', '2S', '3S']]
>>> best_discard(["AS", "2S", "3S", "8C", "8D", "8H", "TC", "JC", "QC", "KC", "9D"])
{'card': '9D', 'deadwood_points': 0}

The defender's melds and layoffs are chosen together:

>>> best_defence(["4H 5H 6H"], "7H 8H KS AC 2D")["layoffs"]
[{'card': '7H', 'meld_index': 0}, {'card': '8H', 'meld_index': 0}]

A million hands are one call over a buffer of masks:

>>> from array import array
>>> hands = array("Q", [to_mask("AS 2S 3S 9D"), to_mask("KC KD")])
>>> list(deadwood_batch(hands))
[9, 20]

A match takes commands and gives events:

>>> rules = resolve_rules("short", {"target": 100})
>>> game, events = Match.start(rules, bytes(32))
>>> events[0]["type"], game.phase, game.to_act
('hand_dealt', 'upcard', 2)
>>> game.apply({"type": "act", "seat": 2, "action": {"type": "pass"}})
[{'type': 'passed', 'seat': 2}]
>>> while not game.is_over:
...     seat = game.to_act
...     action = game.bot_action(seat, "simple")
...     events = game.apply({"type": "act", "seat": seat, "action": action})
>>> events[-1]["type"], events[-1]["reason"]
('match_ended', 'target_reached')

Bots play each other by the thousand, the same from the same seed in whatever parts:

>>> pairing = Pairing(rules, ("simple", "simple"), bytes(32))
>>> tally = pairing.play(0, 50, Cancel())
>>> tally.add(pairing.play(50, 100, Cancel()))
>>> tally.matches, tally.counts()["wins"]
(200, [100, 100])

What may not be done raises an error that says why:

>>> try:
...     game.apply({"type": "resign", "seat": 1})
... except Violation as refused:
...     print(refused.kind, "-", refused)
match_over - the match is over
>>> resolve_rules("short", {"knock_limit": 11})
Traceback (most recent call last):
    ...
ginrummy.engine.errors.InvalidOption: knock_limit: 11 is out of range: 0 to 10
"""

from ginrummy.engine._core import (
    RULES_VERSION,
    Cancel,
    Hand,
    Ledger,
    Match,
    Pairing,
    Panic,
    Step,
    Tally,
    __version__,
    arrangement_batch,
    best_arrangement,
    best_defence,
    best_discard,
    best_discard_batch,
    bots,
    check_turn_time,
    commitment,
    deadwood,
    deadwood_batch,
    deck,
    default_samples,
    defence_batch,
    first_dealer,
    from_mask,
    minimal_arrangements,
    next_dealer,
    parse_cards,
    price_discards,
    price_discards_batch,
    replayed_to,
    resolve_rules,
    rulesets,
    score_hand,
    seen_by,
    solve_batch,
    to_mask,
)
from ginrummy.engine.errors import (
    EngineError,
    InvalidCards,
    InvalidOption,
    InvalidPosition,
    Violation,
)
from ginrummy.engine.types import (
    Action,
    Arrangement,
    Card,
    Cards,
    Command,
    Defence,
    Event,
    HandEnds,
    HandResult,
    HandScore,
    HandView,
    Layoff,
    MatchResult,
    MatchView,
    Overrides,
    Position,
    PricedDiscard,
    Rules,
    Ruleset,
    ScoreColumn,
    ScoredHand,
    ScoreSheet,
    Seat,
    SeatPosition,
    Suggestion,
    TallyCounts,
)

__all__ = [
    "RULES_VERSION",
    "Action",
    "Arrangement",
    "Cancel",
    "Card",
    "Cards",
    "Command",
    "Defence",
    "EngineError",
    "Event",
    "Hand",
    "HandEnds",
    "HandResult",
    "HandScore",
    "HandView",
    "InvalidCards",
    "InvalidOption",
    "InvalidPosition",
    "Layoff",
    "Ledger",
    "Match",
    "MatchResult",
    "MatchView",
    "Overrides",
    "Pairing",
    "Panic",
    "Position",
    "PricedDiscard",
    "Rules",
    "Ruleset",
    "ScoreColumn",
    "ScoreSheet",
    "ScoredHand",
    "Seat",
    "SeatPosition",
    "Step",
    "Suggestion",
    "Tally",
    "TallyCounts",
    "Violation",
    "__version__",
    "arrangement_batch",
    "best_arrangement",
    "best_defence",
    "best_discard",
    "best_discard_batch",
    "bots",
    "check_turn_time",
    "commitment",
    "deadwood",
    "deadwood_batch",
    "deck",
    "default_samples",
    "defence_batch",
    "first_dealer",
    "from_mask",
    "minimal_arrangements",
    "next_dealer",
    "parse_cards",
    "price_discards",
    "price_discards_batch",
    "replayed_to",
    "resolve_rules",
    "rulesets",
    "score_hand",
    "seen_by",
    "solve_batch",
    "to_mask",
]
