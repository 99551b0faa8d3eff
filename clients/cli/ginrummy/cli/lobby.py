"""`new`, `join` and `list`: people at two terminals, through one server."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import aclosing

from ginrummy.cli.connect import connected
from ginrummy.cli.creation import Wish, create
from ginrummy.cli.faults import CommandError, CommandLineError
from ginrummy.cli.menus import chosen_ruleset
from ginrummy.cli.play import at_the_table, sit
from ginrummy.cli.private_server import folders
from ginrummy.cli.run import Run
from ginrummy.cli.state import SavedSeat
from ginrummy.cli.telling import seat_name
from ginrummy.client import NoOpenSeat, match_name
from ginrummy.v1.match_pb2 import Match, MatchState


async def new(run: Run, wish: Wish) -> None:
    """Sets a table with an open seat, tells how to join, waits, plays."""
    _needs_server(run)
    async with connected(run.server, run.seats, access=run.access) as server:
        ruleset = await chosen_ruleset(run, server.client, wish.ruleset)
        wish = Wish(**{**wish.__dict__, "ruleset": ruleset.name})
        match, saved = await create(server, run.seats, wish)
        with at_the_table(run, saved):
            if run.output.json:
                run.output.message("match", match, whole=True)
            await sit(run, server, saved)


async def join(run: Run, match: str, name: str, seat: int | None) -> None:
    """Takes an open seat and plays."""
    _needs_server(run)
    async with connected(run.server, run.seats, access=run.access) as server:
        try:
            joined = await server.client.join_match(match, display_name=name, seat=seat)
        except NoOpenSeat:
            if run.seats.of_match(match_name(match)):
                raise CommandError("seat-is-yours", match=match, server=run.server) from None
            raise
        found = await server.client.get_match(match)
        saved = SavedSeat(
            match=found.name,
            seat=joined.seat,
            token=joined.token,
            server=run.server,
            ruleset=found.ruleset,
            opponent=seat_name(found.seats[2 - joined.seat], run.words),
            created=time.time(),
            commitment=found.deal_commitment.hex(),
        )
        run.seats.save(saved)
        with at_the_table(run, saved):
            await sit(run, server, saved)


async def list_matches(run: Run, joinable: bool, limit: int) -> None:
    """The server's matches, or those of all private servers, latest first."""
    found: list[Match] = []
    for folder in [""] if run.server else folders(run.seats.folder):
        reached = connected(run.server, run.seats, folder=folder, access=run.access)
        async with reached as server:
            matches = server.client.list_matches(joinable_only=joinable)
            async with aclosing(matches):
                found += [match async for match in _first(matches, limit)]
    found.sort(key=lambda match: match.create_time.ToNanoseconds(), reverse=True)
    for match in found[:limit]:
        if run.output.json:
            run.output.message("match", match, whole=True)
        else:
            run.output.line(_line(run, match))
    if not found and not run.output.json:
        run.output.line(run.words("no-matches"))


async def _first(matches: AsyncIterator[Match], limit: int) -> AsyncIterator[Match]:
    count = 0
    async for match in matches:
        yield match
        count += 1
        if count == limit:
            return


def _line(run: Run, match: Match) -> str:
    state = MatchState.Name(match.state).removeprefix("MATCH_STATE_").lower()
    names = " : ".join(seat_name(seat, run.words) for seat in match.seats)
    totals = [str(sheet.total) for sheet in match.result.sheets]
    score = f" · {' : '.join(totals)}" if totals else ""
    when = match.create_time.ToDatetime().strftime("%Y-%m-%d %H:%M")
    ruleset = match.ruleset.removeprefix("rulesets/")
    shown = run.words.or_plain(f"state-{state}", state)
    return f"{match.name.removeprefix('matches/')}  {when}  {ruleset:<10} {shown:<9} {names}{score}"


def _needs_server(run: Run) -> None:
    """Two people need a server that both can reach."""
    if not run.server:
        raise CommandLineError("server-needed")
