"""The service config of OPERATIONS.md: a client that has nothing else outlives the server."""

import asyncio
import json
import re
import signal
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

import grpc

from ginrummy.server.methods import METHODS
from ginrummy.v1 import match_pb2, match_service_pb2_grpc, view_pb2
from ginrummy.v1 import match_service_pb2 as pb

from .ports import free_port
from .server.players import BOT, HUMAN, bearer, new_request_id
from .server.programs import data_flags, launch
from .server.refusals import refusal_of

OPERATIONS = (Path(__file__).resolve().parents[1] / "OPERATIONS.md").read_text()
[CONFIG] = re.findall(r"^```json\n(.*?)^```$", OPERATIONS, re.MULTILINE | re.DOTALL)
OPTIONS = (
    ("grpc.service_config", CONFIG),
    ("grpc.enable_retries", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2000),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
)
KILLS = 3
CALLS_BETWEEN = 10
DEADLINE_S = 60
Answer = TypeVar("Answer")


class Caller:
    """Plays one seat with plain calls, each with a deadline: it never calls again itself."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.matches: match_service_pb2_grpc.MatchServiceAsyncStub = (
            match_service_pb2_grpc.MatchServiceStub(channel)
        )
        self.name = ""
        self.calls = 0
        """That were answered."""
        self.is_calling = False

    async def play_until(self, enough: asyncio.Event) -> None:
        """Matches against a bot, each to its end."""
        while not enough.is_set():
            await self.play()

    async def play(self) -> None:
        match = match_pb2.Match(ruleset="rulesets/short", seats=[HUMAN, BOT], allow_hints=True)
        creation = pb.CreateMatchRequest(match=match, request_id=new_request_id())
        created = await self._call(self.matches.CreateMatch(creation, timeout=DEADLINE_S))
        self.name = created.match.name
        metadata = bearer(created.seat_tokens[1])
        while True:
            request = pb.GetViewRequest(name=self.name)
            view = (
                await self._call(
                    self.matches.GetView(request, metadata=metadata, timeout=DEADLINE_S)
                )
            ).view
            if view.phase == view_pb2.PHASE_MATCH_OVER:
                return
            if not view.legal_actions:
                continue
            options = view.discard_options
            action = options.hint if options.HasField("hint") else view.legal_actions[0]
            act = pb.ActRequest(
                name=self.name,
                action=action,
                expected_sequence=view.sequence,
                request_id=new_request_id(),
            )
            try:
                await self._call(self.matches.Act(act, metadata=metadata, timeout=DEADLINE_S))
            except grpc.aio.AioRpcError as error:
                if refusal_of(error).reason != "STALE_SEQUENCE":
                    raise

    async def _call(self, call: Awaitable[Answer]) -> Answer:
        self.is_calling = True
        try:
            return await call
        finally:
            self.is_calling = False
            self.calls += 1


async def until(condition: Callable[[], bool], playing: Sequence[asyncio.Task[None]]) -> None:
    """Waits for what players bring about; raises what made one of them give up."""
    async with asyncio.timeout(120):
        while not condition():
            for task in playing:
                if task.done():
                    task.result()
            await asyncio.sleep(0.01)


def _have_made(callers: Sequence[Caller], calls: int) -> bool:
    return all(caller.calls >= calls for caller in callers)


async def test_plain_calls_outlive_a_server_that_is_killed_again_and_again(tmp_path: Path) -> None:
    flags = ("--port", str(free_port()), *data_flags(tmp_path))
    program = await launch(*flags)
    async with grpc.aio.insecure_channel(program.address, OPTIONS) as channel:
        enough = asyncio.Event()
        callers = [Caller(channel) for _ in range(2)]
        playing = [asyncio.create_task(caller.play_until(enough)) for caller in callers]
        for kill in range(KILLS):
            wanted = CALLS_BETWEEN * (kill + 1)
            await until(lambda wanted=wanted: _have_made(callers, wanted), playing)  # type: ignore[misc]
            program.process.send_signal(signal.SIGSTOP)
            # What was under way when it stopped has arrived, and what comes now waits.
            await asyncio.sleep(0.2)
            await until(lambda: all(caller.is_calling for caller in callers), playing)
            await program.kill()
            program = await launch(*flags)
        enough.set()
        await asyncio.wait_for(asyncio.gather(*playing), 120)
    await program.stop()


def test_it_names_every_call_that_may_be_made_again_and_no_stream() -> None:
    [method_config] = json.loads(CONFIG)["methodConfig"]
    named = {name.get("method") for name in method_config["name"]}
    whole = {name["service"] for name in method_config["name"] if "method" not in name}
    unary = {m.name for m in METHODS.values() if not m.is_stream and m.service not in whole}
    assert all(not m.is_stream for m in METHODS.values() if m.service in whole)
    assert named == unary | {None}
