"""AnalysisService: the engine's answers to questions about hands and positions.

Messages with many hands are read and made by the engine's side, in columns or as the API's bytes:
in Python they would cost far more than what they are about. What takes longer than an instant is
done in threads, without Python's lock.
"""

import os
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from ginrummy import engine
from ginrummy.engine import wire
from ginrummy.server.aside import Aside
from ginrummy.server.convert.analysis import (
    BIT_OF_NUMBER,
    MOST_ERRORS,
    NUMBER_OF_BIT,
    check_items,
    row_error,
    rows_from_wire,
    rules_from_wire,
)
from ginrummy.server.edge import Context, answered
from ginrummy.server.gate import Gate
from ginrummy.server.limits import LimitName, half_for_one
from ginrummy.server.settings import Limits
from ginrummy.tables.registry import Tables
from ginrummy.v1 import analysis_service_pb2 as pb
from ginrummy.v1 import analysis_service_pb2_grpc as pb_grpc

MOST_ITEMS_IN_PLACE = 32
"""Hands that are answered in less time than a thread takes to be asked."""
MOST_ROWS_IN_PLACE = 1000

Done = TypeVar("Done")


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

    async def close(self) -> None:
        """Ends its threads."""
        await self._batches.close()

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


def _solved(masks: bytes, barred_numbers: bytes) -> bytes:
    """An AnalyzeColumnsResponse."""
    barred = barred_numbers.translate(BIT_OF_NUMBER) if barred_numbers else None
    deadwood, best, after, melded, problems = engine.solve_batch(masks, barred, MOST_ERRORS)
    return pb.AnalyzeColumnsResponse(
        deadwood_points=deadwood,
        best_discards=best.translate(NUMBER_OF_BIT),
        deadwood_after=after,
        melded_masks=melded,
        errors=[row_error(*problem) for problem in problems],
    ).SerializeToString()
