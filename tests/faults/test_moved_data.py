"""Data that goes away under a running server: refused until it is back, and never written past."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest

from tests.server.refusals import refusal

from .accounts import differences
from .pairs import Pair, desk_at
from .record import Record
from .servers import Server, stopping


def move_away(folder: Path) -> None:
    folder.rename(folder.with_name("away"))


def replace(folder: Path) -> None:
    """By a copy, as a restored backup would be."""
    move_away(folder)
    shutil.copytree(folder.with_name("away"), folder)


def bring_back(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.with_name("away").rename(folder)


@pytest.mark.parametrize(
    ("trouble", "said"), [(move_away, "No such file"), (replace, "was replaced while in use")]
)
async def test_actions_are_refused_while_the_data_is_elsewhere_and_taken_when_it_is_back(
    tmp_path: Path, trouble: Callable[[Path], None], said: str
) -> None:
    server, record = Server(tmp_path / "data"), Record()
    async with stopping(server), desk_at(server) as desk:
        pair = await Pair.sit_down(desk, record)
        await pair.act(5)
        trouble(server.folder)
        await pair.next_request()
        for _ in range(2):
            refused = await refusal(pair.send())
            assert refused.code is grpc.StatusCode.UNAVAILABLE
            assert (refused.reason, bool(refused.retry_s)) == ("STORE_UNAVAILABLE", True)
        bring_back(server.folder)
        await pair.send()
        await pair.act(5)
    assert said in server.said
    assert differences(record, server.file) == []


async def test_a_server_whose_data_is_deleted_refuses_actions_and_stops_in_good_order(
    tmp_path: Path,
) -> None:
    server = Server(tmp_path / "data")
    async with stopping(server), desk_at(server) as desk:
        pair = await Pair.sit_down(desk, Record())
        await pair.act(5)
        shutil.rmtree(server.folder)
        await pair.next_request()
        assert (await refusal(pair.send())).reason == "STORE_UNAVAILABLE"
    assert not server.folder.exists()


class Disk:
    """A file system of its own, in a file."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "disk"
        self._image = folder / "image"
        self.place.mkdir()
        with self._image.open("wb") as file:
            file.truncate(16 * 1024 * 1024)
        subprocess.run(["mkfs.ext4", "-q", self._image], check=True)
        self._mount("loop,errors=remount-ro")

    def break_down(self) -> None:
        """Becomes read-only, as the kernel makes it after an error of the device."""
        self._mount("remount,abort", check=False)

    def repair(self) -> None:
        subprocess.run(["umount", self.place], check=True)
        subprocess.run(["e2fsck", "-y", "-f", self._image], check=False, capture_output=True)
        self._mount("loop,errors=remount-ro")

    def remove(self) -> None:
        subprocess.run(["umount", "--lazy", self.place], check=True)

    def _mount(self, options: str, *, check: bool = True) -> None:
        where = [self.place] if options.startswith("remount") else [self._image, self.place]
        subprocess.run(["mount", "-o", options, *where], check=check)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    if os.geteuid() != 0 or shutil.which("mkfs.ext4") is None:
        pytest.skip("only root can mount a disk, and mkfs.ext4 is needed (e2fsprogs)")
    disk = Disk(tmp_path)
    yield disk
    disk.remove()


async def test_a_file_system_that_becomes_read_only_refuses_actions_and_loses_none(
    disk: Disk, tmp_path: Path
) -> None:
    server, record = Server(disk.place / "data", lines=tmp_path / "lines"), Record()
    async with server:
        async with desk_at(server) as desk:
            pair = await Pair.sit_down(desk, record)
            await pair.act(5)
            disk.break_down()
            await pair.next_request()
            for _ in range(2):
                assert (await refusal(pair.send())).reason == "STORE_UNAVAILABLE"
        await server.stop()
        disk.repair()
        await server.start()
        async with desk_at(server) as desk:
            pair.move_to(desk)
            await pair.send()
            await pair.act(5)
        assert await server.stop() == 0
        assert "Traceback" not in server.said
    assert differences(record, server.file) == []
