"""Calls that ask for harm: what they are told and cost, and that others play on meanwhile."""

import asyncio
import time
from collections.abc import Awaitable
from random import Random
from typing import Any

import grpc
import pytest

from ginrummy.v1 import match_service_pb2 as pb

from ..server.players import HUMAN, OPEN, TIMEOUT_S, Desk, Player, bearer
from ..server.refusals import Refusal, refusal
from .frames import DATA, END_STREAM, WINDOW_UPDATE, Wire, call, frame, hello, message, packed
from .server import Server

SERVICE = "/ginrummy.v1.MatchService"
Code = grpc.StatusCode


def raw(payload: bytes) -> bytes:
    return payload


def sent(desk: Desk, method: str, payload: bytes, metadata: Any = None) -> Awaitable[bytes]:
    path = method if method.startswith("/") else f"{SERVICE}/{method}"
    making: Awaitable[bytes] = desk.channel.unary_unary(path, raw, raw)(
        payload, metadata=metadata, timeout=TIMEOUT_S
    )
    return making


async def told(call: Awaitable[Any]) -> tuple[Code, str]:
    """Status and words of a call that the library itself refuses."""
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    words = failed.value.details() or ""
    assert "Traceback" not in words
    assert "Error" not in words
    return failed.value.code(), words


def chunk(number: int, payload: bytes) -> bytes:
    """A field that holds bytes, as a message has it."""
    length, coded = len(payload), b""
    while length >= 128:
        coded += bytes((length % 128 + 128,))
        length //= 128
    return bytes((number << 3 | 2,)) + coded + bytes((length,)) + payload


def nested(depth: int) -> bytes:
    """An unknown group in a group in a group."""
    return b"\xfb\x07" * depth + b"\xfc\x07" * depth


NAME = chunk(1, b"matches/none")
WRONG = {
    "truncated": (NAME[:-3], "BAD_FIELD"),
    "length_beyond_the_end": (b"\x0a\xff\xff\xff\xff\x07", "BAD_FIELD"),
    "endless_number": (b"\x18" + b"\xff" * 11, "BAD_FIELD"),
    "no_utf8": (chunk(1, b"\xff\xfe"), "BAD_FIELD"),
    "field_zero": (b"\x00\x00", "BAD_FIELD"),
    "deep_nesting": (NAME + nested(5000), "BAD_FIELD"),
    "group_without_end": (NAME + b"\xfb\x07" * 100, "BAD_FIELD"),
    "unknown_enum_value": (NAME + chunk(2, chunk(2, b"\x08\x63")) + b"\x18\x05", "MATCH_NOT_FOUND"),
    "no_such_card": (NAME + chunk(2, chunk(3, b"\x08\x7f")) + b"\x18\x05", "MATCH_NOT_FOUND"),
    "unknown_fields": (NAME + chunk(15, b"x" * 9000) + b"\xa0\x06\x01", "BAD_FIELD"),
    "empty": (b"", "BAD_FIELD"),
    "too_large": (NAME + chunk(4, b"a" * 100_000), "MESSAGE_TOO_LARGE"),
    "nearly_too_large": (NAME + chunk(4, b"a" * 60_000), "BAD_FIELD"),
}
"""Bytes of an ActRequest, and the reason that they are refused with."""


@pytest.mark.parametrize("wrong", WRONG)
async def test_a_message_that_makes_no_sense_is_refused_with_words(
    server: Server, wrong: str
) -> None:
    payload, reason = WRONG[wrong]
    async with server.unharmed(), server.desk() as desk:
        for _ in range(50):
            refused = await refusal(sent(desk, "Act", payload))
            code = Code.NOT_FOUND if reason == "MATCH_NOT_FOUND" else Code.INVALID_ARGUMENT
            assert (refused.code, refused.reason) == (code, reason)


async def test_of_two_kinds_in_one_action_the_last_counts(desk: Desk) -> None:
    one, two = await desk.new_players("playgridia")
    view = await one.view()
    player = one if view.to_act == 1 else two
    request = player.act_request(await player.view())
    twice = pb.ActRequest(name=player.name)
    twice.action.big_gin.SetInParent()
    payload = twice.SerializeToString() + request.SerializeToString()
    answer = pb.ActResponse.FromString(await sent(desk, "Act", payload, player.metadata))
    kind = request.action.WhichOneof("kind")
    assert (
        answer.events[0].WhichOneof("payload")
        == {"draw": "card_drawn", "pass": "passed"}[kind or ""]
    )


async def test_more_than_can_be_received_is_refused_by_its_size(server: Server) -> None:
    async with server.unharmed(), server.desk() as desk:
        for _ in range(20):
            code, _ = await told(sent(desk, "Act", bytes(3_000_000)))
            assert code is Code.RESOURCE_EXHAUSTED


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
async def test_a_small_message_that_holds_a_huge_one_is_not_unpacked(
    server: Server, coding: str
) -> None:
    bomb = message(packed(bytes(60_000_000)), compressed=True)
    assert len(bomb) < 65_535  # what a stream may send before it is given more room
    async with server.unharmed(most_more_kb=45_000):
        for _ in range(3):
            wires = [await Wire.open(server.port) for _ in range(10)]
            for wire in wires:
                await wire.send(
                    hello({4: 2**31 - 1}),
                    frame(WINDOW_UPDATE, 0, 0, (2**30).to_bytes(4)),
                    call("GetMatch", 1, ("grpc-encoding", coding)),
                )
                parts = [bomb[at : at + 16_000] for at in range(0, len(bomb), 16_000)]
                await wire.send(*(frame(DATA, 0, 1, part) for part in parts[:-1]))
                await wire.send(frame(DATA, END_STREAM, 1, parts[-1]))
            for wire in wires:
                await wire.read(0.2)
                wire.close()


async def test_compressed_requests_are_refused_with_words(server: Server, desk: Desk) -> None:
    request = pb.GetMatchRequest(name="matches/none")
    compressed = desk.matches.GetMatch(
        request, compression=grpc.Compression.Gzip, timeout=TIMEOUT_S
    )
    code, words = await told(compressed)
    assert code is Code.UNIMPLEMENTED
    assert "gzip" in words


METADATA: dict[str, tuple[tuple[str, str | bytes], ...]] = {
    "long_token": (("authorization", "Bearer " + "A" * 7000),),
    "no_token": (("authorization", "Bearer "),),
    "other_scheme": (("authorization", "Basic QTpC"),),
    "spaces": (("authorization", "Bearer    a   b"),),
    "many_tokens": tuple(("authorization", f"Bearer {i}") for i in range(20)),
    "binary": (("authorization-bin", bytes(range(256))), ("authorization", "Bearer a.b")),
    "many_keys": (*((f"x-{i}", "y" * 20) for i in range(60)), ("authorization", "Bearer a")),
    "punctuation": (("authorization", "Bearer '\";--<script>%00{}"),),
}


@pytest.mark.parametrize("kind", METADATA)
async def test_metadata_that_makes_no_sense_is_a_bad_token(server: Server, kind: str) -> None:
    async with server.unharmed(), server.desk() as desk:
        created = await desk.create()
        request = pb.GetViewRequest(name=created.match.name)
        for _ in range(20):
            refused = await refusal(
                desk.matches.GetView(request, metadata=METADATA[kind], timeout=TIMEOUT_S)
            )
            assert (refused.code, refused.reason) == (Code.UNAUTHENTICATED, "BAD_TOKEN")
            assert "script" not in refused.message


async def test_metadata_larger_than_the_connection_allows_is_refused(server: Server) -> None:
    async with server.unharmed(), server.desk() as desk:
        request = pb.GetViewRequest(name="matches/none")
        code, _ = await told(
            desk.matches.GetView(request, metadata=bearer("A" * 60_000), timeout=TIMEOUT_S)
        )
        assert code is Code.RESOURCE_EXHAUSTED


@pytest.mark.parametrize("path", ["/ginrummy.v1.MatchService/Cheat", "/x.Y/Z", "/", "//", "/a"])
async def test_an_unknown_method_is_unimplemented(server: Server, path: str) -> None:
    async with server.unharmed(), server.desk() as desk:
        for _ in range(100):
            assert (await told(sent(desk, path, b"\xff" * 100)))[0] is Code.UNIMPLEMENTED


async def wrong_tokens(desk: Desk) -> tuple[Player, dict[str, str]]:
    """A match, and tokens of every kind that do not play in it."""
    created = await desk.create(seats=(HUMAN, OPEN))
    name = created.match.name
    match_id = name.removeprefix("matches/")
    join = pb.JoinMatchRequest(name=name, request_id="0b7a1e0e-6d0c-4a53-9d0f-000000000001")
    older = (await desk.matches.JoinMatch(join, timeout=TIMEOUT_S)).token
    newer = (await desk.matches.JoinMatch(join, timeout=TIMEOUT_S)).token
    other = (await desk.create()).match.name.removeprefix("matches/")
    secret = "A" * 43
    return Player(desk, name, newer, 2), {
        "forged": f"{match_id}.{secret}",
        "nearly_right": newer[:-1] + ("A" if newer[-1] != "A" else "B"),
        "replaced": older,
        "of_another_match": f"{other}.{secret}",
        "of_no_match": f"{'0' * 32}.{secret}",
        "no_match_at_all": "nonsense",
    }


async def test_every_unknown_token_gets_the_same_answer(desk: Desk) -> None:
    player, tokens = await wrong_tokens(desk)
    request = pb.GetViewRequest(name=player.name)
    answers = set()
    for token in tokens.values():
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await desk.matches.GetView(request, metadata=bearer(token), timeout=TIMEOUT_S)
        trailer = failed.value.trailing_metadata()
        assert trailer is not None
        answers.add((failed.value.code(), failed.value.details(), tuple(trailer)))
    assert len(answers) == 1
    assert (await player.view()).viewer_seat == 2


async def test_an_unknown_match_is_not_found_whatever_the_token(desk: Desk) -> None:
    player, tokens = await wrong_tokens(desk)
    request = pb.GetViewRequest(name=f"matches/{'0' * 32}")
    answers: list[Refusal] = [
        await refusal(desk.matches.GetView(request, metadata=bearer(token), timeout=TIMEOUT_S))
        for token in (*tokens.values(), dict(player.metadata)["authorization"].split()[1])
    ]
    assert {answer.reason for answer in answers} == {"MATCH_NOT_FOUND"}
    assert len({answer.message for answer in answers}) == 1


async def test_a_flood_of_unknown_tokens_costs_little_and_keeps_nothing(server: Server) -> None:
    random = Random(2)

    async def knock(desk: Desk, player: Player) -> str:
        token = f"{random.randbytes(16).hex()}.{random.randbytes(32).hex()[:43]}"
        request = pb.GetViewRequest(name=player.name)
        call = desk.matches.GetView(request, metadata=bearer(token), timeout=60)
        return (await refusal(call)).reason

    async with server.unharmed(most_more_kb=60_000), server.desk() as desk:
        player, _ = await desk.new_players()
        began_s = time.monotonic()
        for _ in range(15):
            reasons = await asyncio.gather(*(knock(desk, player) for _ in range(200)))
            assert set(reasons) == {"BAD_TOKEN"}
        assert time.monotonic() - began_s < 120
