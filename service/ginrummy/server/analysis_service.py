"""AnalysisService: the engine's answers to questions about hands and positions.

Messages with many hands are read and made by the engine's side, in columns or as the API's bytes:
in Python they would cost far more than what they are about. What takes longer than an instant is
done in threads, without Python's lock.
"""

import asyncio
import os
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeVar

from ginrummy import engine
from ginrummy.engine import wire
from ginrummy.server.advice import language_of
from ginrummy.server.aside import Aside
from ginrummy.server.auth import Entered, bearer_token, player_of
from ginrummy.server.convert.analysis import (
    BIT_OF_NUMBER,
    MOST_ERRORS,
    NUMBER_OF_BIT,
    check_items,
    row_error,
    rows_from_wire,
    rules_from_wire,
)
from ginrummy.server.convert.fields import match_id_from_wire
from ginrummy.server.convert.positions import OWN, position_from_wire
from ginrummy.server.convert.seats import bot_name_from_wire
from ginrummy.server.convert.suggestions import suggestions_to_wire
from ginrummy.server.convert.times import SECOND_US, duration_from_wire
from ginrummy.server.edge import Context, answered
from ginrummy.server.gate import Gate
from ginrummy.server.limits import LimitName, half_for_one
from ginrummy.server.refusals import BadField, HintsOff
from ginrummy.server.settings import Limits
from ginrummy.tables.about import note
from ginrummy.tables.errors import IllegalAction, MatchOver, NotYourTurn
from ginrummy.tables.registry import Tables
from ginrummy.v1 import analysis_service_pb2 as pb
from ginrummy.v1 import analysis_service_pb2_grpc as pb_grpc

MOST_ITEMS_IN_PLACE = 32
"""Hands that are answered in less time than a thread takes to be asked."""
MOST_ROWS_IN_PLACE = 1000

BEST_BOT = "expert"
LONGEST_THINK_S = 2

Done = TypeVar("Done")


class Situation(NamedTuple):
    """Who asks for advice, and where he stands."""

    game: engine.Match | engine.Hand
    """Never changed: a match goes on in another object."""
    seat: int
    ruleset: str


class AnalysisService(pb_grpc.AnalysisServiceServicer):
    """Questions about hands and positions. Nothing is stored."""

    def __init__(self, tables: Tables, gate: Gate, limits: Limits) -> None:
        self.gate = gate
        self.check_open = tables.check_open
        self._batches = Aside(
            "analysis",
            os.cpu_count() or 1,
            half_for_one(LimitName.ANALYSES, limits.max_analyses),
        )
        self._tables = tables
        # The loop keeps a processor for itself, where there are two.
        self._thinking = Aside(
            "suggestions",
            max((os.cpu_count() or 1) - 1, 1),
            half_for_one(LimitName.SUGGESTIONS, limits.max_suggestions),
        )

    async def close(self) -> None:
        """Ends its threads."""
        await self._batches.close()
        await self._thinking.close()

    async def _answer(
        self, context: Context, work: Callable[[], Done], size: int, most_in_place: int
    ) -> Done:
        """What the work comes to: at once, or aside when it is much."""
        if size <= most_in_place:
            return work()
        return await self._batches.do(self.gate.caller_of(context), work)

    @answered
    async def AnalyzeHands(  # type: ignore[override] # serialised already
        self, request: pb.AnalyzeHandsRequest, context: Context
    ) -> bytes:
        count = len(request.hands)
        check_items(count, "hands")
        rules = rules_from_wire(request.ruleset, request.overrides)
        analyze = partial(wire.analyze_hands, request.SerializeToString(), rules)
        # The arrangements of one hand may take as long as a few dozen hands.
        most_in_place = 0 if request.all_arrangements else MOST_ITEMS_IN_PLACE
        return await self._answer(context, analyze, count, most_in_place)

    @answered
    async def AnalyzeColumns(  # type: ignore[override] # serialised already
        self, request: pb.AnalyzeColumnsRequest, context: Context
    ) -> bytes:
        rows = rows_from_wire(request)
        solve = partial(_solved, request.masks, request.barred_discards)
        return await self._answer(context, solve, rows, MOST_ROWS_IN_PLACE)

    @answered
    async def FindLayoffs(  # type: ignore[override] # serialised already
        self, request: pb.FindLayoffsRequest, context: Context
    ) -> bytes:
        count = len(request.problems)
        check_items(count, "problems")
        find = partial(wire.find_layoffs, request.SerializeToString())
        return await self._answer(context, find, count, MOST_ITEMS_IN_PLACE)

    @answered
    async def SuggestActions(  # type: ignore[override] # serialised already
        self, request: pb.SuggestActionsRequest, context: Context
    ) -> bytes:
        bot = bot_name_from_wire(request.bot, "bot") if request.bot else BEST_BOT
        think_us = LONGEST_THINK_S * SECOND_US
        if request.HasField("think_time"):
            think_us = duration_from_wire(request.think_time, "think_time", LONGEST_THINK_S)
        game, seat, ruleset = await self._situation(request, context)
        language, most, seed = (
            language_of(request.language_code),
            request.max_suggestions,
            request.seed,
        )
        cancel = engine.Cancel()

        def advise() -> bytes:
            think_s = think_us / SECOND_US
            advice = game.suggest(seat, bot, seed=seed, think_s=think_s, cancel=cancel)
            is_only = len(game.view(seat)["legal_actions"]) == 1
            told = suggestions_to_wire(advice, is_only, most, language, ruleset)
            return pb.SuggestActionsResponse(
                suggestions=told, bot=f"bots/{bot}"
            ).SerializeToString()

        try:
            return await self._thinking.do(self.gate.caller_of(context), advise)
        except asyncio.CancelledError:
            # Nobody waits for it any more.
            cancel.cancel()
            raise

    async def _situation(self, request: pb.SuggestActionsRequest, context: Context) -> Situation:
        match request.WhichOneof("situation"):
            case "match":
                return await self._in_match(request.match, bearer_token(context))
            case "position":
                ruleset, hand = position_from_wire(request.position, "position")
                return Situation(hand, OWN, ruleset)
            case _:
                raise BadField("", "match or position is required")

    async def _in_match(self, name: str, token: str | None) -> Situation:
        match_id = match_id_from_wire(name, "match")
        note(match=match_id)
        async with Entered(self._tables, match_id, token, player_of) as (table, player):
            state = table.state
        if not state.setup["hints"]:
            raise HintsOff
        if state.result is not None:
            raise MatchOver
        if state.game is None:
            message = "there is no advice while a seat is open"
            raise IllegalAction("wrong_phase", {"phase": "waiting"}, message)
        if state.to_act != player.seat:
            raise NotYourTurn(state.to_act)
        return Situation(state.game, player.seat, state.setup["ruleset"])


def _solved(masks: bytes, barred_numbers: bytes) -> bytes:
    """An AnalyzeColumnsResponse."""
    barred = barred_numbers.translate(BIT_OF_NUMBER) if barred_numbers else None
    deadwood, best, after, melded, problems = engine.solve_batch(masks, barred, MOST_ERRORS)
    return pb.AnalyzeColumnsResponse(
        deadwood_points=deadwood,
        best_discards=best.translate(NUMBER_OF_BIT),
        deadwood_after=after,
        melded_masks=melded,
        errors=[row_error(barred_numbers, *problem) for problem in problems],
    ).SerializeToString()
