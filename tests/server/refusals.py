"""What a refused call says, in full."""

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]

from ginrummy.v1 import errors_pb2


@dataclass(frozen=True)
class Refusal:
    """A failed call's status with its details."""

    code: grpc.StatusCode
    reason: str
    metadata: dict[str, str]
    fields: list[str]
    retry_s: float | None
    message: str


async def refusal(call: Awaitable[Any]) -> Refusal:
    """Expects the call to fail as the API promises."""
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return refusal_of(failed.value)


def refusal_of(error: grpc.aio.AioRpcError) -> Refusal:
    status = status_pb2.Status()
    trailer = error.trailing_metadata()
    assert trailer is not None
    status.ParseFromString(trailer["grpc-status-details-bin"])
    assert status.code == error.code().value[0]
    assert status.message == error.details()
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info), "every failed call carries an ErrorInfo"
    assert info.domain == "ginrummy"
    assert errors_pb2.ErrorReason.Value(f"ERROR_REASON_{info.reason}")
    assert "Traceback" not in status.message
    fields: list[str] = []
    retry_s = None
    for detail in status.details[1:]:
        bad, retry = error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
        if detail.Unpack(bad):
            fields += [violation.field for violation in bad.field_violations]
        if detail.Unpack(retry):
            retry_s = retry.retry_delay.ToTimedelta().total_seconds()
    return Refusal(error.code(), info.reason, dict(info.metadata), fields, retry_s, status.message)
