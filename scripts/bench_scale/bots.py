"""How much later than it must a bot's reply comes: later than its choice and one append."""

from __future__ import annotations

import asyncio
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import grpc.aio
from bench_service.moves import ENDLESS, TIMEOUT_S, Seat

from bench_scale.report import Figure, median, percentile, tell
from bench_scale.servers import Service, service
from ginrummy.v1 import match_pb2, match_service_pb2
from ginrummy.v1.match_service_pb2_grpc import MatchServiceStub

if TYPE_CHECKING:
    from ginrummy.v1.match_service_pb2_grpc import MatchServiceAsyncStub

AIM_MS = 0.5
"""Beyond thinking and one append: to be carried out, and to be sent to the player."""
SECONDS = 3
AT_ONCE = 32
HUMAN, BOT = 1, 2


@dataclass(slots=True)
class Seen:
    """What one player saw of the bot, and how often anybody moved."""

    answered_s: list[float] = field(default_factory=list)
    """From the player's action to its answer."""
    first_s: list[float] = field(default_factory=list)
    """From the answer to the bot's first action."""
    next_s: list[float] = field(default_factory=list)
    """From an action of the bot to its next."""
    entries: int = 0


def measure(folder: Path, rounds: int) -> list[Figure]:
    """One player against a bot, and many."""
    with service("SQLite FULL", folder) as running:
        alone, think_ms, append_ms = [], [], []
        for done in range(rounds):
            tell(f"round {done + 1} of {rounds}: one player against a bot")
            seen, thinking, appending = _sample(running, 1)
            alone.append(seen)
            think_ms.append(1e3 * thinking)
            append_ms.append(1e3 * appending)
        tell(f"{AT_ONCE} players against bots")
        cpu_s = running.server.cpu_s()
        busy, *_ = _sample(running, AT_ONCE)
        cpu_us = 1e6 * (running.server.cpu_s() - cpu_s) / busy.entries
    firsts = [1e3 * statistics.median(seen.first_s) for seen in alone]
    extra = [f - t - a for f, t, a in zip(firsts, think_ms, append_ms, strict=True)]
    late_ms = [1e3 * percentile(seen.first_s, 99) for seen in alone]
    own_ms = [1e3 * statistics.median(seen.answered_s) for seen in alone]
    next_ms = [1e3 * statistics.median(seen.next_s) for seen in alone]
    return [
        median("a bot thinks (mean)", think_ms, "ms"),
        median("an append (mean)", append_ms, "ms"),
        median("a player's own action, to its answer: p50", own_ms, "ms"),
        median("from the answer to the bot's first event: p50", firsts, "ms"),
        median("the same: p99", late_ms, "ms"),
        median("more than thinking and one append", extra, "ms", AIM_MS),
        median("from the bot's draw to its discard: p50", next_ms, "ms"),
        Figure(f"CPU of an action, {AT_ONCE} against bots", cpu_us, "us"),
    ]


def _sample(running: Service, at_once: int) -> tuple[Seen, float, float]:
    """What players saw, and how long bots thought and appends took meanwhile."""
    thought, appended = running.observed("bot_think_seconds"), running.observed("append_seconds")
    seen = Seen()
    asyncio.run(_play_all(running, at_once, seen))
    seen.entries = round(running.observed("append_seconds")[1] - appended[1])
    think_s = running.mean_s("bot_think_seconds", thought)
    return seen, think_s, running.mean_s("append_seconds", appended)


async def _play_all(running: Service, at_once: int, seen: Seen) -> None:
    async with grpc.aio.insecure_channel(running.server.address) as channel:
        stub: MatchServiceAsyncStub = MatchServiceStub(channel)
        tasks = [asyncio.create_task(_play_on(stub, seen)) for _ in range(at_once)]
        done, _ = await asyncio.wait(tasks, timeout=SECONDS, return_when=asyncio.FIRST_EXCEPTION)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for task in done:
            task.result()


async def _play_on(stub: MatchServiceAsyncStub, seen: Seen) -> None:
    """Match after match."""
    match = match_pb2.Match()
    match.CopyFrom(ENDLESS)
    match.seats[BOT - 1].CopyFrom(
        match_pb2.Seat(number=BOT, bot=match_pb2.BotSeat(bot="bots/simple"))
    )
    while True:
        request = match_service_pb2.CreateMatchRequest(match=match)
        created = await stub.CreateMatch(request, timeout=TIMEOUT_S)
        await _play_one(stub, Seat(created.match.name, HUMAN, created.seat_tokens[HUMAN]), seen)


async def _play_one(stub: MatchServiceAsyncStub, seat: Seat, seen: Seen) -> None:
    """Draws and discards until the match ends, and looks at the clock whenever something comes."""
    call = stub.Play(metadata=seat.metadata)
    watch = match_service_pb2.WatchMatchRequest(name=seat.match)
    await call.write(match_service_pb2.PlayRequest(watch=watch))
    asked_s = answered_s = bot_s = 0.0
    async for response in call:
        now_s = time.perf_counter()
        is_answer = any(reply.correlation_id for reply in response.replies)
        if is_answer:
            seen.answered_s.append(now_s - asked_s)
            answered_s, bot_s = now_s, 0.0
        if any(event.seat == BOT for event in response.update.events) and not is_answer:
            if bot_s:
                seen.next_s.append(now_s - bot_s)
            elif answered_s:
                seen.first_s.append(now_s - answered_s)
            bot_s = now_s
        if seat.see(response.update):
            act = match_service_pb2.PlayRequest(correlation_id=str(seat.sequence), act=seat.act())
            asked_s = time.perf_counter()
            await call.write(act)
