"""Questions about hands and positions, from what callers have: text, cards or masks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from ginrummy.client.actions import MeldLike, meld
from ginrummy.client.cards import CardValue, to_card
from ginrummy.client.connection import Connection
from ginrummy.client.names import bot_name
from ginrummy.v1.analysis_service_pb2 import (
    HandInput,
    HandQuery,
    LayoffProblem,
    SeatPosition,
    SuggestActionsRequest,
    SuggestActionsResponse,
)
from ginrummy.v1.cards_pb2 import CardList

HandLike: TypeAlias = "str | int | Iterable[CardValue] | HandInput"
"""`"AS 2S 3S"`, a mask, cards, or the message itself."""


def hand_input(hand: HandLike) -> HandInput:
    """The hand as the API takes it. What is no card, the server tells.

    >>> hand_input("AS 2S").text, hand_input(0b11).mask, list(hand_input([40, 41]).list.cards)
    ('AS 2S', 3, [40, 41])
    """
    if isinstance(hand, HandInput):
        return hand
    if isinstance(hand, str):
        return HandInput(text=hand)
    if isinstance(hand, int):
        return HandInput(mask=hand)
    return HandInput(list=CardList(cards=hand))


def hand_query(hand: HandLike | HandQuery, barred: str | CardValue | None = None) -> HandQuery:
    """A hand, and the card just taken from the pile that may not be discarded.

    Raises ValueError for a barred card that is none.
    """
    if isinstance(hand, HandQuery):
        return hand
    barred_discard = None if barred is None else to_card(barred)
    return HandQuery(hand=hand_input(hand), barred_discard=barred_discard)


def layoff_problem(melds: Iterable[MeldLike], hand: HandLike) -> LayoffProblem:
    """A knocker's melds, and a defender's hand beside them."""
    return LayoffProblem(melds=[meld(each) for each in melds], hand=hand_input(hand))


async def ask(
    connection: Connection,
    situation: str | SeatPosition,
    token: str | None,
    *,
    bot: str,
    think_time_s: float | None,
    max_suggestions: int,
    language_code: str,
    seed: int,
) -> SuggestActionsResponse:
    """What to do in a match, by its name, or in a position."""
    request = SuggestActionsRequest(
        bot=bot_name(bot),
        max_suggestions=max_suggestions,
        language_code=language_code,
        seed=seed,
    )
    if think_time_s is not None:
        request.think_time.FromMicroseconds(round(think_time_s * 1_000_000))
    if isinstance(situation, str):
        request.match = situation
    else:
        request.position.CopyFrom(situation)
    return await connection.call(connection.analysis.SuggestActions, request, token)


def queries(
    hands: Iterable[HandLike | HandQuery], barred: Sequence[str | CardValue | None] | None
) -> list[HandQuery]:
    """The hands, each with its barred card if there are some. Raises ValueError."""
    if barred is None:
        return [hand_query(hand) for hand in hands]
    return [hand_query(hand, card) for hand, card in zip(hands, barred, strict=True)]
