"""`play`: against a bot, or on with an interrupted match."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from dataclasses import replace

from ginrummy.cli.connect import Connected, connected
from ginrummy.cli.creation import Wish, create, seat_to_resume
from ginrummy.cli.faults import CommandError
from ginrummy.cli.fronts import Front, JsonFront, LineFront
from ginrummy.cli.game import Game
from ginrummy.cli.menus import chosen_bot, chosen_ruleset
from ginrummy.cli.phrases import Phrases
from ginrummy.cli.run import Run
from ginrummy.cli.session import Session
from ginrummy.cli.sheet import score_sheet
from ginrummy.cli.state import SavedSeat
from ginrummy.cli.telling import Teller, teller_for
from ginrummy.cli.watching import connection_teller
from ginrummy.cli.words import Words, locale_language
from ginrummy.client import MatchClient
from ginrummy.v1.rules_pb2 import Rules
from ginrummy.v1.view_pb2 import PHASE_WAITING, View


async def play(run: Run, wish: Wish) -> None:
    """A new match against a bot."""
    async with connected(run.server, run.seats, wish.replay_of or "", access=run.access) as server:
        wish = await with_rules_of_replayed(server, wish)
        ruleset = await chosen_ruleset(run, server.client, wish.ruleset)
        bot = await chosen_bot(run, server.client, wish.bot, ruleset)
        wish = replace(wish, ruleset=ruleset.name, bot=bot)
        _, saved = await create(server, run.seats, wish)
        with at_the_table(run, saved):
            await sit(run, server, saved)


async def with_rules_of_replayed(server: Connected, wish: Wish) -> Wish:
    """A match that is dealt again has the rules that it had, unless others are wished for."""
    if not wish.replay_of or wish.ruleset:
        return wish
    replayed = await server.client.get_match(wish.replay_of)
    overrides = Rules()
    overrides.CopyFrom(replayed.overrides)
    if wish.overrides:
        overrides.MergeFrom(wish.overrides)
    return replace(wish, ruleset=replayed.ruleset.removeprefix("rulesets/"), overrides=overrides)


async def resume(run: Run, match: str, seat: int | None) -> None:
    """The match that was left, where it was left."""
    saved = seat_to_resume(run.seats, run.server, match, seat)
    address = run.server or saved.server
    with at_the_table(run, saved):
        async with connected(address, run.seats, saved.match, access=run.access) as server:
            await sit(run, server, saved)


@contextmanager
def at_the_table(run: Run, saved: SavedSeat) -> Iterator[None]:
    """One program plays a seat at a time. Ctrl-C leaves the table; this tells how to come back."""
    with run.seats.played(saved) as is_mine:
        if not is_mine:
            raise CommandError("played-elsewhere", match=saved.match.removeprefix("matches/"))
        try:
            yield
        except asyncio.CancelledError:
            run.output.error("")
            run.output.error(run.words("match-kept", match=reference(saved, run.words)))
            raise


def reference(saved: SavedSeat, words: Words) -> str:
    """A match as it is to be typed, with what has to be said again."""
    parts = [saved.match.removeprefix("matches/")]
    if saved.server:
        parts.append(f"--server {saved.server}")
    if words.language != locale_language(os.environ):
        parts.append(f"--lang {words.language}")
    return " ".join(parts)


async def sit(run: Run, server: Connected, saved: SavedSeat) -> None:
    """Plays a seat until the match is over or the player leaves, and tells how it ended."""
    seat = server.client.seat(saved.match, saved.token)
    await wait_for_opponent(run, seat, saved)
    match = await server.client.get_match(saved.match)
    teller = teller_for(match, saved.seat, run.words)
    game = await Session(seat, match, _front(run, teller), teller).play()
    if game.over:
        run.seats.save(replace(saved, over=True))
        _tell_end(run, game, teller, reference(saved, run.words))
    elif run.output.json:
        run.output.record(kept=saved.match)
    else:
        run.output.line(run.words("match-kept", match=reference(saved, run.words)))


async def wait_for_opponent(run: Run, seat: MatchClient, saved: SavedSeat) -> None:
    """Until the other seat is taken; nothing is said where it is taken already."""
    if (await seat.view()).phase != PHASE_WAITING:
        return
    identity = saved.match.removeprefix("matches/")
    if not run.output.json:
        run.output.line(run.words("match-created", match=identity), "title")
        run.output.line(run.words("join-how", match=identity, server=saved.server))
        run.output.line(run.words("waiting"), "muted")
    async with aclosing(seat.watch(on_connection=connection_teller(run))) as updates:
        async for update in updates:
            view = update if isinstance(update, View) else await seat.view()
            if view.phase != PHASE_WAITING:
                return


def _front(run: Run, teller: Teller) -> Front:
    phrases = Phrases(teller)
    if run.output.json:
        return JsonFront(run.output, phrases)
    if run.output.keys:
        # Terminals with keys are found on POSIX alone.
        from ginrummy.cli.screen_front import ScreenFront

        return ScreenFront(run.output, phrases)
    return LineFront(run.output, phrases)


def _tell_end(run: Run, game: Game, teller: Teller, match: str) -> None:
    """On a screen the table has gone by now: the last hand and the sheet stay behind."""
    output = run.output
    result = game.result or game.view.result
    if output.json:
        return
    if output.keys and game.hands:
        output.lines(teller.hand_result(game.hands[-1]))
        output.line()
    if output.keys or not game.hands:
        output.lines(score_sheet(teller, game.hands, result.sheets))
        output.line()
        output.lines(teller.ended(result), "title")
    output.line(run.words("verify-how", match=match), "muted")
