"""Any bytes to any method: answered as the API documents, and the match goes on.

`make fuzz FOR=600` does it for ten minutes.
"""

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ginrummy.v1 import (
    analysis_service_pb2,
    catalog_service_pb2,
    errors_pb2,
    match_pb2,
    match_service_pb2,
    match_service_pb2_grpc,
)

from .messages import Filling
from .server import Server

pb = match_service_pb2
FUZZ_S = float(os.environ.get("FUZZ_S", "0"))
SHORT = 12
"""Examples for each method in an ordinary run."""
METHODS: dict[str, MethodDescriptor] = {
    method.name: method
    for file, service in (
        (match_service_pb2, "MatchService"),
        (catalog_service_pb2, "CatalogService"),
        (analysis_service_pb2, "AnalysisService"),
    )
    for method in file.DESCRIPTOR.services_by_name[service].methods
}
REASONS = errors_pb2.DESCRIPTOR.enum_types_by_name["ErrorReason"]
PROTO = Path(__file__).parents[2] / "proto/ginrummy/v1/errors.proto"
DOCUMENTED = {
    reason: code
    for code, reason in re.findall(
        r"// \[([A-Z_]+)\](?:[^\[]*?)\n  ERROR_REASON_([A-Z_]+) =", PROTO.read_text()
    )
}
"""The status of each reason, as the API tells it."""
HUMAN = match_pb2.Seat(human=match_pb2.HumanSeat(display_name="Ann"))


def test_every_reason_is_documented_with_its_status() -> None:
    names = {value.name.removeprefix("ERROR_REASON_") for value in REASONS.values}
    assert set(DOCUMENTED) == names - {"UNSPECIFIED"}
    assert set(DOCUMENTED.values()) <= set(grpc.StatusCode.__members__)


class Target:
    """A match that is fuzzed; another takes its place when it ends."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.channel = channel
        self.stub: Any = match_service_pb2_grpc.MatchServiceStub(channel)
        self.begin()

    def begin(self) -> None:
        match = match_pb2.Match(ruleset="rulesets/short", seats=[HUMAN, HUMAN])
        self.created = self.stub.CreateMatch(
            pb.CreateMatchRequest(match=match, request_id=str(uuid4())), timeout=60
        )
        self.name = self.created.match.name

    @property
    def metadata(self) -> list[Any]:
        tokens = [self.created.host_token, *self.created.seat_tokens.values()]
        return [(("authorization", f"Bearer {token}"),) for token in tokens] + [()]

    @property
    def known(self) -> list[str]:
        return [self.name, "matches/none", "rulesets/short", "bots/simple", str(uuid4())]

    def assert_unharmed(self) -> None:
        """The log has no gap, and ends as a match does."""
        host = self.metadata[0]
        abort = pb.AbortMatchRequest(name=self.name)
        try:
            self.stub.AbortMatch(abort, metadata=host, timeout=60)
        except grpc.RpcError as error:
            reason = failure(error)
            if reason == "BAD_TOKEN":
                return  # what was sent has made a new host token
            if reason != "MATCH_OVER":
                raise
        request = pb.ListMatchEventsRequest(name=self.name, page_size=5000)
        events = self.stub.ListMatchEvents(request, timeout=60).events
        assert [event.sequence for event in events] == list(range(1, len(events) + 1))
        assert events[-1].HasField("match_ended")


@pytest.fixture
def target(server: Server) -> Iterator[Target]:
    with grpc.insecure_channel(server.address) as channel:
        yield Target(channel)
    assert server.process.returncode is None
    complaints = server.log.read_text()
    assert "fault" not in complaints
    assert "Traceback" not in complaints


def failure(error: Any) -> str:
    """The reason of a failed call, which is as it is documented."""
    trailer = dict(error.trailing_metadata() or ())
    assert "grpc-status-details-bin" in trailer, (error.code(), error.details())
    status = status_pb2.Status.FromString(trailer["grpc-status-details-bin"])
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert info.domain == "ginrummy"
    assert DOCUMENTED[info.reason] == error.code().name
    assert info.reason != "INTERNAL", error.details()
    reason: str = info.reason
    return reason


@pytest.mark.parametrize("name", METHODS)
def test_any_bytes_are_answered_as_documented(target: Target, name: str) -> None:
    method = METHODS[name]
    until_s = time.monotonic() + FUZZ_S / len(METHODS)
    while True:
        fuzz(target, method)
        if time.monotonic() >= until_s:
            break


def fuzz(target: Target, method: MethodDescriptor) -> None:
    filling = Filling(target.known)
    payload = filling.nearly(method.input_type)
    payloads = st.lists(payload, min_size=1, max_size=8 if method.client_streaming else 1)

    @settings(
        max_examples=200 if FUZZ_S else SHORT,
        derandomize=not FUZZ_S,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(payloads, st.integers(0, 3))
    def sent(payloads: list[bytes], caller: int) -> None:
        try:
            send(target, method, payloads, target.metadata[caller])
        except grpc.RpcError as error:
            own = (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)
            if not (method.server_streaming and error.code() in own):
                failure(error)

    sent()
    target.assert_unharmed()
    target.begin()


def send(target: Target, method: MethodDescriptor, payloads: list[bytes], metadata: Any) -> None:
    """Makes the call, and takes some of what a stream answers."""
    path = f"/{method.containing_service.full_name}/{method.name}"
    channel: Any = target.channel
    if method.client_streaming:
        watch = pb.PlayRequest(watch=pb.WatchMatchRequest(name=target.name))
        begun = [watch.SerializeToString(), *payloads]
        for answer in channel.stream_stream(path)(iter(begun), metadata=metadata, timeout=60):
            for reply in pb.PlayResponse.FromString(answer).replies:
                assert reply.ok or _name(reply.reason) != "INTERNAL"
    elif method.server_streaming:
        call = channel.unary_stream(path)(payloads[0], metadata=metadata, timeout=0.2)
        next(call, None)
        call.cancel()
    else:
        channel.unary_unary(path)(payloads[0], metadata=metadata, timeout=60)


def _name(reason: int) -> str:
    name: str = REASONS.values_by_number[reason].name
    return name.removeprefix("ERROR_REASON_")
