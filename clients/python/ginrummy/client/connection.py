"""The channel to one server, and how calls go over it: deadline, tokens, retries, errors."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar, cast

import grpc
from grpc import aio

from ginrummy.client.errors import BadToken, GinRummyError, ServerUnavailable, error_from_rpc
from ginrummy.client.retry import RetryPolicy, connection_lost, is_retriable
from ginrummy.v1.analysis_service_pb2_grpc import AnalysisServiceStub
from ginrummy.v1.catalog_service_pb2_grpc import CatalogServiceStub
from ginrummy.v1.match_service_pb2_grpc import MatchServiceStub
from ginrummy.v1.simulation_service_pb2_grpc import SimulationServiceStub

if TYPE_CHECKING:
    from ginrummy.v1.analysis_service_pb2_grpc import AnalysisServiceAsyncStub
    from ginrummy.v1.catalog_service_pb2_grpc import CatalogServiceAsyncStub
    from ginrummy.v1.match_service_pb2_grpc import MatchServiceAsyncStub
    from ginrummy.v1.simulation_service_pb2_grpc import SimulationServiceAsyncStub

_Request = TypeVar("_Request")
_Response = TypeVar("_Response")
_Stream = TypeVar("_Stream", bound=aio.Call)

ChannelOption = tuple[str, int | str]

CHANNEL_OPTIONS: tuple[ChannelOption, ...] = (
    # With probing, 4.7 MB can be under way to a reader that is slow; without, 96 kB.
    ("grpc.http2.bdp_probe", 0),
    # A dead connection is noticed; the server allows a ping every 20 s.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    # A restarted server is found again within seconds, not within two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # Every client has a connection of its own.
    ("grpc.use_local_subchannel_pool", 1),
)

_HEALTH_CHECK = "/grpc.health.v1.Health/Check"
# HealthCheckResponse{status: SERVING}: not worth a dependency of its own.
_SERVING = b"\x08\x01"
_HEALTH_POLL_S = 0.05


class Connection:
    """What all calls of one client share. Opened by the first call."""

    def __init__(
        self,
        target: str,
        *,
        timeout_s: float,
        api_key: str | None,
        retry: RetryPolicy,
        credentials: grpc.ChannelCredentials | None,
        options: Sequence[ChannelOption],
    ) -> None:
        self.target = target
        self.timeout_s = timeout_s
        self.retry = retry
        self._api_key = None if api_key is None else _checked(api_key, "API key")
        self._credentials = credentials
        self._options = (*CHANNEL_OPTIONS, *options)
        self._channel: aio.Channel | None = None
        self._is_closed = False
        self._streams: set[aio.Call] = set()

    @property
    def channel(self) -> aio.Channel:
        """The channel; made here, because it belongs to the running event loop."""
        if self._is_closed:
            raise _closed()
        if self._channel is None:
            if self._credentials is None:
                self._channel = aio.insecure_channel(self.target, self._options)
            else:
                self._channel = aio.secure_channel(self.target, self._credentials, self._options)
            # The generated stub has no class for asyncio at run time.
            channel = cast("grpc.Channel", self._channel)
            self._match_stub = cast("MatchServiceAsyncStub", MatchServiceStub(channel))
            self._analysis_stub = cast("AnalysisServiceAsyncStub", AnalysisServiceStub(channel))
            self._catalog_stub = cast("CatalogServiceAsyncStub", CatalogServiceStub(channel))
            self._simulation_stub = cast(
                "SimulationServiceAsyncStub", SimulationServiceStub(channel)
            )
        return self._channel

    @property
    def matches(self) -> MatchServiceAsyncStub:
        """The match service."""
        _ = self.channel
        return self._match_stub

    @property
    def catalog(self) -> CatalogServiceAsyncStub:
        """The catalog service."""
        _ = self.channel
        return self._catalog_stub

    @property
    def analysis(self) -> AnalysisServiceAsyncStub:
        """The analysis service."""
        _ = self.channel
        return self._analysis_stub

    @property
    def simulations(self) -> SimulationServiceAsyncStub:
        """The simulation service."""
        _ = self.channel
        return self._simulation_stub

    async def close(self) -> None:
        """Ends the connection with every call on it."""
        self._is_closed = True
        if self._channel is not None:
            channel, self._channel = self._channel, None
            # Closing the channel alone leaves their readers waiting.
            for stream in self._streams:
                stream.cancel()
            await channel.close()

    @contextmanager
    def stream(self, call: _Stream) -> Iterator[_Stream]:
        """Keeps an open stream, and cancels it in the end."""
        self._streams.add(call)
        try:
            yield call
        finally:
            self._streams.discard(call)
            call.cancel()

    def metadata(self, token: str | None) -> tuple[tuple[str, str], ...]:
        """Who is calling."""
        pairs: list[tuple[str, str]] = []
        if token is not None:
            pairs.append(("authorization", f"Bearer {token}"))
        if self._api_key is not None:
            pairs.append(("x-api-key", self._api_key))
        return tuple(pairs)

    async def call(
        self,
        method: aio.UnaryUnaryMultiCallable[_Request, _Response],
        request: _Request,
        token: str | None = None,
    ) -> _Response:
        """One call that is safe to repeat: a read, or a request with a request_id."""
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + self.timeout_s
        metadata = self.metadata(token)
        failures = 0
        while True:
            left_s = deadline_s - loop.time()
            timeout_s = min(left_s, self.retry.attempt_timeout_s)
            try:
                return await method(request, timeout=timeout_s, metadata=metadata)
            except aio.AioRpcError as failure:
                error = _end_of(failure, self.target)
            except asyncio.CancelledError:
                if _is_cancelled() or not self._is_closed:
                    raise
                raise _closed() from None
            failures += 1
            await self.wait_to_retry(error, failures, deadline_s)

    async def wait_to_retry(self, error: GinRummyError, failures: int, deadline_s: float) -> None:
        """Waits until the call may be made again; raises `error` when it should not be."""
        if failures >= self.retry.max_attempts or not is_retriable(error):
            raise error
        wait_s = self.retry.wait_s(failures, error.retry_after_s)
        if asyncio.get_running_loop().time() + wait_s >= deadline_s:
            raise error
        await asyncio.sleep(wait_s)

    async def wait_ready(self, timeout_s: float) -> None:
        """Waits until the health service answers SERVING.

        Raises ServerUnavailable with the last answer; with DEADLINE_EXCEEDED if there was none.
        """
        check: aio.UnaryUnaryMultiCallable[bytes, bytes] = self.channel.unary_unary(_HEALTH_CHECK)
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + timeout_s
        state, code = "no answer", grpc.StatusCode.DEADLINE_EXCEEDED
        while (left_s := deadline_s - loop.time()) > 0:
            try:
                if await check(b"", timeout=left_s, metadata=self.metadata(None)) == _SERVING:
                    return
                state, code = "it says that it is not serving", grpc.StatusCode.UNAVAILABLE
            except aio.AioRpcError as failure:
                # A check that the deadline cuts off knows less than the one before it.
                if failure.code() is not grpc.StatusCode.DEADLINE_EXCEEDED:
                    state = failure.details() or failure.code().name
                    code = grpc.StatusCode.UNAVAILABLE
            await asyncio.sleep(min(_HEALTH_POLL_S, left_s))
        raise ServerUnavailable(
            f"the server at {self.target} was not ready within {timeout_s:g} s ({state})",
            code=code,
        )


class StreamReader:
    """Reads the messages of one stream, and tells apart how it can end."""

    def __init__(self, target: str, silence_limit_s: float | None) -> None:
        self._target = target
        self._silence_limit_s = silence_limit_s

    async def read(
        self,
        call: aio.UnaryStreamCall[_Request, _Response] | aio.StreamStreamCall[_Request, _Response],
    ) -> _Response | None:
        """The next message; None when the server has ended the stream in good order."""
        try:
            async with asyncio.timeout(self._silence_limit_s):
                message = await call.read()
        except TimeoutError:
            raise connection_lost(
                f"nothing was heard of the server at {self._target} for {self._silence_limit_s:g} s"
            ) from None
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            raise _dropped(self._target) from None
        except aio.AioRpcError as failure:
            raise _end_of(failure, self._target) from None
        return None if message is aio.EOF else cast("_Response", message)


def _is_cancelled() -> bool:
    """Whether the running task is being cancelled.

    grpc raises CancelledError also for a call that the other end, or the channel, has cancelled.
    """
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _end_of(failure: aio.AioRpcError, target: str) -> GinRummyError:
    """Why a call failed; ServerUnavailable where the connection is to blame, whatever it says."""
    error = error_from_rpc(failure, target)
    if error.reason:
        return error
    # Not cancelled by us: a server that stops drops its calls so.
    is_dropped = error.code is grpc.StatusCode.CANCELLED
    if error.code is grpc.StatusCode.INTERNAL:
        # The latter hides the server's own status: grpc sets it when a message is written to a
        # stream that the server has just ended.
        is_dropped = "RST_STREAM" in str(error) or str(error) == "Internal error from Core"
    return _dropped(target) if is_dropped else error


def _dropped(target: str) -> ServerUnavailable:
    return connection_lost(f"the server at {target} dropped the call")


def _closed() -> ServerUnavailable:
    return ServerUnavailable("the client was closed", code=grpc.StatusCode.CANCELLED)


def new_request_id() -> str:
    """A request_id: what makes a request safe to repeat."""
    return str(uuid.uuid4())


def checked_token(token: str) -> str:
    """The token, if it can travel. The error never repeats it."""
    return _checked(token, "token")


def _checked(secret: str, what: str) -> str:
    if not secret or not secret.isascii() or not secret.isprintable() or " " in secret:
        raise BadToken(
            f"this is not a {what}: it is empty or has characters that none has",
            code=grpc.StatusCode.UNAUTHENTICATED,
            reason="BAD_TOKEN",
        )
    return secret
