"""Tries to fill what a server has: its disk, its log lines, its metrics, its memory."""

import asyncio
import socket
import sqlite3
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
import pytest_asyncio
from grpc_health.v1 import health_pb2, health_pb2_grpc  # type: ignore[import-untyped]
from grpc_reflection.v1alpha import (  # type: ignore[import-untyped]
    reflection_pb2,
    reflection_pb2_grpc,
)

from ginrummy.log import MemoryLog
from ginrummy.server import receiving
from ginrummy.server.convert.actions import action_from_wire
from ginrummy.server.methods import API_SERVICES, MATCH_SERVICE
from ginrummy.server.metrics_port import MOST_CONNECTIONS
from ginrummy.server.refusals import BadField
from ginrummy.server.serving import Serving
from ginrummy.server.settings import Limits, Settings
from ginrummy.v1 import cards_pb2, match_pb2
from ginrummy.v1 import match_service_pb2 as pb

from ..hostile.frames import DATA, END_STREAM, HEADERS, Wire, call, frame, hello, message
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
STANDARD_METHODS = (
    "/grpc.health.v1.Health/Check",
    "/grpc.health.v1.Health/Watch",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
)


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
        for service in API_SERVICES:
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


def ended_in(said: bytes) -> int:
    """How many calls the server has ended in these bytes."""
    count = at = 0
    while len(said) >= at + 9:
        count += said[at + 3] == HEADERS and bool(said[at + 4] & END_STREAM)
        at += 9 + int.from_bytes(said[at : at + 3])
    return count


async def test_nothing_of_what_a_caller_sends_is_in_a_line_of_the_log(tmp_path: Path) -> None:
    async with serving(tmp_path, "--log-level", "debug") as server, server.desk() as desk:
        player, _ = await desk.new_players()
        token = dict(player.metadata)["authorization"].encode()
        body = message(pb.GetViewRequest(name=player.name).SerializeToString())
        async with await Wire.open(server.port) as wire:
            await wire.send(hello())
            for stream, path in enumerate(("GetView", "/grpc.health.v1.Health/Check", "/a.B/C")):
                spoilt = (("authorization", token + b"\xff"), ("x-api-key", b"\xffMARK" * 900))
                await wire.send(
                    call(path, 2 * stream + 1, *spoilt),
                    frame(DATA, END_STREAM, 2 * stream + 1, body),
                )
            await wire.send(call("/MARK\xff/MARK", 99))
            answered = b""
            async with asyncio.timeout(60):
                while ended_in(answered) < 4:
                    answered += await wire.read(0.2)
        for path in STANDARD_METHODS:
            nonsense = iter([b"\xff\xffMARK"])
            sent = desk.channel.stream_unary(path, raw, raw)(nonsense, timeout=TIMEOUT_S)
            assert await give_up(sent) is grpc.StatusCode.INVALID_ARGUMENT
    said = server.log.read_text()
    assert "GetView" in said
    assert "MARK" not in said
    assert token.decode()[-20:] not in said
    assert "ERROR" not in said


class Counted(Sequence[Any]):
    """So many things, none of which may be looked at."""

    def __len__(self) -> int:
        return 32_000

    def __getitem__(self, _: Any) -> Any:
        raise AssertionError("looked at before they were counted")


@pytest.mark.parametrize(
    ("kind", "field"),
    [("knock", "melds"), ("big_gin", "melds"), ("lay_off", "melds"), ("lay_off", "moves")],
)
async def test_what_is_too_many_is_counted_before_it_is_looked_at(kind: str, field: str) -> None:
    many = SimpleNamespace(**({"discard": 1, "melds": [], "moves": []} | {field: Counted()}))
    action: Any = SimpleNamespace(WhichOneof=lambda _: kind, **{kind: many})
    with pytest.raises(BadField, match="at most 11"):
        action_from_wire(action, "action")


async def test_what_a_stranger_does_is_not_looked_at(server: Server) -> None:
    async with server.desk() as desk:
        player, _ = await desk.new_players()
        request = pb.ActRequest(name=player.name, expected_sequence=1)
        request.action.lay_off.melds.extend([cards_pb2.Meld()] * 100)
        told = await refusal(desk.matches.Act(request, metadata=bearer("a.b")))
        assert told.reason == "BAD_TOKEN"
        told = await refusal(desk.matches.Act(request, metadata=player.metadata))
        assert (told.reason, told.fields) == ("BAD_FIELD", ["action.lay_off.melds"])


@asynccontextmanager
async def here_with(**limits: Any) -> AsyncIterator[int]:
    """A server in this process; its port."""
    here = Serving(MemoryLog(), Settings(limits=Limits(**limits)))
    try:
        yield await here.start("127.0.0.1", 0)
    finally:
        await here.stop(0.2)


def connected(port: int) -> grpc.aio.Channel:
    return grpc.aio.insecure_channel(f"127.0.0.1:{port}")


async def test_who_watches_the_health_makes_nobody_deaf_and_no_one_else_pays() -> None:
    limits = Limits(max_requests_per_s=1, max_streams_per_caller=3)
    here = Serving(MemoryLog(), Settings(limits=limits))
    port = await here.start("127.0.0.1", 0)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        health = health_pb2_grpc.HealthStub(channel)
        patient = await opened(lambda: health.Watch(health_pb2.HealthCheckRequest()))
        leaving = await opened(lambda: health.Watch(health_pb2.HealthCheckRequest()))
        leaving.cancel()
        long = health_pb2.HealthCheckRequest(service="x" * 201)
        unknown = await opened(lambda: health.Watch(long))
        for _ in range(20):  # beside a limit of one each second
            told = await health.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT_S)
            assert told.status == health_pb2.HealthCheckResponse.SERVING
        lost = health.Check(long)
        assert await give_up(lost) is grpc.StatusCode.NOT_FOUND
        stopping = asyncio.create_task(here.stop(5))
        async with asyncio.timeout(60):
            told = await patient.read()
        assert told.status == health_pb2.HealthCheckResponse.NOT_SERVING
        unknown.cancel()
        patient.cancel()
    await stopping


async def opened(open_stream: Callable[[], Any]) -> Any:
    """A stream, once its caller may make another call, and its first answer is there."""
    async with asyncio.timeout(60):
        while True:
            stream = open_stream()
            try:
                await stream.read()
            except grpc.aio.AioRpcError as error:
                assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED  # noqa: PT017
                await asyncio.sleep(0.1)
            else:
                return stream


@pytest.mark.parametrize("method", STANDARD_METHODS[1:])
async def test_streams_of_the_standard_services_are_counted(method: str) -> None:
    here = Serving(MemoryLog(), Settings(limits=Limits(max_streams_per_caller=2)))
    port = await here.start("127.0.0.1", 0)
    request = b"" if "Watch" in method else reflection_pb2.ServerReflectionRequest(list_services="")
    raw_request = request if isinstance(request, bytes) else request.SerializeToString()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        streams = []
        for number in range(3):
            stream = channel.stream_stream(method, raw, raw)()
            await stream.write(raw_request)
            if number < 2:
                assert await stream.read()
            else:
                assert (await refusal(stream.read())).metadata["limit"] == "streams_of_a_caller"
            streams.append(stream)
        for stream in streams:
            stream.cancel()
    await here.stop(0.2)


async def test_each_question_about_the_services_is_a_request() -> None:
    async with here_with(max_requests_per_s=1) as port, connected(port) as channel:
        asking = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo()

        async def ask() -> None:
            for _ in range(500):
                await asking.write(reflection_pb2.ServerReflectionRequest(list_services=""))
                await asking.read()

        assert await give_up(ask()) is grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.parametrize("path", STANDARD_METHODS)
async def test_standard_services_take_no_larger_requests_than_ours(path: str) -> None:
    async with here_with() as port, connected(port) as channel:
        large = iter([b"\x0a\xff\xff\x07" + b"x" * 131_071])
        sent = channel.stream_unary(path, raw, raw)(large, timeout=TIMEOUT_S)
        assert (await refusal(sent)).reason == "MESSAGE_TOO_LARGE"


@pytest.mark.parametrize("path", ["GetMatch", "Play", *STANDARD_METHODS])
async def test_calls_that_wait_for_their_request_are_few_and_the_oldest_gives_way(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiving, "MOST_WAITING", 5)
    async with here_with() as port, await Wire.open(port) as wire:
        await wire.send(hello(), *(call(path, 2 * number + 1) for number in range(200)))
        said = b""
        async with asyncio.timeout(60):
            while ended_in(said) < 195:
                said += await wire.read(0.2)
        async with connected(port) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            for _ in range(10):  # who sends his request is served beside them
                await health.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT_S)
        assert b"grpc-status\x018" in said  # the first; the others only point at its words
        assert b"grpc-status\x013" not in said


def threads_of(server: Server) -> int:
    return len(list(Path("/proc", str(server.process.pid), "task").iterdir()))


def is_open(connection: socket.socket) -> bool:
    """Sends one byte more of a question; whether the other side was there to take it."""
    try:
        connection.send(b"G")
        if connection.recv(1):
            return True
    except BlockingIOError:
        return True
    except OSError:
        pass
    connection.close()
    return False


async def test_half_a_question_on_the_metrics_port_holds_neither_thread_nor_answer(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, "--metrics-port", "0") as server:
        port = metrics_port_of(server)
        before = threads_of(server)
        half = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
        most = 0
        for connection in half:
            connection.setblocking(False)
        async with asyncio.timeout(60):
            while half:  # each is hung up on, also while it goes on asking byte by byte
                most = max(most, threads_of(server))
                half = [connection for connection in half if is_open(connection)]
                await asyncio.sleep(0.05)
        assert most <= before + MOST_CONNECTIONS
        assert await series_at(port)
    assert "Traceback" not in server.log.read_text()


LARGE = b"\x7a\xe0\xd4\x03" + b"x" * 60_000
"""A field that no message has."""


@pytest.mark.parametrize("method", ["Play", "WatchMatch", *STANDARD_METHODS[1:]])
async def test_a_stream_does_not_hold_what_it_began_with(server: Server, method: str) -> None:
    async with server.desk() as desk:
        path = method if "/" in method else f"/{MATCH_SERVICE.full_name}/{method}"
        opening = desk.channel.stream_stream(path, raw, raw)
        streams = []
        for number in range(600):
            if number % 25 == 0:
                player, _ = await desk.new_players()
            watch = pb.WatchMatchRequest(name=player.name)
            request = {
                "Play": pb.PlayRequest(watch=watch).SerializeToString(),
                "WatchMatch": watch.SerializeToString(),
                STANDARD_METHODS[1]: b"",
                STANDARD_METHODS[2]: b"\x3a\x01*",
            }[method]
            stream = opening(metadata=player.metadata)
            await stream.write(request + LARGE)
            assert await stream.read()
            streams.append(stream)
            if number == 199:
                before_kb = server.vitals.memory_kb
        assert server.vitals.memory_kb - before_kb < 400 * 40
        for stream in streams:
            stream.cancel()
