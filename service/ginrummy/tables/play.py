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
from ginrummy.tables.state import TableState
from ginrummy.tables.table import Answer, Asked, OnAnswer, Table, nobody


async def act(
    table: Table,
    seat: int,
    action: Action,
    expected: int,
    request_id: str | None,
    on_answer: OnAnswer = nobody,
) -> Answer:
    """Plays one action of a seat, decided on when the match stood at `expected`."""
    command = Act(type="act", seat=seat, action=action)

    def settle(state: TableState, _: int) -> Command:
        if state.result is not None:
            raise MatchOver
        if state.head != expected:
            raise StaleSequence(expected, state.head)
        return command

    return await table.carry_out(Asked(command, settle, request_id, on_answer=on_answer))


async def resign(
    table: Table, seat: int, request_id: str | None, on_answer: OnAnswer = nobody
) -> Answer:
    """Gives up for a seat: the other one wins."""
    command = Resign(type="resign", seat=seat)
    asked = Asked(command, lambda *_: command, request_id, on_answer=on_answer)
    return await table.carry_out(asked)


async def claim(
    table: Table, seat: int, request_id: str | None, on_answer: OnAnswer = nobody
) -> Answer:
    """Takes the match for a seat whose opponent has been away for as long as the clock says."""
    command = ClaimAbsence(type="claim_absence", seat=seat)

    def settle(state: TableState, now_us: int) -> Command:
        if state.result is not None:
            raise MatchOver
        _check_claimable(table, state, seat, now_us)
        return command

    return await table.carry_out(Asked(command, settle, request_id, on_answer=on_answer))


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


async def abort(table: Table, seat: int | None, request_id: str | None) -> Answer:
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

    return await table.carry_out(Asked(command, settle, request_id))


async def reissue_token(table: Table, role: str, host_token: str) -> str:
    """A new token for a role; the one before stops working, and ends the streams it opened.

    Raises TokenReplaced if the host's token has meanwhile stopped working itself.
    """
    token = tokens.new_token(table.state.match_id)
    new, asked_with = tokens.digest(token), tokens.digest(host_token)
    await table.replace_tokens({role: new}, asked_with=(tokens.HOST, asked_with))
    return token


@dataclass(frozen=True, slots=True)
class Joined:
    """The seat that somebody got, and the only token that now plays for it."""

    seat: int
    token: str


async def join(
    table: Table, asked_seat: int | None, player: Occupant, request_id: str | None
) -> Joined:
    """Sits `player` down in an open seat, or in the one asked for."""
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
    seat: int = answer.command["seat"]
    if answer.replayed:
        await table.replace_tokens({str(seat): digest})
    return Joined(seat, token)
