"""A table's state, and the only way from one state to the next.

The state is the fold of the match's log entries: `create` makes it of the first command, `decide`
and `advance` move it by each later one. All three are pure, so playing the log again gives the same
state and events, and a command that fails on the way has changed nothing.
"""

from typing import NamedTuple, cast

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
    Caused,
    ClockExtended,
    Happened,
    MatchCreated,
    Occupant,
    PlainEvents,
    SeatTaken,
    TableEvent,
)
from ginrummy.tables.setup import Setup

ACTIONS = frozenset({"passed", "card_drawn", "card_discarded", "knocked", "laid_off"})
"""Types of the events that are a player's doing."""

Two = tuple[Occupant, Occupant]

# To look a member up in its class is a call, in Python 3.11.
OPEN, RUNNING = MatchState.OPEN, MatchState.RUNNING


class Place(NamedTuple):
    """Where an event stands among those of the match."""

    sequence: int
    time_us: int
    to_act: int
    deadline_us: int | None


LastActions = tuple[Place | None, Place | None]


class TableState(NamedTuple):
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
    last_actions: LastActions = (None, None)
    """By seat - 1, in the running hand."""
    to_act: int = 0
    """The seat that has to decide; 0 is nobody."""

    @property
    def stage(self) -> MatchState:
        """How far the match has come."""
        if self.result is not None:
            aborted = self.result["winner"] is None
            return MatchState.ABORTED if aborted else MatchState.FINISHED
        return OPEN if self.game is None else RUNNING

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


class Outcome(NamedTuple):
    """What a command leads to, before it has a time and numbers."""

    before: TableState
    caused: Caused
    occupants: Two
    game: engine.Match | None
    result: MatchResult | None
    to_act: int
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
    return _deal_if_full(state, state.occupants, events, time_us)


def decide(state: TableState, command: Command, time_us: int) -> Outcome:
    """What `command` leads to at this time. Raises a Refused where it is not possible."""
    if state.result is not None:
        raise MatchOver
    if command["type"] == "join":
        return _join(state, command["seat"], command["occupant"], time_us)
    if command["type"] == "extend_clock":
        events = PlainEvents([ClockExtended(type="clock_extended")])
        return _outcome(state, events, state.occupants, state.game, None, time_us)
    if state.game is None:
        return _before_the_deal(state, command, time_us)
    step = _step(state.game, command)
    return _outcome(state, step, state.occupants, step.game, _result_of(step), time_us)


def advance(outcome: Outcome, time_us: int, deadline_us: int | None) -> tuple[TableState, Happened]:
    """The numbered state and events, with the deadline that the stored command names."""
    before, caused, occupants, game, result, to_act, _ = outcome
    happened = Happened(before.head + 1, time_us, caused, to_act, deadline_us)
    kinds = caused.kinds
    head = before.head + len(kinds)
    dealt_us, hand_start, dead_hands = before.dealt_us, before.hand_start, before.dead_hands
    owes_pause = before.owes_pause
    (first_acted, second_acted), (first_last, second_last) = before.has_acted, before.last_actions
    for sequence, (kind, seat) in enumerate(kinds, happened.first):
        if kind in ACTIONS:
            marks = (to_act, deadline_us) if sequence == head else (0, None)
            place = Place(sequence, time_us, *marks)
            if seat == 1:
                first_acted, first_last = True, place
            else:
                second_acted, second_last = True, place
        elif kind == "hand_dealt":
            hand_start, first_last, second_last = sequence, None, None
            dealt_us = dealt_us or time_us
            owes_pause = game is not None and game.hand_number > 1
        elif kind == "hand_scored":
            first_acted = second_acted = True
            if _is_dead(caused, sequence - happened.first):
                dead_hands = (*dead_hands, (hand_start, sequence))
    # In the order of the fields: by their names, or by _replace, it takes three times as long.
    after = TableState(
        before.match_id,
        before.setup,
        before.seed,
        before.commitment,
        occupants,
        game,
        result,
        head,
        before.created_us,
        time_us,
        deadline_us,
        (first_acted, second_acted),
        dealt_us,
        hand_start,
        dead_hands,
        owes_pause and deadline_us is None,
        (first_last, second_last),
        to_act,
    )
    return after, happened


def _is_dead(caused: Caused, index: int) -> bool:
    event: TableEvent = caused.events[index]
    return event["type"] == "hand_scored" and event["outcome"] == "dead"


def _join(state: TableState, seat: int, occupant: Occupant, time_us: int) -> Outcome:
    if seat not in state.open_seats:
        raise NoOpenSeat(seat)
    first, second = state.occupants
    occupants = (occupant, second) if seat == 1 else (first, occupant)
    taken = SeatTaken(type="seat_taken", seat=seat, occupant=occupant)
    return _deal_if_full(state, occupants, [taken], time_us)


def _deal_if_full(
    state: TableState, occupants: Two, events: list[TableEvent], time_us: int
) -> Outcome:
    game = None
    if all(occupant["kind"] != "open" for occupant in occupants):
        game, dealt = engine.Match.start(state.setup["rules"], bytes.fromhex(state.seed))
        events = [*events, *dealt]
    return _outcome(state, PlainEvents(events), occupants, game, None, time_us)


def _before_the_deal(state: TableState, command: Command, time_us: int) -> Outcome:
    """The match can only be called off: the engine says how such a match ends."""
    if command["type"] != "abort":
        message = "not possible while a seat is open"
        raise IllegalAction("wrong_phase", {"phase": "waiting"}, message)
    game, _ = engine.Match.start(state.setup["rules"], bytes.fromhex(state.seed))
    step = game.after({"type": "abort"})
    return _outcome(state, step, state.occupants, None, _result_of(step), time_us)


def _step(game: engine.Match, command: Command) -> engine.Step:
    if "deadline_us" in command:
        given = {key: value for key, value in command.items() if key != "deadline_us"}
        command = cast(Command, given)
    try:
        return game.after(cast(engine.Command, command))
    except engine.Violation as violation:
        raise _refusal(violation) from None


def _refusal(violation: engine.Violation) -> Exception:
    if violation.kind == "match_over":
        return MatchOver()
    if violation.kind == "not_your_turn":
        return NotYourTurn(violation.fields["to_act"])
    return IllegalAction(violation.kind, violation.fields, str(violation))


def _result_of(step: engine.Step) -> MatchResult | None:
    if not step.is_over:
        return None
    ended = step.events[-1]
    return cast(MatchResult, {key: value for key, value in ended.items() if key != "type"})


def _outcome(
    before: TableState,
    caused: Caused,
    occupants: Two,
    game: engine.Match | None,
    result: MatchResult | None,
    time_us: int,
) -> Outcome:
    """With the seat that has to act then, and until when if that is a person."""
    to_act = 0 if game is None or result is not None else game.to_act or 0
    deadline_us = None
    if game is not None and to_act and "bot" not in occupants[to_act - 1]:
        last, _ = caused.kinds[-1]
        deadline_us = deadline_after(
            before.setup["clock"],
            time_us,
            running=before.deadline_us,
            turn_goes_on=last == "card_drawn" and before.to_act == to_act,
            first_of_next_hand=before.owes_pause or (last == "hand_dealt" and game.hand_number > 1),
        )
    return Outcome(before, caused, occupants, game, result, to_act, deadline_us)
