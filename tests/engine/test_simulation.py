"""Bots against bots through Python: slices and threads, stopping, and what is refused."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest

from ginrummy.engine import (
    Cancel,
    EngineError,
    InvalidOption,
    Match,
    Pairing,
    Tally,
    resolve_rules,
)

RULES = resolve_rules("short", {})
PAIRING = Pairing(RULES, ("simple", "heuristic"), bytes(32), 4)
DEALS = 60


def played(first: int, end: int) -> Tally:
    tally = PAIRING.play(first, end, Cancel())
    assert tally is not None
    return tally


def test_slices_by_threads_in_any_order_make_the_same_tally() -> None:
    whole = played(0, DEALS)
    ends = [0, 1, 7, 8, 30, 31, 59, DEALS]
    slices = list(pairwise(ends))
    total = Tally()
    with ThreadPoolExecutor(4) as threads:
        for tally in reversed(list(threads.map(lambda part: played(*part), slices))):
            total.add(Tally.from_json(tally.json()))
    assert total == whole
    assert total.counts() == whole.counts()
    assert (total.deals, total.matches) == (DEALS, 2 * DEALS)
    assert total != played(1, DEALS + 1)


def test_matches_are_those_that_the_match_itself_plays() -> None:
    wins = [0, 0]
    for deal, first_seat in ((deal, seat) for deal in range(20) for seat in (1, 2)):
        game, _ = Match.start(RULES, PAIRING.deal_seed(deal))
        while not game.is_over:
            assert game.to_act is not None
            bot = "simple" if game.to_act == first_seat else "heuristic"
            action = game.bot_action(game.to_act, bot)
            assert action is not None
            events = game.apply({"type": "act", "seat": game.to_act, "action": action})
        ended: Any = events[-1]
        wins[0 if ended["winner"] == first_seat else 1] += 1
    assert played(0, 20).counts()["wins"] == wins


def test_other_threads_run_meanwhile_and_can_stop_it() -> None:
    cancel = Cancel()
    found: list[Tally | None] = []
    thread = threading.Thread(target=lambda: found.append(PAIRING.play(0, 10**12, cancel)))
    thread.start()
    counted = 0
    until_s = time.monotonic() + 0.3
    while time.monotonic() < until_s:
        counted += 1
    assert counted > 1000, "Python's lock was held"
    cancel.cancel()
    thread.join(60)
    assert found == [None]
    assert cancel.is_cancelled
    assert PAIRING.play(0, 1, cancel) is None


@pytest.mark.parametrize(
    "make",
    [
        lambda: Pairing(RULES, ("simple", "nobody"), bytes(32)),
        lambda: Pairing({**RULES, "knock_limit": 11}, ("simple", "simple"), bytes(32)),
    ],
)
def test_what_no_match_may_have_no_pairing_has(make: Any) -> None:
    with pytest.raises(InvalidOption):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Pairing(RULES, ("simple", "simple"), bytes(31)),
        lambda: Pairing(RULES, ("simple", "simple"), bytes(32), -1),
        lambda: PAIRING.play(-1, 1, Cancel()),
        lambda: PAIRING.play(0, 2**64, Cancel()),
        lambda: Tally.from_json("{}"),
        lambda: Tally.from_json("no json"),
        lambda: Tally.from_json(Tally().json().replace('"deals":0', '"deals":-1')),
    ],
)
def test_bad_numbers_and_text_are_refused(make: Any) -> None:
    with pytest.raises(EngineError):
        make()


def test_no_deals_are_no_matches() -> None:
    assert played(5, 5) == played(7, 3) == Tally()
