"""The lines of the log: their form, what they are about, and what they never hold."""

import asyncio
import io
import json
import logging
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest

from ginrummy.server.log_lines import JsonLines, TextLines, tell_of_lost_errors
from ginrummy.tables import attendant, play
from ginrummy.tables.about import current, note, nothing
from ginrummy.v1 import match_pb2
from ginrummy.v1 import match_service_pb2 as pb
from ginrummy.v1.simulation_service_pb2 import Simulation

from .players import BOT, HUMAN, TIMEOUT_S, Desk, new_request_id, play_out
from .refusals import refusal
from .simulations import ENDLESS, Office, asked
from .test_keys import served, until

CARDS = "AS KD 7H"


def record(message: str = "said", *arguments: Any, **fields: str) -> logging.LogRecord:
    made = logging.LogRecord("place", logging.INFO, __file__, 1, message, arguments, None)
    vars(made).update(fields)
    return made


class Kept:
    """The log lines of this process, in JSON."""

    def __init__(self, stream: io.StringIO) -> None:
        self._stream = stream

    def lines(self, **fields: str) -> list[dict[str, str]]:
        """Those that have these fields."""
        found = [json.loads(line) for line in self._stream.getvalue().splitlines()]
        return [line for line in found if fields.items() <= line.items()]

    @property
    def text(self) -> str:
        return self._stream.getvalue()


@pytest.fixture
def kept() -> Iterator[Kept]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield Kept(stream)
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.mark.parametrize("break_", ["\n", "\r", "\x0b", "\x85", "\u2028", "\x1b[2J", "\x00"])
@pytest.mark.parametrize("formatter", [TextLines(), JsonLines()])
def test_no_value_begins_a_line_of_its_own(formatter: logging.Formatter, break_: str) -> None:
    forged = f"{break_}2026-01-01T00:00:00.000Z ERROR place: the house burns"
    line = formatter.format(record("said %s", forged, match=f"m{forged}"))
    assert break_ not in line
    assert len(line.splitlines()) == 1
    assert line.isprintable()


def test_text_is_time_level_place_message_and_fields() -> None:
    line = TextLines().format(record("went on with %d matches", 3, match="m1", seat="2"))
    time, rest = line.split(" ", 1)
    assert rest == "INFO place: went on with 3 matches match=m1 seat=2"
    assert datetime.fromisoformat(time).utcoffset() == timedelta()


def test_json_holds_the_same_by_name() -> None:
    line = json.loads(JsonLines().format(record("went on with %d matches", 3, match="m1")))
    assert datetime.fromisoformat(line.pop("time")).utcoffset() == timedelta()
    assert line == {
        "level": "info",
        "logger": "place",
        "message": "went on with 3 matches",
        "match": "m1",
    }


@pytest.mark.parametrize("formatter", [TextLines(), JsonLines()])
def test_an_error_is_told_by_kind_and_place_without_its_words(
    formatter: logging.Formatter,
) -> None:
    made = record("a fault")
    try:
        raise RuntimeError(CARDS)
    except RuntimeError:
        made.exc_info = sys.exc_info()
    line = formatter.format(made)
    assert "a fault: RuntimeError at " in line
    assert CARDS not in line
    assert line.isprintable()


async def test_an_error_that_nobody_waits_for_is_told_in_the_same_way(kept: Kept) -> None:
    loop = asyncio.get_running_loop()
    tell_of_lost_errors(loop)

    async def fail() -> None:
        raise RuntimeError(CARDS)

    task = asyncio.create_task(fail())
    await asyncio.wait((task,))
    del task
    loop.set_exception_handler(None)
    (line,) = kept.lines(level="error")
    assert "never retrieved: RuntimeError at" in line["message"]
    assert CARDS not in kept.text


async def test_what_is_noted_goes_along_into_tasks_and_not_out_of_them(kept: Kept) -> None:
    lines = logging.getLogger("place")

    async def work(match: str) -> None:
        note(match=match)
        current().tell = lambda: {"request_id": "r"}
        lines.info("within")
        current().tell = nothing
        lines.info("after")

    await asyncio.gather(*(asyncio.create_task(work(match)) for match in ("m1", "m2")))
    lines.info("outside")
    for match in ("m1", "m2"):
        within, after = kept.lines(match=match)
        assert (within["request_id"], "request_id" in after) == ("r", False)
    assert "match" not in kept.lines(message="outside")[0]


async def test_a_fault_names_its_call_match_and_number(
    desk: Desk, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = await desk.new_players()
    view = await one.view()
    player = one if view.to_act == 1 else two
    view = await player.view()

    async def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError(CARDS)

    monkeypatch.setattr(play, "act", fail)
    request = player.act_request(view, new_request_id())
    told = await refusal(player.send(request))
    (line,) = kept.lines(level="error", logger="ginrummy.server.edge")
    assert line["fault"] == told.metadata["fault_id"]
    assert line["call"] == "MatchService/Act"
    assert line["match"] == player.name.removeprefix("matches/")
    assert line["seat"] == str(player.seat)
    assert line["request_id"] == request.request_id
    assert CARDS not in kept.text


async def test_what_happens_by_itself_is_about_the_match_and_nobodys_call(
    desk: Desk, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any) -> None:
        raise RuntimeError(CARDS)

    monkeypatch.setattr(attendant, "play_bot", fail)
    created = await desk.create(seats=[BOT, BOT])

    async def is_told() -> bool:
        return bool(kept.lines(level="error", logger=attendant.lines.name))

    await until(is_told)
    (line,) = kept.lines(level="error", logger=attendant.lines.name)
    assert line["match"] == created.match.name.removeprefix("matches/")
    assert "stands still" in line["message"]
    assert not {"call", "seat", "request_id"} & set(line)
    assert CARDS not in kept.text


async def test_how_a_simulation_ends_is_nobodys_call_unless_somebody_ends_it(
    desk: Desk, kept: Kept
) -> None:
    office = Office(desk.channel)
    cancelled = [await office.create(asked(ENDLESS)) for _ in range(2)]
    played = [await office.create(asked(), new_request_id()) for _ in range(2)]
    for simulation in cancelled:
        await office.cancel(simulation.name)
    for simulation in played:
        await office.ended(simulation.name)

    def line_of(simulation: Simulation, state: str) -> dict[str, str]:
        simulation_id = simulation.name.removeprefix("simulations/")
        (line,) = kept.lines(message=f"simulation {simulation_id}: {state}")
        return line

    for simulation in played:
        assert not {"call", "request_id"} & set(line_of(simulation, "succeeded"))
    for simulation in cancelled:
        line = line_of(simulation, "cancelled")
        assert line["call"] == "SimulationService/CancelSimulation"


async def test_at_debug_level_there_is_a_line_for_each_call() -> None:
    async with served("--log-level", "debug", "--log-format", "json") as (_, desk, err):
        one, two = await desk.new_players()
        await play_out(one, two)
        with pytest.raises(grpc.aio.AioRpcError):
            await desk.matches.GetMatch(pb.GetMatchRequest(name="matches/none"), timeout=TIMEOUT_S)
    told = [json.loads(line) for line in err]
    calls = [line for line in told if line["logger"] == "ginrummy.server.gate"]
    acts = [line for line in calls if line.get("call") == "MatchService/Act"]
    assert {line["seat"] for line in acts} == {"1", "2"}
    assert {line["match"] for line in acts} == {one.name.removeprefix("matches/")}
    assert len({line["request_id"] for line in acts}) == len(acts)
    assert all(line["message"].startswith("MatchService/Act OK in ") for line in acts)
    (lost,) = [line for line in calls if line.get("match") == "none"]
    assert lost["message"].startswith("MatchService/GetMatch NOT_FOUND in ")
    text = "".join(err)
    for player in (one, two):
        assert dict(player.metadata)["authorization"].split()[1] not in text
    assert HUMAN.human.display_name not in text


async def test_the_ids_of_requests_that_give_tokens_are_no_ones_business(
    desk: Desk, kept: Kept
) -> None:
    match = match_pb2.Match(ruleset="rulesets/short", seats=[HUMAN, HUMAN])
    secret = new_request_id()
    request = pb.CreateMatchRequest(match=match, request_id=secret)
    await desk.matches.CreateMatch(request, timeout=TIMEOUT_S)
    assert kept.lines(call="MatchService/CreateMatch")
    assert secret not in kept.text


@pytest.mark.parametrize("format_", ["text", "json"])
async def test_every_line_of_a_server_is_one_record(tmp_path: Path, format_: str) -> None:
    file = tmp_path / "keys.txt"
    file.write_text("# nobody\n")
    flags = ("--log-format", format_, "--log-level", "debug", "--api-keys-file", str(file))
    async with served(*flags, environment={"GINRUMMY_PROT": "1"}) as (program, desk, err):
        # What is no HTTP/2 at all, and what is no message.
        _, writer = await asyncio.open_connection("127.0.0.1", program.port)
        writer.write(b"GET / HTTP/1.1\r\n\r\nERROR forged\n")
        writer.close()
        call: Any = desk.channel.unary_unary("/ginrummy.v1.MatchService/Act")
        with pytest.raises(grpc.aio.AioRpcError):
            await call(b"\xff\nERROR forged")
    assert len(err) >= 3
    for line in err:
        time = json.loads(line)["time"] if format_ == "json" else line.split()[0]
        assert datetime.fromisoformat(time).utcoffset() == timedelta()
    assert "'GINRUMMY_PROT' in the environment is no option" in "".join(err)
    assert "forged" not in "".join(err)
