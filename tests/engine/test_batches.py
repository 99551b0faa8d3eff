"""Whole buffers of hands: the measured hands, and the same answers as hand by hand."""

from array import array
from collections.abc import Callable
from random import Random

import pytest

from ginrummy.engine import (
    EngineError,
    InvalidCards,
    arrangement_batch,
    best_arrangement,
    best_defence,
    best_discard,
    best_discard_batch,
    deadwood,
    deadwood_batch,
    defence_batch,
    from_mask,
    price_discards,
    price_discards_batch,
    solve_batch,
    to_mask,
)

from .reading import DECK, FILES

HAND_FILES = sorted((FILES / "bench").glob("hands_*.txt"))


def measured(name: str) -> list[list[str]]:
    return [line.split() for line in (FILES / "bench" / name).read_text().splitlines()]


@pytest.mark.parametrize("name", [path.name for path in HAND_FILES])
def test_measured_hands_have_their_deadwood(name: str) -> None:
    rows = measured(name)
    assert len(rows) == 10_000
    hands = array("Q", [int(mask, 16) for mask, _ in rows])
    assert list(deadwood_batch(hands)) == [int(points) for _, points in rows]


def test_all_six_files_of_hands_are_measured() -> None:
    assert len(HAND_FILES) == 6


def test_measured_spreads_end_with_their_deadwood() -> None:
    rows = measured("layoffs.txt")
    assert len(rows) == 4_000
    melds = array("Q")
    for groups, *_ in rows:
        masks = [int(mask, 16) for mask in groups.split("|")]
        melds.extend([*masks, 0, 0][:3])
    defenders = array("Q", [int(row[1], 16) for row in rows])
    assert list(defence_batch(melds, defenders)) == [int(row[2]) for row in rows]
    for groups, defender, points, layoffs in rows:
        defence = best_defence(
            [from_mask(int(mask, 16)) for mask in groups.split("|")], from_mask(int(defender, 16))
        )
        assert defence["arrangement"]["deadwood_points"] == int(points)
        assert len(defence["layoffs"]) == int(layoffs)


def test_a_batch_answers_as_one_by_one() -> None:
    for name in ("hands_r11.txt", "hands_d11.txt"):
        hands = array("Q", [int(mask, 16) for mask, _ in measured(name)[:2_000]])
        points = deadwood_batch(hands)
        best_cards, best_points = best_discard_batch(hands)
        prices = price_discards_batch(hands)
        melds = array("Q", arrangement_batch(hands))
        for row, mask in enumerate(hands):
            hand = from_mask(mask)
            assert points[row] == deadwood(hand)
            best = best_discard(hand)
            assert DECK[best_cards[row]] == best["card"]
            assert best_points[row] == best["deadwood_points"]
            priced = [p["deadwood_points"] for p in price_discards(hand)]
            assert list(prices[11 * row : 11 * row + 11]) == priced
            masks = [to_mask(meld) for meld in best_arrangement(hand)["melds"]]
            assert list(melds[3 * row : 3 * row + 3]) == [*masks, 0, 0, 0][:3]


def test_a_million_hands_are_one_call() -> None:
    hands = array("Q", [int(mask, 16) for mask, _ in measured("hands_r10.txt")])
    assert deadwood_batch(hands * 100) == deadwood_batch(hands) * 100


@pytest.mark.parametrize(
    "buffer",
    [
        bytes,
        bytearray,
        memoryview,
        lambda row: array("Q", row),
        lambda row: array("L", row) if array("L").itemsize == 8 else row,
        lambda row: memoryview(row).cast("Q"),
    ],
    ids=["bytes", "bytearray", "memoryview", "array Q", "array L", "cast"],
)
def test_hands_come_in_any_buffer(buffer: Callable[[bytes], bytes]) -> None:
    rows = array("Q", [to_mask("AS 2S 3S 9D"), to_mask("KC KD")]).tobytes()
    assert list(deadwood_batch(buffer(rows))) == [9, 20]


def test_no_hands_are_an_empty_answer() -> None:
    assert deadwood_batch(b"") == b""
    assert best_discard_batch(b"") == (b"", b"")
    assert defence_batch(b"", b"") == b""


def test_a_bad_row_is_refused_with_its_index() -> None:
    good, beyond, twelve = 0b111, 1 << 52, (1 << 12) - 1
    for bad in (beyond, twelve):
        with pytest.raises(InvalidCards, match=r"^row 2: "):
            deadwood_batch(array("Q", [good, good, bad]))
    with pytest.raises(InvalidCards, match="row 0: 3 cards: a discard is chosen from eleven"):
        best_discard_batch(array("Q", [good]))
    with pytest.raises(InvalidCards, match="row 0: AC comes twice"):
        defence_batch(array("Q", [good, 0, 0]), array("Q", [good]))
    with pytest.raises(InvalidCards, match="row 0: AC 2C 4C is no meld"):
        defence_batch(array("Q", [0b1011, 0, 0]), array("Q", [0b100]))


def test_a_buffer_of_another_shape_is_refused() -> None:
    with pytest.raises(EngineError, match="9 bytes are no rows of 8"):
        deadwood_batch(bytes(9))
    with pytest.raises(EngineError, match="not C-contiguous"):
        deadwood_batch(memoryview(array("Q", [1, 2, 3, 4]))[::2])
    with pytest.raises(EngineError, match="2 masks of melds beside 1 defenders"):
        defence_batch(bytes(16), bytes(8))
    for other in (array("q", [1]), array("d", [1.0]), array("I", [1, 2])):
        with pytest.raises(TypeError, match="expected a buffer of u64 or of bytes"):
            deadwood_batch(other)
    with pytest.raises(TypeError):
        deadwood_batch([1, 2])  # type: ignore[arg-type]


def test_random_spreads_are_defended_as_one_by_one() -> None:
    random = Random(5)
    melds, defenders, expected = array("Q"), array("Q"), []
    while len(defenders) < 500:
        cards = random.sample(DECK, 20)
        groups = best_arrangement(cards[:10])["melds"]
        melds.extend([*map(to_mask, groups), 0, 0, 0][:3])
        defenders.append(to_mask(cards[10:]))
        expected.append(best_defence(groups, cards[10:])["arrangement"]["deadwood_points"])
    assert list(defence_batch(melds, defenders)) == expected


def test_all_is_told_of_many_hands_in_one_call() -> None:
    rows = [
        int(mask, 16) for name in ("hands_d11.txt", "hands_r10.txt") for mask, _ in measured(name)
    ]
    hands = array("Q", rows)
    deadwoods, best, after, melded, problems = solve_batch(hands)
    assert not problems
    assert deadwoods == deadwood_batch(hands)
    eleven = hands[:10_000]
    assert (best[:10_000], after[:10_000]) == best_discard_batch(eleven)
    assert set(best[10_000:]) == set(after[10_000:]) == {255}
    melds = array("Q", arrangement_batch(hands))
    whole = [melds[at] | melds[at + 1] | melds[at + 2] for at in range(0, len(melds), 3)]
    assert list(array("Q", melded)) == whole


def test_a_barred_card_stays_in_its_row() -> None:
    hand = "AS 2S 3S 8C 8D 8H TC JC QC KC 9D"
    hands = array("Q", [to_mask(hand)] * 2)
    _, best, after, _, _ = solve_batch(hands, bytes([255, DECK.index("9D")]))
    assert [DECK[bit] for bit in best] == ["9D", "KC"]
    assert list(after) == [0, 9]


def test_bad_rows_are_told_and_the_others_answered() -> None:
    good, beyond, twelve = 0b111, 1 << 52, (1 << 12) - 1
    hands = array("Q", [beyond, good, twelve, good, good])
    barred = bytes([255, 255, 255, 52, 3])
    deadwoods, best, after, melded, problems = solve_batch(hands, barred)
    assert list(deadwoods) == [255, 0, 255, 255, 255]
    assert best == after == b"\xff" * 5
    assert list(array("Q", melded)) == [0, good, 0, 0, 0]
    assert [(row, kind) for row, kind, _ in problems] == [
        (0, "no_card"),
        (2, "too_many"),
        (3, "barred_no_card"),
        (4, "barred_elsewhere"),
    ]
    assert "4C is not among the cards of the hand" in problems[-1][2]
    assert len(solve_batch(hands, barred, most_problems=2)[-1]) == 2


def test_a_column_of_barred_cards_fits_its_hands() -> None:
    with pytest.raises(EngineError, match="1 barred cards beside 2 hands"):
        solve_batch(bytes(16), bytes(1))
    with pytest.raises(TypeError, match="expected a buffer of bytes"):
        solve_batch(bytes(16), [1, 2])  # type: ignore[arg-type]
