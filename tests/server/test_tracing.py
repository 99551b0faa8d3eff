"""What a trace tells of calls, and what it never tells."""

import asyncio
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

import grpc
import pytest
import pytest_asyncio
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ginrummy.v1 import match_pb2, match_service_pb2

from .players import BOT, HUMAN, OPEN, Desk, Player, Stream, new_request_id, play_out
from .programs import Program, running
from .refusals import refusal

# Requests here are written as dictionaries, which the generated types do not know.
pb: Any = match_service_pb2
ERROR = 2
SERVICE = "ginrummy.v1.MatchService"
KEYS = {
    "rpc.system",
    "rpc.service",
    "rpc.method",
    "rpc.grpc.status_code",
    "ginrummy.command",
    "ginrummy.match",
    "ginrummy.reason",
    "ginrummy.request_id",
    "ginrummy.seat",
}
"""All that a span tells."""


class Receiver:
    """A collector of traces: what it was sent."""

    def __init__(self) -> None:
        self.requests: list[ExportTraceServiceRequest] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                body = self.rfile.read(length)
                if self.path == "/v1/traces":
                    receiver.requests.append(ExportTraceServiceRequest.FromString(body))
                self.send_response(200)
                self.send_header("content-type", "application/x-protobuf")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def all_spans(self) -> list[Any]:
        return [
            span
            for request in self.requests
            for of_resource in request.resource_spans
            for of_scope in of_resource.scope_spans
            for span in of_scope.spans
        ]

    def spans(self, name: str, match: str = "") -> list[Any]:
        """Those of this name, and of this match."""
        return [
            span
            for span in self.all_spans()
            if span.name == name
            and match.removeprefix("matches/") in (told(span).get("ginrummy.match"), "")
        ]

    async def until(self, name: str, match: str = "", count: int = 1) -> list[Any]:
        """The same, once there are so many."""
        async with asyncio.timeout(60):
            while len(found := self.spans(name, match)) < count:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        return found

    def service_name(self) -> str:
        resource = self.requests[0].resource_spans[0].resource
        name: str = told(resource)["service.name"]
        return name


def told(span: Any) -> dict[str, Any]:
    """A span's attributes."""
    return {
        pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in span.attributes
    }


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


def sending_to(receiver: Receiver, **environment: str) -> dict[str, str]:
    """The environment of a server that sends its spans there soon."""
    return {
        "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.address,
        "OTEL_BSP_SCHEDULE_DELAY": "50",
        **environment,
    }


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def traced(receiver: Receiver) -> AsyncIterator[Program]:
    """A real server that sends traces to the receiver."""
    async with running("--in-memory", "--otel", environment=sending_to(receiver)) as program:
        yield program


@pytest.fixture
async def desk(traced: Program) -> AsyncIterator[Desk]:
    async with grpc.aio.insecure_channel(traced.address) as channel:
        yield Desk(channel)


async def test_a_span_tells_method_code_match_seat_and_request_id(
    receiver: Receiver, desk: Desk
) -> None:
    one, _ = await desk.new_players()
    request_id = new_request_id()
    resign = pb.ResignMatchRequest(name=one.name, request_id=request_id)
    await desk.matches.ResignMatch(resign, metadata=one.metadata)
    [created] = await receiver.until(f"{SERVICE}/CreateMatch", one.name)
    assert told(created)["rpc.grpc.status_code"] == 0
    [resigned] = await receiver.until(f"{SERVICE}/ResignMatch", one.name)
    assert told(resigned) == {
        "rpc.system": "grpc",
        "rpc.service": SERVICE,
        "rpc.method": "ResignMatch",
        "rpc.grpc.status_code": 0,
        "ginrummy.match": one.name.removeprefix("matches/"),
        "ginrummy.seat": 1,
        "ginrummy.request_id": request_id,
    }
    assert receiver.service_name() == "ginrummy-server"


async def test_a_refusal_is_told_by_its_reason_and_is_no_error_of_the_server(
    receiver: Receiver, desk: Desk
) -> None:
    await refusal(desk.matches.GetMatch(pb.GetMatchRequest(name="matches/nothing")))
    [span] = await receiver.until(f"{SERVICE}/GetMatch", "matches/nothing")
    assert told(span)["rpc.grpc.status_code"] == grpc.StatusCode.NOT_FOUND.value[0]
    assert told(span)["ginrummy.reason"] == "MATCH_NOT_FOUND"
    assert span.status.code != ERROR


async def test_a_span_belongs_to_the_callers_trace(receiver: Receiver, desk: Desk) -> None:
    one, _ = await desk.new_players()
    trace_id, parent_id = uuid4().hex, uuid4().hex[:16]
    request = pb.GetMatchRequest(name=one.name)
    for parent in (f"00-{trace_id}-{parent_id}-00", f"00-{trace_id}-{parent_id}-01", "nonsense"):
        await desk.matches.GetMatch(request, metadata=(("traceparent", parent),))
    within, alone = await receiver.until(f"{SERVICE}/GetMatch", one.name, 2)
    assert (within.trace_id.hex(), within.parent_span_id.hex()) == (trace_id, parent_id)
    assert alone.trace_id.hex() != trace_id
    assert not alone.parent_span_id


async def test_commands_are_spans_within_their_streams(receiver: Receiver, desk: Desk) -> None:
    one, _ = await desk.new_players()
    stream = Stream(one)
    assert (await stream.send(watch={"name": one.name})).ok
    assert not (await stream.send(resign={"name": one.name, "request_id": "bad"})).ok
    request_id = new_request_id()
    command = pb.PlayRequest(resign={"name": one.name, "request_id": request_id})
    await stream.call.write(command)
    while await asyncio.wait_for(stream.call.read(), 30) is not grpc.aio.EOF:
        pass
    refused, resigned = await receiver.until("Play resign", one.name, 2)
    [play] = [
        span
        for span in await receiver.until(f"{SERVICE}/Play")
        if span.span_id == refused.parent_span_id
    ]
    assert told(play)["ginrummy.seat"] == 1
    assert told(play)["rpc.grpc.status_code"] == 0
    assert resigned.parent_span_id == play.span_id
    assert refused.trace_id == resigned.trace_id == play.trace_id
    assert told(refused)["ginrummy.reason"] == "BAD_FIELD"
    assert told(resigned)["ginrummy.request_id"] == request_id


async def test_traces_hold_no_tokens_names_or_cards_nor_what_gives_tokens(
    receiver: Receiver, desk: Desk
) -> None:
    create_id, join_id = new_request_id(), new_request_id()
    human = match_pb2.Seat(human=match_pb2.HumanSeat(display_name="Zebulon"))
    match = match_pb2.Match(ruleset="rulesets/short", seats=[human, OPEN])
    created = await desk.matches.CreateMatch(
        pb.CreateMatchRequest(match=match, request_id=create_id)
    )
    name = created.match.name
    joined = await desk.matches.JoinMatch(pb.JoinMatchRequest(name=name, request_id=join_id))
    one = Player(desk, name, created.seat_tokens[1], 1)
    two = Player(desk, name, joined.token, 2)
    await play_out(one, two)
    await receiver.until(f"{SERVICE}/WatchMatch", name, 2)
    [join] = await receiver.until(f"{SERVICE}/JoinMatch", name)
    assert told(join)["ginrummy.seat"] == 2
    sent = b"".join(request.SerializeToString() for request in receiver.requests)
    tokens = [created.host_token, created.seat_tokens[1], joined.token]
    parts = [token.partition(".")[2] for token in tokens]
    for secret in [*tokens, *parts, create_id, join_id, "Zebulon"]:
        assert secret
        assert secret.encode() not in sent
    assert {key for request in receiver.all_spans() for key in told(request)} <= KEYS


async def test_the_last_spans_are_sent_when_the_server_stops_under_the_name_that_was_set() -> None:
    receiver = Receiver()
    environment = sending_to(receiver, OTEL_SERVICE_NAME="cards", OTEL_BSP_SCHEDULE_DELAY="3600000")
    async with running("--in-memory", "--otel", environment=environment) as program:
        async with grpc.aio.insecure_channel(program.address) as channel:
            await Desk(channel).create(seats=[HUMAN, BOT])
        assert not receiver.requests
        program.process.terminate()
        assert await asyncio.wait_for(program.process.wait(), 60) == 0
    assert len(receiver.spans(f"{SERVICE}/CreateMatch")) == 1
    assert receiver.service_name() == "cards"
    receiver.close()


async def test_a_receiver_that_never_answers_does_not_keep_the_server_from_working_or_ending() -> (
    None
):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        environment = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{silent.getsockname()[1]}",
            "OTEL_EXPORTER_OTLP_TIMEOUT": "3600",
            "OTEL_BSP_SCHEDULE_DELAY": "50",
        }
        async with running("--in-memory", "--otel", environment=environment) as program:
            async with grpc.aio.insecure_channel(program.address) as channel:
                one, two = await Desk(channel).new_players("playgridia")
                await play_out(one, two)
            program.process.terminate()
            assert await asyncio.wait_for(program.process.wait(), 25) == 0


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )


def test_neither_traces_nor_metrics_are_imported_unless_they_are_switched_on() -> None:
    done = python(
        "import sys, ginrummy.server.app\n"
        "from ginrummy.server.serving import exporter_of, spans_of\n"
        "from ginrummy.server.settings import Telemetry\n"
        "spans_of(Telemetry()), exporter_of(Telemetry())\n"
        "optional = ('opentelemetry', 'prometheus_client', 'requests')\n"
        "print([name for name in optional if name in sys.modules])\n"
    )
    assert done.stdout == "[]\n", done.stderr


def test_without_the_extra_its_name_is_told() -> None:
    done = python(
        "import sys\n"
        "sys.modules['opentelemetry'] = None\n"
        "from ginrummy.server.app import main\n"
        "raise SystemExit(main(['--in-memory', '--port', '0', '--otel']))\n"
    )
    assert done.returncode == 1
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert "--otel needs opentelemetry" in line
    assert "pip install 'ginrummy-server[otel]'" in line
