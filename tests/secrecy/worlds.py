"""Two real servers that differ in nothing but what is hidden, and raw calls to them.

Answers are kept as the bytes that came, with status, details and trailers, so that nothing that a
client does not look at is missed.
"""

import asyncio
import json
import os
import re
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]

from ginrummy.v1 import match_service_pb2 as pb

PROGRAM = (sys.executable, "-m", "tests.secrecy.planted_program")
MATCHES = "/ginrummy.v1.MatchService/"
TIMEOUT_S = 120
"""Of every call and wait: long, as nothing here is measured."""
COUNTED = re.compile("ginrummy_")
TIMED = re.compile("_seconds|_created|commit_entries|live_tables")
"""Metrics of time, or of what happened at the same time."""
ENDED = re.compile(r"\b(?:OK|CANCELLED)\b")
"""How the server sees a stream end that its caller leaves is a matter of time."""
OPEN_STREAMS = "ginrummy_streams{"
MARK_LINE = re.compile(r"mark-\d+\.")

Metadata = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Answer:
    """All that a caller gets of one call."""

    messages: tuple[bytes, ...]
    code: str
    details: str
    trailers: tuple[tuple[str, Any], ...]
    initial: tuple[tuple[str, Any], ...]

    @property
    def size(self) -> int:
        """Bytes that were compared."""
        trailers = sum(len(str(key)) + len(value) for key, value in self.trailers)
        return sum(map(len, self.messages)) + len(self.details) + trailers


DETAILS = "grpc-status-details-bin"


def in_order(raw: bytes, kind: Any) -> bytes:
    """The same message with the entries of its maps in order: theirs is any, by chance."""
    try:
        return bytes(kind.FromString(raw).SerializeToString(deterministic=True))
    except DecodeError:
        return raw


def details_in_order(raw: bytes) -> bytes:
    """A google.rpc.Status with the metadata of its ErrorInfo in order."""
    status = status_pb2.Status.FromString(raw)
    for detail in status.details:
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            detail.value = info.SerializeToString(deterministic=True)
    return bytes(status.SerializeToString(deterministic=True))


def bearer(token: str | None) -> Metadata:
    return (("authorization", f"Bearer {token}"),) if token else ()


def ordered(answer: Answer, method: str) -> Answer:
    """The answer with the entries of all maps in order."""
    kind = getattr(pb, f"{method.rpartition('/')[2]}Response", pb.PlayReply)
    trailers = tuple(
        (key, details_in_order(value) if key == DETAILS else value)
        for key, value in answer.trailers
    )
    messages = tuple(in_order(raw, kind) for raw in answer.messages)
    return replace(answer, messages=messages, trailers=trailers)


def _sorted(metadata: Iterable[tuple[str, Any]] | None) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(((str(key), value) for key, value in metadata or ()), key=str))


async def _answer(call: Any, messages: Sequence[bytes]) -> Answer:
    """The call's end, once it has ended."""
    code, details = await call.code(), await call.details()
    return Answer(
        tuple(messages),
        code.name,
        details or "",
        _sorted(await call.trailing_metadata()),
        _sorted(await call.initial_metadata()),
    )


def _method(kind: Any, path: str) -> Any:
    """A method that takes and gives bytes."""
    return kind(path)


class World:
    """One server, its control and its log lines."""

    def __init__(self, process: asyncio.subprocess.Process, ready: dict[str, Any]) -> None:
        self.process = process
        self._metrics_port = ready.get("metrics_port")
        options = [("grpc.http2.bdp_probe", 0), ("grpc.use_local_subchannel_pool", 1)]
        self.channel = grpc.aio.insecure_channel(ready["address"], options)
        self.lines: list[str] = []
        """Of the log, as they came."""
        self._marks = 0
        self._line_came = asyncio.Event()
        self._reading = asyncio.create_task(self._read_lines())
        self._telling = asyncio.Lock()

    async def tell(self, **words: Any) -> None:
        """Tells the server's control something, and waits until it is done."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        async with self._telling:
            self.process.stdin.write(json.dumps(words).encode() + b"\n")
            line = await asyncio.wait_for(self.process.stdout.readline(), TIMEOUT_S)
            assert line == b"done\n", line

    async def metrics(self) -> dict[str, float]:
        """What is counted now, without what took how long."""

        def read() -> str:
            url = f"http://127.0.0.1:{self._metrics_port}/metrics"
            with urlopen(url, timeout=TIMEOUT_S) as response:
                return str(response.read().decode())

        text = await asyncio.to_thread(read)
        counted: Counter[str] = Counter()
        for line in text.splitlines():
            name, _, value = line.rpartition(" ")
            if COUNTED.match(name) and not TIMED.search(name):
                counted[ENDED.sub("ENDED", name)] += float(value)  # type: ignore[assignment]
        return {name: float(value) for name, value in counted.items()}

    async def quiet_metrics(self) -> dict[str, float]:
        """The same, once no stream is open."""
        async with asyncio.timeout(TIMEOUT_S):
            while True:
                counted = await self.metrics()
                streams = [n for name, n in counted.items() if name.startswith(OPEN_STREAMS)]
                if not any(streams):
                    return counted
                await asyncio.sleep(0.1)

    async def lines_so_far(self) -> list[str]:
        """The log since the last time, without what the control wrote to it."""
        self._marks += 1
        mark = f"mark-{self._marks}."
        await self.tell(mark=mark)
        await self.until_line(mark)
        taken, self.lines = self.lines, []
        return [line for line in taken if not MARK_LINE.search(line)]

    async def until_line(self, text: str) -> None:
        """Waits until a line has come that holds this."""
        async with asyncio.timeout(TIMEOUT_S):
            while not any(text in line for line in self.lines):
                self._line_came.clear()
                await self._line_came.wait()

    async def _read_lines(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.lines.append(line.decode(errors="replace").rstrip("\n"))
            self._line_came.set()

    async def ask(
        self,
        method: str,
        request: bytes,
        metadata: Metadata = (),
        timeout_s: float | None = TIMEOUT_S,
    ) -> Answer:
        """One unary call; a failure is an answer like any other."""
        path = method if method.startswith("/") else MATCHES + method
        call: Any = _method(self.channel.unary_unary, path)(
            request, timeout=timeout_s, metadata=metadata
        )
        try:
            return await _answer(call, [await call])
        except grpc.aio.AioRpcError:
            return await _answer(call, [])

    async def read(self, request: pb.WatchMatchRequest, metadata: Metadata, head: int) -> Answer:
        """A new WatchMatch, up to the event `head` or its snapshot; or its failure."""
        call = _method(self.channel.unary_stream, MATCHES + "WatchMatch")(
            request.SerializeToString(), timeout=TIMEOUT_S, metadata=metadata
        )
        return await _up_to(call, head, lambda raw: pb.WatchMatchResponse.FromString(raw))

    async def read_play(
        self, request: pb.WatchMatchRequest, metadata: Metadata, head: int
    ) -> Answer:
        """The same of a new Play stream."""
        call: Any = self.channel.stream_stream(MATCHES + "Play")(
            timeout=TIMEOUT_S, metadata=metadata
        )
        await call.write(pb.PlayRequest(watch=request).SerializeToString())
        return await _up_to(call, head, lambda raw: pb.PlayResponse.FromString(raw).update)

    async def close(self) -> None:
        await self.channel.close()
        if self.process.returncode is None:
            self.process.terminate()
        await self.process.wait()
        await self._reading


async def _up_to(call: Any, head: int, update_of: Any) -> Answer:
    messages: list[bytes] = []
    try:
        while (raw := await call.read()) is not grpc.aio.EOF:
            messages.append(raw)
            update = update_of(raw)
            reached = update.HasField("snapshot") or (
                update.events and update.events[-1].sequence >= head
            )
            if reached:
                initial = _sorted(await call.initial_metadata())
                call.cancel()
                return Answer(tuple(messages), "", "", (), initial)
    except grpc.aio.AioRpcError:
        pass
    return await _answer(call, messages)


class Live:
    """A stream that stays open while a hand is played, and all that has come by it."""

    def __init__(self, world: World, request: Any, metadata: Metadata = ()) -> None:
        self.messages: list[bytes] = []
        self.head: int = getattr(request, "after_sequence", 0)
        self.replies: list[bytes] = []
        self._came = asyncio.Event()
        self._call: Any = self._open(world, request, metadata)
        self._reading = asyncio.create_task(self._read())

    def _open(self, world: World, request: Any, metadata: Metadata) -> Any:
        return _method(world.channel.unary_stream, MATCHES + "WatchMatch")(
            request.SerializeToString(), metadata=metadata
        )

    async def _read(self) -> None:
        with suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
            while (raw := await self._call.read()) is not grpc.aio.EOF:
                self._take(raw)
                self._came.set()
        self._came.set()

    def _take(self, raw: bytes) -> None:
        self._note(raw, pb.WatchMatchResponse.FromString(raw))

    def _note(self, raw: bytes, update: pb.WatchMatchResponse) -> None:
        """Keeps a message. Whether a heartbeat comes is a matter of real time alone."""
        is_beat = not update.events and any(n.HasField("heartbeat") for n in update.notices)
        if update.HasField("snapshot"):
            self.head = update.snapshot.sequence
        if update.events:
            self.head = update.events[-1].sequence
        if not is_beat:
            self.messages.append(raw)

    async def until(self, head: int) -> None:
        """Waits until the event `head` has come."""
        async with asyncio.timeout(TIMEOUT_S):
            while self.head < head:
                await self._wait()

    async def begun(self) -> None:
        """Waits until the server follows the match for this stream."""
        await asyncio.wait_for(self._call.initial_metadata(), TIMEOUT_S)

    async def more_than(self, count: int) -> None:
        """Waits until more messages than these have come."""
        async with asyncio.timeout(TIMEOUT_S):
            while len(self.messages) <= count:
                await self._wait()

    async def _wait(self) -> None:
        assert not self._reading.done(), "a stream ended too early"
        self._came.clear()
        await self._came.wait()

    async def close(self) -> None:
        self._call.cancel()
        await self._reading


class LiveNews(Live):
    """The news of matches, by WatchMatches."""

    def _open(self, world: World, request: Any, metadata: Metadata) -> Any:
        return _method(world.channel.unary_stream, MATCHES + "WatchMatches")(
            request.SerializeToString(), metadata=metadata
        )

    def _take(self, raw: bytes) -> None:
        self.messages.append(raw)

    async def until_ended(self) -> None:
        """Waits for the news that the one match has ended."""
        async with asyncio.timeout(TIMEOUT_S):
            while not (
                self.messages
                and pb.WatchMatchesResponse.FromString(self.messages[-1]).match.HasField("result")
            ):
                await self._wait()


class LivePlay(Live):
    """The same by Play, which takes commands too."""

    def _open(self, world: World, request: Any, metadata: Metadata) -> Any:
        self._first = request
        return world.channel.stream_stream(MATCHES + "Play")(metadata=metadata)

    async def _read(self) -> None:
        with suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
            await self._call.write(pb.PlayRequest(watch=self._first).SerializeToString())
        await super()._read()

    def _take(self, raw: bytes) -> None:
        response = pb.PlayResponse.FromString(raw)
        self.replies += [r.SerializeToString(deterministic=True) for r in response.replies]
        if response.replies and not response.HasField("update"):
            self.messages.append(raw)
        else:
            self._note(raw, response.update)

    async def begun(self) -> None:
        async with asyncio.timeout(TIMEOUT_S):
            while not self.replies:
                await self._wait()

    async def send(self, requests: Sequence[pb.PlayRequest]) -> list[bytes]:
        """The replies to these commands, sent one right after the other."""
        async with asyncio.timeout(TIMEOUT_S):
            count = len(self.replies)
            for request in requests:
                await self._call.write(request.SerializeToString())
            while len(self.replies) < count + len(requests):
                await self._wait()
        return self.replies[count:]


async def begin(*flags: str, decks: Path | None = None, quiet: bool = False) -> World:
    """A server that is ready. `quiet`: without the log lines of others' libraries."""
    environment = {**os.environ, "SECRECY_DECKS": str(decks or ""), "SECRECY_QUIET": "1" * quiet}
    process = await asyncio.create_subprocess_exec(
        *(*PROGRAM, "--port", "0", "--ready-json", "--log-level", "debug", *flags),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
    )
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), TIMEOUT_S)
    if not line:
        assert process.stderr is not None
        raise AssertionError((await process.stderr.read()).decode())
    return World(process, json.loads(line))


@asynccontextmanager
async def two_worlds(*flags: str) -> AsyncIterator[tuple[World, World]]:
    """Two servers, alike but for what is planted in them."""
    first = await begin("--in-memory", "--metrics-port", "0", *flags, quiet=True)
    second = await begin("--in-memory", "--metrics-port", "0", *flags, quiet=True)
    try:
        yield first, second
    finally:
        await first.close()
        await second.close()
