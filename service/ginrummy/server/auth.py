"""Who is calling: the bearer token of a call, and what it lets him do."""

from dataclasses import dataclass

from ginrummy.server.edge import Context
from ginrummy.server.meter import CURRENT_SPAN
from ginrummy.server.refusals import BadToken
from ginrummy.tables import tokens
from ginrummy.tables.about import note
from ginrummy.tables.errors import WrongSeat
from ginrummy.tables.registry import Tables
from ginrummy.tables.table import Table

SPECTATOR = 0
LONGEST_TOKEN = 512


@dataclass(frozen=True, slots=True)
class Caller:
    """What a token of this match stands for: a seat (1 or 2), or None for the host."""

    seat: int | None


def bearer_token(context: Context) -> str | None:
    """The token in the call's metadata; None without one. Raises BadToken for other schemes."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            scheme, _, token = str(value).partition(" ")
            if scheme.lower() != "bearer" or not 0 < len(token) <= LONGEST_TOKEN:
                raise BadToken('authorization has the form "Bearer TOKEN"')
            return token
    return None


async def caller_of(tables: Tables, table: Table, token: str | None) -> Caller:
    """Whom the token stands for at this table. Raises BadToken or WrongSeat."""
    if token is None:
        raise BadToken("a token of this match is required")
    role = tokens.role_of(token, table.tokens)
    if role is not None:
        if role == tokens.HOST:
            return Caller(None)
        CURRENT_SPAN.get().sits(int(role))
        note(seat=role)
        return Caller(int(role))
    other = tokens.match_of(token)
    if other != table.state.match_id:
        hashes = await tables.tokens(other)
        if tokens.role_of(token, hashes) is not None:
            raise WrongSeat("the token is for another match")
    raise BadToken("the token is not known, or has been replaced")


async def seat_of(tables: Tables, table: Table, token: str | None) -> int:
    """The seat that the token plays for. Raises BadToken or WrongSeat."""
    caller = await caller_of(tables, table, token)
    if caller.seat is None:
        raise WrongSeat("the host's token plays for no seat")
    return caller.seat


async def host_token_of(tables: Tables, table: Table, token: str | None) -> str:
    """The token, which governs the match. Raises BadToken or WrongSeat."""
    caller = await caller_of(tables, table, token)
    if caller.seat is not None or token is None:
        raise WrongSeat("a seat's token does not govern the match; the host's does")
    return token


@dataclass(frozen=True, slots=True)
class Viewer:
    """As whom somebody may watch."""

    number: int
    """1 or 2; 0 for a spectator."""
    role: str | None
    """Of the token that he showed; None without one."""


async def viewer_of(tables: Tables, table: Table, token: str | None) -> Viewer:
    """As whom the caller may watch. Raises BadToken or WrongSeat."""
    if token is None and table.state.setup["spectators"] != "none":
        return Viewer(SPECTATOR, None)
    caller = await caller_of(tables, table, token)
    if caller.seat is None:
        return Viewer(SPECTATOR, tokens.HOST)
    return Viewer(caller.seat, str(caller.seat))
