"""Tries to fill what a server has: its disk, its log lines, its metrics, its memory."""

import asyncio
import sqlite3
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio

from ginrummy.log import MemoryLog
from ginrummy.server.methods import CATALOG_SERVICE, MATCH_SERVICE
from ginrummy.server.serving import Serving
from ginrummy.v1 import match_pb2
from ginrummy.v1 import match_service_pb2 as pb

from ..hostile.server import Server, serving
from ..server.players import (
    HUMAN,
    OPEN,
    TIMEOUT_S,
    Desk,
    Player,
    Stream,
    bearer,
    new_request_id,
)
from ..server.refusals import refusal

pytestmark = pytest.mark.asyncio(loop_scope="module")

AGAIN = 60


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    async with serving(tmp_path_factory.mktemp("waste")) as server:
        yield server


def rows_of(server: Server) -> Counter[str]:
    """How many rows each table of the stored file has."""
    path = server.log.parent / "data" / "matches.sqlite3"
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        names = [name for (name,) in found.fetchall()]
        return Counter(
            {
                name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
                for name in names
            }
        )
    finally:
        connection.close()


async def test_what_is_sent_again_and_again_is_stored_once(server: Server) -> None:
    async with server.desk() as desk:
        match = match_pb2.Match(ruleset="rulesets/short", seats=[HUMAN, OPEN])
        create = pb.CreateMatchRequest(match=match, request_id=new_request_id())
        name = (await desk.matches.CreateMatch(create)).match.name
        join = pb.JoinMatchRequest(name=name, request_id=new_request_id())
        token = (await desk.matches.JoinMatch(join)).token
        created = await desk.matches.CreateMatch(create)
        players = [Player(desk, name, created.seat_tokens[1], 1), Player(desk, name, token, 2)]
        player = players[(await players[0].view()).to_act - 1]
        act = player.act_request(await player.view())
        await player.send(act)
        before = rows_of(server)
        for _ in range(AGAIN // 10):
            again = await desk.matches.JoinMatch(join)
            if player.seat == 2:
                player.metadata = bearer(again.token)
        assert rows_of(server) == before
        host = bearer(created.host_token)
        erase = pb.ErasePlayerRequest(name=name, seat=player.seat)
        await desk.matches.ErasePlayer(erase, metadata=host)
        renew = pb.ReissueTokenRequest(name=name, seat=3 - player.seat)
        await desk.matches.ReissueToken(renew, metadata=host)
        before = rows_of(server)
        for _ in range(AGAIN):
            assert (await player.send(act)).replayed
            late = player.act_request(await player.view(), action=act.action)
            late.expected_sequence = 1
            assert (await refusal(player.send(late))).reason == "STALE_SEQUENCE"
            await desk.matches.ErasePlayer(erase, metadata=host)
            other = desk.matches.JoinMatch(pb.JoinMatchRequest(name=name))
            assert (await refusal(other)).reason == "NO_OPEN_SEAT"
            await desk.matches.ReissueToken(renew, metadata=host)
            assert (await refusal(desk.matches.JoinMatch(join))).reason == "BAD_TOKEN"
        assert rows_of(server) == before


def raw(payload: bytes) -> bytes:
    return payload


async def give_up(call: Awaitable[Any]) -> grpc.StatusCode:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return failed.value.code()


async def test_calls_that_are_refused_write_no_lines(server: Server) -> None:
    said = server.log.read_text()
    async with server.desk() as desk:
        player, _ = await desk.new_players()
        names = [
            player.name,
            "matches/none",
            "matches/" + "x" * 64,
            "rulesets/short",
            "\n",
            "x" * 999,
        ]
        tokens: list[Any] = [(), bearer("a.b"), bearer("A" * 500), player.metadata]
        for service in (MATCH_SERVICE, CATALOG_SERVICE):
            for method in service.methods:
                if method.client_streaming:
                    continue
                path = f"/{service.full_name}/{method.name}"
                kind = "unary_stream" if method.server_streaming else "unary_unary"
                call: Callable[..., Any] = getattr(desk.channel, kind)(path, raw, raw)
                for payload in (b"\xff\xff", b"\x0a\x7f", b"\x00" * 70_000):
                    code = await give_up(_first(call(payload, timeout=TIMEOUT_S)))
                    assert code is grpc.StatusCode.INVALID_ARGUMENT
        for name in names:
            for metadata in tokens[:3]:
                view = pb.GetViewRequest(name=name)
                await give_up(desk.matches.GetView(view, metadata=metadata))
                renew = pb.ReissueTokenRequest(name=name, seat=7)
                await give_up(desk.matches.ReissueToken(renew, metadata=metadata))
        await give_up(desk.channel.unary_unary("/a.B/\nC", raw, raw)(b""))
    assert server.log.read_text() == said


async def _first(call: Any) -> Any:
    if hasattr(call, "read"):
        return await call.read()
    return await call


async def test_commands_that_are_refused_write_no_lines_and_the_stream_goes_on(
    server: Server,
) -> None:
    said = server.log.read_text()
    async with server.desk() as desk:
        player, _ = await desk.new_players()
        stream = Stream(player)
        assert (await stream.send("", watch=pb.WatchMatchRequest(name=player.name))).ok
        for number in range(AGAIN):
            command: dict[str, Any] = {"act": pb.ActRequest(expected_sequence=number)}
            assert not (await stream.send(str(number), **command)).ok
            assert not (await stream.send(str(number))).ok
        assert (await stream.send("last", ping=pb.Ping())).ok
        stream.call.cancel()
    assert server.log.read_text() == said


async def test_nothing_that_a_caller_sends_makes_another_metric(tmp_path: Path) -> None:
    async with serving(tmp_path, "--metrics-port", "0") as server:
        ready_port = metrics_port_of(server)
        before = await series_at(ready_port)
        async with server.desk() as desk:
            player, _ = await desk.new_players(labels={"a": "b"})
            for number in range(20):
                path = f"/ginrummy.v1.MatchService/Act{number}"
                await give_up(desk.channel.unary_unary(path, raw, raw)(b""))
                metadata = (("x-api-key", f"key-{number}" * 4), *bearer(f"a.{number}"))
                request = pb.GetViewRequest(name=f"matches/{number}")
                await give_up(desk.matches.GetView(request, metadata=metadata))
                join = pb.JoinMatchRequest(name=player.name, request_id=new_request_id())
                await give_up(desk.matches.JoinMatch(join))
                await give_up(desk.create(f"ruleset-{number}"))
        assert await series_at(ready_port) == before


def metrics_port_of(server: Server) -> int:
    """The one port on which it listens, beside that of its calls."""
    found = listening_ports(server.process.pid) - {server.port}
    [port] = found
    return port


def listening_ports(pid: int) -> set[int]:
    sockets = set()
    for file in Path("/proc", str(pid), "fd").iterdir():
        target = str(file.readlink()) if file.is_symlink() else ""
        if target.startswith("socket:["):
            sockets.add(target[8:-1])
    ports = set()
    for table in ("tcp", "tcp6"):
        for line in Path("/proc", str(pid), "net", table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in sockets:
                ports.add(int(fields[1].rpartition(":")[2], 16))
    return ports


async def series_at(port: int) -> set[str]:
    """The names and labels of all that is measured."""

    def read() -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
            return str(answer.read().decode())

    text = await asyncio.to_thread(read)
    return {line.rpartition(" ")[0] for line in text.splitlines() if not line.startswith("#")}


async def test_of_matches_that_there_are_not_nothing_is_kept() -> None:
    serving_here = Serving(MemoryLog())
    port = await serving_here.start("127.0.0.1", 0)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        desk = Desk(channel)
        for number in range(AGAIN):
            request = pb.GetViewRequest(name=f"matches/{number:032x}")
            call = desk.matches.GetView(request, metadata=bearer(f"{number:032x}.A"))
            assert (await refusal(call)).reason == "MATCH_NOT_FOUND"
            watch = pb.WatchMatchRequest(name=request.name)
            assert (
                await refusal(desk.matches.WatchMatch(watch).read())
            ).reason == "MATCH_NOT_FOUND"
    tables = serving_here.tables
    assert (tables.live_count, tables.set_aside_count) == (0, 0)
    assert not tables.count_watchers()
    assert not len(serving_here.gate.streams)
    await serving_here.stop(0.2)
