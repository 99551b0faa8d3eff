"""A data file in trouble at the start, or under a running server."""

import asyncio
import copy
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

import grpc
import pytest

from ginrummy.v1 import match_service_pb2 as pb
from tests.server.refusals import refusal, refusal_of

from .accounts import differences
from .pairs import Pair, desk_at
from .record import Record
from .servers import Server, stopping, stopping_started

PAGE = 4096


@dataclass(frozen=True)
class Played:
    """Matches in a folder, and what their players were told."""

    folder: Path
    record: Record
    pairs: list[Pair]


async def play(folder: Path, count: int, *, stops: bool) -> Played:
    record = Record()
    async with Server(folder) as server:
        async with desk_at(server) as desk:
            pairs = [await Pair.sit_down(desk, record) for _ in range(count)]
            for pair in pairs:
                await pair.act(12)
        if stops:
            assert await server.stop() == 0
    return Played(folder, record, pairs)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Matches of a server that has stopped in good order; not to be changed."""
    return asyncio.run(play(tmp_path_factory.mktemp("stopped") / "data", 6, stops=True))


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A killed server's match, all of which is still in the write-ahead log."""
    return asyncio.run(play(tmp_path_factory.mktemp("killed") / "data", 1, stops=False))


@pytest.fixture
def server(stopped: Played, tmp_path: Path) -> Server:
    """Not started yet, on a copy of the stopped matches."""
    shutil.copytree(stopped.folder, tmp_path / "data")
    return Server(tmp_path / "data")


async def goes_on(server: Server, played: Played) -> None:
    """The server starts, every match goes on, and nothing that was answered is missing."""
    record = copy.deepcopy(played.record)
    async with stopping(server), desk_at(server) as desk:
        for pair in played.pairs:
            await Pair(record, pair.created, desk).act()
    assert differences(record, server.file) == []


async def refused_start(server: Server) -> str:
    """Starts the server where it cannot serve; the one line that it says."""
    code, said = await server.fail()
    assert code == 1
    assert said.startswith("ginrummy-server: ")
    assert said.count("\n") == 1
    assert "Traceback" not in said
    return said


@pytest.fixture
def shared_dir() -> Iterator[Path]:
    """A directory that every user can reach, unlike those of pytest."""
    directory = Path(tempfile.mkdtemp())
    directory.chmod(0o755)
    yield directory
    directory.chmod(0o755)
    shutil.rmtree(directory)


async def test_a_file_that_may_not_be_written_is_named(shared_dir: Path, stopped: Played) -> None:
    shutil.copytree(stopped.folder, shared_dir / "data")
    other = Server(shared_dir / "data", program=("-m", "tests.faults.other_user_server"))
    (shared_dir / "data").chmod(0o755)
    for path in (shared_dir / "data").iterdir():
        path.chmod(0o666 if path.suffix == ".lock" else 0o444)
    assert f"{other.file}: Permission denied" in await refused_start(other)


async def test_a_file_locked_by_another_program_is_named_at_the_start(
    server: Server, stopped: Played
) -> None:
    with closing(sqlite3.connect(server.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert f"{server.file}: database is locked" in await refused_start(server)
        other.execute("ROLLBACK")
    await goes_on(server, stopped)


async def test_a_file_locked_by_another_program_is_waited_for_and_actions_are_taken_later(
    server: Server,
) -> None:
    server, record = Server(server.folder.with_name("new")), Record()
    async with stopping(server), desk_at(server) as desk:
        pair = await Pair.sit_down(desk, record)
        await pair.act(3)
        await pair.next_request()
        with closing(sqlite3.connect(server.file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            refused = await refusal(pair.send())
            assert refused.code is grpc.StatusCode.UNAVAILABLE
            assert (refused.reason, bool(refused.retry_s)) == ("STORE_UNAVAILABLE", True)
            other.execute("ROLLBACK")
        await pair.send()
        await pair.act(3)
    assert "database is locked" in server.said
    assert differences(record, server.file) == []


async def test_a_second_server_is_refused_and_the_first_goes_on(
    server: Server,
) -> None:
    server, record = Server(server.folder.with_name("new")), Record()
    async with stopping(server), desk_at(server) as desk:
        pair = await Pair.sit_down(desk, record)
        second = Server(server.folder, lines=server.folder.with_name("second"))
        assert f"in use by process {server.pid}" in await refused_start(second)
        await pair.act(5)
    assert differences(record, server.file) == []


async def test_a_file_of_a_newer_version_is_refused_and_left_alone(
    server: Server,
) -> None:
    with closing(sqlite3.connect(server.file)) as newer:
        version = newer.execute("PRAGMA user_version").fetchone()[0]
        newer.execute(f"PRAGMA user_version = {version + 1}")
    content = server.file.read_bytes()
    assert f"has schema {version + 1}" in await refused_start(server)
    assert server.file.read_bytes() == content


def destroy_header(file: Path) -> None:
    _write(file, 0, os.urandom(100))


def cut_short(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2 // PAGE * PAGE)


def damage_pages(file: Path) -> None:
    _write(file, file.stat().st_size // 2 // PAGE * PAGE, os.urandom(3 * PAGE))


def damage_the_schema(file: Path) -> None:
    _write(file, 100, os.urandom(PAGE - 100))


def _write(file: Path, place: int, content: bytes) -> None:
    with file.open("r+b") as damaged:
        damaged.seek(place)
        damaged.write(content)


@pytest.mark.parametrize("harm", [destroy_header, cut_short, damage_pages, damage_the_schema])
async def test_a_damaged_file_is_refused_in_one_clear_line(
    server: Server, harm: Callable[[Path], None]
) -> None:
    harm(server.file)
    assert str(server.file) in await refused_start(server)


@pytest.mark.parametrize("seed", range(4))
async def test_random_bytes_in_a_file_are_refused_or_harm_what_they_hit_alone(
    server: Server, stopped: Played, seed: int
) -> None:
    random = Random(seed)
    place = random.randrange(PAGE, server.file.stat().st_size - 16)
    _write(server.file, place, random.randbytes(16))
    code, said = await server.start_or_fail()
    if code is not None:
        assert (code, said.count("\n")) == (1, 1)
        assert str(server.file) in said
        return
    outcomes = []
    async with stopping_started(server), desk_at(server) as desk:
        for pair in stopped.pairs:
            outcomes.append(await goes_on_or_is_refused(Pair(Record(), pair.created, desk)))
    assert outcomes.count("") >= len(outcomes) - 1
    assert set(outcomes) <= {"", "MATCH_UNREADABLE", "BAD_TOKEN"}


async def goes_on_or_is_refused(pair: Pair) -> str:
    """The reason, if the match does not go on."""
    try:
        await pair.act(2)
    except grpc.aio.AioRpcError as error:
        return refusal_of(error).reason
    return ""


def wal_of(server: Server, killed: Played) -> Path:
    """The write-ahead log of a killed server, in place of the stopped one's files."""
    shutil.rmtree(server.folder)
    shutil.copytree(killed.folder, server.folder)
    return server.file.with_name(server.file.name + "-wal")


async def test_a_killed_servers_write_ahead_log_is_read(server: Server, killed: Played) -> None:
    assert wal_of(server, killed).stat().st_size > 12 * PAGE
    await goes_on(server, killed)


async def test_a_damaged_write_ahead_log_is_read_as_far_as_it_is_whole(
    server: Server, killed: Played
) -> None:
    wal = wal_of(server, killed)
    _write(wal, wal.stat().st_size * 3 // 4, os.urandom(64))
    async with stopping(server), desk_at(server) as desk:
        pair = Pair(Record(), killed.pairs[0].created, desk)
        await pair.next_request()
        assert 1 < pair.view.sequence < killed.pairs[0].view.sequence
        await pair.send()


@pytest.mark.parametrize("length", [0, 3000])
async def test_a_write_ahead_log_that_was_cut_is_no_trouble_for_what_the_file_holds(
    server: Server, killed: Played, length: int
) -> None:
    os.truncate(wal_of(server, killed), length)
    async with stopping(server), desk_at(server) as desk:
        request = pb.GetMatchRequest(name=killed.pairs[0].name)
        refused = await refusal(desk.matches.GetMatch(request, timeout=60))
        assert refused.reason == "MATCH_NOT_FOUND"
        await (await Pair.sit_down(desk, Record())).act(3)
