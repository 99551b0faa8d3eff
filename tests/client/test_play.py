"""Playing over one stream that breaks."""

import asyncio
from datetime import UTC, datetime

import grpc
import pytest

from ginrummy.client import (
    BadToken,
    GinRummyClient,
    IllegalAction,
    NotClaimable,
    PlaySession,
    ServerUnavailable,
    StaleSequence,
    actions,
)
from ginrummy.v1.errors_pb2 import ErrorReason
from ginrummy.v1.events_pb2 import Notice
from ginrummy.v1.match_service_pb2 import PlayReply
from ginrummy.v1.view_pb2 import View

from .fake_server import FakeServer, Refusal

STOCK = actions.draw_stock()


async def numbers(session: PlaySession) -> list[int]:
    return [update.sequence async for update in session if not isinstance(update, Notice)]


async def test_commands_are_answered_and_their_events_come_as_updates(
    server: FakeServer, client: GinRummyClient
) -> None:
    async with client.seat("m", "TOKEN").play() as session:
        assert isinstance(await anext(session), View)
        for sequence in range(3):
            reply = await session.act(STOCK, expected_sequence=sequence)
            assert (reply.ok, reply.sequence, reply.replayed) == (True, sequence + 1, False)
        await session.resign()
        assert await numbers(session) == [1, 2, 3, 4]
    assert server.requests("Act") == []


async def test_acting_from_within_the_loop_is_fine(
    server: FakeServer, client: GinRummyClient
) -> None:
    seen = []
    async with client.seat("m", "TOKEN").play() as session:
        async for update in session:
            assert not isinstance(update, Notice)
            seen.append(update.sequence)
            if update.sequence < 5:
                await session.act(STOCK, expected_sequence=update.sequence)
            elif not server.is_over:
                await session.resign()
    assert seen == [0, 1, 2, 3, 4, 5, 6]


async def test_commands_side_by_side_each_get_their_own_reply(
    server: FakeServer, client: GinRummyClient
) -> None:
    async with client.seat("m", "TOKEN").play() as session:
        replies = await asyncio.gather(
            *(session.act(STOCK, expected_sequence=sequence) for sequence in range(20))
        )
    assert [reply.sequence for reply in replies] == list(range(1, 21))


async def test_a_refusal_is_raised_and_the_stream_stays_open(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.play_refusals = [
        PlayReply(
            reason=ErrorReason.ERROR_REASON_ILLEGAL_ACTION,
            message="the card is not in the hand",
            rule="CARD_NOT_IN_HAND",
            metadata={"card": "KS"},
        ),
        PlayReply(
            reason=ErrorReason.ERROR_REASON_STALE_SEQUENCE,
            message="the match has moved on",
            metadata={"expected": "0", "actual": "2"},
        ),
    ]
    async with client.seat("m", "TOKEN").play() as session:
        with pytest.raises(IllegalAction, match="not in the hand") as illegal:
            await session.act(actions.discard("KS"), expected_sequence=0)
        with pytest.raises(StaleSequence) as stale:
            await session.act(actions.discard("KS"), expected_sequence=0)
        await session.act(STOCK, expected_sequence=0)
    assert illegal.value.rule == "CARD_NOT_IN_HAND"
    assert illegal.value.code is grpc.StatusCode.FAILED_PRECONDITION
    assert (stale.value.expected, stale.value.actual) == (0, 2)
    assert len(server.requests("Play")) == 1


async def test_a_claim_is_refused_with_its_time_and_then_won(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.play_refusals = [
        PlayReply(
            reason=ErrorReason.ERROR_REASON_NOT_CLAIMABLE,
            message="seat 2 has not been away for long enough",
            metadata={"claimable_time": "2026-01-02T03:04:05.500Z"},
        )
    ]
    async with client.seat("m", "TOKEN").play() as session:
        with pytest.raises(NotClaimable, match="long enough") as refused:
            await session.claim()
        reply = await session.claim()
        assert await numbers(session) == [0, 1]
    assert reply.sequence == 1
    assert refused.value.claimable_time == datetime(2026, 1, 2, 3, 4, 5, 500_000, UTC)
    assert refused.value.code is grpc.StatusCode.FAILED_PRECONDITION


async def test_replies_and_updates_of_one_message_all_arrive(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.plays_together = True
    async with client.seat("m", "TOKEN").play() as session:
        acts = [session.act(STOCK, expected_sequence=sequence) for sequence in range(2)]
        replies = await asyncio.gather(*acts, session.resign())
        assert [reply.sequence for reply in replies] == [1, 2, 3]
        assert await numbers(session) == [0, 1, 2, 3]
    assert len(server.requests("Play")) == 1


async def test_the_events_before_a_reply_can_be_read_when_it_arrives(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.plays_together = True
    async with client.seat("m", "TOKEN").play() as session:
        await anext(session)
        reply = await session.act(STOCK, expected_sequence=0)
        async with asyncio.timeout(0):
            event = await anext(session)
        assert not isinstance(event, Notice)
        assert event.sequence == reply.sequence == 1


async def test_a_lost_reply_is_asked_for_again_over_the_next_stream(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.play_reply_losses = 2
    async with client.seat("m", "TOKEN").play() as session:
        reply = await session.act(STOCK, expected_sequence=0)
        assert (reply.sequence, reply.replayed) == (1, True)
        await session.resign()
        assert await numbers(session) == [0, 1, 2]
    assert len(server.requests("Play")) == 3
    acts = [command.act for command in server.requests("Play.command") if command.HasField("act")]
    assert len(acts) == 3
    assert len({act.request_id for act in acts}) == 1


async def test_updates_go_on_after_a_restart_of_the_server(
    server: FakeServer, client: GinRummyClient
) -> None:
    async with client.seat("m", "TOKEN").play() as session:
        await session.act(STOCK, expected_sequence=0)
        await server.restart()
        await server.happen(2)
        await session.act(STOCK, expected_sequence=3)
        await server.happen(ended=True)
        assert await numbers(session) == [0, 1, 2, 3, 4, 5]
    assert server.requests("Play")[-1].after_sequence == 1


async def test_a_server_that_cannot_store_is_asked_again_with_the_same_request_id(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.play_refusals = [
        PlayReply(reason=ErrorReason.ERROR_REASON_STORE_UNAVAILABLE, message="disk full")
    ]
    async with client.seat("m", "TOKEN").play() as session:
        await session.act(STOCK, expected_sequence=0)
    first, second = server.requests("Play.command")
    assert first.act.request_id == second.act.request_id
    assert first.correlation_id != second.correlation_id


async def test_a_command_that_ended_the_match_is_answered_though_its_reply_was_lost(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.play_reply_losses = 1
    async with client.seat("m", "TOKEN").play() as session:
        await anext(session)
        reply = await session.resign()
        assert reply.sequence == 1
        assert await numbers(session) == [1]


async def test_a_claim_after_the_end_is_still_answered(
    server: FakeServer, client: GinRummyClient
) -> None:
    await server.happen(ended=True)
    async with client.seat("m", "TOKEN").play() as session:
        assert await numbers(session) == [1]
        await session.claim(request_id="mine")
    [call] = server.requests("ClaimMatch")
    assert (call.name, call.request_id) == ("matches/m", "mine")


async def test_a_command_after_the_end_is_still_answered(
    server: FakeServer, client: GinRummyClient
) -> None:
    await server.happen(ended=True)
    async with client.seat("m", "TOKEN").play() as session:
        assert await numbers(session) == [1]
        await session.act(STOCK, expected_sequence=1)
    [call] = server.requests("Act")
    assert call.name == "matches/m"


async def test_a_command_without_an_answer_fails_in_time(server: FakeServer) -> None:
    async def never(request_id: str, *, ended: bool = False) -> tuple[int, bool]:
        await asyncio.Event().wait()
        raise AssertionError

    server.accept = never  # type: ignore[method-assign]
    async with (
        GinRummyClient(server.address, timeout_s=0.2) as client,
        client.seat("m", "TOKEN").play() as session,
    ):
        with pytest.raises(ServerUnavailable, match="did not answer in time"):
            await session.act(STOCK, expected_sequence=0)


async def test_a_refused_stream_fails_its_updates_and_its_commands(
    server: FakeServer, client: GinRummyClient
) -> None:
    refusal = Refusal(grpc.StatusCode.UNAUTHENTICATED, "who?", "BAD_TOKEN")
    server.failures["Play"] = [refusal] * 100
    async with client.seat("m", "TOKEN").play() as session:
        with pytest.raises(BadToken):
            await session.act(STOCK, expected_sequence=0)
        with pytest.raises(BadToken):
            await anext(session)
        with pytest.raises(BadToken):
            await session.act(STOCK, expected_sequence=0)


async def test_leaving_the_session_ends_the_stream_and_what_waits_for_it(
    server: FakeServer, client: GinRummyClient
) -> None:
    async def never(request_id: str, *, ended: bool = False) -> tuple[int, bool]:
        await asyncio.Event().wait()
        raise AssertionError

    server.accept = never  # type: ignore[method-assign]
    async with client.seat("m", "TOKEN").play() as session:
        await anext(session)
        acting = asyncio.create_task(session.act(STOCK, expected_sequence=0))
        await asyncio.sleep(0.05)
    with pytest.raises(ServerUnavailable, match="closed"):
        await acting
    assert [update async for update in session] == []
    with pytest.raises(RuntimeError, match="closed"):
        await session.act(STOCK, expected_sequence=0)


async def test_cancelling_one_command_leaves_the_stream_as_it_is(
    server: FakeServer, client: GinRummyClient
) -> None:
    async with client.seat("m", "TOKEN").play() as session:
        await anext(session)
        acting = asyncio.create_task(session.act(STOCK, expected_sequence=0))
        await asyncio.sleep(0)
        acting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await acting
        assert (await anext(session)).sequence == 1  # type: ignore[union-attr]
        await session.act(STOCK, expected_sequence=1)
    assert len(server.requests("Play")) == 1


async def test_commands_do_not_hide_why_a_stream_was_refused(
    server: FakeServer, client: GinRummyClient
) -> None:
    # grpc forgets it when it writes to a stream that was just refused, which is a race.
    for _ in range(20):
        refusal = Refusal(grpc.StatusCode.UNAUTHENTICATED, "who?", "BAD_TOKEN")
        server.failures["Play"] = [refusal] * 100
        async with client.seat("m", "TOKEN").play() as session:
            commands = [session.act(STOCK, expected_sequence=0) for _ in range(5)]
            for outcome in await asyncio.gather(*commands, return_exceptions=True):
                assert isinstance(outcome, BadToken)


async def test_commands_go_out_at_once_when_a_resume_has_nothing_to_tell(
    server: FakeServer, client: GinRummyClient
) -> None:
    await server.happen(3)
    async with asyncio.timeout(20), client.seat("m", "TOKEN").play(after_sequence=3) as session:
        assert (await session.act(STOCK, expected_sequence=3)).sequence == 4
