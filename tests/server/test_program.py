"""The program: how it starts, what it refuses, how it stops, and what it keeps."""

import asyncio
import re
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import grpc
import pytest

from ginrummy.server.app import FILE_NAME
from ginrummy.server.catalog_service import SERVER_VERSION
from ginrummy.v1 import action_pb2, cards_pb2, events_pb2, match_pb2, rules_pb2
from ginrummy.v1 import match_service_pb2 as pb

from ..ports import free_port
from .players import BOT, TIMEOUT_S, Desk, Player, new_request_id, play_out
from .programs import PROGRAM, Program, data_flags, launch, run_to_end, running
from .refusals import refusal

RECONNECT = (
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 10_000),  # how long one attempt may take
    ("grpc.max_reconnect_backoff_ms", 200),
)
Answer = TypeVar("Answer")
PASSING = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)


def desk_at(program: Program) -> tuple[grpc.aio.Channel, Desk]:
    channel = grpc.aio.insecure_channel(program.address, RECONNECT)
    return channel, Desk(channel)


async def test_it_says_where_it_listens_as_one_line_of_json(tmp_path: Path) -> None:
    async with running(*data_flags(tmp_path)) as program:
        assert program.port > 0
        assert program.address == f"127.0.0.1:{program.port}"


async def test_it_says_where_it_listens_for_people() -> None:
    process = await asyncio.create_subprocess_exec(
        *PROGRAM,
        *("--port", "0", "--in-memory"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    assert line.startswith(f"ginrummy-server {SERVER_VERSION} listens on 127.0.0.1:")
    process.send_signal(signal.SIGINT)
    await process.communicate()
    assert process.returncode == 0


async def test_version_and_help_are_told() -> None:
    code, out, _ = await run_to_end("--version")
    assert (code, out) == (0, f"ginrummy-server {SERVER_VERSION}\n")
    code, out, _ = await run_to_end("--help")
    assert code == 0
    assert "--data-dir" in out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--port", "70000"), "--port: is 0 to 65535"),
        (("--port", "x"), "--port"),
        (("--log-level", "loud"), "debug, info, warning, error"),
        (("--grace-s", "-1"), "--grace-s"),
        (("--prot", "1"), "--prot"),
    ],
)
async def test_a_wrong_setting_is_named_with_what_is_allowed(
    arguments: tuple[str, ...], named: str
) -> None:
    code, _, err = await run_to_end(*arguments)
    assert code == 2
    assert named in err


async def test_settings_come_from_the_environment_too(tmp_path: Path) -> None:
    environment = {"GINRUMMY_DATA_DIR": str(tmp_path / "here"), "GINRUMMY_LOG_LEVEL": "debug"}
    program = await launch(environment=environment)
    assert await program.stop() == 0
    assert (tmp_path / "here").is_dir()
    await program.process.communicate()


async def test_a_port_in_use_is_refused_in_one_clear_line(program: Program) -> None:
    code, out, err = await run_to_end("--port", str(program.port), "--in-memory")
    assert code == 1
    assert out == ""
    assert err == (f"ginrummy-server: cannot listen on {program.address}: the port is in use\n")


@pytest.mark.parametrize(
    ("host", "reason"),
    [("no-such-host.invalid", "there is no host 'no-such-host.invalid'"), ("192.0.2.1", "cannot")],
)
async def test_an_address_that_is_not_ours_is_refused_with_the_reason(
    host: str, reason: str
) -> None:
    code, _, err = await run_to_end("--host", host, "--port", "0", "--in-memory", "--insecure")
    assert code == 1
    assert err.startswith(f"ginrummy-server: cannot listen on {host}:0: {reason}")
    assert err.count("\n") == 1


async def test_a_data_file_in_use_is_refused_in_one_clear_line(tmp_path: Path) -> None:
    async with running(*data_flags(tmp_path)) as program:
        code, out, err = await run_to_end("--port", "0", *data_flags(tmp_path))
        assert code == 1
        assert out == ""
        assert err.count("\n") == 1
        assert "in use" in err
        assert str(tmp_path) in err
        assert await program.stop() == 0


async def test_a_damaged_data_file_is_refused_in_one_clear_line(tmp_path: Path) -> None:
    async with running(*data_flags(tmp_path)) as program:
        assert await program.stop() == 0
    file = tmp_path / FILE_NAME
    file.write_bytes(b"not a database at all" * 500)
    code, _, err = await run_to_end("--port", "0", *data_flags(tmp_path))
    assert code == 1
    assert err.count("\n") == 1
    assert str(file) in err
    assert "Traceback" not in err


async def test_a_data_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for folder in (file, file / "inner"):
        code, _, err = await run_to_end("--port", "0", *data_flags(folder))
        assert code == 1
        problem = f"--data-dir {folder}: a folder is needed, and {folder} is none\n"
        assert err == f"ginrummy-server: {problem}"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_stop_ends_streams_with_a_last_word_and_loses_no_answered_action(
    tmp_path: Path, number: int
) -> None:
    async with running(*data_flags(tmp_path)) as program:
        channel, desk = desk_at(program)
        # Longer than a hand can make it, and short enough to be played out.
        one, two = await desk.new_players("kawu", overrides=rules_pb2.Rules(target=150))
        playing = asyncio.gather(
            *(answered_actions(player) for player in (one, two)), return_exceptions=True
        )
        items = asyncio.create_task(watch_to_end(desk, one))
        async with asyncio.timeout(60):
            while one.head < 12:  # noqa: ASYNC110 - which action is answered last is chance
                await asyncio.sleep(0.02)
        assert await program.stop(number) == 0
        answered = [event for events in await playing for event in events]  # type: ignore[union-attr]
        assert answered
        assert (await items)[-1].notices[-1].HasField("going_away")
        await channel.close()
        _, err = await program.process.communicate()
        assert b"Traceback" not in err
    async with running(*data_flags(tmp_path), "--log-level", "warning") as program:
        channel, desk = desk_at(program)
        for player in (one, two):
            player.desk = desk
        await play_out(one, two)
        told = {event.sequence: event for event in await desk.events(one.name)}
        assert all(told[event.sequence].time == event.time for event in answered)
        await channel.close()


async def watch_to_end(desk: Desk, player: Player) -> list[pb.WatchMatchResponse]:
    """All that a stream sends until the server ends it as one that stops."""
    call = desk.matches.WatchMatch(pb.WatchMatchRequest(name=player.name), metadata=player.metadata)
    sent: list[pb.WatchMatchResponse] = []

    async def read() -> None:
        async for response in call:
            sent.append(response)

    assert (await refusal(read())).reason == "DRAINING"
    return sent


async def answered_actions(player: Player) -> list[events_pb2.MatchEvent]:
    """Plays until the server goes away; the events of the actions that it answered."""
    answered: list[events_pb2.MatchEvent] = []
    with suppress(grpc.aio.AioRpcError):
        async for event in player.watch():
            if event.to_act == player.seat:
                view = await player.view()
                if view.sequence == event.sequence:
                    answered += (await player.act(view)).events
    return answered


class Stubborn:
    """A player who goes on through any trouble, and remembers what he was promised."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.promised: dict[int, str] = {}

    async def play(self) -> None:
        while not self.player.has_seen_the_end:
            try:
                async for event in self.player.watch():
                    if event.to_act == self.player.seat:
                        await self.act_at(event.sequence)
                if not self.player.has_seen_the_end:
                    await asyncio.sleep(0.05)
            except grpc.aio.AioRpcError as error:
                if error.code() not in PASSING:
                    raise
                await asyncio.sleep(0.05)

    async def act_at(self, sequence: int) -> None:
        view = await self.insist(self.player.view)
        if view.sequence != sequence:
            return
        request = self.player.act_request(view, new_request_id())
        try:
            response = await self.insist(lambda: self.player.send(request))
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.ABORTED:
                raise
            return
        for event in response.events:
            self.promised[event.sequence] = event.WhichOneof("payload") or ""

    async def insist(self, call: Callable[[], Awaitable[Answer]]) -> Answer:
        """Calls until the server is there to answer."""
        while True:
            try:
                return await call()
            except grpc.aio.AioRpcError as error:
                if error.code() not in PASSING:
                    raise
                await asyncio.sleep(0.05)


async def test_after_a_kill_both_players_go_on_and_no_answered_action_is_lost(
    tmp_path: Path,
) -> None:
    flags = ("--port", str(free_port()), *data_flags(tmp_path))
    program = await launch(*flags)
    channel, desk = desk_at(program)
    players = [Stubborn(player) for player in await desk.new_players("kawu")]
    playing = asyncio.gather(*(player.play() for player in players))
    for _ in range(3):
        await asyncio.sleep(0.4)
        await program.kill()
        await program.process.communicate()
        program = await launch(*flags)
    await asyncio.wait_for(playing, 60)
    told = await desk.events(players[0].player.name)
    assert [event.sequence for event in told] == list(range(1, len(told) + 1))
    for player in players:
        assert player.promised
        assert [event.sequence for event in player.player.events] == list(range(1, len(told) + 1))
        for sequence, payload in player.promised.items():
            assert told[sequence - 1].WhichOneof("payload") == payload
    await channel.close()
    assert await program.stop() == 0
    await program.process.communicate()


async def test_bots_go_on_by_themselves_after_a_kill(tmp_path: Path) -> None:
    program = await launch(*data_flags(tmp_path))
    channel, desk = desk_at(program)
    names = []
    for _ in range(5):
        created = await desk.create("kawu", seats=[BOT, BOT])
        names.append(created.match.name)
    await program.kill()
    await program.process.communicate()
    await channel.close()
    async with running(*data_flags(tmp_path)) as program:
        channel, desk = desk_at(program)
        async with asyncio.timeout(30):
            for name in names:
                while True:
                    request = pb.GetMatchRequest(name=name)
                    match = (await desk.matches.GetMatch(request, timeout=TIMEOUT_S)).match
                    if match.state == match_pb2.MATCH_STATE_FINISHED:
                        break
                    await asyncio.sleep(0.05)
        await channel.close()


async def test_no_card_and_no_token_reaches_the_log_lines(tmp_path: Path) -> None:
    async with running(*data_flags(tmp_path), "--log-level", "debug") as program:
        channel, desk = desk_at(program)
        one, two = await desk.new_players("short")
        view = await one.view()
        acting = one if view.to_act == 1 else two
        illegal = action_pb2.Action(discard=action_pb2.Discard(card=cards_pb2.CARD_7H))
        with suppress(grpc.aio.AioRpcError):
            await acting.send(acting.act_request(await acting.view(), action=illegal))
        await play_out(one, two)
        await channel.close()
        assert await program.stop() == 0
        _, err = await program.process.communicate()
    text = err.decode()
    assert "stopped" in text
    for player in (one, two):
        assert dict(player.metadata)["authorization"].split()[1] not in text
    assert not re.search(r"\b(CARD_)?[A2-9TJQK][CDHS]\b", text)
