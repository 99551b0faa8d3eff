"""`demo`: a whole match over the API, told event by event."""

from __future__ import annotations

import asyncio

from ginrummy.cli.choices import choices_of
from ginrummy.cli.connect import Connected, throwaway
from ginrummy.cli.creation import Wish
from ginrummy.cli.faces import meld_kind
from ginrummy.cli.menus import DEFAULT_BOT
from ginrummy.cli.run import Run
from ginrummy.cli.telling import teller_for
from ginrummy.cli.watching import Chronicle
from ginrummy.client import MatchClient, actions
from ginrummy.v1.action_pb2 import Action
from ginrummy.v1.events_pb2 import MatchEvent
from ginrummy.v1.view_pb2 import View


async def demo(run: Run, wish: Wish, delay_s: float) -> None:
    """Plays a match between this program and a bot, and prints all of it."""
    async with throwaway(run.server, run.access) as server:
        created = await server.client.create_match(wish.match(), seed=wish.seed)
        match = created.match
        if run.output.json:
            run.output.message("match", match)
        else:
            ruleset = match.ruleset.removeprefix("rulesets/")
            values = {"ruleset": ruleset, "bot": DEFAULT_BOT, "match": match.name}
            run.output.line(run.words("demo-title", **values), "title")
            version = (await server.client.server_info()).version
            run.output.line(run.words("demo-server", version=version), "muted")
        chronicle = Chronicle(run, teller_for(match, 1, run.words))
        await _play(server, server.client.seat(match.name, created.seats[1]), chronicle, delay_s)


async def _play(server: Connected, seat: MatchClient, chronicle: Chronicle, delay_s: float) -> None:
    """Acts on the view whenever an event leaves the turn to this seat."""
    async for update in seat.watch(after_sequence=0):
        if not isinstance(update, MatchEvent):
            continue
        chronicle.tell(update)
        if delay_s:
            await asyncio.sleep(delay_s)
        if update.to_act != 1:
            continue
        view = await seat.view()
        if view.sequence == update.sequence and view.to_act == 1:
            await seat.act(best_move(view), expected_sequence=view.sequence)


def best_move(view: View) -> Action:
    """Takes a card that completes a meld, knocks when it may, else makes the best discard."""
    choices = choices_of(view)
    if choices.can_take and view.discard_pile and completes_meld(view):
        return actions.draw_discard()
    if choices.can_pass:
        return actions.pass_upcard()
    if choices.can_draw:
        return actions.draw_stock()
    if choices.can_take:
        return actions.draw_discard()
    if choices.must_lay_off:
        return actions.lay_off()
    if choices.big_gin is not None:
        return choices.big_gin
    if choices.best_knock is not None:
        return choices.knocks[choices.best_knock]
    if choices.hint is not None:
        return choices.hint
    return actions.discard(choices.discards[-1])


def completes_meld(view: View) -> bool:
    """Whether the pile's top card makes a set or a run with two cards of the own deadwood."""
    top = view.discard_pile[-1]
    cards = list(view.own_arrangement.deadwood)
    return any(
        meld_kind((top, first, second))
        for at, first in enumerate(cards)
        for second in cards[at + 1 :]
    ) or any(meld_kind((*meld.cards, top)) for meld in view.own_arrangement.melds)
