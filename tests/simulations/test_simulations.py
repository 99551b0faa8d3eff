"""What simulations owe whoever follows them, and their file when they close."""

import asyncio
from pathlib import Path

import pytest

from ginrummy.server.convert.simulations import spec_from_wire
from ginrummy.simulations.errors import StoreTrouble
from ginrummy.simulations.simulations import Bounds, Simulations
from ginrummy.simulations.store import Row, State, Store
from ginrummy.v1 import simulation_service_pb2 as pb

from ..server.simulations import ENDLESS, asked

SPEC = spec_from_wire(pb.CreateSimulationRequest(simulation=asked(ENDLESS)))


async def test_one_that_nobody_plays_is_told_of_no_more_often() -> None:
    simulations = Simulations(None, Bounds(workers=1))
    await simulations.start()
    row = Row(
        id="0" * 32,
        request_id=None,
        caller="somebody",
        state=State.QUEUED,
        spec=SPEC.json(),
        progress="",
        engine="",
        rules_version=1,
        created_us=1,
    )
    await simulations._store.add(row)
    told = []

    async def follow() -> None:
        async for snapshot in simulations.follow(row.id, 0.2, asyncio.Event()):
            told.append(snapshot.state)

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(follow(), 0.5)
    assert 1 <= len(told) <= 3
    assert set(told) == {State.QUEUED}
    await simulations.close()


async def test_an_end_that_came_while_somebody_read_is_told_at_once() -> None:
    simulations = Simulations(None, Bounds(workers=1))
    await simulations.start()
    created = await simulations.create(SPEC, None, "somebody")
    following = simulations.follow(created.id, 60, asyncio.Event())
    assert not (await anext(following)).has_ended
    await simulations.cancel(created.id)
    async with asyncio.timeout(5):
        assert (await anext(following)).state is State.CANCELLED
    await simulations.close()


async def test_a_file_whose_schema_is_damaged_is_trouble_of_the_store(tmp_path: Path) -> None:
    path = tmp_path / "simulations.sqlite3"
    store = Store(path)
    await store.open()
    await store.close()
    content = path.read_bytes()
    at = content.index(b"caller TEXT NOT NULL")
    path.write_bytes(content[:at] + b"caller \xb6" + content[at + 8 :])
    damaged = Store(path)
    with pytest.raises(StoreTrouble, match=r"simulations\.sqlite3"):
        await damaged.open()
    await damaged.close()


async def test_a_file_that_takes_nothing_more_is_let_go_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    simulations = Simulations(tmp_path / "simulations.sqlite3", Bounds(workers=1))
    await simulations.start()
    await simulations.create(SPEC, None, "somebody")

    async def fails(_: object) -> None:
        raise StoreTrouble("no space left")

    monkeypatch.setattr(simulations._store, "keep", fails)
    await simulations.close()
    assert simulations._store._connection is None
    assert "no space left" in caplog.text
