"""What the AnalysisService adds to the engine's own time: `make bench-analysis`.

Every way is timed in every round, in turn, and repeated within it; the least of the repetitions
counts, since others use the machine too. A handler's time goes from the request's bytes to the
response's, through the gate and back, in this process and without a network.

  engine    the calls that answer the same: for columns deadwood_batch, best_discard_batch and
            arrangement_batch, for advice suggest
  reply     the response's message made and serialised in Python, from values that are ready
  handler   the method of the service
  loop      processor time that the handler takes of the event loop's thread

Prints a Markdown table: medians of the rounds, in brackets the least and the most.
"""

import argparse
import asyncio
import statistics
import sys
from array import array
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

from google.protobuf.message import Message

from ginrummy import engine
from ginrummy.log import MemoryLog
from ginrummy.server.convert.positions import OWN, position_from_wire
from ginrummy.server.serving import Serving
from ginrummy.v1 import analysis_service_pb2 as pb

HANDS = Path(__file__).resolve().parents[1] / "tests/data/bench/hands_l11.txt"
SPREADS = HANDS.with_name("layoffs.txt")
REPEATS = 5

Way = Callable[[], Awaitable[Any]]
Times = dict[str, dict[str, list[float]]]


class Caller:
    """A call's context, as far as it is looked at."""

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return ()

    def peer(self) -> str:
        return "ipv4:127.0.0.1:50000"

    def time_remaining(self) -> float:
        return 60.0

    def auth_context(self) -> dict[str, Any]:
        return {}

    def done(self) -> bool:
        return False


def handled(handler: Any, kind: type[Message], raw: bytes) -> Way:
    """A call of this handler, from bytes to bytes."""

    async def way() -> bytes:
        response: bytes = await handler(kind.FromString(raw), Caller())
        return response

    return way


def computed(*calls: Callable[[], object]) -> Way:
    async def way() -> None:
        for call in calls:
            call()

    return way


def columns(serving: Serving, masks: list[int], count: int) -> dict[str, Way]:
    """The ways of so many hands in a column."""
    column = array("Q", (masks * (count // len(masks) + 1))[:count]).tobytes()
    request = pb.AnalyzeColumnsRequest(masks=column).SerializeToString()
    return {
        "engine": computed(
            lambda: engine.deadwood_batch(column),
            lambda: engine.best_discard_batch(column),
            lambda: engine.arrangement_batch(column),
        ),
        "handler": handled(serving.analysis.AnalyzeColumns, pb.AnalyzeColumnsRequest, request),
    }


async def items(handler: Any, request: Any, response: type[Message]) -> dict[str, Way]:
    """The ways of a request with many items: its reply alone, and the whole call."""
    way = handled(handler, type(request), request.SerializeToString())
    ready = plain(response.FromString(await way()))
    return {
        "reply": computed(lambda: made(response, ready).SerializeToString()),
        "handler": way,
    }


def plain(message: Message) -> dict[str, Any]:
    """The message's fields as plain values."""
    fields: dict[str, Any] = {}
    for field, value in message.ListFields():
        if field.message_type is None:
            fields[field.name] = list(value) if field.is_repeated else value
        else:
            kind = type(value[0]) if field.is_repeated else type(value)
            parts = [plain(part) for part in value] if field.is_repeated else plain(value)
            fields[field.name] = (kind, parts)
    return fields


def made(kind: type[Message], fields: dict[str, Any]) -> Message:
    """The message with these fields."""
    given = {}
    for name, value in fields.items():
        if isinstance(value, tuple):
            part, parts = value
            many = isinstance(parts, list)
            given[name] = [made(part, one) for one in parts] if many else made(part, parts)
        else:
            given[name] = value
    return kind(**given)


async def of_loop(way: Way) -> float:
    """Processor time that the event loop's thread has for nobody else meanwhile."""
    began = thread_time()
    await way()
    return thread_time() - began


async def least(way: Way) -> float:
    taken = []
    for _ in range(REPEATS):
        began = perf_counter()
        await way()
        taken.append(perf_counter() - began)
    return min(taken)


async def measure(
    cases: dict[str, dict[str, Way]], rounds: int
) -> dict[str, dict[str, list[float]]]:
    """Seconds of each way of each case, and how long it held the loop, round by round."""
    times: dict[str, dict[str, list[float]]] = {
        case: {name: [] for name in (*ways, "loop")} for case, ways in cases.items()
    }
    for _ in range(rounds):
        for case, ways in cases.items():
            for name, way in ways.items():
                times[case][name].append(await least(way))
            loop = [await of_loop(ways["handler"]) for _ in range(REPEATS)]
            times[case]["loop"].append(min(loop))
    return times


def shown(values: list[float], scale: float = 1.0) -> str:
    low, middle, high = (scale * f(values) for f in (min, statistics.median, max))
    return f"{middle:.2f} ({low:.2f}-{high:.2f})"


def table(times: Times) -> list[str]:
    """The rows of the report."""
    lines = [
        "| call | beside | beside, ms | handler, ms | ratio | loop, ms |",
        "|---|---|---|---|---|---|",
    ]
    for case, ways in times.items():
        [beside] = set(ways) - {"handler", "loop"}
        ratios = [a / b for a, b in zip(ways["handler"], ways[beside], strict=True)]
        cells = [shown(ways[beside], 1e3), shown(ways["handler"], 1e3), shown(ratios)]
        lines.append(f"| {case} | {beside} | {' | '.join(cells)} | {shown(ways['loop'], 1e3)} |")
    return lines


async def gather(serving: Serving) -> dict[str, dict[str, Way]]:
    """All that is measured."""
    masks = [int(line.split()[0], 16) for line in HANDS.read_text().splitlines()]
    queries = [pb.HandQuery(hand=pb.HandInput(mask=mask)) for mask in masks[:1000]]
    texts = [
        pb.HandQuery(hand=pb.HandInput(text=" ".join(engine.from_mask(mask))))
        for mask in masks[:1000]
    ]
    service, answers = serving.analysis, pb.AnalyzeHandsResponse
    hands = pb.AnalyzeHandsRequest
    cases = {
        "AnalyzeColumns, 10,000 hands": columns(serving, masks, 10_000),
        "AnalyzeColumns, 100,000 hands": columns(serving, masks, 100_000),
    }
    for name, request in {
        "one hand": hands(hands=queries[:1]),
        "100 hands": hands(hands=queries[:100]),
        "1,000 hands": hands(hands=queries),
        "1,000 hands as text": hands(hands=texts),
        "1,000 hands, all arrangements": hands(hands=queries, all_arrangements=True),
    }.items():
        cases[f"AnalyzeHands, {name}"] = await items(service.AnalyzeHands, request, answers)
    layoffs = pb.FindLayoffsRequest(problems=problems()[:1000])
    cases["FindLayoffs, 1,000 problems"] = await items(
        service.FindLayoffs, layoffs, pb.FindLayoffsResponse
    )
    cases["SuggestActions, bots/expert"] = advice(serving)
    return cases


def advice(serving: Serving) -> dict[str, Way]:
    """The ways of advice before a draw."""
    hand = "AS 2S 5S 8C 8D 9H TC JC QC KD"
    asked = pb.SeatPosition(hand=pb.HandInput(text=hand), discard_pile=[7])  # type: ignore[list-item]
    request = pb.SuggestActionsRequest(position=asked).SerializeToString()
    _, position = position_from_wire(asked, "position")
    return {
        "engine": computed(lambda: position.suggest(OWN, "expert")),
        "handler": handled(serving.analysis.SuggestActions, pb.SuggestActionsRequest, request),
    }


def problems() -> list[pb.LayoffProblem]:
    """Late spreads."""
    found = []
    for line in SPREADS.read_text().splitlines():
        groups, defender, *_ = line.split()
        masks = [int(mask, 16) for mask in groups.split("|") if int(mask, 16)]
        if masks:
            problem = pb.LayoffProblem(hand=pb.HandInput(mask=int(defender, 16)))
            for mask in masks:
                bits = [bit for bit in range(52) if mask >> bit & 1]
                problem.melds.add(cards=[bit + 1 for bit in bits])
            found.append(problem)
    return found


async def bench(rounds: int) -> list[str]:
    """The report, line by line."""
    serving = Serving(MemoryLog())
    try:
        return table(await measure(await gather(serving), rounds))
    finally:
        await serving.stop(0.1)


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=9, help="of all ways (9)")
    sys.stdout.write("\n".join(asyncio.run(bench(parser.parse_args().rounds))) + "\n")


if __name__ == "__main__":
    main()
