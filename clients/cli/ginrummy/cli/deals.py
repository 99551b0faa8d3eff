"""Deals a match's decks again from its opened seed, by the published specification alone.

Whoever checks a server must not trust the server's own code. So this is written a second time, in
pure Python, and shares nothing with the engine:

* the key stream of hand `n` is ChaCha20 (RFC 8439), block counter from 0, the seed as key and as
  nonce `n` in 8 little-endian bytes and four zero bytes;
* it is read as little-endian u32 words; a number below `k` is the first word `w` with
  `w < floor(2^32 / k) * k`, modulo `k`;
* the deck starts in card order; for `i` from 51 down to 1, `deck[i]` changes places with
  `deck[next number below i + 1]`;
* hands count from 1; the stream of `n = 0` names the first dealer, seat 1 when the next number
  below 2 is 0, else seat 2.
"""

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass

SEED_BYTES = 32
_WORD = 0xFFFFFFFF
_CONSTANTS = struct.unpack("<4I", b"expand 32-byte k")
_COLUMNS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
_DIAGONALS = ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


def commitment(seed: bytes) -> bytes:
    """What a server publishes before the first card: the SHA-256 of the seed."""
    return hashlib.sha256(seed).digest()


def _rotated(word: int, bits: int) -> int:
    return ((word << bits) | (word >> (32 - bits))) & _WORD


def _quarter_round(s: list[int], a: int, b: int, c: int, d: int) -> None:
    for bits, (x, y, z) in zip((16, 12, 8, 7), ((a, b, d), (c, d, b)) * 2, strict=True):
        s[x] = (s[x] + s[y]) & _WORD
        s[z] = _rotated(s[z] ^ s[x], bits)


def chacha20_block(key: bytes, counter: int, nonce: bytes) -> tuple[int, ...]:
    """One block of the key stream, as sixteen u32 words (RFC 8439, section 2.3)."""
    start = (*_CONSTANTS, *struct.unpack("<8I", key), counter, *struct.unpack("<3I", nonce))
    state = list(start)
    for _ in range(10):
        for quarter in (*_COLUMNS, *_DIAGONALS):
            _quarter_round(state, *quarter)
    return tuple((a + b) & _WORD for a, b in zip(start, state, strict=True))


def _words(seed: bytes, hand_number: int) -> Iterator[int]:
    nonce = struct.pack("<Q", hand_number) + bytes(4)
    counter = 0
    while True:
        yield from chacha20_block(seed, counter, nonce)
        counter += 1


def _below(words: Iterator[int], bound: int) -> int:
    accepted = (1 << 32) // bound * bound
    return next(word for word in words if word < accepted) % bound


def first_dealer(seed: bytes) -> int:
    """The seat that deals the first hand."""
    return 1 + _below(_words(seed, 0), 2)


def deck(seed: bytes, hand_number: int) -> list[int]:
    """The 52 cards of a hand as they lie, each as its number on the wire (`Card`).

    >>> deck(bytes(32), 1)[20]  # CARD_AD
    14
    """
    words = _words(seed, hand_number)
    cards = list(range(1, 53))
    for i in range(51, 0, -1):
        j = _below(words, i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


@dataclass(frozen=True)
class Deal:
    """A hand as it has to be dealt."""

    hands: tuple[frozenset[int], frozenset[int]]
    """By seat number - 1."""
    upcard: int
    stock: tuple[int, ...]
    """From its top."""


def deal(seed: bytes, hand_number: int, dealer: int) -> Deal:
    """Deals a hand: one card at a time, the non-dealer first, then the upcard."""
    cards = deck(seed, hand_number)
    non_dealers, dealers = frozenset(cards[0:20:2]), frozenset(cards[1:20:2])
    hands = (dealers, non_dealers) if dealer == 1 else (non_dealers, dealers)
    return Deal(hands, cards[20], tuple(cards[21:]))
