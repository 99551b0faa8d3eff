"""When a failed call is made again, and when a lost stream is opened again."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass

from grpc import StatusCode

from ginrummy.client.errors import GinRummyError, ServerUnavailable


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How patient a client is. All times in seconds.

    A call is made again after UNAVAILABLE and DEADLINE_EXCEEDED only (and when it was dropped
    without a status of the server's own), and only within the client's timeout. The wait grows from
    `initial_backoff_s` by `multiplier` up to `max_backoff_s`, is shortened by up to half at random,
    so that clients of a restarted server do not return together, and is never shorter than the
    server asks for.
    """

    max_attempts: int = 8
    attempt_timeout_s: float = 4.0
    """Of one attempt, so that a lost reply leaves time for another."""
    initial_backoff_s: float = 0.1
    max_backoff_s: float = 2.0
    multiplier: float = 2.0
    reconnect_timeout_s: float = 60.0
    """How long a stream that was open once tries to come back."""
    missed_heartbeats: float = 2.5
    """A stream is taken for dead after a silence of this many heartbeats."""

    def wait_s(self, failures: int, retry_after_s: float | None = None) -> float:
        """The wait after so many failures in a row (1 or more)."""
        backoff_s = self.initial_backoff_s * self.multiplier ** min(failures - 1, 32)
        jittered_s = min(backoff_s, self.max_backoff_s) * random.uniform(0.5, 1.0)
        return jittered_s if retry_after_s is None else retry_after_s + jittered_s / 2


NO_RETRY = RetryPolicy(max_attempts=1, attempt_timeout_s=float("inf"), reconnect_timeout_s=0.0)
"""Fails at the first failure."""


def is_retriable(error: GinRummyError) -> bool:
    """Whether a call that is safe to repeat may be made again after this."""
    return error.code in (StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED)


def is_lost_stream(error: GinRummyError) -> bool:
    """Whether a watch may be resumed after this: the connection's end, not the server's refusal."""
    return is_retriable(error) or error.reason == "SLOW_CONSUMER"


class Patience:
    """How a stream comes back: counts the failures in a row, waits, and at last gives up."""

    def __init__(self, policy: RetryPolicy, first_timeout_s: float) -> None:
        """`first_timeout_s` bounds the attempts before the stream was open for the first time."""
        self._policy = policy
        self._limit_s = min(first_timeout_s, policy.reconnect_timeout_s)
        self._was_open = False
        self._failures = 0
        self._lost_at_s: float | None = None
        self._not_before_s = 0.0

    def heard(self) -> None:
        """Something arrived: the stream is open."""
        self._was_open = True
        self._limit_s = self._policy.reconnect_timeout_s
        self._failures = 0
        self._lost_at_s = None

    def sent_away(self, retry_after_s: float) -> None:
        """The server is about to stop and asked to come back after this time."""
        self._not_before_s = asyncio.get_running_loop().time() + retry_after_s

    async def wait(self, loss: GinRummyError) -> None:
        """Waits until the stream may be opened again; raises `loss` when it should not be."""
        # Until the server notices that the old stream is dead, it counts against the limits.
        limited = loss.code is StatusCode.RESOURCE_EXHAUSTED and loss.retry_after_s is not None
        if not is_lost_stream(loss) and not (limited and self._was_open):
            raise loss
        now_s = asyncio.get_running_loop().time()
        asked_s = max(loss.retry_after_s or 0.0, self._not_before_s - now_s, 0.0)
        if self._lost_at_s is None:
            # The time that the server asked for is not time that it stayed away.
            self._lost_at_s = now_s + asked_s
        if now_s + asked_s >= self._lost_at_s + self._limit_s:
            raise loss
        self._failures += 1
        await asyncio.sleep(self._policy.wait_s(self._failures, asked_s or None))


def connection_lost(what: str) -> ServerUnavailable:
    """The failure of a stream that ended without a status of the server's own."""
    return ServerUnavailable(what, code=StatusCode.UNAVAILABLE)
