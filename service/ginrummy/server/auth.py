"""Who is calling: the bearer token of a call, and what it lets him do."""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from ginrummy.log import IndexRow
from ginrummy.server.edge import Context
from ginrummy.server.meter import CURRENT_SPAN
from ginrummy.server.refusals import BadToken
from ginrummy.tables import tokens
from ginrummy.tables.about import note
from ginrummy.tables.errors import Refused, WrongSeat
from ginrummy.tables.registry import Tables, Using
from ginrummy.tables.rows import summary_of
from ginrummy.tables.table import Table
from ginrummy.tables.tokens import Holder

SPECTATOR = 0
LONGEST_TOKEN = 512

Who = TypeVar("Who")


def bearer_token(context: Context) -> str | None:
    """The token in the call's metadata; None without one. Raises BadToken for other schemes."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            scheme, _, token = str(value).partition(" ")
            if scheme.lower() != "bearer" or not 0 < len(token) <= LONGEST_TOKEN:
                raise BadToken('authorization has the form "Bearer TOKEN"')
            return token
    return None


class Entered(Using, Generic[Who]):
    """The table of a match with who calls, as `find` tells, for a caller with this token.

    Loading a long match is much work, so it is not done for whoever will be refused there anyway.
    Raises BadToken, WrongSeat, and what `Tables.use` does.
    """

    __slots__ = ("_find", "_token")

    def __init__(
        self,
        tables: Tables,
        match_id: str,
        token: str | None,
        find: Callable[[Table, Holder | None], Who],
    ) -> None:
        super().__init__(tables, match_id)
        self._token = token
        self._find = find

    async def __aenter__(self) -> tuple[Table, Who]:
        if not self._tables.is_live(self._match_id):
            await self._check()
        table = self._at_hand() or await self._loaded()
        try:
            holder = None
            if self._token is not None:
                holder = tokens.holder_of(self._token, table.tokens)
                if holder is None:
                    raise await _unknown(self._tables, self._match_id, self._token)
            return table, self._find(table, holder)
        except BaseException:
            self._end()
            raise

    async def _check(self) -> None:
        tables, match_id = self._tables, self._match_id
        tables.check_open()
        if self._token is not None:
            await _check_known(tables, match_id, self._token)
        elif self._find is not viewer_of or not await _admits_spectators(tables, match_id):
            await tables.index.row(match_id)  # a match that there is not is told first
            raise _no_token()


async def _check_known(tables: Tables, match_id: str, token: str) -> None:
    if tokens.holder_of(token, await tables.tokens(match_id)) is None:
        await tables.index.row(match_id)
        raise await _unknown(tables, match_id, token)


async def _admits_spectators(tables: Tables, match_id: str) -> bool:
    def spectators(row: IndexRow) -> str:
        return summary_of(row)["spectators"]

    return await tables.index.shown(await tables.index.row(match_id), spectators) != "none"


def caller_of(_: Table, holder: Holder | None) -> Holder:
    """Whoever has a token of this match. Raises BadToken."""
    if holder is None:
        raise _no_token()
    seat = holder.seat
    if seat is not None:
        CURRENT_SPAN.get().sits(seat)
        note(seat=holder.role)
    return holder


def _no_token() -> Refused:
    return BadToken("a token of this match is required")


async def _unknown(tables: Tables, match_id: str, token: str) -> Refused:
    """What to raise for a token that is none of this match."""
    other = tokens.match_of(token)
    if other != match_id and tokens.holder_of(token, await tables.tokens(other)) is not None:
        return WrongSeat("the token is for another match")
    return BadToken("the token is not known, or has been replaced")


class Player(NamedTuple):
    """The seat that a token plays for."""

    seat: int
    holder: Holder


def player_of(table: Table, holder: Holder | None) -> Player:
    """The seat that the token plays for. Raises BadToken or WrongSeat."""
    caller = caller_of(table, holder)
    seat = caller.seat
    if seat is None:
        raise WrongSeat("the host's token plays for no seat")
    return Player(seat, caller)


def host_of(table: Table, holder: Holder | None) -> Holder:
    """Who governs the match by this token. Raises BadToken or WrongSeat."""
    caller = caller_of(table, holder)
    if caller.role != tokens.HOST:
        raise WrongSeat("a seat's token does not govern the match; the host's does")
    return caller


class Viewer(NamedTuple):
    """As whom somebody may watch."""

    number: int
    """1 or 2; 0 for a spectator."""
    role: str | None
    """Of the token that he showed; None without one."""


def viewer_of(table: Table, holder: Holder | None) -> Viewer:
    """As whom the caller may watch. Raises BadToken."""
    if holder is None and table.state.setup["spectators"] != "none":
        return Viewer(SPECTATOR, None)
    caller = caller_of(table, holder)
    return Viewer(caller.seat or SPECTATOR, caller.role)
