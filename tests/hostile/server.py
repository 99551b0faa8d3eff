"""A server under attack: what it costs, and whether others can play meanwhile."""

import asyncio
import gc
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import grpc

from ..server.players import Desk, Player
from ..server.programs import PROGRAM, data_flags

FAR_S = 120
"""More than anything here takes, also where all is ten times slower."""
MOST_MORE_KB = 300_000
"""Memory that an attack may cost."""


@dataclass(frozen=True, slots=True)
class Vitals:
    """What the process uses."""

    memory_kb: int
    peak_kb: int
    sockets: int


class Server:
    """The real program, with its complaints in a file so that they never wait to be read."""

    def __init__(self, process: asyncio.subprocess.Process, address: str, log: Path) -> None:
        self.process = process
        self.address = address
        self.log = log

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    @property
    def vitals(self) -> Vitals:
        folder = Path("/proc", str(self.process.pid))
        lines = (folder / "status").read_text().splitlines()
        sizes = {
            key: rest.split()[0]
            for key, _, rest in (line.partition(":") for line in lines)
            if rest.split()
        }
        return Vitals(int(sizes["VmRSS"]), int(sizes["VmHWM"]), sockets_of(folder / "fd"))

    def forget_peak(self) -> None:
        """The peak counts from now on."""
        Path("/proc", str(self.process.pid), "clear_refs").write_text("5")

    @asynccontextmanager
    async def desk(self) -> AsyncIterator[Desk]:
        own = (("grpc.use_local_subchannel_pool", 1), ("grpc.http2.bdp_probe", 0))
        async with grpc.aio.insecure_channel(self.address, own) as channel:
            yield Desk(channel)

    @asynccontextmanager
    async def unharmed(self, most_more_kb: int = MOST_MORE_KB) -> AsyncIterator[None]:
        """While something bad happens others play; afterwards all is as before."""
        before = self.vitals
        said = self.log.read_text()
        self.forget_peak()
        done = asyncio.Event()
        playing = asyncio.create_task(self._play_until(done))
        try:
            yield
        finally:
            done.set()
            await playing
        await self._sockets_return(before.sockets)
        after = self.vitals
        assert self.process.returncode is None
        assert after.peak_kb - before.memory_kb < most_more_kb
        complaints = self.log.read_text()[len(said) :]
        assert "Traceback" not in complaints, complaints
        assert "fault" not in complaints, complaints

    async def play_a_match(self) -> None:
        """A whole match, as anybody plays it."""
        async with asyncio.timeout(FAR_S), self.desk() as desk:
            players = await desk.new_players("playgridia")
            await asyncio.gather(*map(played_to_the_end, players))

    async def _play_until(self, done: asyncio.Event) -> None:
        await self.play_a_match()
        while not done.is_set():
            await self.play_a_match()

    async def _sockets_return(self, count: int) -> None:
        gc.collect()  # failed calls are in circles, and each keeps our end of a connection
        async with asyncio.timeout(FAR_S):
            while self.vitals.sockets > count:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.05)


def sockets_of(folder: Path) -> int:
    """How many of a process's open files are connections."""
    count = 0
    for file in folder.iterdir():
        with suppress(FileNotFoundError):
            count += str(file.readlink()).startswith("socket:")
    return count


async def played_to_the_end(player: Player) -> None:
    await player.play_by_act_and_watch()
    assert player.has_seen_the_end


@asynccontextmanager
async def serving(folder: Path, *arguments: str) -> AsyncIterator[Server]:
    log = folder / "log"
    with log.open("w") as complaints:
        process = await asyncio.create_subprocess_exec(
            *PROGRAM,
            *("--port", "0", "--ready-json", "--allow-seeds"),
            *data_flags(folder / "data"),
            *arguments,
            stdout=asyncio.subprocess.PIPE,
            stderr=complaints,
            env={**os.environ},
        )
    try:
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), FAR_S)
        yield Server(process, json.loads(line)["address"], log)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
