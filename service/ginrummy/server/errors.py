"""Refusals as gRPC statuses: one table, with the details that programs read."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]

from ginrummy.server.convert.times import time_in_words
from ginrummy.server.refusals import (
    BadCard,
    BadField,
    BadKey,
    BadToken,
    BotNotFound,
    DeadlineRequired,
    HintsOff,
    MessageTooLarge,
    RulesetNotFound,
    SimulationNotFound,
    SlowConsumer,
)
from ginrummy.tables import errors as tables
from ginrummy.tables.errors import Refused

DOMAIN = "ginrummy"
DETAILS_KEY = "grpc-status-details-bin"
RETRY_S = 1

Code = grpc.StatusCode


@dataclass(frozen=True, slots=True)
class Row:
    """How one kind of refusal is answered."""

    code: grpc.StatusCode
    reason: str
    """A name of ErrorReason, without its prefix."""
    metadata: Callable[[Any], dict[str, str]] = lambda _: {}
    details: Callable[[Any], list[Message]] = lambda _: []


def _rule(refused: tables.IllegalAction) -> dict[str, str]:
    fields = {key: _text(value) for key, value in refused.fields.items()}
    return {"rule": refused.kind.upper()} | fields


def _claimable(refused: tables.NotClaimable) -> dict[str, str]:
    if refused.claimable_us is None:
        return {}
    return {"claimable_time": time_in_words(refused.claimable_us)}


def _text(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _bad_request(refused: BadField) -> list[Message]:
    violation = error_details_pb2.BadRequest.FieldViolation(
        field=refused.path, description=refused.problem
    )
    return [error_details_pb2.BadRequest(field_violations=[violation])]


def _retry(_: Refused) -> list[Message]:
    return [error_details_pb2.RetryInfo(retry_delay=Duration(seconds=RETRY_S))]


def _retry_then(refused: tables.LimitReached) -> list[Message]:
    delay = Duration()
    delay.FromMilliseconds(ceil(refused.retry_s * 1000))
    return [error_details_pb2.RetryInfo(retry_delay=delay)]


TABLE: dict[type[Refused], Row] = {
    tables.NotYourTurn: Row(
        Code.FAILED_PRECONDITION, "NOT_YOUR_TURN", lambda e: {"to_act": str(e.to_act)}
    ),
    tables.StaleSequence: Row(
        Code.ABORTED,
        "STALE_SEQUENCE",
        lambda e: {"expected": str(e.expected), "actual": str(e.actual)},
    ),
    tables.IllegalAction: Row(Code.FAILED_PRECONDITION, "ILLEGAL_ACTION", _rule),
    tables.MatchOver: Row(Code.FAILED_PRECONDITION, "MATCH_OVER"),
    tables.MatchNotOver: Row(Code.FAILED_PRECONDITION, "MATCH_NOT_OVER"),
    tables.NotClaimable: Row(Code.FAILED_PRECONDITION, "NOT_CLAIMABLE", _claimable),
    tables.NoOpenSeat: Row(Code.FAILED_PRECONDITION, "NO_OPEN_SEAT"),
    tables.RequestIdReused: Row(Code.INVALID_ARGUMENT, "REQUEST_ID_REUSED"),
    tables.SequenceAhead: Row(Code.OUT_OF_RANGE, "SEQUENCE_AHEAD", lambda e: {"head": str(e.head)}),
    tables.MatchNotFound: Row(Code.NOT_FOUND, "MATCH_NOT_FOUND"),
    tables.WrongSeat: Row(Code.PERMISSION_DENIED, "WRONG_SEAT"),
    tables.TokenReplaced: Row(Code.UNAUTHENTICATED, "BAD_TOKEN"),
    tables.TokenWithheld: Row(Code.UNAUTHENTICATED, "BAD_TOKEN"),
    tables.SeedsNotAllowed: Row(Code.PERMISSION_DENIED, "SEEDS_NOT_ALLOWED"),
    tables.LimitReached: Row(
        Code.RESOURCE_EXHAUSTED,
        "LIMIT_REACHED",
        lambda e: {"limit": e.limit, "most": str(e.most)},
        _retry_then,
    ),
    tables.Draining: Row(Code.UNAVAILABLE, "DRAINING", details=_retry),
    tables.StoreUnavailable: Row(Code.UNAVAILABLE, "STORE_UNAVAILABLE", details=_retry),
    tables.MatchUnreadable: Row(Code.DATA_LOSS, "MATCH_UNREADABLE"),
    BadCard: Row(Code.INVALID_ARGUMENT, "BAD_CARD", details=_bad_request),
    BadField: Row(Code.INVALID_ARGUMENT, "BAD_FIELD", details=_bad_request),
    RulesetNotFound: Row(Code.NOT_FOUND, "RULESET_NOT_FOUND"),
    HintsOff: Row(Code.FAILED_PRECONDITION, "HINTS_OFF"),
    BotNotFound: Row(
        Code.NOT_FOUND,
        "BOT_NOT_FOUND",
        lambda e: {"bot": e.name.removeprefix("bots/"), "known": ", ".join(e.known)},
    ),
    SimulationNotFound: Row(Code.NOT_FOUND, "SIMULATION_NOT_FOUND"),
    BadKey: Row(Code.UNAUTHENTICATED, "BAD_KEY"),
    BadToken: Row(Code.UNAUTHENTICATED, "BAD_TOKEN"),
    MessageTooLarge: Row(
        Code.INVALID_ARGUMENT,
        "MESSAGE_TOO_LARGE",
        lambda e: {"size": str(e.size), "limit": str(e.limit)},
    ),
    DeadlineRequired: Row(Code.INVALID_ARGUMENT, "DEADLINE_REQUIRED"),
    SlowConsumer: Row(Code.RESOURCE_EXHAUSTED, "SLOW_CONSUMER"),
}
"""Every refusal. What is not here is a fault of ours."""

FAULT = Row(Code.INTERNAL, "INTERNAL")


@dataclass(frozen=True, slots=True)
class Failure:
    """A refusal as it is answered."""

    code: grpc.StatusCode
    message: str
    reason: str
    metadata: dict[str, str]
    details: list[Message]

    def trailer(self) -> tuple[tuple[str, bytes], ...]:
        """The google.rpc.Status, as call metadata."""
        number: int = self.code.value[0]
        status = status_pb2.Status(code=number, message=self.message)
        info = error_details_pb2.ErrorInfo(
            reason=self.reason, domain=DOMAIN, metadata=self.metadata
        )
        for detail in (info, *self.details):
            packed = AnyMessage()
            packed.Pack(detail)
            status.details.append(packed)
        return ((DETAILS_KEY, status.SerializeToString()),)


def failure_of(refused: Refused) -> Failure:
    """How a refusal is answered."""
    row = TABLE[type(refused)]
    return Failure(row.code, str(refused), row.reason, row.metadata(refused), row.details(refused))


def failure_of_fault(fault_id: str) -> Failure:
    """What the caller is told of a fault of ours: where the log tells more."""
    message = f"a fault of the server; its log has more under {fault_id}"
    return Failure(FAULT.code, message, FAULT.reason, {"fault_id": fault_id}, [])
