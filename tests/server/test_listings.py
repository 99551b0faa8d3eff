"""ListMatches: no match can spoil the listing for the others."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import grpc
import pytest

from ginrummy.log import IndexRow, Json, MemoryLog, RowPage
from ginrummy.server import past_events
from ginrummy.server.convert.matches import match_to_wire
from ginrummy.server.encoding import EventEncoder
from ginrummy.server.keys import ApiKey, digest_of
from ginrummy.server.limits import LimitName, half_for_one
from ginrummy.server.past_events import list_events
from ginrummy.server.serving import Serving
from ginrummy.server.settings import Limits, Security, Settings
from ginrummy.tables.blocks import BLOCK_LEN
from ginrummy.tables.errors import LimitReached
from ginrummy.tables.events import Recorded
from ginrummy.tables.history import ended_match_events
from ginrummy.v1 import match_pb2
from ginrummy.v1 import match_service_pb2 as pb
from tests.shown import as_sent
from tests.tables.house import change_creation

from .players import HUMAN, OPEN, SEED, TIMEOUT_S, Desk, Metadata, bearer, play_out
from .refusals import Refusal, refusal

CLIENTS_LIMIT = 4 * 1024 * 1024


async def ended_match(serving: Serving, desk: Desk) -> IndexRow:
    """A match that has been played to its end."""
    one, two = await desk.new_players("kawu", seed=SEED)
    await play_out(one, two)
    return await serving.tables.index.row(one.name.removeprefix("matches/"))


async def test_a_long_page_is_cut_and_goes_on(desk: Desk) -> None:
    labels = {chr(0x1F600 + i) * 63: "\U0001f600" * 255 for i in range(16)}
    made = [await desk.create(seats=[HUMAN, OPEN], labels=labels) for _ in range(120)]
    request = pb.ListMatchesRequest(page_size=500)
    names: list[str] = []
    while True:
        response = await desk.matches.ListMatches(request, timeout=TIMEOUT_S)
        assert 0 < response.ByteSize() < CLIENTS_LIMIT / 2
        names += [match.name for match in response.matches]
        if not response.next_page_token:
            break
        request.page_token = response.next_page_token
    assert names == [created.match.name for created in made][::-1]


@asynccontextmanager
async def held(serving: Serving) -> AsyncIterator[None]:
    """While nothing is found in the index; then all that was asked for."""
    gate = asyncio.Event()
    row, rows = serving.tables.index.row, serving.tables.index.rows

    async def slow_row(*asked: Any) -> IndexRow:
        await gate.wait()
        return await row(*asked)

    async def slow_rows(*asked: Any) -> RowPage:
        await gate.wait()
        return await rows(*asked)

    index: Any = serving.tables.index
    index.row, index.rows = slow_row, slow_rows
    try:
        yield
    finally:
        index.row, index.rows = row, rows
        gate.set()


def with_key(number: int) -> Metadata:
    return (("x-api-key", str(number) * 20),)


@pytest.fixture
async def keyed() -> AsyncIterator[tuple[Serving, Desk, str]]:
    """A server that knows three callers by their keys, with a match that has ended."""
    keys = tuple(ApiKey(f"caller-{i}", digest_of(str(i) * 20)) for i in range(3))
    serving = Serving(MemoryLog(), Settings(security=Security(api_keys=keys)))
    port = await serving.start("127.0.0.1", 0)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        desk = Desk(channel)
        match = match_pb2.Match(ruleset="rulesets/short", seats=[HUMAN, HUMAN])
        create = pb.CreateMatchRequest(match=match)
        created = await desk.matches.CreateMatch(create, metadata=with_key(0))
        abort = pb.AbortMatchRequest(name=created.match.name)
        await desk.matches.AbortMatch(abort, metadata=bearer(created.host_token))
        yield serving, desk, created.match.name
    await serving.stop(0.2)


@pytest.mark.parametrize("is_of_events", [False, True])
async def test_one_caller_leaves_half_of_the_listings_to_others_and_all_of_the_other_kind(
    keyed: tuple[Serving, Desk, str], is_of_events: bool
) -> None:
    serving, desk, name = keyed
    half = Limits().max_listings // 2

    def matches(caller: int) -> Any:
        request = pb.ListMatchesRequest()
        return desk.matches.ListMatches(request, metadata=with_key(caller), timeout=TIMEOUT_S)

    def events(caller: int) -> Any:
        request = pb.ListMatchEventsRequest(name=name)
        return desk.matches.ListMatchEvents(request, metadata=with_key(caller), timeout=TIMEOUT_S)

    many, other = (events, matches) if is_of_events else (matches, events)
    async with held(serving):
        calls = [many(0) for _ in range(half)]
        assert_refused(await refusal(many(0)), half)
        calls += [many(1) for _ in range(half)]
        assert_refused(await refusal(many(1)), half)
        assert_refused(await refusal(many(2)), half * 2)
        calls += [other(caller) for caller in range(2)]
        assert_refused(await refusal(many(2)), half * 2)
    await asyncio.gather(*calls)
    await asyncio.gather(many(0), many(2))


async def test_pages_of_matches_and_blocks_of_events_are_made_one_at_a_time(
    serving: Serving, desk: Desk
) -> None:
    ended = [await ended_match(serving, desk) for _ in range(3)]
    counts: Counter[str] = Counter()
    most: Counter[str] = Counter()

    def counting(kind: str, look: Callable[..., Awaitable[Any]]) -> Any:
        async def look_and_count(*asked: Any, **named: Any) -> Any:
            counts[kind] += 1
            most[kind] = max(most[kind], counts[kind])
            await asyncio.sleep(0.01)
            counts[kind] -= 1
            return await look(*asked, **named)

        return look_and_count

    index: Any = serving.tables.index
    log: Any = serving.tables.log
    index.rows, log.read = counting("rows", index.rows), counting("read", log.read)
    events = [pb.ListMatchEventsRequest(name=f"matches/{row.match_id}") for row in ended]
    await asyncio.gather(
        *(desk.matches.ListMatches(pb.ListMatchesRequest(), timeout=TIMEOUT_S) for _ in range(9)),
        *(desk.matches.ListMatchEvents(request, timeout=TIMEOUT_S) for request in events * 3),
    )
    assert most == {"rows": 1, "read": 1}


def assert_refused(refused: Refusal, most: int) -> None:
    assert (refused.code, refused.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")
    assert refused.metadata == {"limit": "listings", "most": str(most)}
    assert refused.retry_s


def test_a_caller_has_a_listing_where_there_is_but_one() -> None:
    listings = half_for_one(LimitName.LISTINGS, 1)
    with listings.one("somebody"), pytest.raises(LimitReached):
        listings.enter("somebody else")
    assert len(listings) == 0


@pytest.mark.parametrize("page_size", [1, 63, 64, 65, 100, 5000])
async def test_pages_of_any_size_hold_every_event(desk: Desk, page_size: int) -> None:
    one, two = await desk.new_players("kawu")
    await play_out(one, two)
    last = one.head
    numbers: list[int] = []
    request = pb.ListMatchEventsRequest(name=one.name, page_size=page_size)
    while True:
        response = await desk.matches.ListMatchEvents(request, timeout=TIMEOUT_S)
        assert len(response.events) <= page_size
        assert response.match.name == one.name
        numbers += [event.sequence for event in response.events]
        if not response.next_page_token:
            break
        request.page_token = response.next_page_token
    assert numbers == list(range(1, last + 1))


async def test_a_page_from_anywhere_is_what_its_events_make_of_it(
    serving: Serving, desk: Desk
) -> None:
    tables = serving.tables
    row = await ended_match(serving, desk)
    assert row.head > BLOCK_LEN
    recorded = await ended_match_events(tables, row, 0, row.head)
    events = list(map(as_sent, recorded))
    match = match_to_wire(row, tables.lifetimes)
    for size in (1, 2, BLOCK_LEN - 1, BLOCK_LEN, BLOCK_LEN + 1, 5000):
        for after in range(row.head + 2):
            end = after + size
            expected = pb.ListMatchEventsResponse(
                events=events[after:end],
                next_page_token=str(end) if end < row.head else "",
                match=match,
            )
            page = await list_events(tables, row, after, size)
            assert pb.ListMatchEventsResponse.FromString(page) == expected


async def test_an_event_is_made_ready_once_whatever_pages_it_is_on(
    serving: Serving, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = await ended_match(serving, desk)
    made: list[int] = []

    class Counting(EventEncoder):
        def event(self, recorded: Recorded) -> bytes:
            made.append(recorded.sequence)
            return super().event(recorded)

    monkeypatch.setattr(past_events, "ENCODER", Counting())
    request = pb.ListMatchEventsRequest(name=f"matches/{row.match_id}")
    for request.page_size in (1, BLOCK_LEN - 1, 5000):
        for after in (0, 1, BLOCK_LEN - 1, BLOCK_LEN, row.head - 1):
            request.page_token = str(after)
            response = await desk.matches.ListMatchEvents(request, timeout=TIMEOUT_S)
            assert response.events[0].sequence == after + 1
    assert sorted(made) == list(range(1, row.head + 1))


async def test_a_row_without_sense_is_made_anew(serving: Serving, desk: Desk) -> None:
    log = serving.tables.log
    assert isinstance(log, MemoryLog)
    names = [(await desk.create()).match.name for _ in range(3)]
    kept = log._kept[names[1].removeprefix("matches/")]
    for summary in (
        {},
        {**kept.row.summary.value, "occupants": 5},
        {**kept.row.summary.value, "rules": {"": 1}},
    ):
        kept.row = replace(kept.row, summary=Json.of(summary))
        response = await desk.matches.ListMatches(pb.ListMatchesRequest())
        assert [match.name for match in response.matches] == names[::-1]
        kept.row = replace(kept.row, summary=Json.of(summary))
        match = (await desk.matches.GetMatch(pb.GetMatchRequest(name=names[1]))).match
        assert match.ruleset == "rulesets/short"


async def test_a_match_that_makes_no_sense_is_refused_alone(serving: Serving, desk: Desk) -> None:
    log = serving.tables.log
    assert isinstance(log, MemoryLog)
    names = [(await desk.create()).match.name for _ in range(3)]
    kept = log._kept[names[1].removeprefix("matches/")]
    setup = kept.entries[0].command.value["setup"]
    change_creation(log, kept.row.match_id, setup={**setup, "spectators": "everybody"})
    kept.row = replace(kept.row, summary=Json.of({}))
    for _ in range(2):
        refused = await refusal(desk.matches.GetMatch(pb.GetMatchRequest(name=names[1])))
        assert (refused.code, refused.reason) == (grpc.StatusCode.DATA_LOSS, "MATCH_UNREADABLE")
        response = await desk.matches.ListMatches(pb.ListMatchesRequest())
        assert [match.name for match in response.matches] == [names[2], names[0]]
