"""Tries to get in without an API key, or by one that is no longer good."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
import pytest

from ginrummy.server.keys import digest_of, keys_from_text
from ginrummy.server.settings import Limits, Security, Settings
from ginrummy.v1 import match_pb2
from ginrummy.v1 import match_service_pb2 as pb

from ..server.players import HUMAN, Desk, bearer, new_request_id, read_to_end
from ..server.refusals import refusal
from .conftest import desk_of

KEY, OTHER = "a-key-of-the-lobby-01", "a-key-of-the-shop-002"
Metadata = tuple[tuple[str, str | bytes], ...]


def key(text: str) -> Metadata:
    return (("x-api-key", text),)


NEARLY: dict[str, Metadata] = {
    "none": (),
    "empty": key(""),
    "cut short": key(KEY[:-1]),
    "longer": key(KEY + "1"),
    "in capitals": key(KEY.upper()),
    "a space before it": key(" " + KEY + " x"),
    "its hash": key(digest_of(KEY).hex()),
    "its name": key("lobby"),
    "its line": key(f"lobby={KEY}"),
    "two in one": key(f"{KEY},{OTHER}"),
    "a pattern": key("*"),
    "very long": key("A" * 7000),
    "binary": (("x-api-key-bin", KEY.encode()),),
    "another header": (("api-key", KEY),),
    "as a token": bearer(KEY),
    "behind another": (*key("a-key-that-nobody-has"), *key(KEY)),
}


@pytest.fixture
async def guarded() -> AsyncIterator[Desk]:
    """A connection to a server that knows two keys."""
    keys = keys_from_text(f"lobby={KEY},shop={OTHER}")
    async with desk_of(Settings(security=Security(api_keys=keys))) as desk:
        yield desk


def new_match(**fields: Any) -> pb.CreateMatchRequest:
    match = match_pb2.Match(ruleset="rulesets/short", seats=[HUMAN, HUMAN], **fields)
    return pb.CreateMatchRequest(match=match, request_id=new_request_id())


def keyed_calls(desk: Desk, metadata: Any) -> list[Callable[[], Awaitable[Any]]]:
    """Everything that needs a key."""
    matches = desk.matches
    everything = pb.WatchMatchesRequest()
    return [
        lambda: matches.CreateMatch(new_match(), metadata=metadata),
        lambda: matches.ListMatches(pb.ListMatchesRequest(), metadata=metadata),
        lambda: read_to_end(matches.WatchMatches(everything, metadata=metadata)),
    ]


@pytest.mark.parametrize("kind", NEARLY)
async def test_what_is_nearly_a_key_lets_nobody_in(guarded: Desk, kind: str) -> None:
    for call in keyed_calls(guarded, NEARLY[kind]):
        refused = await refusal(call())
        assert (refused.code, refused.reason) == (grpc.StatusCode.UNAUTHENTICATED, "BAD_KEY")
        assert KEY not in refused.message


async def test_a_token_is_no_key_and_a_key_is_no_token(guarded: Desk) -> None:
    created = await guarded.matches.CreateMatch(new_match(), metadata=key(KEY))
    for token in (created.host_token, *created.seat_tokens.values()):
        for metadata in (bearer(token), key(token)):
            for call in keyed_calls(guarded, metadata):
                assert (await refusal(call())).reason == "BAD_KEY"
    request = pb.GetViewRequest(name=created.match.name)
    for metadata in (key(KEY), (*key(KEY), *bearer(KEY))):
        view = guarded.matches.GetView(request, metadata=metadata)
        assert (await refusal(view)).reason == "BAD_TOKEN"


async def test_who_has_no_key_does_not_learn_whether_a_request_was_made(guarded: Desk) -> None:
    request = new_match()
    await guarded.matches.CreateMatch(request, metadata=key(KEY))
    before = await refusal(guarded.matches.CreateMatch(new_match()))
    assert await refusal(guarded.matches.CreateMatch(request)) == before


async def test_tries_with_many_keys_are_one_callers() -> None:
    limits = Limits(max_requests_per_s=5)
    keys = keys_from_text(f"lobby={KEY}")
    settings = Settings(security=Security(api_keys=keys), limits=limits)
    async with desk_of(settings) as desk:
        reasons = [
            (await refusal(call())).reason
            for number in range(10)
            for call in keyed_calls(desk, (*key(f"a-key-that-is-tried-{number}"), *bearer("a.b")))
        ]
    assert reasons[:5] == ["BAD_KEY"] * 5
    assert reasons[5:].count("LIMIT_REACHED") >= 15
