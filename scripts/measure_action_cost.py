"""Measures what an action costs: server CPU and latency through Act + WatchMatch and through Play.

Starts a private server on one core and plays both seats of several matches from another. Each move
travels as a frontend's would: the command, its answer, and its events to each seat. The ways are
measured in turn, round after round, so that a busy machine spoils none alone.

Prints a Markdown table. Everything stays on 127.0.0.1 and ends by itself.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from uuid import uuid4

import grpc.aio

from ginrummy.v1 import action_pb2, cards_pb2, match_pb2, match_service_pb2, rules_pb2
from ginrummy.v1.match_service_pb2_grpc import MatchServiceStub

if TYPE_CHECKING:
    from ginrummy.v1.match_service_pb2_grpc import MatchServiceAsyncStub

CALL_S = 30
CPU_TICKS_S = os.sysconf("SC_CLK_TCK")
DRAW = action_pb2.Action(draw=action_pb2.Draw(pile=action_pb2.PILE_STOCK))
# Draws from the stock and discards that card: no pass, no knock, hand after dead hand.
ENDLESS = match_pb2.Match(
    ruleset="rulesets/solo",
    overrides=rules_pb2.Rules(upcard_offer=False, knocker_melds=rules_pb2.MELD_CHOICE_AUTO),
    seats=[match_pb2.Seat(number=n, human=match_pb2.HumanSeat()) for n in (1, 2)],
)


@dataclass
class Round:
    """What one way of playing took in one round."""

    latencies_s: list[float] = field(default_factory=list)
    server_cpu_s: float = 0.0
    wall_s: float = 0.0


@dataclass
class Seat:
    """One seat of a running match, as this client knows it."""

    match: str
    number: int
    token: str
    sequence: int = 0
    to_act: int = 0
    drawn: "cards_pb2.Card.ValueType" = cards_pb2.CARD_UNSPECIFIED

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.token}"),)

    def see(self, update: match_service_pb2.WatchMatchResponse) -> bool:
        """Folds one message of the stream; whether it has brought this seat's turn."""
        if update.HasField("snapshot"):
            self.sequence, self.to_act = update.snapshot.sequence, update.snapshot.to_act
        for event in update.events:
            self.sequence, self.to_act = event.sequence, event.to_act
            drew = event.WhichOneof("payload") == "card_drawn" and event.seat == self.number
            self.drawn = event.card_drawn.card if drew else cards_pb2.CARD_UNSPECIFIED
        has_news = update.HasField("snapshot") or bool(update.events)
        return has_news and self.to_act == self.number

    def act(self, *, want_view: bool = False) -> match_service_pb2.ActRequest:
        action = action_pb2.Action(discard=action_pb2.Discard(card=self.drawn))
        return match_service_pb2.ActRequest(
            name=self.match,
            action=action if self.drawn else DRAW,
            expected_sequence=self.sequence,
            request_id=str(uuid4()),
            want_view=want_view,
        )


async def play_unary(
    stub: "MatchServiceAsyncStub", seat: Seat, took: Round, want_view: bool
) -> None:
    """Plays one seat through Act and WatchMatch, until it is cancelled."""
    watch = match_service_pb2.WatchMatchRequest(name=seat.match)
    async for response in stub.WatchMatch(watch, metadata=seat.metadata):
        if seat.see(response):
            start = time.perf_counter()
            act = seat.act(want_view=want_view)
            await stub.Act(act, metadata=seat.metadata, timeout=CALL_S)
            took.latencies_s.append(time.perf_counter() - start)


async def play_stream(stub: "MatchServiceAsyncStub", seat: Seat, took: Round) -> None:
    """Plays one seat through Play, until it is cancelled."""
    call = stub.Play(metadata=seat.metadata)
    watch = match_service_pb2.WatchMatchRequest(name=seat.match)
    await call.write(match_service_pb2.PlayRequest(watch=watch))
    sent: dict[str, float] = {}
    async for response in call:
        for reply in response.replies:
            if reply.correlation_id in sent:
                took.latencies_s.append(time.perf_counter() - sent.pop(reply.correlation_id))
        if seat.see(response.update):
            act = match_service_pb2.PlayRequest(correlation_id=str(seat.sequence), act=seat.act())
            sent[act.correlation_id] = time.perf_counter()
            await call.write(act)


Player: TypeAlias = "Callable[[MatchServiceAsyncStub, Seat, Round], Coroutine[None, None, None]]"
WAYS: dict[str, Player] = {
    "Act + WatchMatch": lambda stub, seat, took: play_unary(stub, seat, took, want_view=False),
    "Act with a view + WatchMatch": lambda stub, seat, took: play_unary(stub, seat, took, True),
    "Play": play_stream,
}


def server_cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / CPU_TICKS_S


async def seats_of_new_matches(stub: "MatchServiceAsyncStub", matches: int) -> AsyncIterator[Seat]:
    for _ in range(matches):
        request = match_service_pb2.CreateMatchRequest(match=ENDLESS)
        created = await stub.CreateMatch(request, timeout=CALL_S)
        for number, token in created.seat_tokens.items():
            yield Seat(created.match.name, number, token)


async def measure(address: str, pid: int, player: Player, matches: int, seconds: float) -> Round:
    """Plays for some seconds and counts what the server used meanwhile."""
    took = Round()
    async with grpc.aio.insecure_channel(address) as channel:
        stub = MatchServiceStub(channel)
        seats = [seat async for seat in seats_of_new_matches(stub, matches)]
        tasks = [asyncio.create_task(player(stub, seat, took)) for seat in seats]
        await asyncio.sleep(0.5)
        took.latencies_s.clear()
        cpu, start = server_cpu_s(pid), time.perf_counter()
        await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
        took.server_cpu_s, took.wall_s = server_cpu_s(pid) - cpu, time.perf_counter() - start
        failed = [task.exception() for task in tasks if task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if failed:
        raise SystemExit(f"a player stopped: {failed[0]!r}")
    return took


@contextmanager
def private_server(in_memory: bool) -> Iterator[tuple[str, int]]:
    """A server on a free port and the last core, with a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        where = ["--in-memory"] if in_memory else ["--data-dir", folder]
        program = Path(sys.executable).with_name("ginrummy-server")
        command = [str(program), "--port", "0", "--ready-json", "--log-level", "warning", *where]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            ready = json.loads(server.stdout.readline())
            cores = sorted(os.sched_getaffinity(0))
            if len(cores) > 1:
                os.sched_setaffinity(server.pid, {cores[-1]})
                os.sched_setaffinity(0, set(cores[:-1]))
            yield f"127.0.0.1:{ready['port']}", server.pid
        finally:
            server.terminate()
            server.wait(timeout=30)


def row(log: str, way: str, rounds: list[Round]) -> str:
    moves = [len(r.latencies_s) for r in rounds]
    cpu_us = [1e6 * r.server_cpu_s / n for r, n in zip(rounds, moves, strict=True)]
    rate = [n / r.wall_s for r, n in zip(rounds, moves, strict=True)]
    millis = [1e3 * latency for r in rounds for latency in r.latencies_s]
    p50, p99 = statistics.median(millis), statistics.quantiles(millis, n=100)[98]
    spread = f"{min(cpu_us):.0f}-{max(cpu_us):.0f}"
    return (
        f"| {log} | {way} | {statistics.median(cpu_us):.0f} ({spread}) "
        f"| {statistics.median(rate):.0f} | {p50:.2f} | {p99:.2f} |"
    )


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each way (default 5)")
    parser.add_argument("--seconds", type=float, default=4, help="seconds a round (default 4)")
    parser.add_argument("--matches", type=int, default=4, help="matches at once (default 4)")
    options = parser.parse_args()
    print("| log | way | server CPU, us a move (spread) | moves/s | p50 ms | p99 ms |")
    print("|---|---|---|---|---|---|")
    for log, in_memory in (("SQLite FULL", False), ("memory", True)):
        results: dict[str, list[Round]] = {way: [] for way in WAYS}
        with private_server(in_memory) as (address, pid):
            for done in range(options.rounds):
                for way, player in WAYS.items():
                    print(f"{log}, round {done + 1}: {way}", file=sys.stderr)
                    took = await measure(address, pid, player, options.matches, options.seconds)
                    results[way].append(took)
        for way, rounds in results.items():
            print(row(log, way, rounds))


if __name__ == "__main__":
    asyncio.run(main())
