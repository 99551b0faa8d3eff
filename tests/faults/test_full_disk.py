"""A disk without room: actions are refused, none is lost, and all goes on when there is room."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from tests.server.refusals import Refusal, refusal_of

from .accounts import differences
from .pairs import Pair, desk_at
from .record import Record
from .servers import Server

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a disk")

DISK = 1024 * 1024
ROOM = 400 * 1024
"""What is free for the matches at first."""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one mebibyte."""
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", place], check=True)
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def server_on(disk: Path) -> Server:
    return Server(disk / "data", lines=disk.with_name("lines"))


def fill(disk: Path, room: int = 0) -> None:
    """Leaves so many bytes free."""
    status = os.statvfs(disk)
    free = status.f_bavail * status.f_frsize
    (disk / "ballast").write_bytes(bytes(free - room))


def make_room(disk: Path) -> None:
    (disk / "ballast").unlink()
    subprocess.run(["mount", "-o", f"remount,size={16 * DISK}", disk], check=True)


async def play_until_refused(pair: Pair) -> Refusal:
    """Plays until the store is unavailable. The request without an answer is the pair's last."""
    for _ in range(500):
        await pair.next_request()
        try:
            await pair.send()
        except grpc.aio.AioRpcError as error:
            return refusal_of(error)
    raise AssertionError("the disk did not fill up")


async def test_a_full_disk_refuses_actions_and_takes_the_same_ones_when_there_is_room(
    disk: Path,
) -> None:
    fill(disk, ROOM)
    record = Record()
    async with server_on(disk) as server, desk_at(server) as desk:
        pairs = [await Pair.sit_down(desk, record) for _ in range(2)]
        for pair in pairs:
            refused = await play_until_refused(pair)
            assert refused.code is grpc.StatusCode.UNAVAILABLE
            assert refused.reason == "STORE_UNAVAILABLE"
            assert refused.retry_s
        assert record.count(is_answered=True, kind="act") > 1
        make_room(disk)
        for pair in pairs:
            await pair.send()
            await pair.act(10)
        assert await server.stop() == 0
        assert "bytes free on the disk" in server.said
        assert "Traceback" not in server.said
    assert differences(record, server.file) == []


async def test_what_was_answered_before_a_full_disk_is_there_after_a_kill(disk: Path) -> None:
    fill(disk, ROOM)
    record = Record()
    async with server_on(disk) as server:
        async with desk_at(server) as desk:
            pair = await Pair.sit_down(desk, record)
            await play_until_refused(pair)
        await server.kill()
        make_room(disk)
        await server.start()
        async with desk_at(server) as desk:
            pair.move_to(desk)
            await pair.send()
            await pair.act(5)
        assert await server.stop() == 0
    assert differences(record, server.file) == []


async def test_a_disk_without_room_for_a_new_file_is_named_at_the_start(disk: Path) -> None:
    fill(disk)
    code, said = await server_on(disk).fail()
    assert code == 1
    assert said.count("\n") == 1
    assert said.startswith("ginrummy-server: ")
    assert str(disk) in said


async def test_a_server_that_starts_without_room_shows_its_matches_and_goes_on_later(
    disk: Path,
) -> None:
    record = Record()
    async with server_on(disk) as server:
        async with desk_at(server) as desk:
            pair = await Pair.sit_down(desk, record)
            await pair.act(5)
        await server.kill()
        fill(disk)
        await server.start()
        async with desk_at(server) as desk:
            pair.move_to(desk)
            assert (await play_until_refused(pair)).reason == "STORE_UNAVAILABLE"
            make_room(disk)
            await pair.send()
            await pair.act(5)
        assert await server.stop() == 0
    assert differences(record, server.file) == []
