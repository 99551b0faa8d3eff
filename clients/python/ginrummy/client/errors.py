"""What can go wrong, as exceptions.

Every failed call raises a `GinRummyError`: a sentence for people, and the reason with its numbers
for programs. The subclasses are the cases that callers handle differently; all else is the base
class, told apart by `reason` (see ErrorReason in errors.proto).
"""

# Named by what happened: `except StaleSequence` reads well without a suffix.
# ruff: noqa: N818

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]
from grpc import StatusCode, aio

from ginrummy.v1.errors_pb2 import ErrorReason
from ginrummy.v1.match_service_pb2 import PlayReply

_DOMAIN = "ginrummy"
_DETAILS_KEY = "grpc-status-details-bin"
_REASON_PREFIX = "ERROR_REASON_"


class GinRummyError(Exception):
    """A call that failed. `str()` is a sentence for people, in English."""

    code: StatusCode
    """The status of the call, or the one that a refusal in a play session corresponds to."""
    reason: str
    """Name of the ErrorReason without its prefix, `"STALE_SEQUENCE"`; empty when there is none."""
    metadata: dict[str, str]
    """The reason's own numbers, as errors.proto lists them."""
    field_violations: list[tuple[str, str]]
    """Path and description of each field of the request that was refused."""
    retry_after_s: float | None
    """How long the server asks to wait before the next attempt."""

    def __init__(
        self,
        message: str,
        *,
        code: StatusCode = StatusCode.UNKNOWN,
        reason: str = "",
        metadata: Mapping[str, str] | None = None,
        field_violations: Iterable[tuple[str, str]] = (),
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.metadata = dict(metadata or {})
        self.field_violations = list(field_violations)
        self.retry_after_s = retry_after_s

    @property
    def rule(self) -> str:
        """The rule that an illegal action breaks, `"OVER_KNOCK_LIMIT"`; empty when none is."""
        return self.metadata.get("rule", "")


class InvalidRequest(GinRummyError):
    """A field is missing, malformed or out of range, and `field_violations` names it.

    Or the request as a whole is too large, or has no deadline.
    """


class IllegalAction(GinRummyError):
    """The action is not legal now and changed nothing; `rule` names why."""


class NotYourTurn(IllegalAction):
    """The other seat has to act."""


class MatchOver(GinRummyError):
    """The match has ended."""


class StaleSequence(GinRummyError):
    """The match has moved on since the view that the action was based on: decide anew."""

    @property
    def expected(self) -> int:
        """The sequence number that was sent."""
        return _number(self.metadata, "expected")

    @property
    def actual(self) -> int:
        """The match's latest sequence number."""
        return _number(self.metadata, "actual")


class NotClaimable(GinRummyError):
    """The opponent is there, or has not been away for long enough, or no claim is foreseen."""

    @property
    def claimable_time(self) -> datetime | None:
        """When the match can be claimed, if the opponent stays away; None if it cannot be."""
        try:
            return datetime.fromisoformat(self.metadata.get("claimable_time", ""))
        except ValueError:
            return None


class NoOpenSeat(GinRummyError):
    """Every seat, or the one asked for, is taken."""


class HintsOff(GinRummyError):
    """The match gives no hints."""


class MatchNotFound(GinRummyError):
    """The match never existed, or has expired."""


class SimulationNotFound(GinRummyError):
    """The simulation never existed, or has expired."""


class BadToken(GinRummyError):
    """No token or key, or one that the server does not know (any more)."""


class BadKey(BadToken):
    """The call needs an API key, and has none that the server knows (any more)."""


class WrongSeat(GinRummyError):
    """The token is for another match, or not for a seat that may do this."""


class LimitReached(GinRummyError):
    """Too many matches, streams or calls; `retry_after_s` may tell when to come back."""


class ServerUnavailable(GinRummyError):
    """The server cannot be reached, is stopping, or did not answer in time.

    The call was retried already, as far as the timeout allowed. Whether its effect was stored is
    unknown; calling again with the same request_id is safe.
    """


class SequenceGap(GinRummyError):
    """The server skipped an event of a watched match, which it has promised never to do."""

    def __init__(self, expected: int, actual: int) -> None:
        super().__init__(
            f"the server sent event {actual} of the match where event {expected} was due",
            code=StatusCode.DATA_LOSS,
        )
        self.expected = expected
        self.actual = actual


_BY_REASON: dict[str, tuple[StatusCode, type[GinRummyError]]] = {
    "NOT_YOUR_TURN": (StatusCode.FAILED_PRECONDITION, NotYourTurn),
    "STALE_SEQUENCE": (StatusCode.ABORTED, StaleSequence),
    "ILLEGAL_ACTION": (StatusCode.FAILED_PRECONDITION, IllegalAction),
    "MATCH_OVER": (StatusCode.FAILED_PRECONDITION, MatchOver),
    "MATCH_NOT_OVER": (StatusCode.FAILED_PRECONDITION, GinRummyError),
    "NOT_CLAIMABLE": (StatusCode.FAILED_PRECONDITION, NotClaimable),
    "HINTS_OFF": (StatusCode.FAILED_PRECONDITION, HintsOff),
    "NO_OPEN_SEAT": (StatusCode.FAILED_PRECONDITION, NoOpenSeat),
    "BAD_CARD": (StatusCode.INVALID_ARGUMENT, InvalidRequest),
    "BAD_FIELD": (StatusCode.INVALID_ARGUMENT, InvalidRequest),
    "DEADLINE_REQUIRED": (StatusCode.INVALID_ARGUMENT, InvalidRequest),
    "MESSAGE_TOO_LARGE": (StatusCode.INVALID_ARGUMENT, InvalidRequest),
    "REQUEST_ID_REUSED": (StatusCode.INVALID_ARGUMENT, InvalidRequest),
    "SEQUENCE_AHEAD": (StatusCode.OUT_OF_RANGE, GinRummyError),
    "MATCH_NOT_FOUND": (StatusCode.NOT_FOUND, MatchNotFound),
    "RULESET_NOT_FOUND": (StatusCode.NOT_FOUND, GinRummyError),
    "BOT_NOT_FOUND": (StatusCode.NOT_FOUND, GinRummyError),
    "SIMULATION_NOT_FOUND": (StatusCode.NOT_FOUND, SimulationNotFound),
    "BAD_TOKEN": (StatusCode.UNAUTHENTICATED, BadToken),
    "BAD_KEY": (StatusCode.UNAUTHENTICATED, BadKey),
    "WRONG_SEAT": (StatusCode.PERMISSION_DENIED, WrongSeat),
    "SEEDS_NOT_ALLOWED": (StatusCode.PERMISSION_DENIED, GinRummyError),
    "LIMIT_REACHED": (StatusCode.RESOURCE_EXHAUSTED, LimitReached),
    "SLOW_CONSUMER": (StatusCode.RESOURCE_EXHAUSTED, LimitReached),
    "DRAINING": (StatusCode.UNAVAILABLE, ServerUnavailable),
    "STORE_UNAVAILABLE": (StatusCode.UNAVAILABLE, ServerUnavailable),
    "MATCH_UNREADABLE": (StatusCode.DATA_LOSS, GinRummyError),
    "INTERNAL": (StatusCode.INTERNAL, GinRummyError),
}

# For failures without a reason, from the transport, a proxy or a newer server.
_BY_CODE: dict[StatusCode, type[GinRummyError]] = {
    StatusCode.INVALID_ARGUMENT: InvalidRequest,
    StatusCode.UNAUTHENTICATED: BadToken,
    StatusCode.RESOURCE_EXHAUSTED: LimitReached,
    StatusCode.UNAVAILABLE: ServerUnavailable,
    StatusCode.DEADLINE_EXCEEDED: ServerUnavailable,
}


def error_from_rpc(failure: aio.AioRpcError, target: str) -> GinRummyError:
    """The exception for a failed call to the server at `target`."""
    info, violations, retry_after_s = _details(failure)
    reason = info.reason
    message = failure.details() or ""
    if not reason:
        message = _transport_message(failure.code(), message, target)
    return _exception(
        message, failure.code(), reason, info.metadata, violations, retry_after_s=retry_after_s
    )


def error_from_reply(reply: PlayReply) -> GinRummyError:
    """The exception for a command that was refused in a play session."""
    name = ErrorReason.Name(reply.reason) if reply.reason in ErrorReason.values() else ""
    reason = name.removeprefix(_REASON_PREFIX)
    code, _ = _BY_REASON.get(reason, (StatusCode.UNKNOWN, GinRummyError))
    metadata = dict(reply.metadata)
    if reply.rule:
        metadata["rule"] = reply.rule
    return _exception(reply.message, code, reason, metadata, ())


def _exception(
    message: str,
    code: StatusCode,
    reason: str,
    metadata: Mapping[str, str],
    violations: Iterable[tuple[str, str]],
    retry_after_s: float | None = None,
) -> GinRummyError:
    kind = _BY_REASON[reason][1] if reason in _BY_REASON else _BY_CODE.get(code, GinRummyError)
    violations = list(violations)
    for field, description in violations:
        if description not in message:
            message = f"{message}; {field}: {description}" if message else f"{field}: {description}"
    return kind(
        message or f"the call failed: {reason or code.name}",
        code=code,
        reason=reason,
        metadata=metadata,
        field_violations=violations,
        retry_after_s=retry_after_s,
    )


def _details(
    failure: aio.AioRpcError,
) -> tuple[error_details_pb2.ErrorInfo, list[tuple[str, str]], float | None]:
    """ErrorInfo, the refused fields and the wait of RetryInfo, each empty when it is not there."""
    info = error_details_pb2.ErrorInfo()
    bad_request = error_details_pb2.BadRequest()
    retry_info = error_details_pb2.RetryInfo()
    retry_after_s: float | None = None
    for detail in _status(failure).details:
        try:
            if detail.Is(info.DESCRIPTOR):
                found = error_details_pb2.ErrorInfo.FromString(detail.value)
                info = found if found.domain == _DOMAIN else info
            elif detail.Unpack(retry_info):
                retry_after_s = retry_info.retry_delay.ToTimedelta().total_seconds()
            else:
                detail.Unpack(bad_request)
        except DecodeError:
            continue
    violations = [(each.field, each.description) for each in bad_request.field_violations]
    return info, violations, retry_after_s


def _status(failure: aio.AioRpcError) -> status_pb2.Status:
    for key, value in failure.trailing_metadata() or ():
        if key == _DETAILS_KEY and isinstance(value, bytes):
            try:
                return status_pb2.Status.FromString(value)
            except DecodeError:
                break
    return status_pb2.Status()


def _transport_message(code: StatusCode, message: str, target: str) -> str:
    if code is StatusCode.UNAVAILABLE:
        # grpc tells how it tried before it tells what happened.
        cause = message.rpartition("Failed to connect to remote host: ")[2]
        return f"the server at {target} cannot be reached ({cause})"
    if code is StatusCode.DEADLINE_EXCEEDED:
        return f"the server at {target} did not answer in time"
    if code is StatusCode.UNIMPLEMENTED:
        return f"the server at {target} does not offer this call"
    return message


def _number(metadata: Mapping[str, str], key: str) -> int:
    value = metadata.get(key, "")
    return int(value) if value.isdecimal() else 0
