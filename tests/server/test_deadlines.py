"""A call that changes something has to have a deadline."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc  # type: ignore[import-untyped]
from grpc_reflection.v1alpha import (  # type: ignore[import-untyped]
    reflection_pb2,
    reflection_pb2_grpc,
)

from ginrummy.log import MemoryLog
from ginrummy.server.methods import METHODS
from ginrummy.server.serving import Serving
from ginrummy.server.settings import Limits, Settings
from ginrummy.v1 import catalog_service_pb2 as catalog_pb
from ginrummy.v1 import catalog_service_pb2_grpc, match_pb2, match_service_pb2
from ginrummy.v1 import match_service_pb2_grpc as pb_grpc

from .players import BOT, HUMAN, TIMEOUT_S, Desk, bearer
from .refusals import refusal

# Requests here are written as dictionaries, which the generated types do not know.
pb: Any = match_service_pb2

MATCH = match_pb2.Match(ruleset="rulesets/short", seats=[HUMAN, BOT])
CREATE = pb.CreateMatchRequest(match=MATCH)
CHANGING = {
    "CreateMatch",
    "JoinMatch",
    "Act",
    "ResignMatch",
    "AbortMatch",
    "ClaimMatch",
    "ReissueToken",
    "ErasePlayer",
    "CreateSimulation",
    "CancelSimulation",
}


def without_deadlines(desk: Desk) -> Any:
    """The calls of a caller who waits for ever."""
    return pb_grpc.MatchServiceStub(desk.channel)


def test_what_changes_something_is_known_of_every_method() -> None:
    assert {method.name for method in METHODS.values() if method.changes} == CHANGING
    assert {method.name for method in METHODS.values() if method.is_stream} == {
        "Play",
        "WatchMatch",
        "WatchMatches",
        "WatchSimulation",
    }


@pytest.mark.parametrize("name", sorted(CHANGING))
async def test_without_a_deadline_nothing_is_changed(desk: Desk, name: str) -> None:
    call: Any = desk.channel.unary_unary(f"/{METHODS[name].service}/{name}")
    refused = await refusal(call(b""))
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "DEADLINE_REQUIRED",
    )
    assert "grpcurl -max-time 5" in refused.message
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call(b"", timeout=TIMEOUT_S)
    assert failed.value.details() != refused.message


async def test_a_match_is_not_created_without_a_deadline(desk: Desk) -> None:
    await refusal(without_deadlines(desk).CreateMatch(CREATE))
    assert not (await desk.matches.ListMatches(pb.ListMatchesRequest())).matches
    await desk.matches.CreateMatch(CREATE)
    assert len((await desk.matches.ListMatches(pb.ListMatchesRequest())).matches) == 1


READING: list[Callable[[Any, str], Any]] = [
    lambda stub, name: stub.GetMatch(pb.GetMatchRequest(name=name)),
    lambda stub, name: stub.ListMatches(pb.ListMatchesRequest()),
    lambda stub, name: stub.GetView(pb.GetViewRequest(name=name)),
    lambda stub, name: stub.WatchMatch(pb.WatchMatchRequest(name=name)).read(),
    lambda stub, name: stub.WatchMatches(pb.WatchMatchesRequest()).initial_metadata(),
]


@pytest.mark.parametrize("call", READING)
async def test_reading_needs_none(desk: Desk, call: Callable[[Any, str], Any]) -> None:
    created = await desk.create(spectators=match_pb2.SPECTATOR_POLICY_PUBLIC_INFO)
    assert await call(without_deadlines(desk), created.match.name) is not None


async def test_a_stream_of_commands_needs_none(desk: Desk) -> None:
    created = await desk.create()
    play = without_deadlines(desk).Play(metadata=bearer(created.seat_tokens[1]))
    await play.write(pb.PlayRequest(watch={"name": created.match.name}))
    await play.write(pb.PlayRequest(resign={}, correlation_id="resign"))
    replies = {r.correlation_id: r.ok async for response in play for r in response.replies}
    assert replies["resign"]


async def test_catalog_health_and_reflection_need_none(desk: Desk) -> None:
    catalog: Any = catalog_service_pb2_grpc.CatalogServiceStub(desk.channel)
    await catalog.GetServerInfo(catalog_pb.GetServerInfoRequest())
    await catalog.ListBots(catalog_pb.ListBotsRequest())
    await health_pb2_grpc.HealthStub(desk.channel).Check(health_pb2.HealthCheckRequest())
    call = reflection_pb2_grpc.ServerReflectionStub(desk.channel).ServerReflectionInfo()
    await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
    assert (await call.read()).list_services_response.service
    await call.done_writing()


@pytest.fixture
async def patient() -> AsyncIterator[Desk]:
    """A server that was told to do without deadlines."""
    serving = Serving(MemoryLog(), Settings(limits=Limits(require_deadlines=False)))
    port = await serving.start("127.0.0.1", 0)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Desk(channel)
    await serving.stop(0.2)


async def test_a_server_can_be_told_to_do_without(patient: Desk) -> None:
    assert (await without_deadlines(patient).CreateMatch(CREATE)).match.name
