"""One match under load: created, played by both seats over the wire, watched, checked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from random import Random
from typing import TypeAlias

from ginrummy.client import CreatedMatch, GinRummyClient, GinRummyError, MatchClient, Update
from ginrummy.loadtest.checks import SPECTATOR, Witness, check_agree, check_log
from ginrummy.loadtest.figures import Figures
from ginrummy.loadtest.plan import Plan, Way
from ginrummy.loadtest.seat import Seat
from ginrummy.v1.action_pb2 import Action
from ginrummy.v1.events_pb2 import MatchEvent
from ginrummy.v1.match_pb2 import HumanSeat, Match, SpectatorPolicy
from ginrummy.v1.match_pb2 import Seat as SeatMessage

Act: TypeAlias = Callable[[Action, int], Awaitable[None]]
"""Sends an action that was decided after an event, and returns when it is answered."""

LABELS = {"made-by": "ginrummy-load"}
GOODBYE_S = 5.0
"""How long the last look at an ended or broken match may take."""


class Game:
    """A match of the plan. `play` plays it to its end."""

    def __init__(self, client: GinRummyClient, plan: Plan, number: int, figures: Figures) -> None:
        self._client = client
        self._plan = plan
        self._figures = figures
        self._random = Random(f"{plan.seed} {number}")
        by_turns = (Way.PLAY, Way.ACT)[number % 2]
        self._way = by_turns if plan.way is Way.MIXED else plan.way
        self._sent_s: dict[int, float] = {}
        """When the action that causes this event was sent."""

    async def play(self) -> None:
        """Plays and checks. Raises GinRummyError or WrongAnswer."""
        created = await self._create()
        self._figures.begun += 1
        rules = created.match.effective_rules
        name = created.match.name
        witnesses = [Witness(name, seat, rules) for seat in (1, 2)]
        watching = [Witness(name, SPECTATOR, rules) for _ in range(self._plan.spectators)]
        has_ended = False
        try:
            async with asyncio.TaskGroup() as tasks:
                for witness in watching:
                    tasks.create_task(self._spectate(witness))
                for witness in witnesses:
                    seat = Seat(witness.viewer, rules, Random(self._random.random()))
                    match = self._client.seat(name, created.seats[witness.viewer])
                    tasks.create_task(self._play_seat(match, seat, witness))
            has_ended = True
        except BaseExceptionGroup as failures:
            raise _first(failures) from None
        finally:
            if not has_ended:
                await asyncio.shield(self._call_off(created))
            for witness in (witnesses[1], *watching):
                check_agree(witnesses[0], witness)
        await self._audit(witnesses + watching)
        self._figures.ended += 1

    async def _create(self) -> CreatedMatch:
        names = list(self._plan.rulesets)
        [ruleset] = self._random.choices(names, list(self._plan.rulesets.values()))
        people = [HumanSeat(display_name=f"load {seat}") for seat in (1, 2)]
        spectators = (
            SpectatorPolicy.SPECTATOR_POLICY_PUBLIC_INFO
            if self._plan.spectators
            else SpectatorPolicy.SPECTATOR_POLICY_NONE
        )
        match = Match(
            ruleset=f"rulesets/{ruleset}",
            seats=[SeatMessage(human=person) for person in people],
            spectators=spectators,
            labels=LABELS,
            unlisted=True,
        )
        began_s = time.perf_counter()
        created = await self._client.create_match(match)
        self._figures.note("create", time.perf_counter() - began_s)
        return created

    async def _play_seat(self, match: MatchClient, seat: Seat, witness: Witness) -> None:
        moves = 0
        while not witness.has_seen_the_end:
            if seat.head:
                self._figures.reconnects += 1
            async with self._stream(match, seat.head) as (updates, act):
                async for update in updates:
                    if not isinstance(update, MatchEvent):
                        continue
                    self._note(witness, update)
                    seat.note(update)
                    if update.to_act == seat.number:
                        await self._think()
                        await self._act(seat, act)
                        moves += 1
                        if self._plan.reconnect_every and moves % self._plan.reconnect_every == 0:
                            break

    @asynccontextmanager
    async def _stream(
        self, match: MatchClient, after: int
    ) -> AsyncIterator[tuple[AsyncIterator[Update], Act]]:
        """A seat's updates after this event, and how it acts."""
        if self._way is Way.PLAY:
            async with match.play(after_sequence=after) as session:

                async def act(action: Action, head: int) -> None:
                    await session.act(action, expected_sequence=head)

                yield session, act
        else:

            async def act(action: Action, head: int) -> None:
                await match.act(action, expected_sequence=head)

            async with aclosing(match.watch(after_sequence=after)) as updates:
                yield updates, act

    async def _act(self, seat: Seat, act: Act) -> None:
        action = seat.action()
        self._sent_s[seat.head + 1] = began_s = time.perf_counter()
        await act(action, seat.head)
        self._figures.note("answer", time.perf_counter() - began_s)
        self._figures.moves += 1

    def _note(self, witness: Witness, event: MatchEvent) -> None:
        witness.note(event)
        self._figures.events += 1
        if event.seat and witness.viewer not in (event.seat, SPECTATOR):
            sent_s = self._sent_s.pop(event.sequence, None)
            if sent_s is not None:
                self._figures.note("delivery", time.perf_counter() - sent_s)

    async def _think(self) -> None:
        if self._plan.think_s:
            await asyncio.sleep(self._random.expovariate(1 / self._plan.think_s))

    async def _spectate(self, witness: Witness) -> None:
        async for update in self._client.spectate(witness.match).watch(after_sequence=0):
            if isinstance(update, MatchEvent):
                self._note(witness, update)

    async def _audit(self, witnesses: list[Witness]) -> None:
        """Compares what everybody was shown with the log of the ended match."""
        if self._random.random() < self._plan.audit:
            stored = [event async for event in self._client.match_events(witnesses[0].match)]
            for witness in witnesses:
                check_log(witness, stored)
            self._figures.audited += 1

    async def _call_off(self, created: CreatedMatch) -> None:
        """Leaves no match behind that nobody plays."""
        with suppress(GinRummyError, TimeoutError):
            async with asyncio.timeout(GOODBYE_S):
                await self._client.seat(created.match.name, created.host_token).abort()


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    first = failures.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
