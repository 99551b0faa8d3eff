"""ListMatches: no match can spoil the listing for the others."""

import asyncio
from dataclasses import replace

import grpc
import pytest

from ginrummy.log import IndexRow, MemoryLog
from ginrummy.server.convert.events import event_to_wire
from ginrummy.server.convert.matches import match_to_wire
from ginrummy.server.past_events import list_events
from ginrummy.server.serving import Serving
from ginrummy.server.settings import Limits
from ginrummy.tables.blocks import BLOCK_LEN
from ginrummy.tables.events import Recorded
from ginrummy.tables.history import ended_match_events
from ginrummy.v1 import events_pb2
from ginrummy.v1 import match_service_pb2 as pb

from .players import HUMAN, OPEN, TIMEOUT_S, Desk, play_out
from .refusals import refusal

CLIENTS_LIMIT = 4 * 1024 * 1024


async def ended_match(serving: Serving, desk: Desk) -> IndexRow:
    """A match that has been played to its end."""
    one, two = await desk.new_players("kawu")
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


async def test_too_many_listings_at_once_are_refused_with_the_time_to_wait(
    serving: Serving, desk: Desk
) -> None:
    one, two = await desk.new_players("playgridia")
    await play_out(one, two)
    gate = asyncio.Event()
    row = serving.tables.index.row

    async def slow(match_id: str) -> IndexRow:
        await gate.wait()
        return await row(match_id)

    serving.tables.index.row = slow  # type: ignore[method-assign]
    request = pb.ListMatchEventsRequest(name=one.name)
    calls = [desk.matches.ListMatchEvents(request) for _ in range(Limits().max_listings + 3)]
    refused = await refusal(desk.matches.ListMatches(pb.ListMatchesRequest()))
    assert (refused.code, refused.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")
    assert refused.metadata == {"limit": "listings", "most": "64"}
    assert refused.retry_s
    gate.set()
    done = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(isinstance(answer, grpc.aio.AioRpcError) for answer in done) == 3
    assert (await desk.matches.ListMatches(pb.ListMatchesRequest())).matches


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
    events = list(map(event_to_wire, recorded))
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

    def counted(recorded: Recorded) -> events_pb2.MatchEvent:
        made.append(recorded.sequence)
        return event_to_wire(recorded)

    monkeypatch.setattr("ginrummy.server.past_events.event_to_wire", counted)
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
        {**kept.row.summary, "occupants": 5},
        {**kept.row.summary, "rules": {"": 1}},
    ):
        kept.row = replace(kept.row, summary=summary)
        response = await desk.matches.ListMatches(pb.ListMatchesRequest())
        assert [match.name for match in response.matches] == names[::-1]
        kept.row = replace(kept.row, summary=summary)
        match = (await desk.matches.GetMatch(pb.GetMatchRequest(name=names[1]))).match
        assert match.ruleset == "rulesets/short"


async def test_a_match_that_makes_no_sense_is_refused_alone(serving: Serving, desk: Desk) -> None:
    log = serving.tables.log
    assert isinstance(log, MemoryLog)
    names = [(await desk.create()).match.name for _ in range(3)]
    kept = log._kept[names[1].removeprefix("matches/")]
    kept.entries[0].command["setup"]["spectators"] = "everybody"
    kept.row = replace(kept.row, summary={})
    for _ in range(2):
        refused = await refusal(desk.matches.GetMatch(pb.GetMatchRequest(name=names[1])))
        assert (refused.code, refused.reason) == (grpc.StatusCode.DATA_LOSS, "MATCH_UNREADABLE")
        response = await desk.matches.ListMatches(pb.ListMatchesRequest())
        assert [match.name for match in response.matches] == [names[2], names[0]]
