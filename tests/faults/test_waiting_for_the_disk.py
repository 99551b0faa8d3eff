"""An action is answered after the disk has it, as the server's system calls show."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import grpc
import pytest

from tests.server.players import LONG, Desk, Player, watch

from .servers import SERVER, Server, planted
from .trace import AnsweredTooEarly, Found, check_trace, strace

ACTIONS = 20

pytestmark = pytest.mark.skipif(
    shutil.which("strace") is None, reason="strace is needed (apt-get install strace)"
)


async def play_one_by_one(address: str) -> None:
    """Players who wait for each other, and watch."""
    async with grpc.aio.insecure_channel(address) as channel:
        one, two = await Desk(channel).new_players("kawu", overrides=LONG)
        streams = [watch(player, after_sequence=0) for player in (one, two)]
        for _ in range(ACTIONS):
            acting = await act(one, two)
            for stream in streams:
                await see(stream, acting.events[-1].sequence)
        for stream in streams:
            stream.cancel()


async def act(one: Player, two: Player) -> Player:
    view = await one.view()
    acting = one if view.to_act == 1 else two
    answer = await acting.act(await acting.view())
    acting.events += answer.events
    return acting


async def see(stream: object, sequence: int) -> None:
    """Reads until this event has come, so that the next call has the server for itself."""
    async for response in stream:  # type: ignore[attr-defined]
        if any(event.sequence == sequence for event in response.events):
            return


async def traced(folder: Path, program: Sequence[str]) -> Found:
    """What a server's calls show while such players play."""
    (folder / "data").mkdir()
    trace = folder / "trace"
    server = Server(folder / "data", program=program, under=strace(trace))
    async with server:
        await play_one_by_one(server.address)
        assert await server.stop() == 0
    with trace.open(encoding="utf-8") as lines:
        return check_trace(lines)


async def test_between_a_write_to_the_log_and_its_answer_the_disk_is_waited_for(
    tmp_path: Path,
) -> None:
    found = await traced(tmp_path, SERVER)
    assert found.syncs >= ACTIONS
    assert found.answers >= 3 * ACTIONS


async def test_a_server_that_does_not_wait_is_found_out(tmp_path: Path) -> None:
    with pytest.raises(AnsweredTooEarly):
        await traced(tmp_path, planted("do_not_wait_for_the_disk"))


WRITE = '7 pwrite64(9<\\x2f\\x61\\x2d\\x77\\x61\\x6c>, "\\x00", 1, 0) = 1'
SYNC = "7 fdatasync(9<\\x2f\\x61\\x2d\\x77\\x61\\x6c>) = 0"
FRAME = "\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x01\\x05"
ANSWER = f'8 sendmsg(4<TCP:[127.0.0.1:1->127.0.0.1:2]>, "{FRAME}", 10) = 10'
PING = ANSWER.replace("\\x00\\x00\\x01\\x00", "\\x00\\x00\\x01\\x06")


def test_the_order_of_calls_is_read_across_threads() -> None:
    begun, ended = SYNC.replace(") = 0", " <unfinished ...>"), "7 <... fdatasync resumed>) = 0"
    assert check_trace([WRITE, begun, PING, ended, ANSWER]).answers == 1
    failed = SYNC.replace("= 0", "= -1 EIO (Input/output error)")
    other = SYNC.replace("\\x61\\x2d", "\\x62\\x2d").replace("\\x6c", "\\x6d")
    for calls in (
        [WRITE, ANSWER],
        [WRITE, begun, ANSWER, ended],
        [WRITE, begun, WRITE, ended, ANSWER],
        [WRITE, failed, ANSWER],
        [WRITE, other, ANSWER],
    ):
        with pytest.raises(AnsweredTooEarly):
            check_trace(calls)
