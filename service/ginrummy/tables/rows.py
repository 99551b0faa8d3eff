"""The index row of a table: all that can be told of a match without loading it."""

from typing import TypedDict, cast

from ginrummy.engine.types import MatchResult, Overrides, Rules
from ginrummy.log import IndexRow, Json
from ginrummy.tables.events import Occupant
from ginrummy.tables.setup import ClockSetup, Setup, SpectatorPolicy, is_seeded
from ginrummy.tables.state import TableState, Two


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


class Rows:
    """The index rows of one match, one after the other.

    The texts of what hardly ever changes are made once, and not for every move.
    """

    def __init__(self, create_request_id: str | None) -> None:
        self._create_request_id = create_request_id
        self._setup: Setup | None = None
        self._occupants: Two | None = None
        self._result: MatchResult | None = None

    def of(self, state: TableState) -> IndexRow:
        """The row of the match in this state."""
        # A state hands on to the next what it keeps.
        if (
            self._setup is not state.setup
            or self._occupants is not state.occupants
            or self._result is not state.result
        ):
            self._joinable = bool(state.open_seats)
            self._labels = Json.of(state.setup["labels"])
            self._summary = Json.of(_summary(state))
            # Last: what cannot be made is not taken for made the next time.
            self._setup, self._occupants = state.setup, state.occupants
            self._result = state.result
        # In the order of the fields, as by their names it takes twice as long.
        return IndexRow(
            state.match_id,
            state.stage,
            state.head,
            state.setup["ruleset"],
            state.created_us,
            state.updated_us,
            self._labels,
            state.setup["unlisted"],
            self._joinable,
            state.deadline_us,
            state.bot_to_act is not None,
            self._create_request_id,
            self._summary,
        )


def index_row(state: TableState, create_request_id: str | None) -> IndexRow:
    """The row of a match in this state."""
    return Rows(create_request_id).of(state)


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
    return cast(Summary, row.summary.value)
