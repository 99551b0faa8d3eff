"""Calls on a busy server, which are taken up together with those that come just then."""

import asyncio
from collections.abc import Callable

import pytest

from ginrummy.server import beat as beats
from ginrummy.server.beat import LOOK_S, Beat

from .players import Desk, Player, play_out

PATIENCE_S = 60


def working(share: float) -> Callable[[], float]:
    """The processor time of a thread that uses this share of a core."""
    loop = asyncio.get_running_loop()
    return lambda: share * loop.time()


async def beat_at(share: float) -> Beat:
    beat = Beat(working(share))
    await asyncio.sleep(2 * LOOK_S)
    return beat


@pytest.fixture
def always_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beats, "BUSY", -1.0)
    monkeypatch.setattr(beats, "LOOK_S", 0.0)


async def test_nobody_waits_on_a_server_with_time_to_spare() -> None:
    assert not (await beat_at(0.4)).is_busy()


async def test_a_server_is_busy_whose_event_loop_hardly_rests() -> None:
    assert (await beat_at(0.6)).is_busy()


async def test_a_server_that_was_busy_has_time_to_spare_again() -> None:
    used_s = 0.0
    beat = Beat(lambda: used_s)
    used_s = 1000.0
    await asyncio.sleep(2 * LOOK_S)
    assert beat.is_busy()
    await asyncio.sleep(2 * LOOK_S)
    assert not beat.is_busy()


async def test_a_new_server_is_not_busy_whatever_it_took_to_start() -> None:
    assert not Beat(lambda: 1000.0).is_busy()


async def test_a_call_waits_for_those_that_come_just_then(monkeypatch: pytest.MonkeyPatch) -> None:
    beat = await beat_at(1)
    monkeypatch.setattr(beats, "LULL_S", 1.0)
    monkeypatch.setattr(beats, "LONGEST_S", PATIENCE_S)
    taken_up: list[int] = []
    one_is = asyncio.Event()

    async def call(number: int) -> None:
        await beat.next()
        taken_up.append(number)
        one_is.set()

    calls = []
    for number in range(3):
        calls.append(asyncio.create_task(call(number)))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not taken_up
    async with asyncio.timeout(PATIENCE_S):
        await one_is.wait()
        assert taken_up == [0, 1, 2]
        await asyncio.gather(*calls)


async def test_calls_that_never_cease_to_come_keep_none_waiting() -> None:
    beat = await beat_at(1)
    first = asyncio.create_task(beat.next())
    others = []
    async with asyncio.timeout(PATIENCE_S):
        while not first.done():
            others.append(asyncio.create_task(beat.next()))
            await asyncio.sleep(0)
        await asyncio.gather(*others)


async def test_a_caller_who_goes_meanwhile_lets_the_others_be_taken_up() -> None:
    beat = await beat_at(1)
    gone, other = asyncio.create_task(beat.next()), asyncio.create_task(beat.next())
    await asyncio.sleep(0)
    gone.cancel()
    async with asyncio.timeout(PATIENCE_S):
        await other
    assert gone.cancelled()


@pytest.mark.usefixtures("always_busy")
async def test_a_whole_match_is_played_on_a_busy_server(desk: Desk) -> None:
    players: list[Player] = list(await desk.new_players("short", seed=bytes([5] * 32)))
    await play_out(*players)
