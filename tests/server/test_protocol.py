"""What any gRPC client may count on: health, reflection, and a clear answer to bad bytes."""

import asyncio
from random import Random
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc  # type: ignore[import-untyped]
from grpc_reflection.v1alpha import (  # type: ignore[import-untyped]
    reflection_pb2,
    reflection_pb2_grpc,
)

from ginrummy.server.serving import SERVICES, Serving
from ginrummy.v1 import match_pb2
from ginrummy.v1 import match_service_pb2 as pb

from .players import Desk, bearer, play_out
from .refusals import refusal

METHODS = [
    f"/{service}/{method}"
    for service, methods in {
        "ginrummy.v1.MatchService": (
            "CreateMatch JoinMatch GetMatch ListMatches GetView Act ResignMatch AbortMatch"
            " ClaimMatch ReissueToken ErasePlayer ListMatchEvents"
        ),
        "ginrummy.v1.AnalysisService": "AnalyzeHands AnalyzeColumns FindLayoffs SuggestActions",
        "ginrummy.v1.CatalogService": "GetServerInfo ListRulesets GetRuleset ListBots",
    }.items()
    for method in methods.split()
]


def raw(payload: bytes) -> bytes:
    return payload


@pytest.mark.parametrize("service", ["", *SERVICES])
async def test_health_is_serving_until_the_server_drains(
    desk: Desk, serving: Serving, service: str
) -> None:
    health = health_pb2_grpc.HealthStub(desk.channel)
    watching = health.Watch(health_pb2.HealthCheckRequest(service=service))
    assert (await watching.read()).status == health_pb2.HealthCheckResponse.SERVING
    response = await health.Check(health_pb2.HealthCheckRequest(service=service))
    assert response.status == health_pb2.HealthCheckResponse.SERVING
    stopping = asyncio.create_task(serving.stop(30))
    assert (await watching.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
    watching.cancel()
    await stopping


async def test_reflection_lists_the_services_with_their_files(desk: Desk) -> None:
    stub = reflection_pb2_grpc.ServerReflectionStub(desk.channel)
    call = stub.ServerReflectionInfo()
    await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
    listed = (await call.read()).list_services_response.service
    assert {service.name for service in listed} >= {*SERVICES, "grpc.health.v1.Health"}
    for service in SERVICES:
        request = reflection_pb2.ServerReflectionRequest(file_containing_symbol=service)
        await call.write(request)
        assert (await call.read()).file_descriptor_response.file_descriptor_proto
    await call.done_writing()


@pytest.mark.parametrize("method", METHODS)
async def test_random_bytes_get_a_status_and_never_a_traceback(desk: Desk, method: str) -> None:
    random = Random(method)
    call = desk.channel.unary_unary(method, raw, raw)
    allowed = {
        grpc.StatusCode.OK,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.UNAUTHENTICATED,
    }
    for length in [*range(1, 40), 300, 3000]:
        answer = call(random.randbytes(length))
        assert await answer.code() in allowed
        assert "Traceback" not in await answer.details()


@pytest.mark.parametrize("method", METHODS)
async def test_bytes_that_are_no_message_are_a_bad_request(desk: Desk, method: str) -> None:
    for payload in (b"\xff\xff\xff", b"\x0a\xff", b"\x0a\x80"):
        call = desk.channel.unary_unary(method, raw, raw)
        refused = await refusal(call(payload))
        assert refused.code is grpc.StatusCode.INVALID_ARGUMENT
        assert refused.reason == "BAD_FIELD"


async def test_streams_refuse_bytes_that_are_no_message(desk: Desk) -> None:
    one, _ = await desk.new_players()
    watch = desk.channel.unary_stream("/ginrummy.v1.MatchService/WatchMatch", raw, raw)
    refused = await refusal(watch(b"\xff\xff\xff").read())
    assert refused.reason == "BAD_FIELD"
    play = desk.channel.stream_stream("/ginrummy.v1.MatchService/Play", raw, raw)
    call = play(metadata=one.metadata)
    await call.write(b"\xff\xff\xff")
    assert (await refusal(call.read())).reason == "BAD_FIELD"
    call = play(metadata=one.metadata)
    first = pb.PlayRequest(watch=pb.WatchMatchRequest(name=one.name, after_sequence=4))
    await call.write(first.SerializeToString())
    assert [reply.ok for reply in await read_replies(call)] == [True]
    await call.write(b"\xff\xff\xff")
    assert [reply.ok for reply in await read_replies(call)] == [False]
    await call.done_writing()


async def read_replies(call: Any) -> list[pb.PlayReply]:
    """The replies in the next message that has any."""
    while True:
        response = pb.PlayResponse.FromString(await asyncio.wait_for(call.read(), 60))
        if response.replies:
            return list(response.replies)


async def test_text_that_is_no_utf8_is_a_bad_request(desk: Desk) -> None:
    call = desk.channel.unary_unary("/ginrummy.v1.MatchService/GetMatch", raw, raw)
    assert (await refusal(call(b"\x0a\x02\xff\xfe"))).reason == "BAD_FIELD"


async def test_an_oversized_request_is_refused_and_others_go_on(desk: Desk) -> None:
    call = desk.channel.unary_unary("/ginrummy.v1.MatchService/CreateMatch", raw, raw)
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call(b"\x0a" + bytes(2_000_000))
    assert failed.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (await refusal(call(b"\x0a" + bytes(200_000)))).reason == "MESSAGE_TOO_LARGE"
    await play_out(*await desk.new_players("playgridia"))


async def test_a_flood_of_unknown_tokens_disturbs_nobody(desk: Desk) -> None:
    one, two = await desk.new_players("playgridia")
    request = pb.GetViewRequest(name=one.name)

    async def knock_at_the_door(i: int) -> str:
        token = f"{i:032x}.{'A' * 43}"
        return (await refusal(desk.matches.GetView(request, metadata=bearer(token)))).reason

    knocking = asyncio.gather(*(knock_at_the_door(i) for i in range(300)))
    await play_out(one, two)
    assert set(await knocking) == {"BAD_TOKEN"}


async def test_an_unknown_method_is_unimplemented(desk: Desk) -> None:
    call = desk.channel.unary_unary("/ginrummy.v1.MatchService/Cheat", raw, raw)
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call(b"")
    assert failed.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_many_watches_opened_at_once_all_open(desk: Desk) -> None:
    created = await desk.create(spectators=match_pb2.SPECTATOR_POLICY_PUBLIC_INFO)
    request = pb.WatchMatchRequest(name=created.match.name)
    calls = [desk.matches.WatchMatch(request) for _ in range(500)]
    first: list[Any] = await asyncio.gather(*(call.read() for call in calls))
    assert all(response.HasField("snapshot") for response in first)
    for call in calls:
        call.cancel()
