"""A table's state, and the only way from one state to the next.

The state is the fold of the match's log entries: `create` makes it of the first command, `decide`
and `advance` move it by each later one. All three are pure, so playing the log again gives the same
state and events, and a command that fails on the way has changed nothing.
"""

from dataclasses import dataclass, field, replace
from typing import cast

from ginrummy import engine
from ginrummy.engine.types import MatchResult
from ginrummy.log import MatchState
from ginrummy.tables.clock import deadline_after
from ginrummy.tables.commands import Command, Create
from ginrummy.tables.errors import (
    IllegalAction,
    MatchOver,
    NoOpenSeat,
    NotYourTurn,
)
from ginrummy.tables.events import (
    MatchCreated,
    Occupant,
    Recorded,
    SeatTaken,
    TableEvent,
    number,
)
from ginrummy.tables.setup import Setup

ACTIONS = frozenset({"passed", "card_drawn", "card_discarded", "knocked", "laid_off"})
"""Types of the events that are a player's doing."""

Two = tuple[Occupant, Occupant]
LastActions = tuple[Recorded | None, Recorded | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """One match after its event `head`."""

    match_id: str
    setup: Setup
    seed: str
    """64 hex digits. Stays here until the match has ended."""
    commitment: str
    """SHA-256 of the seed, as hex digits."""
    occupants: Two
    game: engine.Match | None = None
    """None while a seat is open. Never changed in place."""
    result: MatchResult | None = None
    head: int = 0
    created_us: int = 0
    updated_us: int = 0
    deadline_us: int | None = None
    has_acted: tuple[bool, bool] = (False, False)
    """By seat - 1: whether the player, or the engine for him, has acted, or a hand has ended."""
    dealt_us: int = 0
    """When the first hand was dealt."""
    hand_start: int = 0
    """Sequence number of the running hand's deal."""
    dead_hands: tuple[tuple[int, int], ...] = ()
    """First and last sequence number of each hand that ended dead."""
    owes_pause: bool = False
    """A next hand was dealt, and no deadline has been set in it yet."""
    last_actions: LastActions = field(default=(None, None))
    """By seat - 1, in the running hand."""

    @property
    def to_act(self) -> int:
        """The seat that has to decide; 0 is nobody."""
        if self.result is not None or self.game is None:
            return 0
        return self.game.to_act or 0

    @property
    def stage(self) -> MatchState:
        """How far the match has come."""
        if self.result is not None:
            aborted = self.result["winner"] is None
            return MatchState.ABORTED if aborted else MatchState.FINISHED
        return MatchState.OPEN if self.game is None else MatchState.RUNNING

    @property
    def open_seats(self) -> list[int]:
        """Seats that somebody can take."""
        if self.result is not None:
            return []
        return [i + 1 for i, who in enumerate(self.occupants) if who["kind"] == "open"]

    @property
    def bot_to_act(self) -> str | None:
        """The bot that owes a move, if one does."""
        seat = self.to_act
        return self.occupants[seat - 1].get("bot") if seat else None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command leads to: the state without its new number and deadline, and the events."""

    state: TableState
    events: list[TableEvent]
    deadline_us: int | None
    """The deadline, if the command comes at the time that `decide` was told."""


def create(match_id: str, command: Create, time_us: int) -> Outcome:
    """The table as it is set: everybody who is there sits down, and two begin to play."""
    setup = command["setup"]
    first, second = setup["seats"]
    state = TableState(
        match_id=match_id,
        setup=setup,
        seed=command["seed"],
        commitment=engine.commitment(bytes.fromhex(command["seed"])).hex(),
        occupants=(first, second),
        created_us=time_us,
    )
    events: list[TableEvent] = [MatchCreated(type="match_created")]
    for i, occupant in enumerate(state.occupants):
        if occupant["kind"] != "open":
            events.append(SeatTaken(type="seat_taken", seat=i + 1, occupant=occupant))
    return _with_deadline(state, _deal_if_full(state, events), time_us)


def decide(state: TableState, command: Command, time_us: int) -> Outcome:
    """What `command` leads to at this time. Raises a Refused where it is not possible."""
    if state.result is not None:
        raise MatchOver
    if command["type"] == "join":
        after, events = _join(state, command["seat"], command["occupant"])
    elif command["type"] == "extend_clock":
        after, events = state, cast(list[TableEvent], [{"type": "clock_extended"}])
    elif state.game is None:
        after, events = _before_the_deal(state, command)
    else:
        after, events = _play(state, state.game, command)
    return _with_deadline(state, (after, events), time_us)


def advance(
    outcome: Outcome, time_us: int, deadline_us: int | None
) -> tuple[TableState, list[Recorded]]:
    """The numbered state and events, with the deadline that the stored command names."""
    state = outcome.state
    recorded = number(outcome.events, state.head + 1, time_us, state.to_act, deadline_us)
    hand_start, last_actions = state.hand_start, state.last_actions
    dealt_us, dead_hands = state.dealt_us, state.dead_hands
    owes_pause = state.owes_pause
    for event in recorded:
        if event.event["type"] == "hand_dealt":
            hand_start, last_actions = event.sequence, (None, None)
            dealt_us = dealt_us or time_us
            owes_pause = event.event["hand_number"] > 1
        elif event.event["type"] in ACTIONS:
            last_actions = _with_last(last_actions, event)
        elif event.event["type"] == "hand_scored" and event.event["outcome"] == "dead":
            dead_hands = (*dead_hands, (hand_start, event.sequence))
    after = replace(
        state,
        head=recorded[-1].sequence,
        updated_us=time_us,
        deadline_us=deadline_us,
        dealt_us=dealt_us,
        hand_start=hand_start,
        dead_hands=dead_hands,
        last_actions=last_actions,
        owes_pause=owes_pause and deadline_us is None,
    )
    return after, recorded


def _with_last(last_actions: LastActions, event: Recorded) -> LastActions:
    first, second = last_actions
    return (event, second) if _seat_of(event.event) == 1 else (first, event)


def _seat_of(event: TableEvent) -> int:
    return cast(int, cast(dict[str, object], event)["seat"])


def _join(state: TableState, seat: int, occupant: Occupant) -> tuple[TableState, list[TableEvent]]:
    if seat not in state.open_seats:
        raise NoOpenSeat(seat)
    first, second = state.occupants
    occupants = (occupant, second) if seat == 1 else (first, occupant)
    taken = SeatTaken(type="seat_taken", seat=seat, occupant=occupant)
    return _deal_if_full(replace(state, occupants=occupants), [taken])


def _deal_if_full(
    state: TableState, events: list[TableEvent]
) -> tuple[TableState, list[TableEvent]]:
    if state.open_seats:
        return state, events
    game, dealt = engine.Match.start(state.setup["rules"], bytes.fromhex(state.seed))
    return replace(state, game=game), [*events, *dealt]


def _before_the_deal(state: TableState, command: Command) -> tuple[TableState, list[TableEvent]]:
    """The match can only be called off: the engine says how such a match ends."""
    if command["type"] != "abort":
        message = "not possible while a seat is open"
        raise IllegalAction("wrong_phase", {"phase": "waiting"}, message)
    game, _ = engine.Match.start(state.setup["rules"], bytes.fromhex(state.seed))
    ended = game.apply({"type": "abort"})
    return _noting_the_end(state, ended)


def _play(
    state: TableState, game: engine.Match, command: Command
) -> tuple[TableState, list[TableEvent]]:
    copy = game.clone()
    given = {key: value for key, value in command.items() if key != "deadline_us"}
    try:
        events = copy.apply(cast(engine.Command, given))
    except engine.Violation as violation:
        raise _refusal(violation) from None
    first, second = state.has_acted
    for event in events:
        ends_hand = event["type"] == "hand_scored"
        acting = _seat_of(event) if event["type"] in ACTIONS else 0
        first, second = first or ends_hand or acting == 1, second or ends_hand or acting == 2
    has_acted = (first, second)
    return _noting_the_end(replace(state, game=copy, has_acted=has_acted), events)


def _refusal(violation: engine.Violation) -> Exception:
    if violation.kind == "match_over":
        return MatchOver()
    if violation.kind == "not_your_turn":
        return NotYourTurn(violation.fields["to_act"])
    return IllegalAction(violation.kind, violation.fields, str(violation))


def _noting_the_end(
    state: TableState, events: list[engine.Event]
) -> tuple[TableState, list[TableEvent]]:
    last = events[-1]
    if last["type"] == "match_ended":
        result = {key: value for key, value in last.items() if key != "type"}
        state = replace(state, result=cast(MatchResult, result))
    return state, list(events)


def _with_deadline(
    before: TableState, then: tuple[TableState, list[TableEvent]], time_us: int
) -> Outcome:
    after, events = then
    deadline_us = None
    if after.to_act and after.bot_to_act is None:
        last = events[-1]
        deadline_us = deadline_after(
            after.setup["clock"],
            time_us,
            running=before.deadline_us,
            turn_goes_on=last["type"] == "card_drawn" and before.to_act == after.to_act,
            first_of_next_hand=before.owes_pause
            or (last["type"] == "hand_dealt" and last["hand_number"] > 1),
        )
    return Outcome(after, events, deadline_us)
