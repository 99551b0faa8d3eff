"""Finds cards in a line of text, however they are written."""

import re
from collections.abc import Iterable
from typing import Any

from ginrummy import engine

RANK = "(?:10|[2-9TJQKA])"
SUITS = "♣♦♥♠♧♢♡♤"
RANK_WORDS = "ace|two|deuce|three|four|five|six|seven|eight|nine|ten|jack|queen|king"

PATTERNS = [
    # AS, 10S, A♠, ♠A, CARD_AS
    re.compile(rf"(?<![A-Za-z0-9_]){RANK}[CDHS{SUITS}](?![A-Za-z0-9_])"),
    re.compile(rf"[{SUITS}]\ufe0f?\s?{RANK}(?![A-Za-z0-9_])"),
    re.compile(rf"CARD_{RANK}[CDHS]"),
    # ace of spades, Ace_Of_Spades
    re.compile(rf"\b(?:{RANK_WORDS})s?[ _]?of[ _]?(?:club|diamond|heart|spade)s?\b", re.IGNORECASE),
    re.compile("[\U0001f0a1-\U0001f0de]"),
    # [1, 14, 27] and other lists of the API's numbers; card: 40
    re.compile(
        r"[\[({]\s*(?:[0-9]|[1-4][0-9]|5[0-2])(?:[\s,]+(?:[0-9]|[1-4][0-9]|5[0-2]))+\s*[\])}]"
    ),
    re.compile(r"\b(?:card|discard|upcard|hand|melds?|stock)s?['\"]?\s*[:=]\s*\d+", re.IGNORECASE),
]
NUMBERS = re.compile(r"\b(?:0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9a-fA-F]{5,})\b")


def cards_named(line: str, secrets: Iterable[str] = (), masks: Iterable[int] = ()) -> list[str]:
    """What in this line names a card, is one of these secrets, or one of these sets as a number."""
    found = [match.group() for pattern in PATTERNS for match in pattern.finditer(line)]
    found += [secret for secret in secrets if secret in line]
    known = set(masks)
    for written in NUMBERS.findall(line):
        for base in (0, 10, 16):
            try:
                number = int(written, base)
            except ValueError:
                continue
            if number in known:
                found.append(written)
    return found


def masks_of(events: Iterable[dict[str, Any]]) -> set[int]:
    """Every hand that a match's events, with nothing hidden, tell of: as a number."""
    hands: list[set[str]] = [set(), set()]
    masks: set[int] = set()
    for event in events:
        match event["type"]:
            case "hand_dealt":
                hands = [set(hand) for hand in event["hands"]]
            case "card_drawn":
                hands[event["seat"] - 1].add(event["card"])
            case "card_discarded":
                hands[event["seat"] - 1].discard(event["card"])
        masks |= {engine.to_mask(sorted(hand)) for hand in hands if hand}
    return masks
