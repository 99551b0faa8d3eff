"""What the server counts is what has happened."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import grpc
import pytest
from prometheus_client.parser import text_string_to_metric_families

from ginrummy.log import LogUnavailable, MemoryLog
from ginrummy.server import beat
from ginrummy.server.gate import code_of_left
from ginrummy.server.limits import LimitName
from ginrummy.server.methods import EVERY_METHOD
from ginrummy.server.metrics import COMMANDS, OUTCOMES, REASONS
from ginrummy.server.serving import Serving
from ginrummy.server.settings import Lifetime, Settings, Telemetry
from ginrummy.v1 import match_pb2
from ginrummy.v1 import match_service_pb2 as pb
from tests.tables.house import change_creation

from .players import BOT, HUMAN, LONG, Desk, Player, Stream, clock, play_out
from .programs import Program, data_flags, run_to_end, running
from .refusals import refusal

PUBLIC = match_pb2.SPECTATOR_POLICY_PUBLIC_INFO
LABELS = {
    "method": {method.label for method in EVERY_METHOD.values()} | {"unknown"},
    "code": {code.name for code in grpc.StatusCode},
    "command": set(COMMANDS),
    "outcome": set(OUTCOMES),
    "reason": set(REASONS),
    "limit": {limit.value for limit in LimitName},
    "viewer": {"seat", "host", "spectator"},
    "state": {"queued", "running"},
}
"""What each label of ours may be."""


class Numbers:
    """What a scrape shows."""

    def __init__(self, text: str) -> None:
        self.samples = {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def __call__(self, name: str, **labels: str) -> float:
        return self.samples[f"ginrummy_{name}", frozenset(labels.items())]

    def calls(self, method: str, code: str = "OK") -> float:
        return self("calls_total", method=method, code=code)


async def scrape(port: int | None) -> Numbers:
    def read() -> str:
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as response:
            text: str = response.read().decode()
            return text

    return Numbers(await asyncio.to_thread(read))


async def until(port: int | None, name: str, value: float, **labels: str) -> Numbers:
    """The numbers once this one is so: the server learns of callers who go in its own time."""
    async with asyncio.timeout(60):
        while (numbers := await scrape(port))(name, **labels) != value:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    return numbers


@asynccontextmanager
async def measured(*flags: str) -> AsyncIterator[tuple[Desk, Program]]:
    async with (
        running("--metrics-port", "0", *flags) as program,
        grpc.aio.insecure_channel(program.address) as channel,
    ):
        yield Desk(channel), program


class CountingPlayer(Player):
    """Counts what he does."""

    actions = 0

    def choose(self, view: Any) -> Any:
        self.actions += 1
        return super().choose(view)


async def new_players(desk: Desk) -> tuple[CountingPlayer, CountingPlayer]:
    created = await desk.create("playgridia", spectators=PUBLIC)
    one, two = (CountingPlayer(desk, created.match.name, created.seat_tokens[i], i) for i in (1, 2))
    return one, two


async def test_a_whole_match_is_counted_exactly(tmp_path: Path) -> None:
    async with measured(*data_flags(tmp_path)) as (desk, program):
        port = program.metrics_port
        one, two = await new_players(desk)
        spectating = desk.matches.WatchMatch(pb.WatchMatchRequest(name=one.name))
        await spectating.read()
        numbers = await scrape(port)
        assert (numbers("open_matches"), numbers("live_tables")) == (1, 1)
        assert numbers("streams", method="MatchService/WatchMatch") == 1
        assert numbers("watchers", viewer="spectator") == 1
        spectating.cancel()
        await until(port, "streams", 0, method="MatchService/WatchMatch")
        async with asyncio.timeout(120):
            await asyncio.gather(one.play_by_stream(), two.play_by_act_and_watch())
        for method in ("Play", "WatchMatch"):
            numbers = await until(port, "streams", 0, method=f"MatchService/{method}")
        assert numbers.calls("MatchService/CreateMatch") == 1
        assert numbers.calls("MatchService/Act") == two.actions
        assert numbers.calls("MatchService/Play") == 1
        assert numbers.calls("MatchService/WatchMatch") == 1
        assert numbers.calls("MatchService/WatchMatch", "CANCELLED") == 1
        assert numbers("play_commands_total", command="watch", outcome="accepted") == 1
        assert numbers("play_commands_total", command="act", outcome="accepted") == one.actions
        assert numbers("appends_total") == 1 + one.actions + two.actions
        assert numbers("append_seconds_count") == numbers("appends_total")
        assert numbers("commit_entries_sum") == numbers("appends_total")
        assert 0 < numbers("commit_seconds_count") <= numbers("appends_total")
        assert numbers("call_seconds_count", method="MatchService/Act") == two.actions
        assert numbers("stream_seconds_count", method="MatchService/WatchMatch") == 2
        assert numbers("open_matches") == 0
        assert numbers("watchers", viewer="seat") == 0
        for nothing in ("bot_moves_total", "time_outs_total", "log_errors_total"):
            assert numbers(nothing) == 0
        assert sum(numbers("refusals_total", reason=reason) for reason in REASONS) == 0


async def test_bots_and_clocks_are_counted_exactly() -> None:
    async with measured("--in-memory") as (desk, program):
        hurried = clock(0.1)
        hurried.timeouts_to_forfeit = 5
        created = await desk.create("short", seats=[HUMAN, BOT], clock=hurried, overrides=LONG)
        late = Player(desk, created.match.name, created.seat_tokens[1], 1)
        async with asyncio.timeout(120):
            while not late.has_seen_the_end:
                async for _ in late.watch():
                    pass
        numbers = await scrape(program.metrics_port)
        time_outs = sum(event.HasField("timed_out") for event in late.events)
        assert numbers("time_outs_total") == time_outs > 0
        assert numbers("bot_moves_total") > 0
        assert numbers("appends_total") == 1 + time_outs + numbers("bot_moves_total")
        assert numbers("bot_think_seconds_count") == numbers("bot_moves_total")


async def test_every_refusal_is_counted_by_its_reason_and_limit() -> None:
    async with measured("--in-memory", "--max-spectators", "1") as (desk, program):
        one, _ = await desk.new_players(spectators=PUBLIC)
        for _ in range(3):
            await refusal(desk.matches.GetMatch(pb.GetMatchRequest(name="matches/nothing")))
        spectating = desk.matches.WatchMatch(pb.WatchMatchRequest(name=one.name))
        await spectating.read()
        await refusal(desk.matches.WatchMatch(pb.WatchMatchRequest(name=one.name)).read())
        stream = Stream(one)
        assert (await stream.send(watch={"name": one.name})).ok
        assert (await stream.send(ping={})).ok
        resign: Any = {"request_id": "1"}
        assert not (await stream.send(resign=resign)).ok
        await stream.call.write(pb.PlayRequest())
        await stream.read()
        numbers = await scrape(program.metrics_port)
        assert numbers.calls("MatchService/GetMatch", "NOT_FOUND") == 3
        assert numbers("refusals_total", reason="MATCH_NOT_FOUND") == 3
        assert numbers("refusals_total", reason="LIMIT_REACHED") == 1
        assert numbers("limits_reached_total", limit="streams_of_a_match") == 1
        assert numbers("refusals_total", reason="BAD_FIELD") == 2
        assert numbers("play_commands_total", command="ping", outcome="accepted") == 1
        assert numbers("play_commands_total", command="resign", outcome="refused") == 1
        assert numbers("play_commands_total", command="unknown", outcome="refused") == 1


async def test_labels_hold_nothing_that_a_caller_chooses() -> None:
    async with measured("--in-memory") as (desk, program):
        for i in range(20):
            for name in (f"/ginrummy.v1.MatchService/Cheat{i}", f"/some{i}.Service/Act"):
                call: Any = desk.channel.unary_unary(name)
                with pytest.raises(grpc.aio.AioRpcError):
                    await call(b"")
        one, two = await desk.new_players("playgridia")
        await play_out(one, two)
        numbers = await scrape(program.metrics_port)
        assert numbers.calls("unknown", "UNIMPLEMENTED") == 40
        for name, labels in numbers.samples:
            if name.startswith("ginrummy_") and name != "ginrummy_build_info":
                for label, value in labels:
                    assert label == "le" or value in LABELS[label], (name, label, value)


async def test_the_process_and_its_versions_are_shown() -> None:
    async with measured("--in-memory") as (_, program):
        numbers = await until(program.metrics_port, "loop_lag_seconds_count", 2)
        names = {name for name, _ in numbers.samples}
        assert names >= {
            "ginrummy_build_info",
            "process_resident_memory_bytes",
            "python_gc_collections_total",
            "python_info",
        }


async def test_without_a_port_there_are_no_metrics() -> None:
    async with running("--in-memory") as program:
        assert program.metrics_port is None


async def test_a_port_that_is_taken_is_told_with_its_option() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        flags = ("--in-memory", "--port", "0", "--metrics-port", port)
        code, out, err = await run_to_end(*flags)
        assert (code, out) == (1, "")
        assert f"--metrics-port {port}: the port is in use" in err


@pytest.fixture
async def counted() -> AsyncIterator[Serving]:
    """A server in this process, with metrics."""
    serving = Serving(MemoryLog(), Settings(telemetry=Telemetry(metrics_port=0)))
    await serving.start("127.0.0.1", 0)
    yield serving
    await serving.stop(0.2)


@pytest.fixture
async def counted_desk(counted: Serving) -> AsyncIterator[Desk]:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{counted.port}") as channel:
        yield Desk(channel)


async def test_trouble_of_the_log_is_counted(counted: Serving, counted_desk: Desk) -> None:
    log: Any = counted.tables.log
    log._log.trouble = LogUnavailable("disk full")
    await refusal(counted_desk.create())
    numbers = await scrape(counted.metrics_port)
    assert numbers("log_errors_total") == 1
    assert numbers("refusals_total", reason="STORE_UNAVAILABLE") == 1
    assert numbers("appends_total") == 0
    log._log.trouble = None
    await counted_desk.create()
    assert (await scrape(counted.metrics_port))("appends_total") == 1


async def test_the_wait_of_a_busy_server_is_part_of_a_call_s_time(
    counted: Serving, counted_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("BUSY", -1.0), ("LOOK_S", 0.0), ("LULL_S", 0.25)):
        monkeypatch.setattr(beat, name, value)
    await counted_desk.create()
    numbers = await scrape(counted.metrics_port)
    assert numbers("call_seconds_count", method="MatchService/CreateMatch") == 1
    assert numbers("call_seconds_sum", method="MatchService/CreateMatch") >= 0.25


async def test_matches_that_are_set_aside_are_counted(counted: Serving, counted_desk: Desk) -> None:
    player, _ = await counted_desk.new_players()
    log: Any = counted.tables.log
    match_id = player.name.removeprefix("matches/")
    change_creation(log._log, match_id, seed="00" * 32)
    del counted.tables._live[match_id]
    await refusal(player.view())
    assert (await scrape(counted.metrics_port))("matches_set_aside") == 1


@pytest.mark.parametrize(
    ("length_s", "left_s", "code"),
    [
        (3.0, None, "CANCELLED"),
        (3.0, 7.0, "CANCELLED"),
        (9.7, 0.3, "CANCELLED"),
        (9.9, 0.1, "DEADLINE_EXCEEDED"),
        (10.0, -0.1, "DEADLINE_EXCEEDED"),
    ],
)
def test_time_that_is_rounded_up_on_its_way_is_over_when_the_caller_says_so(
    length_s: float, left_s: float | None, code: str
) -> None:
    assert code_of_left(length_s, left_s).name == code


async def test_a_call_that_ran_out_of_time_is_told_from_one_that_was_given_up(
    counted: Serving, counted_desk: Desk
) -> None:
    player, _ = await counted_desk.new_players()
    gate = asyncio.Event()

    async def slow(_: str) -> None:
        await gate.wait()

    counted.tables.index.row = slow  # type: ignore[assignment]
    request = pb.GetMatchRequest(name=player.name)
    with pytest.raises(grpc.aio.AioRpcError):
        await counted_desk.matches.GetMatch(request, timeout=2)
    given_up = counted_desk.matches.GetMatch(request, timeout=60)
    calls = {"method": "MatchService/GetMatch"}
    await until(counted.metrics_port, "calls_total", 1, code="DEADLINE_EXCEEDED", **calls)
    given_up.cancel()
    await until(counted.metrics_port, "calls_total", 1, code="CANCELLED", **calls)


async def test_matches_whose_time_is_over_are_counted() -> None:
    lifetime = Lifetime(idle_expiry_s=0.3, retention_s=0.3)
    serving = Serving(MemoryLog(), Settings(telemetry=Telemetry(metrics_port=0), lifetime=lifetime))
    port = await serving.start("127.0.0.1", 0)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        await Desk(channel).create()
        await Desk(channel).create()
        await until(serving.metrics_port, "matches_forgotten_total", 2)
        numbers = await scrape(serving.metrics_port)
        assert numbers("matches_expired_total") == 2
        assert numbers("open_matches") == 0
    await serving.stop(0.2)
