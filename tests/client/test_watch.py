"""Watching a match over a connection that breaks."""

import asyncio
import time
from contextlib import aclosing
from dataclasses import replace

import grpc
import pytest

from ginrummy.client import (
    BadToken,
    GinRummyClient,
    LimitReached,
    SequenceGap,
    ServerUnavailable,
    Update,
)
from ginrummy.v1.events_pb2 import MatchEvent, Notice
from ginrummy.v1.match_service_pb2 import WatchMatchResponse
from ginrummy.v1.view_pb2 import View

from .conftest import QUICK
from .fake_server import (
    SILENCE,
    FakeServer,
    Refusal,
    drop,
    event,
    going_away,
    heartbeat,
    snapshot,
    together,
)


async def read_all(
    client: GinRummyClient, *, after_sequence: int | None = None, heartbeat_s: float | None = None
) -> list[Update]:
    updates = client.seat("m", "TOKEN").watch(
        after_sequence=after_sequence, heartbeat_s=heartbeat_s
    )
    return [update async for update in updates]


def numbers(updates: list[Update]) -> list[int]:
    return [update.sequence for update in updates if not isinstance(update, Notice)]


def resumes(server: FakeServer) -> list[int | None]:
    return [
        request.after_sequence if request.HasField("after_sequence") else None
        for request in server.requests("WatchMatch")
    ]


async def test_a_view_comes_first_then_every_event_to_the_end(
    server: FakeServer, client: GinRummyClient
) -> None:
    await server.happen(3)
    watching = asyncio.create_task(read_all(client))
    while not server.requests("WatchMatch"):  # noqa: ASYNC110
        await asyncio.sleep(0.005)
    await server.happen(2)
    await server.happen(ended=True)
    updates = await watching
    assert isinstance(updates[0], View)
    assert numbers(updates) == [3, 4, 5, 6]


async def test_after_a_sequence_only_later_events_come(
    server: FakeServer, client: GinRummyClient
) -> None:
    await server.happen(5, ended=True)
    updates = await read_all(client, after_sequence=2)
    assert all(isinstance(update, MatchEvent) for update in updates)
    assert numbers(updates) == [3, 4, 5]


@pytest.mark.parametrize(
    "end",
    [
        pytest.param(Refusal(grpc.StatusCode.UNAVAILABLE, "connection reset"), id="unavailable"),
        pytest.param(
            Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "too slow", "SLOW_CONSUMER"), id="slow"
        ),
        pytest.param(
            Refusal(grpc.StatusCode.INTERNAL, "Received RST_STREAM with error code 2"), id="reset"
        ),
        pytest.param(drop, id="cancelled"),
    ],
)
async def test_a_lost_stream_goes_on_with_the_next_event(
    server: FakeServer, client: GinRummyClient, end: Refusal
) -> None:
    server.watch_scripts = [
        [snapshot(3), event(4), end],
        [event(5), end],
        [end],
        [event(6), event(7, ended=True)],
    ]
    assert numbers(await read_all(client)) == [3, 4, 5, 6, 7]
    assert resumes(server) == [None, 4, 5, 5]


async def test_what_comes_together_is_given_one_by_one(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.watch_scripts = [
        [
            together(snapshot(3), event(4), heartbeat(), event(5)),
            together(event(6), event(7)),
            drop,
        ],
        [together(event(7), event(8)), together(event(9, ended=True), heartbeat())],
    ]
    updates = await read_all(client)
    kinds = [type(update) for update in updates]
    assert kinds == [View, *[MatchEvent] * 2, Notice, *[MatchEvent] * 4, Notice]
    assert numbers(updates) == [3, 4, 5, 6, 7, 8, 9]
    assert resumes(server) == [None, 7]


async def test_an_event_skipped_within_a_message_is_an_error(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.watch_scripts = [[together(snapshot(3), event(4), event(6))]]
    updates = client.seat("m", "TOKEN").watch()
    assert numbers([await anext(updates), await anext(updates)]) == [3, 4]
    with pytest.raises(SequenceGap):
        await anext(updates)


async def test_a_message_of_a_newer_server_with_nothing_known_is_passed_over(
    server: FakeServer, client: GinRummyClient
) -> None:
    unknown = WatchMatchResponse.FromString(b"\xa2\x06\x02\x08\x01")
    server.watch_scripts = [[unknown, snapshot(3), unknown, event(4, ended=True)]]
    assert numbers(await read_all(client)) == [3, 4]


async def test_a_restarted_server_is_found_again(
    server: FakeServer, client: GinRummyClient
) -> None:
    await server.happen(2)
    updates = client.seat("m", "TOKEN").watch()
    seen = [await anext(updates)]
    await server.restart()
    await server.happen(3, ended=True)
    seen += [update async for update in updates]
    assert numbers(seen) == [2, 3, 4, 5]


async def test_a_lost_connection_and_its_return_are_told(
    server: FakeServer, client: GinRummyClient
) -> None:
    await server.happen(2)
    told: list[bool] = []
    watch = client.seat("m", "TOKEN").watch(after_sequence=0, on_connection=told.append)
    async with aclosing(watch) as updates:
        await anext(updates)
        await anext(updates)
        assert told == []
        await server.stop()
        coming = asyncio.ensure_future(anext(updates))
        for _ in range(1000):
            await asyncio.sleep(0.02)
            if told:
                break
        assert told == [False]
        await server.start(int(server.address.rpartition(":")[2]))
        await server.happen()
        assert isinstance(await coming, MatchEvent)
        assert told == [False, True]


async def test_a_stream_lost_before_the_view_asks_for_the_view_again(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.watch_scripts = [[drop], [snapshot(1), event(2, ended=True)]]
    assert numbers(await read_all(client)) == [1, 2]
    assert resumes(server) == [None, None]


async def test_an_event_sent_twice_is_given_once(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.watch_scripts = [[snapshot(3), event(3), event(4), event(4), event(5, ended=True)]]
    assert numbers(await read_all(client)) == [3, 4, 5]


async def test_a_skipped_event_is_an_error(server: FakeServer, client: GinRummyClient) -> None:
    server.watch_scripts = [[snapshot(3), event(4), event(6)]]
    with pytest.raises(SequenceGap, match=r"event 6 .* where event 5 was due") as caught:
        await read_all(client)
    assert (caught.value.expected, caught.value.actual) == (5, 6)


async def test_an_event_skipped_by_a_resume_is_an_error(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.watch_scripts = [[snapshot(3), drop], [event(5)]]
    with pytest.raises(SequenceGap):
        await read_all(client)


async def test_a_server_that_goes_away_is_met_again_when_it_asked(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.watch_scripts = [
        [snapshot(1), going_away(0.3), event(2)],
        [event(3), event(4, ended=True)],
    ]
    await server.happen(1)
    started_s = time.monotonic()
    updates = await read_all(client)
    assert time.monotonic() - started_s >= 0.3
    assert numbers(updates) == [1, 2, 3, 4]
    assert [update.WhichOneof("kind") for update in updates if isinstance(update, Notice)] == [
        "going_away"
    ]


async def test_a_silent_connection_is_taken_for_dead(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.watch_scripts = [
        [snapshot(1), heartbeat(), SILENCE],
        [event(2, ended=True)],
    ]
    assert numbers(await read_all(client, heartbeat_s=1)) == [1, 2]
    assert server.requests("WatchMatch")[0].heartbeat.ToMilliseconds() == 1000


async def test_a_resume_after_the_last_event_ends_at_once(
    server: FakeServer, client: GinRummyClient
) -> None:
    await server.happen(3, ended=True)
    assert await read_all(client, after_sequence=3) == []


async def test_the_view_of_an_ended_match_is_all_there_is(
    server: FakeServer, client: GinRummyClient
) -> None:
    await server.happen(3, ended=True)
    assert numbers(await read_all(client)) == [3]


async def test_a_stream_that_ends_early_in_good_order_is_resumed(
    server: FakeServer, client: GinRummyClient
) -> None:
    await server.happen(3)
    server.watch_scripts = [[snapshot(3)], [], [event(4, ended=True)]]
    assert numbers(await read_all(client)) == [3, 4]


async def test_a_refusal_is_raised_not_retried(server: FakeServer, client: GinRummyClient) -> None:
    server.failures["WatchMatch"] = [
        Refusal(grpc.StatusCode.UNAUTHENTICATED, "unknown token", "BAD_TOKEN")
    ]
    with pytest.raises(BadToken, match="unknown token"):
        await read_all(client)
    assert len(server.requests("WatchMatch")) == 1


async def test_a_limit_is_raised_at_first_and_waited_for_on_a_resume(
    server: FakeServer, client: GinRummyClient
) -> None:
    limit = Refusal(
        grpc.StatusCode.RESOURCE_EXHAUSTED, "too many", "LIMIT_REACHED", retry_after_s=0.05
    )
    server.failures["WatchMatch"] = [limit]
    with pytest.raises(LimitReached):
        await read_all(client)
    server.watch_scripts = [[snapshot(1), drop], [event(2, ended=True)]]
    server.failures["WatchMatch"] = [None, limit]
    assert numbers(await read_all(client)) == [1, 2]


async def test_a_server_that_stays_away_is_given_up(server: FakeServer) -> None:
    await server.happen(1)
    impatient = replace(QUICK, reconnect_timeout_s=1.5)
    async with GinRummyClient(server.address, retry=impatient) as client:
        updates = client.seat("m", "TOKEN").watch()
        await anext(updates)
        await server.stop()
        with pytest.raises(ServerUnavailable, match=server.address):
            await anext(updates)


async def test_leaving_early_closes_the_stream(server: FakeServer, client: GinRummyClient) -> None:
    gone = asyncio.Event()

    async def until_cancelled() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    server.watch_scripts = [[snapshot(1), until_cancelled]]
    async with aclosing(client.seat("m", "TOKEN").watch()) as updates:
        await anext(updates)
    await asyncio.wait_for(gone.wait(), 30)


async def test_cancelling_the_watcher_is_not_taken_for_a_lost_stream(
    server: FakeServer, client: GinRummyClient
) -> None:
    watching = asyncio.create_task(read_all(client))
    while not server.requests("WatchMatch"):  # noqa: ASYNC110
        await asyncio.sleep(0.005)
    watching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watching
    assert len(server.requests("WatchMatch")) == 1


async def test_closing_the_client_ends_its_watchers(
    server: FakeServer, client: GinRummyClient
) -> None:
    watching = asyncio.create_task(read_all(client))
    await asyncio.sleep(0.1)
    await client.close()
    with pytest.raises(ServerUnavailable, match="closed"):
        await watching


async def test_spectators_send_no_token(server: FakeServer, client: GinRummyClient) -> None:
    await server.happen(1, ended=True)
    assert [update async for update in client.spectate("m").watch()] != []
    [(_, request, metadata)] = server.calls
    assert request.name == "matches/m"
    assert "authorization" not in metadata
