"""Simulations over the death of a real server, and what becomes of their file."""

import asyncio
import json
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import grpc
import pytest

from ginrummy import engine
from ginrummy.server.stored_file import FILE_NAME as MATCHES_FILE
from ginrummy.simulations.store import FILE_NAME
from ginrummy.v1 import simulation_service_pb2 as pb

from .players import new_request_id
from .programs import data_flags, launch, policies_of, run_to_end, running
from .refusals import refusal_of
from .simulations import ENDLESS, SEED, Office, asked, entrant

MATCHES = 40_000
"""Of a pairing: with three of them, seconds of one thread on the fastest machine."""
ONE_THREAD = ("--simulation-workers", "1")
"""So that what takes long takes long on a machine of many cores too."""


def files_in(folder: Path) -> list[Path]:
    return list(folder.iterdir())


@asynccontextmanager
async def an_office(folder: Path, *flags: str) -> AsyncIterator[tuple[Office, int]]:
    """A server on this folder, which is killed in the end."""
    async with (
        running(*data_flags(folder), *ONE_THREAD, *flags) as program,
        grpc.aio.insecure_channel(program.address) as channel,
    ):
        yield Office(channel), program.process.pid
        await program.kill()


def stored(folder: Path) -> int:
    """Matches of the only simulation that would outlive a kill now."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as file:
        [(progress,)] = file.execute("SELECT progress FROM simulations")
    return sum(2 * deals for deals, _ in json.loads(progress or "[]"))


def tally_of(number: int) -> engine.TallyCounts:
    """What the engine itself makes of a pairing, undisturbed."""
    rules = engine.resolve_rules("short", {})
    pairing = engine.Pairing(rules, ("simple", "simple"), SEED, number)
    tally = pairing.play(0, MATCHES // 2, engine.Cancel())
    assert tally is not None
    return tally.counts()


async def test_a_simulation_goes_on_after_kills_to_the_same_end(tmp_path: Path) -> None:
    entrants = [entrant("A"), entrant("B"), entrant("C")]
    simulation = asked(MATCHES, entrants=entrants)
    request_id = new_request_id()
    seen = [0]
    for workers in ("1", "2", "1"):
        async with an_office(tmp_path, "--simulation-workers", workers) as (office, _):
            created = await office.create(simulation, request_id)
            stood = created.progress.matches_done
            assert stood >= seen[-1], "what was stored is lost"
            async with asyncio.timeout(120):
                while (kept := stored(tmp_path)) <= stood:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            seen.append(kept)
    async with an_office(tmp_path) as (office, _):
        name = (await office.create(simulation, request_id)).name
        ended = await office.ended(name)
    assert ended.state == pb.SIMULATION_STATE_SUCCEEDED
    assert 0 < seen[-1] < 3 * MATCHES, "the kills were in the middle"
    tallies = await asyncio.gather(*(asyncio.to_thread(tally_of, n) for n in range(3)))
    for pair, counts in zip(ended.progress.pairings, tallies, strict=True):
        assert [pair.first_wins, pair.second_wins] == counts["wins"]
        assert {p.points: p.hands for p in pair.hand_points} == counts["hand_points"]
        assert pair.hands == counts["hands"]


async def test_what_has_ended_is_found_after_a_restart(tmp_path: Path) -> None:
    async with an_office(tmp_path) as (office, _):
        ended = await office.ended((await office.create(asked(100))).name)
        endless = await office.create(asked(ENDLESS))
        await office.begun(endless.name)
        cancelled = await office.cancel(endless.name)
    async with an_office(tmp_path) as (office, _):
        assert await office.get(ended.name) == ended
        assert await office.get(endless.name) == cancelled
        listed = [one.name for one in (await office.page()).simulations]
        assert listed == [endless.name, ended.name]


async def test_a_stop_keeps_what_was_played(tmp_path: Path) -> None:
    program = await launch(*data_flags(tmp_path), *ONE_THREAD)
    async with grpc.aio.insecure_channel(program.address) as channel:
        office = Office(channel)
        created = await office.create(asked(ENDLESS))
        begun = await office.begun(created.name)
    assert await program.stop() == 0
    await program.process.communicate()
    async with an_office(tmp_path) as (office, _):
        found = await office.get(created.name)
        assert found.state == pb.SIMULATION_STATE_RUNNING
        assert found.progress.matches_done >= begun.progress.matches_done


async def test_another_engine_does_not_go_on_with_it(tmp_path: Path) -> None:
    async with an_office(tmp_path) as (office, _):
        created = await office.create(asked(ENDLESS))
        await office.begun(created.name)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as file:
        file.execute("UPDATE simulations SET rules_version = 0")
        file.commit()
    async with an_office(tmp_path) as (office, _):
        failed = await office.get(created.name)
        assert failed.state == pb.SIMULATION_STATE_FAILED
        assert "rules 0" in failed.error_message
        assert f"rules {engine.RULES_VERSION}" in failed.error_message
        assert failed.HasField("end_time")


async def test_one_that_cannot_be_read_spares_the_others(tmp_path: Path) -> None:
    async with an_office(tmp_path) as (office, _):
        bad = await office.create(asked(ENDLESS))
        good = await office.create(asked(ENDLESS))
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as file:
        name = bad.name.removeprefix("simulations/")
        file.execute("UPDATE simulations SET spec = '{' WHERE id = ?", (name,))
        file.commit()
    async with an_office(tmp_path) as (office, _):
        failed = await office.get(bad.name)
        assert failed.state == pb.SIMULATION_STATE_FAILED
        assert failed.error_message == "what is stored of it cannot be read"
        await office.begun(good.name)
        assert len((await office.page()).simulations) == 2


async def test_a_damaged_file_ends_the_start_with_its_name(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"no database at all, but some text" * 100)
    code, _, err = await run_to_end("--port", "0", *data_flags(tmp_path))
    assert code == 1
    assert FILE_NAME in err
    assert "Traceback" not in err


async def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    async with an_office(tmp_path):
        assert (tmp_path / FILE_NAME).stat().st_mode & 0o077 == 0
        assert (tmp_path / MATCHES_FILE).exists()


async def test_in_memory_nothing_is_written(tmp_path: Path) -> None:
    async with (
        running("--in-memory", environment={"XDG_STATE_HOME": str(tmp_path)}) as program,
        grpc.aio.insecure_channel(program.address) as channel,
    ):
        await Office(channel).ended((await Office(channel).create()).name)
    assert not files_in(tmp_path)


async def test_what_ended_long_ago_is_forgotten(tmp_path: Path) -> None:
    async with an_office(tmp_path) as (office, _):
        ended = await office.ended((await office.create()).name)
    flags = ("--simulation-retention-s", "0.001")
    async with an_office(tmp_path, *flags) as (office, _):
        async with asyncio.timeout(50):  # less than until it looks for the second time
            while await is_found(office, ended.name):  # noqa: ASYNC110
                await asyncio.sleep(0.05)


async def is_found(office: Office, name: str) -> bool:
    try:
        await office.get(name)
    except grpc.aio.AioRpcError as error:
        return refusal_of(error).reason != "SIMULATION_NOT_FOUND"
    return True


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux")
async def test_the_threads_that_play_give_way(tmp_path: Path) -> None:
    async with an_office(tmp_path, "--simulation-workers", "2") as (office, pid):
        created = await office.create(asked(ENDLESS))
        await office.begun(created.name)
        async with asyncio.timeout(60):
            while (policies := policies_of(pid)).count(os.SCHED_IDLE) < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert policies.count(os.SCHED_IDLE) == 2
        assert os.sched_getscheduler(pid) != os.SCHED_IDLE
