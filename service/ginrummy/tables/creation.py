"""Setting a table."""

import secrets
from dataclasses import dataclass

from ginrummy.engine import RULES_VERSION
from ginrummy.log import Entry, IndexRow, Json, LogUnavailable, MatchAlreadyCreated
from ginrummy.tables import tokens
from ginrummy.tables.commands import Create
from ginrummy.tables.erasing import is_same_setup
from ginrummy.tables.errors import (
    MatchNotOver,
    MatchUnreadable,
    RequestIdReused,
    SeedsNotAllowed,
    StoreUnavailable,
)
from ginrummy.tables.index import reading
from ginrummy.tables.registry import Tables
from ginrummy.tables.rows import index_row, summary_of
from ginrummy.tables.setup import Setup, is_seeded
from ginrummy.tables.state import advance, create


@dataclass(frozen=True, slots=True)
class Created:
    """A match and the tokens that now govern it and play for its people, by role."""

    row: IndexRow
    tokens: dict[str, str]


async def create_match(
    tables: Tables, setup: Setup, request_id: str | None, *, seeds_allowed: bool
) -> Created:
    """Sets a table and begins to play if no seat is open; or finds the one set before."""
    tables.check_open()
    if is_seeded(setup) and not seeds_allowed and _has_two_people(setup):
        raise SeedsNotAllowed
    try:
        match_id = await tables.log.match_created_by(request_id) if request_id else None
        if match_id is None:
            return await tables.work.run(_set_table(tables, setup, request_id))
    except MatchAlreadyCreated as error:
        match_id = error.match_id
    except LogUnavailable as error:
        raise StoreUnavailable from error
    return await _find_again(tables, match_id, setup, request_id or "")


def _has_two_people(setup: Setup) -> bool:
    return all(occupant["kind"] != "bot" for occupant in setup["seats"])


async def _set_table(tables: Tables, setup: Setup, request_id: str | None) -> Created:
    match_id = _new_match_id()
    now_us = tables.now_us()
    command = Create(type="create", setup=setup, seed=await _seed(tables, setup))
    outcome = create(match_id, command, now_us)
    if outcome.deadline_us is not None:
        command["deadline_us"] = outcome.deadline_us
    state, happened = advance(outcome, now_us, outcome.deadline_us)
    entry = Entry(
        match_id=match_id,
        first=1,
        last=state.head,
        command=Json.of(command),
        events=Json(happened.stored()),
        time_us=now_us,
        rules_version=RULES_VERSION,
        request_id=request_id,
    )
    row = index_row(state, request_id)
    given = _new_tokens(match_id, setup)
    with tables.open_matches.one_more():
        await tables.log.append(entry, row, _digests(given))
    async with tables.use(match_id) as table:
        return Created(index_row(table.state, request_id), given)


async def _find_again(tables: Tables, match_id: str, setup: Setup, request_id: str) -> Created:
    """The match of an earlier attempt, with new tokens; the earlier ones stop working."""
    with reading(match_id):
        entry = await tables.log.entry_at(match_id, 1)
    if entry is None:
        raise MatchUnreadable(match_id)
    if not is_same_setup(entry.command.value["setup"], setup):
        raise RequestIdReused(request_id)
    given = _new_tokens(match_id, setup)
    async with tables.use(match_id) as table:
        await table.replace_tokens(_digests(given))
        return Created(index_row(table.state, request_id), given)


async def _seed(tables: Tables, setup: Setup) -> str:
    """The seed that fixes every deal, as hex digits."""
    if setup["replay_of"] is None:
        return setup["seed"] or secrets.token_hex(32)
    row = await tables.index.row(setup["replay_of"])
    result = summary_of(row)["result"]
    if result is None:
        raise MatchNotOver
    return result["seed"]


def _new_match_id() -> str:
    """128 random bits, so that nobody finds a match by guessing."""
    return secrets.token_hex(16)


def _new_tokens(match_id: str, setup: Setup) -> dict[str, str]:
    roles = [tokens.HOST]
    roles += [str(i + 1) for i, who in enumerate(setup["seats"]) if who["kind"] == "human"]
    return {role: tokens.new_token(match_id) for role in roles}


def _digests(given: dict[str, str]) -> dict[str, bytes]:
    return {role: tokens.digest(token) for role, token in given.items()}
