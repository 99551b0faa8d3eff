"""A house with tables over a memory log, for tests that play there."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

from ginrummy import engine
from ginrummy.engine.types import Action
from ginrummy.log import Entry, EventLog, Json, LogUnavailable, MemoryLog
from ginrummy.tables import play
from ginrummy.tables.audience import Sending
from ginrummy.tables.creation import Created, create_match
from ginrummy.tables.events import Happened, Occupant, Recorded, from_log_after, seen_live
from ginrummy.tables.registry import Tables
from ginrummy.tables.ring import SeenByEach
from ginrummy.tables.setup import ClockSetup, Setup
from ginrummy.tables.table import Table
from ginrummy.tables.watcher import News, Watcher

SEED = "02" * 32
"""Deals a first hand of some forty actions, so that tests know what they play."""

NO_CLOCK = ClockSetup(turn_time_us=0, timeouts_to_forfeit=0, hand_pause_us=0)


def human(name: str = "Ann") -> Occupant:
    return Occupant(kind="human", display_name=name, external_id="")


def bot() -> Occupant:
    return Occupant(kind="bot", bot="simple", options={}, think_time_us=None)


def vacant() -> Occupant:
    return Occupant(kind="open")


def setup_of(ruleset: str = "short", seats: list[Occupant] | None = None, **changes: Any) -> Setup:
    rules = engine.resolve_rules(ruleset, changes.get("overrides", {}))
    setup = Setup(
        ruleset=ruleset,
        overrides={},
        rules=rules,
        clock=NO_CLOCK,
        seats=seats or [human("Ann"), human("Ben")],
        spectators="public_info",
        labels={},
        unlisted=False,
        hints=False,
        seed=SEED,
        replay_of=None,
    )
    setup.update(changes)  # type: ignore[typeddict-item] # the tests' own spelling
    return setup


def new_request_id() -> str:
    return str(uuid4())


class Hands:
    """The hands of a clock that tests move."""

    def __init__(self) -> None:
        self.now_us = 1_800_000_000_000_000

    def __call__(self) -> int:
        return self.now_us

    def move(self, seconds: float) -> None:
        self.now_us += round(seconds * 1_000_000)


class Bare:
    """Sends events as they are recorded, blocks of them as tuples. Notes what it made."""

    def __init__(self) -> None:
        self.made: list[int] = []
        """Sequence numbers, one for each event or for each different look of it."""

    def event(self, recorded: Recorded) -> Recorded:
        self.made.append(recorded.sequence)
        return recorded

    def happened(self, happened: Happened, knock_card_face_down: bool) -> SeenByEach:
        by_each = []
        for recorded in happened.each():
            seen = [seen_live(recorded.event, n, knock_card_face_down) for n in (0, 1, 2)]
            looks: list[Recorded] = []
            for event in seen:
                look = replace(recorded, event=event)
                if look not in looks:
                    looks.append(self.event(look))
            spectator, first, second = (
                next(look for look in looks if look.event == event) for event in seen
            )
            by_each.append((spectator, first, second))
        spectators, seat_1, seat_2 = zip(*by_each, strict=True)
        return spectators, seat_1, seat_2

    def pack(self, encoded: Sequence[Any]) -> Any:
        return tuple(encoded)


class House:
    """Tables, and what tests do at them."""

    def __init__(self, log: EventLog | None = None, **of_tables: Any) -> None:
        self.log = log or MemoryLog()
        self.tables = Tables(self.log, Sending(Bare()), **of_tables)

    def reopened(self) -> "House":
        """Another house over the same log, as after a restart."""
        return House(self.log)

    async def create(self, setup: Setup, request_id: str | None = None) -> Created:
        return await create_match(self.tables, setup, request_id, seeds_allowed=True)

    async def new_match(self, setup: Setup | None = None) -> str:
        return (await self.create(setup or setup_of())).row.match_id

    async def play_on(self, match_id: str, most_actions: int = 10_000) -> int:
        """Plays both people as the simple bot would; how many actions."""
        done = 0
        async with self.tables.use(match_id) as table:
            while done < most_actions and table.state.to_act:
                await self.act_once(table)
                done += 1
        return done

    async def act_once(self, table: Table, request_id: str | None = None) -> None:
        seat, action = next_action(table)
        await play.act(table, seat, action, table.state.head, request_id)

    async def stored(self, match_id: str) -> list[Recorded]:
        return from_log_after(await self.log.read(match_id), 0)

    async def assert_log_and_table_agree(self, table: Table) -> None:
        entries = await self.log.read(table.state.match_id)
        assert entries[-1].last == table.state.head
        async with self.reopened().tables.use(table.state.match_id) as again:
            assert facts(again) == facts(table)


def facts(table: Table) -> dict[str, Any]:
    """All that a table knows of its match, to compare."""
    state = table.state
    game = state.game
    views = [] if game is None else [game.view(viewer, True) for viewer in (0, 1, 2)]
    known = {name: getattr(state, name) for name in state._fields if name != "game"}
    return known | {"views": views, "tokens": table.tokens}


def next_action(table: Table) -> tuple[int, Action]:
    """The seat to act and what the simple bot would do there."""
    seat, game = table.state.to_act, table.state.game
    assert game is not None
    action = game.bot_action(seat, "simple")
    assert action is not None
    return seat, action


async def take_all(watcher: Watcher) -> list[Recorded]:
    """Every event that a watcher is shown, to the end of the match."""
    seen: list[Recorded] = []
    while (news := await watcher.updates()) is not None:
        seen += events_of(news)
    return seen


def events_of(news: News | None) -> list[Recorded]:
    """The events that a watcher takes in one turn."""
    if news is None:
        return []
    return [event for message in news.messages for event in message]


async def until(condition: Callable[[], bool], within_s: float = 60.0) -> None:
    """Waits until something is so."""
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110 - conditions of all kinds
            await asyncio.sleep(0.005)


class Withholding(MemoryLog):
    """Gives nothing of one match and forgets none of it, as where a disk has a bad sector."""

    withheld = ""

    async def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        self._check_given(match_id)
        return await super().read(match_id, after, limit)

    async def forget(self, match_id: str) -> None:
        self._check_given(match_id)
        await super().forget(match_id)

    def _check_given(self, match_id: str) -> None:
        if match_id == self.withheld:
            raise LogUnavailable("bad sector")


def change_creation(log: MemoryLog, match_id: str, **changes: Any) -> None:
    """Changes what is stored of a match's creation, which then does not lead to what follows."""
    entries = log._kept[match_id].entries
    command = Json.of({**entries[0].command.value, **changes})
    entries[0] = replace(entries[0], command=command)


def commands(entries: list[Entry]) -> list[str]:
    return [entry.command.value["type"] for entry in entries]
