"""`watch`: a match as spectators see it, from its beginning."""

from __future__ import annotations

from collections.abc import Callable

from ginrummy.cli.connect import connected
from ginrummy.cli.run import Run
from ginrummy.cli.sheet import score_sheet
from ginrummy.cli.telling import Teller, teller_for
from ginrummy.client import match_name
from ginrummy.v1.events_pb2 import HandScored, MatchEvent
from ginrummy.v1.match_pb2 import SPECTATOR_POLICY_NONE


class Chronicle:
    """Tells a match event by event, with the result and the sheet after each hand."""

    def __init__(self, run: Run, teller: Teller) -> None:
        self._run = run
        self._teller = teller
        self._hands: list[HandScored] = []

    def tell(self, event: MatchEvent) -> None:
        output = self._run.output
        if output.json:
            output.message("event", event)
            return
        if event.HasField("hand_dealt"):
            output.line()
        lines = self._teller.event(event)
        if event.HasField("hand_scored"):
            self._hands.append(event.hand_scored)
            lines = self._teller.hand_result(event.hand_scored)
        elif event.HasField("knocked") or event.HasField("laid_off"):
            # Their cards come with the result.
            lines = lines[:1]
        heading = event.WhichOneof("payload") in ("hand_dealt", "hand_scored", "match_ended")
        for at, line in enumerate(lines):
            output.line(line if heading else f"  {line}", "title" if heading and not at else "")
        if event.HasField("match_ended"):
            output.line()
            output.lines(score_sheet(self._teller, self._hands, event.match_ended.sheets))


def connection_teller(run: Run) -> Callable[[bool], None]:
    """Tells that the server is away, and that it is back."""

    def tell(is_there: bool) -> None:
        if run.output.json:
            run.output.record(connected=is_there)
        else:
            message = "connection-back" if is_there else "connection-lost"
            run.output.line(run.words(message), "warn")

    return tell


async def watch(run: Run, match: str) -> None:
    """Until the match is over."""
    async with connected(run.server, run.seats, match_name(match), access=run.access) as server:
        found = await server.client.get_match(match)
        # A private match lets nobody watch but its players.
        saved = run.seats.of_match(match_name(match))
        own = saved if saved and found.spectators == SPECTATOR_POLICY_NONE else None
        me = own.seat if own else 0
        chronicle = Chronicle(run, teller_for(found, me, run.words))
        client = server.client
        watched = client.seat(match, own.token) if own else client.spectate(match)
        told = connection_teller(run)
        async for update in watched.watch(after_sequence=0, on_connection=told):
            if not isinstance(update, MatchEvent):
                continue
            if update.HasField("seat_taken"):
                found = await server.client.get_match(match)
                chronicle = Chronicle(run, teller_for(found, me, run.words))
            chronicle.tell(update)
