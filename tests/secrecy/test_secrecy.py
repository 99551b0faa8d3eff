"""Hidden cards reach nobody: the same is sent whatever is hidden, and a planted leak is found.

The long run is `make secrecy`.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from .checker import CHANCES, Checker, Leak
from .comparing import Comparison, check, check_all
from .twins import Plan, knock_plan, plan, timed_plan
from .worlds import World, begin, two_worlds

pytestmark = pytest.mark.asyncio(loop_scope="module")

Worlds = tuple[World, World]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def worlds() -> AsyncIterator[Worlds]:
    """Two servers that differ in nothing but what is hidden."""
    async with two_worlds() as both:
        yield both


async def test_the_same_is_sent_whatever_is_hidden(worlds: Worlds) -> None:
    checker = Checker(worlds, most_positions=25)
    await check_all(checker, range(14), plan, at_once=4)
    await check_all(checker, range(10), knock_plan, at_once=4)
    await check_all(checker, range(2), timed_plan, at_once=1)
    await checker.compare_lines()
    assert checker.counts.hands >= 30
    assert checker.counts.positions >= 800
    assert checker.counts.other_cards >= 2


async def test_the_same_is_counted_whatever_is_hidden(worlds: Worlds) -> None:
    checker = Checker(worlds, most_positions=12)
    before = await checker.metrics()
    await check_all(checker, (2, 6), knock_plan)
    await checker.compare_metrics(before, wait_s=60)
    assert any(before[0].values())


async def test_a_leak_into_the_metrics_is_found(worlds: Worlds) -> None:
    checker = Checker(worlds, most_positions=12)
    before = await checker.metrics()
    await _plant(worlds, "metric")
    try:
        await check_all(checker, (2, 6), knock_plan)
        with pytest.raises(Leak):
            await checker.compare_metrics(before, wait_s=1)
    finally:
        await _plant(worlds, None)


async def _plant(worlds: Worlds, leak: str | None) -> None:
    for world in worlds:
        await world.tell(set_leak=leak)


async def test_the_same_is_sent_after_a_restart(tmp_path: Path) -> None:
    comparison = await _restarted(tmp_path, number=3)
    try:
        await comparison.compare()
    finally:
        for world in comparison.checker.worlds:
            await world.close()
    assert comparison.checker.counts.answers["WatchMatch"] > 3


async def _restarted(folder: Path, number: int) -> Comparison:
    """A match that is played a little, and whose servers are killed and started again."""

    async def start(place: Path) -> World:
        return await begin("--data-dir", str(place), decks=place / "decks")

    before = (await start(folder / "1"), await start(folder / "2"))
    checker = Checker(before, most_positions=25)
    comparison = Comparison(checker, replace(plan(number), bots={}))
    await comparison.begin()
    await comparison.run()
    for world in before:
        world.process.kill()
        await world.close()
    after = (await start(folder / "1"), await start(folder / "2"))
    comparison.checker = Checker(after, chances=dict.fromkeys(CHANCES, 1.0))
    comparison.checker.other_token = checker.other_token
    comparison.lives = {}
    return comparison


@pytest.mark.parametrize(
    ("leak", "surfaces", "plans", "chances"),
    [
        ("stock_card", ("Watch", "Play", "Act"), plan, {}),
        ("face_down_card", ("Watch",), knock_plan, {}),
        ("hint", ("GetView", "Act", "Watch", "Play"), plan, {}),
        ("legal_actions", ("GetView", "Act", "Watch", "Play"), plan, {}),
        ("count", ("GetView", "Act", "Watch", "Play"), plan, {}),
        ("error", ("Act ", "Play"), plan, {"refused": 0.2}),
        ("error_number", ("Act ", "Play"), plan, {"refused": 0.2}),
        ("log_line", ("log",), plan, {}),
        ("resumed", ("Watch", "Play"), plan, {"resumed": 0.5}),
        ("unscored", ("Watch",), plan, {"resumed": 0.5}),
        ("advice", ("SuggestActions",), plan, {"told": 0.5}),
        (
            "listing",
            ("CreateMatch", "GetMatch", "ListMatches", "WatchMatches"),
            plan,
            {"told": 0.3},
        ),
    ],
)
async def test_a_planted_leak_is_found(
    worlds: Worlds,
    leak: str,
    surfaces: tuple[str, ...],
    plans: Callable[[int], Plan],
    chances: dict[str, float],
) -> None:
    await _plant(worlds, leak)
    try:
        with pytest.raises(Leak) as found:
            await _look_for_leak(worlds, plans, chances, looks_at_lines=leak == "log_line")
    finally:
        await _plant(worlds, None)
        for world in worlds:
            await world.lines_so_far()
    assert found.value.surface.startswith(surfaces)
    assert leak != "log_line" or "ginrummy.leak" in str(found.value)


async def _look_for_leak(
    worlds: Worlds,
    plans: Callable[[int], Plan],
    chances: dict[str, float],
    *,
    looks_at_lines: bool,
) -> None:
    """The same check, with the questions asked more often that may bring the leak to light."""
    for number in range(60):
        checker = Checker(worlds, most_positions=12, chances=chances)
        await check(checker, plans(number))
        if looks_at_lines:
            await checker.compare_lines(wait_s=1)
