"""Hands in a column: the same answers as one by one, and nobody waits for them."""

import asyncio
import threading
from array import array
from collections.abc import AsyncIterator, Awaitable
from random import Random

import grpc
import pytest

from ginrummy import engine
from ginrummy.log import MemoryLog
from ginrummy.server.serving import Serving
from ginrummy.server.settings import Limits, Settings
from ginrummy.v1 import analysis_service_pb2 as pb
from ginrummy.v1 import catalog_service_pb2, errors_pb2

from ..engine.reading import DECK
from .players import Desk
from .refusals import refusal

INFO = catalog_service_pb2.GetServerInfoRequest()


def some_hands(count: int, seed: int) -> list[list[str]]:
    random = Random(seed)
    return [random.sample(DECK, random.choice([0, 3, 10, 11, 11, 11])) for _ in range(count)]


def column(hands: list[list[str]]) -> bytes:
    return b"".join(engine.to_mask(hand).to_bytes(8, "little") for hand in hands)


async def solve(desk: Desk, masks: bytes, barred: bytes = b"") -> pb.AnalyzeColumnsResponse:
    request = pb.AnalyzeColumnsRequest(masks=masks, barred_discards=barred)
    return await desk.analysis.AnalyzeColumns(request)


async def test_a_column_is_answered_as_hand_by_hand(desk: Desk) -> None:
    hands = some_hands(3000, 1)
    barred = [hand[0] if hand and i % 2 else None for i, hand in enumerate(hands)]
    numbers = bytes(DECK.index(card) + 1 if card else 0 for card in barred)
    solved = await solve(desk, column(hands), numbers)
    melded = array("Q", solved.melded_masks)
    for row, (hand, card) in enumerate(zip(hands, barred, strict=True)):
        arrangement = engine.best_arrangement(hand)
        assert solved.deadwood_points[row] == engine.deadwood(hand)
        in_melds = [card for meld in arrangement["melds"] for card in meld]
        assert melded[row] == engine.to_mask(in_melds)
        if len(hand) == 11:
            best = engine.best_discard(hand, card)
            assert DECK[solved.best_discards[row] - 1] == best["card"]
            assert solved.deadwood_after[row] == best["deadwood_points"]
        else:
            assert (solved.best_discards[row], solved.deadwood_after[row]) == (0, 255)
    assert not solved.errors


async def test_without_barred_discards_none_is_barred(desk: Desk) -> None:
    masks = column(some_hands(50, 2))
    assert await solve(desk, masks) == await solve(desk, masks, bytes(50))


async def test_bad_rows_get_255_and_an_error_and_the_others_their_answers(desk: Desk) -> None:
    good = engine.to_mask("AS 2S 3S 8C 8D 8H TC JC QC KC 9D")
    rows = [good, 1 << 52, good, (1 << 12) - 1, good, good, good]
    barred = bytes([0, 0, 23, 0, 53, DECK.index("9D") + 1, 255])
    solved = await solve(desk, array("Q", rows).tobytes(), barred)
    assert list(solved.deadwood_points) == [9, 255, 255, 255, 255, 9, 255]
    assert list(solved.deadwood_after) == [0, 255, 255, 255, 255, 9, 255]
    nine, king = DECK.index("9D") + 1, DECK.index("KC") + 1
    assert list(solved.best_discards) == [nine, 0, 0, 0, 0, king, 0]
    assert [mask != 0 for mask in array("Q", solved.melded_masks)] == [
        True,
        *[False] * 4,
        True,
        False,
    ]
    told = [(error.field, error.reason) for error in solved.errors]
    assert told == [
        ("masks[1]", errors_pb2.ERROR_REASON_BAD_CARD),
        ("barred_discards[2]", errors_pb2.ERROR_REASON_BAD_FIELD),
        ("masks[3]", errors_pb2.ERROR_REASON_BAD_FIELD),
        ("barred_discards[4]", errors_pb2.ERROR_REASON_BAD_CARD),
        ("barred_discards[6]", errors_pb2.ERROR_REASON_BAD_CARD),
    ]
    assert "TD is not among the cards" in solved.errors[1].message
    assert "12 cards" in solved.errors[2].message
    assert solved.errors[3].message == "there is no card 53"


async def test_a_hundred_bad_rows_are_told_with_words(desk: Desk) -> None:
    solved = await solve(desk, b"\xff" * 8 * 300)
    assert solved.deadwood_points == b"\xff" * 300
    assert [error.field for error in solved.errors] == [f"masks[{row}]" for row in range(100)]


@pytest.mark.parametrize(
    ("masks", "barred", "field"),
    [
        (b"", b"", "masks"),
        (bytes(12), b"", "masks"),
        (bytes(8 * 100_001), b"", "masks"),
        (bytes(16), bytes(1), "barred_discards"),
        (bytes(16), bytes(3), "barred_discards"),
    ],
)
async def test_columns_that_do_not_fit_are_refused(
    desk: Desk, masks: bytes, barred: bytes, field: str
) -> None:
    refused = await refusal(solve(desk, masks, barred))
    assert (refused.reason, refused.fields) == ("BAD_FIELD", [field])


async def test_a_hundred_thousand_hands_are_one_call(desk: Desk) -> None:
    hands = some_hands(1000, 4)
    solved = await solve(desk, column(hands) * 100, bytes(100_000))
    assert list(solved.deadwood_points[:1000]) == [engine.deadwood(hand) for hand in hands]
    assert solved.deadwood_points == solved.deadwood_points[:1000] * 100


async def test_a_request_longer_than_its_method_allows_is_refused(desk: Desk) -> None:
    calls: list[tuple[int, Awaitable[object]]] = [
        (917_504, solve(desk, bytes(917_504))),
        (131_072, desk.analysis.AnalyzeHands(padded(131_072))),
    ]
    for longest, call in calls:
        refused = await refusal(call)
        assert refused.reason == "MESSAGE_TOO_LARGE"
        assert refused.metadata["limit"] == str(longest)


def padded(size: int) -> pb.AnalyzeHandsRequest:
    return pb.AnalyzeHandsRequest(ruleset="x" * size)


class Held:
    """An engine that does not answer until it is let."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._begun = threading.Event()
        self.go = threading.Event()
        solve_batch = engine.solve_batch

        def wait(masks: bytes, barred: bytes | None, most_problems: int) -> object:
            self._begun.set()
            self.go.wait(120)
            return solve_batch(masks, barred, most_problems)

        monkeypatch.setattr(engine, "solve_batch", wait)

    async def begun(self) -> None:
        assert await asyncio.to_thread(self._begun.wait, 60)


@pytest.fixture
async def narrow() -> AsyncIterator[Desk]:
    """A connection to a server that answers two large analyses at once, one of one caller."""
    serving = Serving(MemoryLog(), Settings(limits=Limits(max_analyses=2)))
    port = await serving.start("127.0.0.1", 0)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Desk(channel)
    await serving.stop(0.2)


MANY = bytes(8 * 50_000)


async def test_others_are_served_while_many_hands_are_analysed(
    narrow: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch)
    many = asyncio.ensure_future(solve(narrow, MANY))
    await held.begun()
    assert (await asyncio.wait_for(narrow.catalog.GetServerInfo(INFO), 60)).version
    assert not many.done()
    held.go.set()
    assert len((await many).deadwood_points) == 50_000


async def test_a_caller_is_told_how_many_he_may_have_until_his_analysis_ends(
    narrow: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch)
    first = asyncio.ensure_future(solve(narrow, MANY))
    await held.begun()
    refused = await refusal(solve(narrow, MANY))
    assert refused.reason == "LIMIT_REACHED"
    assert refused.metadata == {"limit": "analyses", "most": "1"}
    first.cancel()
    await asyncio.sleep(0.1)
    # Who hangs up does not give back the thread that still works for him.
    assert (await refusal(solve(narrow, MANY))).reason == "LIMIT_REACHED"
    held.go.set()
    async with asyncio.timeout(60):
        while True:
            try:
                solved = await solve(narrow, MANY)
            except grpc.aio.AioRpcError:
                await asyncio.sleep(0.01)
            else:
                break
    assert len(solved.deadwood_points) == 50_000
