"""The client with the real server, which is killed in the middle of a match."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from ginrummy.client import GinRummyClient, MatchClient, NotYourTurn, StaleSequence
from ginrummy.v1.action_pb2 import Action
from ginrummy.v1.events_pb2 import Notice
from ginrummy.v1.match_pb2 import HumanSeat, Match, MatchState, Seat
from ginrummy.v1.view_pb2 import View
from tests.ports import free_port


class RealServer:
    """The server as a process of its own, on one port and one folder through all its lives."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: Process | None = None
        self.port = free_port()

    async def start(self) -> None:
        program = Path(sys.executable).with_name("ginrummy-server")
        options = ["--port", str(self.port), "--data-dir", str(self._folder), "--ready-json"]
        options += ["--simulation-workers", "1"]  # as slow on a machine of many cores
        self._process = await asyncio.create_subprocess_exec(program, *options, stdout=PIPE)
        assert self._process.stdout is not None
        self.port = json.loads(await self._process.stdout.readline())["port"]

    async def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        await self._process.communicate()


def choice(view: View) -> Action:
    options = view.discard_options
    return options.hint if options.HasField("hint") else view.legal_actions[0]


async def play(match: MatchClient, seat: int) -> list[int]:
    """Plays the seat to the end; the sequence numbers of all updates."""
    seen = []
    async with match.play() as session:
        async for update in session:
            if isinstance(update, Notice):
                continue
            seen.append(update.sequence)
            if update.to_act != seat:
                continue
            view = await match.view()
            if view.legal_actions:
                try:
                    await session.act(choice(view), expected_sequence=view.sequence)
                except (StaleSequence, NotYourTurn):
                    # This update was an old one.
                    continue
    return seen


async def watch(match: MatchClient) -> list[int]:
    return [update.sequence async for update in match.watch() if not isinstance(update, Notice)]


@pytest.mark.parametrize("kills", [0, 2])
async def test_a_match_is_played_to_its_end_whatever_happens_to_the_server(
    tmp_path: Path, kills: int
) -> None:
    server = RealServer(tmp_path)
    await server.start()
    try:
        async with GinRummyClient(f"127.0.0.1:{server.port}") as client:
            await client.wait_ready(30)
            people = [Seat(human=HumanSeat(display_name=name)) for name in ("Ada", "Ben")]
            created = await client.create_match(
                Match(ruleset="rulesets/short", seats=people, allow_hints=True)
            )
            name = created.match.name
            first, second = (client.seat(name, created.seats[seat]) for seat in (1, 2))
            playing = asyncio.gather(play(first, 1), play(second, 2), watch(first))
            for _ in range(kills):
                await asyncio.sleep(0.05)
                await server.kill()
                await server.start()
            for seen in await playing:
                assert seen == list(range(seen[0], seen[-1] + 1))
            ended = await client.get_match(name)
            assert ended.state == MatchState.MATCH_STATE_FINISHED
            assert [e.sequence async for e in client.match_events(name)][-1] == ended.sequence
    finally:
        await server.kill()
