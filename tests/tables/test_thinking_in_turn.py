"""Bots that wait for a thread: whose time is over first comes first, and waiting is thinking."""

import asyncio
import threading
import time
from typing import Any

import pytest

from ginrummy import engine
from ginrummy.engine.types import Action
from ginrummy.tables import thinking
from ginrummy.tables.state import TableState
from ginrummy.tables.thinking import Choice, Thinkers, think_time_s

from .house import SEED, human, setup_of, until
from .test_thinking import FOR_EVER, UNTIL_IT_IS_HARD, thinker

PASS: Action = {"type": "pass"}


def owed(name: str = "", think_s: float | None = None, game: Any = None) -> TableState:
    """A match in which a bot with this think time is to act."""
    return TableState(
        match_id=name,
        setup=setup_of(),
        seed=SEED,
        commitment="",
        occupants=(thinker(10_000, think_s), human()),
        game=game,
        to_act=1,
    )


class Slow:
    """Thinks until its time is over, or it is let go; notes what it thought about, in order."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.waited_s: list[float] = []
        self.are_let_go = threading.Event()

    def __call__(
        self, state: TableState, cancel: engine.Cancel | None = None, waited_s: float = 0.0
    ) -> Choice:
        self.begun.append(state.match_id)
        self.waited_s.append(waited_s)
        ends_s = time.monotonic() + think_time_s(state) - waited_s
        while (left_s := ends_s - time.monotonic()) > 0:
            if self.are_let_go.wait(min(left_s, 0.005)) or (cancel and cancel.is_cancelled):
                break
        if state.match_id == "faulty":
            raise RuntimeError("it has no move")
        return Choice(PASS, 0.0)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    slow = Slow()
    monkeypatch.setattr(thinking, "choose", slow)
    return slow


async def begin(thinkers: Thinkers, name: str, think_s: float) -> "asyncio.Task[Choice]":
    """A decision that has got as far as it gets by itself."""
    deciding = asyncio.create_task(thinkers.choose(owed(name, think_s)))
    await asyncio.sleep(0)
    return deciding


async def test_whose_time_is_over_first_is_thought_about_first(slow: Slow) -> None:
    thinkers = Thinkers(1)
    times_s = {"first": 60, "long": 59, "short": 20, "longer": 60, "as short": 20, "shortest": 1}
    deciding = [await begin(thinkers, name, think_s) for name, think_s in times_s.items()]
    await until(lambda: slow.begun == ["first"])
    slow.are_let_go.set()
    await asyncio.gather(*deciding)
    assert slow.begun == ["first", "shortest", "short", "as short", "long", "longer"]
    thinkers.close()


async def test_who_has_waited_thinks_for_as_long_as_is_left(slow: Slow) -> None:
    thinkers = Thinkers(1)
    await asyncio.gather(*[await begin(thinkers, str(n), 4) for n in range(3)])
    assert slow.waited_s[0] < 3
    assert min(slow.waited_s[1:]) >= 3
    thinkers.close()


@pytest.mark.parametrize(("waited_s", "left_s"), [(0.0, 3.0), (1.0, 2.0), (3.0, 0.0), (99.0, 0.0)])
def test_the_engine_is_given_what_is_left(waited_s: float, left_s: float) -> None:
    given: list[float] = []

    class Game:
        def bot_action(self, seat: int, bot: str, *, think_s: float, **_: Any) -> Action:
            given.append(think_s)
            return PASS

    thinking.choose(owed(think_s=3, game=Game()), waited_s=waited_s)
    assert given == [left_s]


def test_with_no_time_left_the_engine_answers_at_once_with_a_move_that_is_legal() -> None:
    game, _ = engine.Match.start(setup_of()["rules"], bytes.fromhex(SEED))
    for _ in range(UNTIL_IT_IS_HARD):
        action = game.bot_action(game.to_act or 0, "simple")
        assert action is not None
        game.apply({"type": "act", "seat": game.to_act or 0, "action": action})
    bot = thinker(FOR_EVER, 60)
    state = owed(game=game)._replace(to_act=game.to_act or 0, occupants=(bot, bot))
    choice = thinking.choose(state, waited_s=120)
    assert choice.think_s < 20
    assert game.after({"type": "act", "seat": state.to_act, "action": choice.action})


async def test_who_gives_up_leaves_the_queue_at_once_and_holds_nobody_up(slow: Slow) -> None:
    thinkers = Thinkers(1)
    first = await begin(thinkers, "first", 60)
    left = [await begin(thinkers, "left", 1) for _ in range(3)]
    last = await begin(thinkers, "last", 2)
    for deciding in left:
        deciding.cancel()
    await asyncio.wait(left)
    assert len(thinkers._waiting) == 1
    first.cancel()
    async with asyncio.timeout(10):
        await last
    assert slow.begun == ["first", "last"]
    thinkers.close()


async def test_a_decision_beside_many_hogs_does_not_wait_for_all_of_them_to_think(
    slow: Slow,
) -> None:
    thinkers = Thinkers()

    async def hog(think_s: float) -> None:
        while True:
            await thinkers.choose(owed("hog", think_s))

    hogs = [asyncio.create_task(hog(0.4 + number / 1000)) for number in range(200)]
    await until(lambda: len(slow.begun) >= 2)
    for _ in range(3):
        began_s = time.monotonic()
        await thinkers.choose(owed("victim", 0.4))
        assert time.monotonic() - began_s < 20
    for hogging in hogs:
        hogging.cancel()
    await asyncio.wait(hogs)
    thinkers.close()


async def test_a_thread_is_free_again_after_a_fault(slow: Slow) -> None:
    thinkers = Thinkers(1)
    slow.are_let_go.set()
    for _ in range(2):
        with pytest.raises(RuntimeError, match="it has no move"):
            await thinkers.choose(owed("faulty", 60))
    assert (await thinkers.choose(owed("sound", 60))).action == PASS
    thinkers.close()


async def test_closing_gives_up_those_who_wait(slow: Slow) -> None:
    thinkers = Thinkers(1)
    first, waiting = [await begin(thinkers, name, 60) for name in ("first", "waiting")]
    thinkers.close()
    async with asyncio.timeout(10):
        await asyncio.wait((waiting,))
        assert waiting.cancelled()
        slow.are_let_go.set()
        await first
    with pytest.raises(RuntimeError, match="shutdown"):
        await thinkers.choose(owed("late", 60))
    assert slow.begun == ["first"]
