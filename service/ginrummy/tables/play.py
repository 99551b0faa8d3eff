"""What people do at a table, each as a command that is checked where the match then stands."""

from dataclasses import dataclass

from ginrummy.engine.types import Action
from ginrummy.tables import tokens
from ginrummy.tables.commands import Abort, Act, ClaimAbsence, Command, Join, Resign
from ginrummy.tables.errors import (
    MatchOver,
    NoOpenSeat,
    NotClaimable,
    StaleSequence,
    WrongSeat,
)
from ginrummy.tables.events import Occupant
from ginrummy.tables.index import reading
from ginrummy.tables.registry import Tables
from ginrummy.tables.state import TableState
from ginrummy.tables.table import Answer, Asked, OnAnswer, Table, nobody
from ginrummy.tables.tokens import Holder


async def act(
    table: Table,
    seat: int,
    action: Action,
    expected: int,
    request_id: str | None,
    on_answer: OnAnswer = nobody,
    *,
    by: Holder | None = None,
) -> Answer:
    """Plays one action of a seat, decided on when the match stood at `expected`.

    Here and below `by` is whose token it is asked with; raises TokenReplaced if that one has
    stopped working before its turn came.
    """
    command = Act(type="act", seat=seat, action=action)

    def settle(state: TableState, _: int) -> Command:
        if state.result is not None:
            raise MatchOver
        if state.head != expected:
            raise StaleSequence(expected, state.head)
        return command

    return await table.carry_out(Asked(command, settle, request_id, on_answer=on_answer, by=by))


async def resign(
    table: Table,
    seat: int,
    request_id: str | None,
    on_answer: OnAnswer = nobody,
    *,
    by: Holder | None = None,
) -> Answer:
    """Gives up for a seat: the other one wins."""
    command = Resign(type="resign", seat=seat)
    asked = Asked(command, lambda *_: command, request_id, on_answer=on_answer, by=by)
    return await table.carry_out(asked)


async def claim(
    table: Table,
    seat: int,
    request_id: str | None,
    on_answer: OnAnswer = nobody,
    *,
    by: Holder | None = None,
) -> Answer:
    """Takes the match for a seat whose opponent has been away for as long as the clock says."""
    command = ClaimAbsence(type="claim_absence", seat=seat)

    def settle(state: TableState, now_us: int) -> Command:
        if state.result is not None:
            raise MatchOver
        _check_claimable(table, state, seat, now_us)
        return command

    return await table.carry_out(Asked(command, settle, request_id, on_answer=on_answer, by=by))


def _check_claimable(table: Table, state: TableState, seat: int, now_us: int) -> None:
    other = 3 - seat
    if not state.setup["clock"].get("absence_grace_us"):
        raise NotClaimable("it was created without an absence_grace")
    if state.game is None:
        raise NotClaimable("a seat is still open")
    if table.audience.is_connected(other):
        raise NotClaimable(f"seat {other} is there")
    claimable_us = table.audience.claimable_us(other)
    if claimable_us is None or now_us < claimable_us:
        raise NotClaimable(f"seat {other} has not been away for long enough", claimable_us)


async def abort(
    table: Table, seat: int | None, request_id: str | None, *, by: Holder | None = None
) -> Answer:
    """Ends the match without a winner; a seat (None is the host) may before its first action.

    What the engine played for it when its time ran out is an action of the seat too.
    """
    command = Abort(type="abort")

    def settle(state: TableState, _: int) -> Command:
        if seat is not None and state.has_acted[seat - 1] and state.result is None:
            raise WrongSeat(
                "a seat can abort the match before its first action only, and no later hand"
            )
        return command

    return await table.carry_out(Asked(command, settle, request_id, by=by))


async def reissue_token(table: Table, role: str, by: Holder) -> str:
    """A new token for a role; the one before stops working, and ends the streams it opened.

    From then on the seat's join, repeated, gives none: its request_id may be known to whoever had
    the token before.
    """
    token = tokens.new_token(table.state.match_id)
    # The mark first: if no more is stored, the host tries again, and nobody is let in meanwhile.
    marked = {} if role == tokens.HOST else {tokens.renewed(role): tokens.MARK}
    await table.replace_tokens({**marked, role: tokens.digest(token)}, by)
    return token


async def check_room(tables: Tables, match_id: str, request_id: str | None) -> None:
    """Refuses a join that cannot give a seat, nor repeat one that has, before the match is loaded.

    Nobody needs a token to ask, and loading a long match is much work.
    """
    if tables.is_live(match_id):
        return
    tables.check_open()
    row = await tables.index.row(match_id)
    if row.joinable and not row.state.ended:
        return
    with reading(match_id):
        if request_id and await tables.log.entry_by_request(match_id, request_id) is not None:
            return
    raise MatchOver if row.state.ended else NoOpenSeat(None)


@dataclass(frozen=True, slots=True)
class Joined:
    """The seat that somebody got, and the only token that now plays for it."""

    seat: int
    token: str


async def join(
    table: Table, asked_seat: int | None, player: Occupant, request_id: str | None
) -> Joined:
    """Sits `player` down in an open seat, or in the one asked for.

    Again, with the same request_id, it gives the same seat and a new token, unless the host has
    replaced its token or the player was erased (TokenWithheld), or the match has ended (MatchOver).
    """
    token = tokens.new_token(table.state.match_id)
    digest = tokens.digest(token)
    command = Join(type="join", seat=asked_seat or 0, asked=asked_seat, occupant=player)

    def settle(state: TableState, _: int) -> Command:
        if state.result is not None:
            raise MatchOver
        if not state.open_seats:
            raise NoOpenSeat(None)
        seat = asked_seat or state.open_seats[0]
        return Join(type="join", seat=seat, asked=asked_seat, occupant=player)

    answer = await table.carry_out(Asked(command, settle, request_id, digest))
    return Joined(answer.command["seat"], token)
