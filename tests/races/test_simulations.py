"""A caller who goes away at any step leaves simulations that are played, and told of, whole."""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

import pytest

from ginrummy.server.convert.simulations import spec_from_wire
from ginrummy.simulations.errors import Closing
from ginrummy.simulations.simulations import Bounds, Simulations
from ginrummy.simulations.snapshot import Snapshot
from ginrummy.simulations.spec import Spec
from ginrummy.simulations.store import Row, State
from ginrummy.v1 import simulation_service_pb2 as pb

from ..server.players import new_request_id
from ..server.simulations import ENDLESS, asked, entrant
from ..tables.house import until
from .steps import Steps


def spec_of(matches: int = 20, **fields: Any) -> Spec:
    return spec_from_wire(pb.CreateSimulationRequest(simulation=asked(matches, **fields)))


async def opened(path: Path | None = None, **bounds: int) -> Simulations:
    simulations = Simulations(path, Bounds(**{"workers": 1, **bounds}))
    await simulations.start()
    return simulations


async def left_at(at: int, call: Callable[[], Awaitable[Any]]) -> bool:
    """Makes the call and goes away before the step `at`; whether there were so many."""
    calling: asyncio.Task[Any]

    async def calls() -> None:
        await call()

    with Steps(at, lambda: calling.cancel()) as steps:
        calling = asyncio.ensure_future(calls())
        await asyncio.wait((calling,))
    if not calling.cancelled():
        calling.result()
    return steps.has_come


async def left_after(turns: int, call: Coroutine[Any, Any, Any]) -> None:
    """Makes the call and goes away after so many turns of the loop, if it is not done by then."""
    calling = asyncio.create_task(call)
    for _ in range(turns):
        await asyncio.sleep(0)
    calling.cancel()
    await asyncio.wait((calling,))


def slowly(add: Callable[[Row], Awaitable[int]]) -> Callable[[Row], Awaitable[int]]:
    async def adds(row: Row) -> int:
        await asyncio.sleep(0.05)
        return await add(row)

    return adds


async def end_of(simulations: Simulations, simulation_id: str) -> Snapshot:
    async with asyncio.timeout(20):
        async for snapshot in simulations.follow(simulation_id, 0.1, asyncio.Event()):
            if snapshot.has_ended:
                return snapshot
    raise AssertionError("nobody tells of its end")


@pytest.mark.parametrize("is_insisted_on", [False, True])
@pytest.mark.parametrize("kept_in", ["memory", "file"])
async def test_what_is_stored_is_played_whenever_its_caller_goes_away(
    tmp_path: Path, kept_in: str, is_insisted_on: bool
) -> None:
    at, has_come, spec = 0, True, spec_of()
    while has_come:
        at += 1
        simulations = await opened(tmp_path / f"{at}.sqlite3" if kept_in == "file" else None)
        request_id = new_request_id()
        has_come = await left_at(at, lambda: simulations.create(spec, request_id, "somebody"))  # noqa: B023
        if is_insisted_on:
            again = await simulations.create(spec, request_id, "somebody")
            assert (await end_of(simulations, again.id)).state is State.SUCCEEDED
        else:
            await until(lambda: not simulations._being_created)  # noqa: B023
        made = [found.id async for found in simulations.page(None, 2)]
        assert len(made) <= 1
        for simulation_id in made:
            assert (await end_of(simulations, simulation_id)).state is State.SUCCEEDED
        await simulations.close()
    assert at > 4


async def test_closing_waits_for_what_is_being_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = spec_of()
    for turns in range(1, 8):
        path = tmp_path / f"{turns}.sqlite3"
        simulations = await opened(path)
        monkeypatch.setattr(simulations._store, "add", slowly(simulations._store.add))
        await left_after(turns, simulations.create(spec, new_request_id(), "somebody"))
        await simulations.close()
        assert not asyncio.all_tasks() - {asyncio.current_task()}
        with pytest.raises(Closing):
            await simulations.create(spec, None, "somebody")
        again = await opened(path)
        [found] = [found async for found in again.page(None, 2)]
        assert (await end_of(again, found.id)).state is State.SUCCEEDED
        await again.close()


async def test_a_refusal_that_nobody_waits_for_is_no_news() -> None:
    told: list[Mapping[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, happened: told.append(happened))
    simulations = await opened(most_unfinished=0)
    for turns in range(1, 4):
        await left_after(turns, simulations.create(spec_of(), None, "somebody"))
    await simulations.close()
    gc.collect()
    assert told == []


async def test_what_is_cancelled_makes_room_at_once_whenever_its_caller_goes_away() -> None:
    long = spec_of(ENDLESS, entrants=[entrant("A", bot="expert"), entrant("B", bot="expert")])
    for turns in range(1, 6):
        simulations = await opened(most_running=2)
        _, unlucky, queued = [await simulations.create(long, None, "somebody") for _ in range(3)]
        await left_after(turns, simulations.cancel(unlucky.id))
        assert (await simulations.find(queued.id)).state is State.RUNNING
        assert (await end_of(simulations, unlucky.id)).state is State.CANCELLED
        await simulations.close()
