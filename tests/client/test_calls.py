"""Single calls: deadlines, retries, errors, tokens."""

import asyncio
import logging
import time
from datetime import UTC, datetime

import grpc
import pytest

from ginrummy.client import (
    NO_RETRY,
    BadKey,
    BadToken,
    GinRummyClient,
    GinRummyError,
    IllegalAction,
    InvalidRequest,
    MatchNotFound,
    NotClaimable,
    NotYourTurn,
    RetryPolicy,
    ServerUnavailable,
    StaleSequence,
    actions,
)
from ginrummy.v1.match_pb2 import Match
from ginrummy.v1.rules_pb2 import Rules

from .conftest import QUICK
from .fake_server import FakeServer, Refusal

UNAVAILABLE = Refusal(grpc.StatusCode.UNAVAILABLE, "stopping", "DRAINING")


async def test_an_unavailable_server_is_asked_again(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.failures["GetServerInfo"] = [UNAVAILABLE, UNAVAILABLE]
    assert (await client.server_info()).version == "0.1.0"
    assert len(server.requests("GetServerInfo")) == 3


async def test_the_wait_is_as_long_as_the_server_asks(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.failures["GetServerInfo"] = [
        Refusal(grpc.StatusCode.UNAVAILABLE, "stopping", "DRAINING", retry_after_s=0.3)
    ]
    started_s = time.monotonic()
    await client.server_info()
    assert time.monotonic() - started_s >= 0.3


async def test_a_wait_beyond_the_timeout_fails_at_once(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.failures["GetServerInfo"] = [
        Refusal(grpc.StatusCode.UNAVAILABLE, "stopping", "DRAINING", retry_after_s=60)
    ]
    started_s = time.monotonic()
    with pytest.raises(ServerUnavailable, match="stopping") as caught:
        await client.server_info()
    assert caught.value.retry_after_s == 60
    assert time.monotonic() - started_s < 20


async def test_a_lost_reply_is_asked_for_again_and_the_action_counts_once(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.lost_replies = 2
    answer = await client.seat("m", "TOKEN").act(actions.discard("KS"), expected_sequence=0)
    assert answer.replayed
    assert len(server.events) == 1
    requests = server.requests("Act")
    assert len(requests) == 3
    assert len({request.request_id for request in requests}) == 1


async def test_each_action_has_a_request_id_of_its_own(
    server: FakeServer, client: GinRummyClient
) -> None:
    seat = client.seat("m", "TOKEN")
    for sequence in range(3):
        await seat.act(actions.draw_stock(), expected_sequence=sequence)
    await seat.act(actions.draw_stock(), expected_sequence=3, request_id="mine")
    ids = [request.request_id for request in server.requests("Act")]
    assert len(set(ids)) == 4
    assert ids[-1] == "mine"


async def test_an_attempt_that_hangs_is_repeated_within_the_timeout(server: FakeServer) -> None:
    async def hang() -> None:
        await asyncio.sleep(60)

    original = server.accept
    hung: list[bool] = []

    async def accept(request_id: str, *, ended: bool = False) -> tuple[int, bool]:
        answer = await original(request_id, ended=ended)
        if not hung:
            hung.append(True)
            await hang()
        return answer

    server.accept = accept  # type: ignore[method-assign]
    policy = RetryPolicy(attempt_timeout_s=0.2, initial_backoff_s=0.01)
    async with GinRummyClient(server.address, timeout_s=30, retry=policy) as client:
        answer = await client.seat("m", "T").act(actions.draw_stock(), expected_sequence=0)
    assert answer.replayed
    assert len(server.events) == 1


async def test_a_call_never_takes_longer_than_the_timeout(server: FakeServer) -> None:
    server.failures["GetServerInfo"] = [UNAVAILABLE] * 10_000
    policy = RetryPolicy(max_attempts=10_000, initial_backoff_s=0.01, max_backoff_s=0.02)
    async with GinRummyClient(server.address, timeout_s=2, retry=policy) as client:
        started_s = time.monotonic()
        with pytest.raises(ServerUnavailable):
            await client.server_info()
        assert time.monotonic() - started_s < 20
    assert len(server.requests("GetServerInfo")) > 3


async def test_without_retry_the_first_failure_counts(server: FakeServer) -> None:
    server.failures["GetServerInfo"] = [UNAVAILABLE]
    async with GinRummyClient(server.address, retry=NO_RETRY) as client:
        with pytest.raises(ServerUnavailable):
            await client.server_info()


@pytest.mark.parametrize(
    "code",
    [
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.UNKNOWN,
    ],
)
async def test_no_other_failure_is_retried(
    server: FakeServer, client: GinRummyClient, code: grpc.StatusCode
) -> None:
    server.failures["Act"] = [Refusal(code, "no", retry_after_s=0.01)]
    with pytest.raises(GinRummyError, match="no") as caught:
        await client.seat("m", "TOKEN").act(actions.draw_stock(), expected_sequence=0)
    assert caught.value.code is code
    assert len(server.requests("Act")) == 1


async def test_a_call_that_a_stopping_server_drops_is_made_again(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.failures["Act"] = [
        Refusal(grpc.StatusCode.CANCELLED),
        Refusal(grpc.StatusCode.INTERNAL, "Received RST_STREAM with error code 2"),
    ]
    await client.seat("m", "TOKEN").act(actions.draw_stock(), expected_sequence=0)
    assert len(server.requests("Act")) == 3


async def test_a_stale_action_tells_where_the_match_is(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.failures["Act"] = [
        Refusal(
            grpc.StatusCode.ABORTED,
            "the match has moved on",
            "STALE_SEQUENCE",
            {"expected": "4", "actual": "6"},
        )
    ]
    with pytest.raises(StaleSequence, match="moved on") as caught:
        await client.seat("m", "TOKEN").act(actions.draw_stock(), expected_sequence=4)
    assert (caught.value.expected, caught.value.actual) == (4, 6)


async def test_an_illegal_action_names_the_rule_and_its_numbers(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.failures["Act"] = [
        Refusal(
            grpc.StatusCode.FAILED_PRECONDITION,
            "14 points of deadwood are over the limit of 10",
            "ILLEGAL_ACTION",
            {"rule": "OVER_KNOCK_LIMIT", "deadwood": "14", "limit": "10"},
        ),
        Refusal(grpc.StatusCode.FAILED_PRECONDITION, "wait", "NOT_YOUR_TURN", {"to_act": "2"}),
    ]
    seat = client.seat("m", "TOKEN")
    with pytest.raises(IllegalAction) as caught:
        await seat.act(actions.knock("KS"), expected_sequence=4)
    assert str(caught.value) == "14 points of deadwood are over the limit of 10"
    assert caught.value.reason == "ILLEGAL_ACTION"
    assert caught.value.rule == "OVER_KNOCK_LIMIT"
    assert caught.value.metadata["deadwood"] == "14"
    with pytest.raises(NotYourTurn):
        await seat.act(actions.knock("KS"), expected_sequence=4)


async def test_a_claim_tells_when_it_can_be_made_if_it_ever_can(
    server: FakeServer, client: GinRummyClient
) -> None:
    when = {"claimable_time": "2026-01-02T03:04:05Z"}
    server.failures["ClaimMatch"] = [
        Refusal(grpc.StatusCode.FAILED_PRECONDITION, "too early", "NOT_CLAIMABLE", when),
        Refusal(grpc.StatusCode.FAILED_PRECONDITION, "he is there", "NOT_CLAIMABLE"),
        UNAVAILABLE,
    ]
    seat = client.seat("m", "TOKEN")
    for claimable_time in (datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), None):
        with pytest.raises(NotClaimable) as caught:
            await seat.claim()
        assert caught.value.claimable_time == claimable_time
    assert (await seat.claim()).sequence == 1
    *_, first, second = server.requests("ClaimMatch")
    assert first.request_id == second.request_id != ""


async def test_the_host_renews_tokens_and_erases_players(
    server: FakeServer, client: GinRummyClient
) -> None:
    host = client.seat("m", "HOST")
    assert await host.reissue_token(2) == "NEW-SECRET"
    await host.reissue_token()
    assert [request.seat for request in server.requests("ReissueToken")] == [2, 0]
    assert (await host.erase_player(1)).name == "matches/m"
    assert {metadata["authorization"] for _, _, metadata in server.calls} == {"Bearer HOST"}


@pytest.mark.parametrize(
    ("code", "reason", "kind"),
    [
        (grpc.StatusCode.UNAUTHENTICATED, "BAD_KEY", BadKey),
        (grpc.StatusCode.INVALID_ARGUMENT, "DEADLINE_REQUIRED", InvalidRequest),
        (grpc.StatusCode.INVALID_ARGUMENT, "MESSAGE_TOO_LARGE", InvalidRequest),
    ],
)
async def test_each_reason_is_raised_as_its_kind(
    server: FakeServer,
    client: GinRummyClient,
    code: grpc.StatusCode,
    reason: str,
    kind: type[GinRummyError],
) -> None:
    server.failures["CreateMatch"] = [Refusal(code, "no", reason)]
    with pytest.raises(kind) as caught:
        await client.create_match(Match())
    assert (type(caught.value), caught.value.reason) == (kind, reason)


async def test_a_refused_field_is_named(server: FakeServer, client: GinRummyClient) -> None:
    server.failures["GetRuleset"] = [
        Refusal(
            grpc.StatusCode.INVALID_ARGUMENT,
            "the rules make no sense",
            "BAD_FIELD",
            violations=[("overrides.knock_limit", "is 0 to 10, not 11")],
        )
    ]
    with pytest.raises(InvalidRequest) as caught:
        await client.ruleset("short", Rules(knock_limit=11))
    assert caught.value.field_violations == [("overrides.knock_limit", "is 0 to 10, not 11")]
    assert str(caught.value) == (
        "the rules make no sense; overrides.knock_limit: is 0 to 10, not 11"
    )


async def test_an_unknown_match_is_told_apart(server: FakeServer, client: GinRummyClient) -> None:
    server.failures["GetMatch"] = [
        Refusal(grpc.StatusCode.NOT_FOUND, "no match matches/x", "MATCH_NOT_FOUND")
    ]
    with pytest.raises(MatchNotFound):
        await client.get_match("x")


async def test_a_server_that_is_not_there_is_named() -> None:
    async with GinRummyClient("127.0.0.1:1", timeout_s=30, retry=QUICK) as client:
        with pytest.raises(ServerUnavailable, match=r"127\.0\.0\.1:1 cannot be reached"):
            await client.server_info()
        with pytest.raises(
            ServerUnavailable, match=r"127\.0\.0\.1:1 was not ready within 1 s"
        ) as caught:
            await client.wait_ready(1)
        assert caught.value.code is grpc.StatusCode.UNAVAILABLE


async def test_ready_is_when_the_health_service_says_so(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.serving = False
    waiting = asyncio.create_task(client.wait_ready(30))
    while server.checks < 2:  # noqa: ASYNC110
        await asyncio.sleep(0.005)
    assert not waiting.done()
    server.serving = True
    await waiting


async def test_a_server_that_does_not_get_ready_is_told_by_its_last_answer(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.serving = False
    server.answered_checks = 2
    await client.server_info()
    with pytest.raises(ServerUnavailable, match="not serving") as caught:
        await client.wait_ready(1)
    assert caught.value.code is grpc.StatusCode.UNAVAILABLE


async def test_a_server_that_never_says_whether_it_is_ready_is_told_apart(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.answered_checks = 0
    with pytest.raises(ServerUnavailable, match="was not ready") as caught:
        await client.wait_ready(0.2)
    assert caught.value.code is grpc.StatusCode.DEADLINE_EXCEEDED


async def test_names_go_with_and_without_their_collection(
    server: FakeServer, client: GinRummyClient
) -> None:
    assert (await client.get_match("m")).name == "matches/m"
    assert (await client.get_match("matches/m")).name == "matches/m"
    assert (await client.ruleset("solo")).name == "rulesets/solo"
    await client.create_match(Match(), replay_of="old")
    [created] = server.requests("CreateMatch")
    assert created.replay_of == "matches/old"


async def test_pages_are_followed(server: FakeServer, client: GinRummyClient) -> None:
    assert [match.name async for match in client.list_matches(labels={"room": "1"})] == [
        "matches/1",
        "matches/2",
        "matches/3",
    ]
    assert all(request.labels["room"] == "1" for request in server.requests("ListMatches"))
    await server.happen(5, ended=True)
    assert [event.sequence async for event in client.match_events("m")] == [1, 2, 3, 4, 5]
    assert [ruleset.name for ruleset in await client.rulesets()] == [
        "rulesets/short",
        "rulesets/solo",
    ]
    assert [bot.name for bot in await client.bots()] == ["bots/simple"]


async def test_a_match_list_that_is_cut_off_is_an_error(client: GinRummyClient) -> None:
    matches = client.watch_matches()
    assert (await anext(matches)).name == "matches/m"
    with pytest.raises(ServerUnavailable, match="dropped the call"):
        await anext(matches)


async def test_tokens_travel_as_metadata(server: FakeServer) -> None:
    async with GinRummyClient(server.address, api_key="KEY-SECRET") as client:
        await client.seat("m", "SEAT-SECRET").view()
        await client.get_match("m")
    (_, _, with_token), (_, _, without) = server.calls
    assert with_token["authorization"] == "Bearer SEAT-SECRET"
    assert with_token["x-api-key"] == without["x-api-key"] == "KEY-SECRET"
    assert "authorization" not in without


async def test_no_token_is_ever_shown(server: FakeServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with GinRummyClient(server.address, api_key="KEY-SECRET") as client:
        created = await client.create_match(Match())
        joined = await client.join_match("m", display_name="Ada", seat=2)
        seat = client.seat("m", created.seats[1])
        async with seat.play() as session:
            shown = repr((client, created, joined, joined.match, seat, session))
        assert created.host_token == "HOST-SECRET"
        with pytest.raises(BadToken) as caught:
            client.seat("m", "SEAT-SECRET\n")
    assert "SECRET" not in shown + str(caught.value) + caplog.text


async def test_a_closed_client_makes_no_calls(server: FakeServer, client: GinRummyClient) -> None:
    await client.close()
    with pytest.raises(ServerUnavailable, match="closed"):
        await client.server_info()


async def test_resigning_and_aborting_can_be_repeated(
    server: FakeServer, client: GinRummyClient
) -> None:
    server.failures["ResignMatch"] = [UNAVAILABLE]
    server.failures["AbortMatch"] = [UNAVAILABLE]
    assert (await client.seat("m", "TOKEN").resign()).sequence == 1
    await client.seat("m", "HOST").abort()
    for call in ("ResignMatch", "AbortMatch"):
        first, second = server.requests(call)
        assert first.request_id == second.request_id != ""
