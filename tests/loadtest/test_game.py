"""Matches under load are whole, legal matches of every ruleset."""

import asyncio
import json
import sys

import pytest

from ginrummy.client import GinRummyClient
from ginrummy.loadtest.figures import Figures
from ginrummy.loadtest.game import Game
from ginrummy.loadtest.plan import Plan, Way
from ginrummy.loadtest.worker import Load

RULESETS = ("playgridia", "solo", "kawu", "short")
LONG_S = 120.0


def plan(address: str, **given: object) -> Plan:
    return Plan(**({"address": address, "duration_s": 1.0} | given))  # type: ignore[arg-type]


@pytest.mark.parametrize("way", [Way.PLAY, Way.ACT])
@pytest.mark.parametrize("ruleset", RULESETS)
async def test_a_match_is_played_to_its_end(address: str, ruleset: str, way: Way) -> None:
    figures = Figures()
    told = plan(address, way=way, rulesets={ruleset: 1.0}, timeout_s=LONG_S)
    async with GinRummyClient(address, timeout_s=LONG_S) as client:
        await Game(client, told, 0, figures).play()
    assert (figures.begun, figures.ended, figures.audited) == (1, 1, 1)
    assert not figures.errors
    assert figures.times["answer"].get_total_count() == figures.moves > 0
    assert figures.times["delivery"].get_total_count() > 0


@pytest.mark.parametrize("way", [Way.PLAY, Way.ACT])
async def test_streams_are_broken_off_and_resumed_while_spectators_watch(
    address: str, way: Way
) -> None:
    figures = Figures()
    told = plan(address, way=way, rulesets={"playgridia": 1.0}, spectators=2, reconnect_every=3)
    async with GinRummyClient(address, timeout_s=LONG_S) as client:
        while figures.reconnects < 4:
            await Game(client, told, figures.begun, figures).play()
    assert figures.ended == figures.audited == figures.begun
    last_audit = figures.events
    assert last_audit >= 4 * figures.moves, "both seats and two spectators see each move"


async def test_matches_left_at_the_end_are_called_off(address: str) -> None:
    figures = Figures()
    async with GinRummyClient(address, timeout_s=LONG_S) as client:
        told = plan(address, think_s=1000.0)
        playing = asyncio.create_task(Game(client, told, 0, figures).play())
        async with asyncio.timeout(LONG_S):
            while not figures.events:  # noqa: ASYNC110 - the game tells nobody
                await asyncio.sleep(0.01)
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing
        left = [match async for match in client.list_matches(labels={"made-by": "ginrummy-load"})]
        assert left
        assert all(match.HasField("result") for match in left)


async def test_the_closed_model_keeps_its_matches_going(address: str) -> None:
    reports: list[Figures] = []
    told = plan(address, matches=3, rulesets={"playgridia": 1.0}, duration_s=3.0)
    await Load(told).run(reports.append)
    total = Figures()
    for report in reports:
        total.add(report)
    assert max(report.open for report in reports) == 3
    assert total.begun >= total.ended > 0
    assert not total.errors


async def test_the_open_model_begins_matches_at_its_rate(address: str) -> None:
    reports: list[Figures] = []
    told = plan(address, rate=8.0, think_s=1000.0, duration_s=3.0)
    await Load(told).run(reports.append)
    begun = sum(report.begun for report in reports)
    assert 0 < begun <= 60, "about 24, however slowly they are played"
    assert max(report.open for report in reports) > 1


async def test_a_process_ends_when_its_input_is_closed(address: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "ginrummy.loadtest.worker"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    told = plan(address, matches=2, duration_s=1000.0)
    process.stdin.write(told.to_json().encode() + b"\n")
    first = Figures.from_json(json.loads(await process.stdout.readline()))
    assert first.open <= 2
    process.stdin.close()
    await process.stdout.read()
    assert await process.wait() == 0
