"""The index row of a table: all that can be told of a match without loading it."""

from typing import Any, TypedDict, cast

from ginrummy.engine.types import MatchResult, Overrides, Rules
from ginrummy.log import IndexRow
from ginrummy.tables.events import Occupant
from ginrummy.tables.setup import ClockSetup, SpectatorPolicy, is_seeded
from ginrummy.tables.state import TableState


class Summary(TypedDict):
    """What a listing shows beside the row's own columns. Nothing of the cards."""

    overrides: Overrides
    rules: Rules
    clock: ClockSetup
    occupants: list[Occupant]
    spectators: SpectatorPolicy
    hints: bool
    seeded: bool
    replay_of: str | None
    commitment: str
    result: MatchResult | None


def index_row(state: TableState, create_request_id: str | None) -> IndexRow:
    """The row of a match in this state."""
    return IndexRow(
        match_id=state.match_id,
        state=state.stage,
        head=state.head,
        ruleset=state.setup["ruleset"],
        created_us=state.created_us,
        updated_us=state.updated_us,
        labels=state.setup["labels"],
        unlisted=state.setup["unlisted"],
        joinable=bool(state.open_seats),
        deadline_us=state.deadline_us,
        bot_owes=state.bot_to_act is not None,
        create_request_id=create_request_id,
        summary=cast(dict[str, Any], _summary(state)),
    )


def _summary(state: TableState) -> Summary:
    setup = state.setup
    return Summary(
        overrides=setup["overrides"],
        rules=setup["rules"],
        clock=setup["clock"],
        occupants=list(state.occupants),
        spectators=setup["spectators"],
        hints=setup["hints"],
        seeded=is_seeded(setup),
        replay_of=setup["replay_of"],
        commitment=state.commitment,
        result=state.result,
    )


def summary_of(row: IndexRow) -> Summary:
    """The summary that `index_row` wrote."""
    return cast(Summary, row.summary)
