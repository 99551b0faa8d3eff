"""How much callers may ask for, and what they are told who ask for more."""

import asyncio
import re
import socket
import struct
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from ginrummy.log import MemoryLog
from ginrummy.server.edge import LONGEST_REQUEST
from ginrummy.server.keys import ApiKey, digest_of
from ginrummy.server.limits import LIMITS, AtOnce, LimitName, Rates
from ginrummy.server.serving import PING_S, Serving, channel_options
from ginrummy.server.settings import Limits, Security, Settings
from ginrummy.tables.errors import LimitReached
from ginrummy.v1 import catalog_service_pb2, errors_pb2, match_pb2, match_service_pb2

from .players import HUMAN, Desk, Player, Stream, bearer, new_request_id, watch
from .programs import running
from .refusals import Refusal, refusal, refusal_of

# Requests here are written as dictionaries, which the generated types do not know.
pb: Any = match_service_pb2

Code = grpc.StatusCode
PUBLIC = match_pb2.SPECTATOR_POLICY_PUBLIC_INFO
INFO = catalog_service_pb2.GetServerInfoRequest()
RULESETS = catalog_service_pb2.ListRulesetsRequest()


@asynccontextmanager
async def serving_with(settings: Settings) -> AsyncIterator[Serving]:
    serving = Serving(MemoryLog(), settings)
    await serving.start("127.0.0.1", 0)
    try:
        yield serving
    finally:
        await serving.stop(0.2)


@asynccontextmanager
async def connected(serving: Serving) -> AsyncIterator[Desk]:
    """A connection of its own to the server."""
    own = [("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.insecure_channel(f"127.0.0.1:{serving.port}", own) as channel:
        yield Desk(channel)


@asynccontextmanager
async def limited(**limits: Any) -> AsyncIterator[Desk]:
    """A connection to a server with these limits."""
    async with (
        serving_with(Settings(limits=Limits(**limits))) as serving,
        connected(serving) as desk,
    ):
        yield desk


def assert_reached(refused: Refusal, limit: LimitName, most: int) -> None:
    assert (refused.code, refused.reason) == (Code.RESOURCE_EXHAUSTED, "LIMIT_REACHED")
    assert refused.metadata == {"limit": limit, "most": str(most)}
    assert refused.retry_s is not None
    assert 0 < refused.retry_s <= 1
    assert f"at most {most} " in refused.message


class Hours:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def taken(rates: Rates, caller: str) -> int:
    """How many requests a caller has left, all of them taken."""
    for count in range(10_000):
        try:
            rates.take(caller)
        except LimitReached:
            return count
    raise AssertionError("no limit")


@pytest.mark.parametrize("most", [1, 3, 7, 10, 1000, 4999])
def test_a_caller_has_one_second_of_requests_at_once_and_then_as_many_each_second(
    most: int,
) -> None:
    clock = Hours()
    rates = Rates(most, clock)
    assert taken(rates, "one") == most
    assert taken(rates, "two") == most
    clock.now_s += 1 / most * 1.0001
    assert taken(rates, "one") == 1
    clock.now_s += 1.0001
    assert taken(rates, "one") == most
    clock.now_s += 3600
    assert taken(rates, "one") == most


def test_the_time_to_wait_is_the_time_until_there_is_room() -> None:
    clock = Hours()
    rates = Rates(4, clock)
    taken(rates, "one")
    with pytest.raises(LimitReached) as refused:
        rates.take("one")
    assert refused.value.retry_s == pytest.approx(0.25)
    clock.now_s += refused.value.retry_s - 0.01
    with pytest.raises(LimitReached):
        rates.take("one")
    clock.now_s += 0.01
    rates.take("one")


def test_nothing_is_kept_of_callers_who_have_gone() -> None:
    clock = Hours()
    rates = Rates(2, clock)
    for i in range(5000):
        rates.take(f"caller {i}")
    clock.now_s += 60
    rates.take("somebody")
    assert len(rates) == 1
    streams = AtOnce(LimitName.STREAMS_OF_A_CALLER, 1)
    for i in range(5000):
        with streams.one(f"caller {i}"), pytest.raises(LimitReached):
            streams.enter(f"caller {i}")
    assert len(streams) == 0


@asynccontextmanager
async def counting(most: int) -> AsyncIterator[tuple[Desk, Hours]]:
    """A server that takes so many requests a second, by a clock that a test moves."""
    async with serving_with(Settings(limits=Limits(max_requests_per_s=most))) as serving:
        clock = Hours()
        assert serving.gate.rates is not None
        serving.gate.rates = Rates(most, clock)
        async with connected(serving) as desk:
            yield desk, clock


async def test_every_call_and_stream_counts_among_a_callers_requests() -> None:
    async with counting(3) as (desk, _):
        created = await desk.create(spectators=PUBLIC)
        await desk.matches.GetMatch(pb.GetMatchRequest(name=created.match.name))
        opened = desk.matches.WatchMatch(pb.WatchMatchRequest(name=created.match.name))
        await opened.read()
        for call in (
            desk.catalog.GetServerInfo(INFO),
            desk.matches.ListMatches(pb.ListMatchesRequest()),
            desk.matches.WatchMatch(pb.WatchMatchRequest(name=created.match.name)).read(),
            desk.create(),
        ):
            assert_reached(await refusal(call), LimitName.REQUESTS_PER_SECOND, 3)


async def test_a_request_that_waits_as_it_was_told_is_answered() -> None:
    async with counting(2) as (desk, clock):
        for _ in range(2):
            await desk.catalog.GetServerInfo(INFO)
        refused = await refusal(desk.catalog.GetServerInfo(INFO))
        assert refused.retry_s == 0.5
        clock.now_s += refused.retry_s
        await desk.catalog.GetServerInfo(INFO)


async def test_commands_in_a_stream_count_too_and_the_stream_goes_on() -> None:
    async with counting(4) as (desk, clock):
        one, _ = await desk.new_players()
        stream = Stream(one)
        assert (await stream.send(watch={"name": one.name})).ok
        replies = [await stream.send(ping={}) for _ in range(2)]
        assert [reply.ok for reply in replies] == [True, True]
        refused = await stream.send("third", ping={})
        assert refused.reason == errors_pb2.ERROR_REASON_LIMIT_REACHED
        assert dict(refused.metadata) == {"limit": "requests_per_second", "most": "4"}
        clock.now_s += 0.25
        assert (await stream.send(resign={})).ok


async def test_a_caller_is_a_known_key_or_else_an_address_whatever_the_connection() -> None:
    keys = ("k" * 20, "l" * 20)
    known = tuple(ApiKey(key[0], digest_of(key)) for key in keys)
    settings = Settings(limits=Limits(max_requests_per_s=1), security=Security(api_keys=known))
    async with serving_with(settings) as serving:
        serving.gate.rates = Rates(1, Hours())
        for is_first in (True, False):
            async with connected(serving) as desk:
                call = desk.catalog.GetServerInfo
                for sent in ((), *((("x-api-key", key),) for key in keys)):
                    if is_first:
                        await call(INFO, metadata=sent)
                    refused = await refusal(call(INFO, metadata=sent))
                    assert_reached(refused, LimitName.REQUESTS_PER_SECOND, 1)
                refused = await refusal(call(INFO, metadata=(("x-api-key", "m" * 20),)))
                assert_reached(refused, LimitName.REQUESTS_PER_SECOND, 1)


async def test_the_program_takes_its_limits_from_its_options() -> None:
    async with (
        running("--in-memory", "--max-requests-per-s", "1") as program,
        grpc.aio.insecure_channel(program.address) as channel,
    ):
        calls = [Desk(channel).catalog.GetServerInfo(INFO) for _ in range(50)]
        answers = await asyncio.gather(*calls, return_exceptions=True)
        failed = [answer for answer in answers if isinstance(answer, grpc.aio.AioRpcError)]
        assert 0 < len(failed) < 50
        assert_reached(refusal_of(failed[0]), LimitName.REQUESTS_PER_SECOND, 1)


async def test_a_caller_has_so_many_streams_and_who_leaves_makes_room() -> None:
    async with limited(max_streams_per_caller=2) as desk:
        one, two = await desk.new_players()
        first = watch(one)
        await first.read()
        play = Stream(two)
        assert (await play.send(watch={"name": two.name})).ok
        news = desk.matches.WatchMatches(pb.WatchMatchesRequest())
        refused = await refusal(asyncio.wait_for(news.read(), 30))
        assert_reached(refused, LimitName.STREAMS_OF_A_CALLER, 2)
        assert_reached(await refusal(watch(one).read()), LimitName.STREAMS_OF_A_CALLER, 2)
        await one.view()  # which is no stream
        first.cancel()
        await until_open(lambda: watch(one))


async def until_open(open_stream: Any) -> None:
    """Opens a stream as soon as there is room: the server learns of those who leave in its time."""
    async with asyncio.timeout(30):
        while True:
            try:
                call = open_stream()
                assert await call.read() is not grpc.aio.EOF
                call.cancel()
                return
            except grpc.aio.AioRpcError as error:
                if error.code() is not Code.RESOURCE_EXHAUSTED:
                    raise
                await asyncio.sleep(0.05)


async def test_a_match_has_so_many_spectators_and_its_players_get_in_all_the_same() -> None:
    async with limited(max_spectators=2) as desk:
        created = await desk.create(spectators=PUBLIC)
        request = pb.WatchMatchRequest(name=created.match.name)
        watching = [desk.matches.WatchMatch(request) for _ in range(2)]
        for call in watching:
            await call.read()
        refused = await refusal(desk.matches.WatchMatch(request).read())
        assert_reached(refused, LimitName.STREAMS_OF_A_MATCH, 2)
        for token in (created.host_token, created.seat_tokens[1]):
            await desk.matches.WatchMatch(request, metadata=bearer(token)).read()
        watching[0].cancel()
        await until_open(lambda: desk.matches.WatchMatch(request))


async def test_a_seat_has_so_many_streams_of_both_kinds() -> None:
    async with limited(max_streams_per_seat=2) as desk:
        one, two = await desk.new_players()
        first, second = watch(one), Stream(one)
        await first.read()
        assert (await second.send(watch={"name": one.name})).ok
        assert_reached(await refusal(watch(one).read()), LimitName.STREAMS_OF_A_MATCH, 2)
        third = Stream(one)
        await third.call.write(pb.PlayRequest(watch={"name": one.name}))
        assert_reached(await refusal(third.call.read()), LimitName.STREAMS_OF_A_MATCH, 2)
        await watch(two).read()


async def test_so_many_follow_all_matches() -> None:
    async with limited(max_followers=1) as desk:
        follow = desk.matches.WatchMatches
        first = follow(pb.WatchMatchesRequest())
        await first.initial_metadata()
        refused = await refusal(asyncio.wait_for(follow(pb.WatchMatchesRequest()).read(), 30))
        assert_reached(refused, LimitName.STREAMS_OF_ALL_MATCHES, 1)


async def test_so_many_matches_go_on_and_one_that_ends_makes_room() -> None:
    async with limited(max_open_matches=2) as desk:
        request = pb.CreateMatchRequest(
            match={"ruleset": "rulesets/short", "seats": [HUMAN, HUMAN]},
            request_id=new_request_id(),
        )
        first = await desk.matches.CreateMatch(request)
        await desk.create()
        assert_reached(await refusal(desk.create()), LimitName.OPEN_MATCHES, 2)
        again = await desk.matches.CreateMatch(request)  # a retry is no match more
        assert again.match.name == first.match.name
        one = Player(desk, first.match.name, again.seat_tokens[1], 1)
        resign = pb.ResignMatchRequest(name=one.name)
        await desk.matches.ResignMatch(resign, metadata=one.metadata)
        await desk.create()


def padded(message: Any, size: int) -> bytes:
    """The message, and a field that nobody knows, to have so many bytes together."""
    raw: bytes = message.SerializeToString()
    rest = size - len(raw) - 5  # two bytes of key, three of length
    header = b"\xfa\x7f" + bytes((rest & 127 | 128, rest >> 7 & 127 | 128, rest >> 14))
    return raw + header + bytes(rest)


def raw(payload: bytes) -> bytes:
    return payload


def assert_too_large(refused: Refusal, size: int) -> None:
    assert (refused.code, refused.reason) == (Code.INVALID_ARGUMENT, "MESSAGE_TOO_LARGE")
    assert refused.metadata == {"size": str(size), "limit": str(LONGEST_REQUEST)}
    assert str(size) in refused.message
    assert str(LONGEST_REQUEST) in refused.message


async def test_a_request_has_up_to_64_kilobytes(desk: Desk) -> None:
    one, _ = await desk.new_players()
    request = pb.GetMatchRequest(name=one.name)
    call = desk.channel.unary_unary("/ginrummy.v1.MatchService/GetMatch", raw, raw)
    assert pb.GetMatchResponse.FromString(await call(padded(request, 64 * 1024))).match
    for size in (64 * 1024 + 1, 1_000_000):
        assert_too_large(await refusal(call(padded(request, size))), size)


async def test_a_stream_is_not_opened_by_a_request_that_is_too_large(desk: Desk) -> None:
    one, _ = await desk.new_players()
    request = padded(pb.WatchMatchRequest(name=one.name), LONGEST_REQUEST + 1)
    opened = desk.channel.unary_stream("/ginrummy.v1.MatchService/WatchMatch", raw, raw)
    assert_too_large(await refusal(opened(request, metadata=one.metadata).read()), len(request))
    play = desk.channel.stream_stream("/ginrummy.v1.MatchService/Play", raw, raw)
    call = play(metadata=one.metadata)
    request = padded(pb.PlayRequest(watch={"name": one.name}), LONGEST_REQUEST + 1)
    await call.write(request)
    assert_too_large(await refusal(call.read()), len(request))


async def test_a_command_that_is_too_large_is_refused_and_the_stream_goes_on(desk: Desk) -> None:
    one, _ = await desk.new_players()
    call = desk.channel.stream_stream("/ginrummy.v1.MatchService/Play", raw, raw)(
        metadata=one.metadata
    )
    watching = pb.PlayRequest(watch={"name": one.name, "after_sequence": 4})
    await call.write(watching.SerializeToString())
    assert (await next_reply(call)).ok
    resign = pb.PlayRequest(resign={"name": one.name})
    await call.write(padded(resign, LONGEST_REQUEST + 1))
    refused = await next_reply(call)
    assert refused.reason == errors_pb2.ERROR_REASON_MESSAGE_TOO_LARGE
    assert dict(refused.metadata) == {"size": "65537", "limit": "65536"}
    await call.write(padded(resign, LONGEST_REQUEST))
    assert (await next_reply(call)).ok


async def next_reply(call: Any) -> pb.PlayReply:
    while True:
        response = pb.PlayResponse.FromString(await asyncio.wait_for(call.read(), 30))
        if response.replies:
            return response.replies[0]


async def test_a_long_correlation_id_is_refused(desk: Desk) -> None:
    one, _ = await desk.new_players()
    stream = Stream(one)
    assert (await stream.send(watch={"name": one.name})).ok
    assert (await stream.send("x" * 64, ping={})).ok
    await stream.call.write(pb.PlayRequest(correlation_id="x" * 65, ping={}))
    [reply] = (await stream.read()).replies
    assert reply.reason == errors_pb2.ERROR_REASON_BAD_FIELD
    assert "64" in reply.message


async def test_what_is_just_within_the_limits_is_taken(desk: Desk) -> None:
    labels = {f"{i:063}": "v" * 255 for i in range(16)}
    human = {"human": {"display_name": "n" * 64, "external_id": "x" * 128}}
    match = {"ruleset": "rulesets/short", "seats": [human, human], "labels": labels}
    created = await desk.matches.CreateMatch(pb.CreateMatchRequest(match=match))
    assert dict(created.match.labels) == labels
    one = Player(desk, created.match.name, created.seat_tokens[1], 1)
    listed = await desk.matches.ListMatches(pb.ListMatchesRequest(page_size=500, labels=labels))
    assert [found.name for found in listed.matches] == [one.name]
    await desk.matches.ResignMatch(pb.ResignMatchRequest(name=one.name), metadata=one.metadata)
    request = pb.ListMatchEventsRequest(name=one.name, page_size=5000)
    assert (await desk.matches.ListMatchEvents(request)).events


def test_the_table_of_limits_has_every_option_and_every_reason_that_the_api_names() -> None:
    usual = Limits()
    by_option = {limit.option: limit for limit in LIMITS if limit.option}
    fields = {name for name in Limits.__slots__ if name.startswith("max_")}
    assert {option.replace("-", "_") for option in by_option} == fields
    for option, limit in by_option.items():
        assert limit.most == getattr(usual, option.replace("-", "_"))
        assert limit.name is not None
    assert {limit.name for limit in by_option.values()} == set(LimitName)
    proto = (Path(__file__).parents[2] / "proto/ginrummy/v1/errors.proto").read_text()
    comment = re.sub(r"\n\s*//", "", proto.partition("too much of:")[2].partition(".")[0])
    assert set(re.findall(r"[a-z_]+", comment)) == set(LimitName)
    for limit in LIMITS:
        assert errors_pb2.ErrorReason.Value(f"ERROR_REASON_{limit.reason}")


@pytest.fixture
def connection() -> Iterator[socket.socket]:
    with socket.socket() as connection:
        connection.settimeout(30)
        yield connection


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS, PING, GOAWAY = 4, 6, 7
ACKNOWLEDGES = 1
ANSWERED = "answered"


def frame(kind: int, payload: bytes = b"", flags: int = 0) -> bytes:
    return struct.pack("!I", len(payload))[1:] + bytes((kind, flags)) + bytes(4) + payload


def read_frame(connection: socket.socket) -> tuple[int, int, bytes]:
    """The next frame's kind, flags and payload."""
    header = connection.recv(9, socket.MSG_WAITALL)
    length = int.from_bytes(header[:3])
    return header[3], header[4], connection.recv(length, socket.MSG_WAITALL) if length else b""


def ping(connection: socket.socket) -> str:
    """Pings, as a client without calls; how the server takes it."""
    connection.sendall(frame(PING, b"12345678"))
    while True:
        kind, flags, payload = read_frame(connection)
        if kind == GOAWAY:
            return payload[8:].decode()
        if kind == PING and flags & ACKNOWLEDGES:
            return ANSWERED
        if kind == SETTINGS and not flags & ACKNOWLEDGES:
            connection.sendall(frame(SETTINGS, flags=ACKNOWLEDGES))


@pytest.fixture
async def pinged() -> AsyncIterator[int]:
    """A server that is as patient with pings as usual, in a hundredth of the time; its port."""
    server = grpc.aio.server(options=channel_options(PING_S / 100))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield port
    await server.stop(0)


def ping_on(connection: socket.socket, port: int, wait_s: float) -> str:
    """Pings eight times, or until the server will not have it; what it says to the last one."""
    connection.connect(("127.0.0.1", port))
    connection.sendall(PREFACE + frame(SETTINGS))
    for _ in range(8):
        answer = ping(connection)
        if answer != ANSWERED:
            break
        time.sleep(wait_s)
    return answer


async def test_pings_that_come_no_faster_than_agreed_are_answered(
    pinged: int, connection: socket.socket
) -> None:
    wait_s = PING_S / 100 * 1.25
    assert await asyncio.to_thread(ping_on, connection, pinged, wait_s) == ANSWERED


async def test_faster_pings_end_the_connection(pinged: int, connection: socket.socket) -> None:
    assert await asyncio.to_thread(ping_on, connection, pinged, 0) == "too_many_pings"


def test_the_server_allows_a_ping_every_20_seconds() -> None:
    assert PING_S == 20
    options = dict(channel_options())
    assert options["grpc.http2.min_recv_ping_interval_without_data_ms"] == 20_000
    assert options["grpc.keepalive_permit_without_calls"] == 1
