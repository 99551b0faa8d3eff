"""Random tables: many tasks append to few matches at once, and nothing may go astray."""

import asyncio
from collections import defaultdict
from random import Random
from typing import Any

import pytest

from ginrummy.log import (
    Conflict,
    Entry,
    EventLog,
    LogError,
    MatchState,
    RequestIdReused,
)

from .samples import entry_of, fold

TASK_COUNT = 12
STEP_COUNT = 25
MATCH_IDS = ("m0", "m1", "m2", "m3")


def told(random: Random) -> dict[str, Any]:
    """What a command says of the row, as `fold` reads it."""
    return {
        "state": random.choice(list(MatchState)).value,
        "bot_owes": random.random() < 0.5,
        "deadline_us": random.choice([None, 5, 10]),
        "labels": {"room": str(random.randrange(3))},
    }


class Player:
    """A task that knows a match only by what it has read, and is often behind."""

    def __init__(self, log: EventLog, random: Random) -> None:
        self.log = log
        self.random = random
        self.accepted: list[tuple[Entry, int]] = []
        self.refused: list[tuple[Entry, LogError]] = []

    async def play(self) -> None:
        for _ in range(STEP_COUNT):
            match_id = self.random.choice(MATCH_IDS)
            known = await self.log.read(match_id)
            for _ in range(self.random.randrange(3)):
                await asyncio.sleep(0)
            await self.try_to_append(match_id, known)

    async def try_to_append(self, match_id: str, known: list[Entry]) -> None:
        entry = entry_of(
            match_id,
            known[-1].last + 1 if known else 1,
            self.random.randrange(1, 4),
            request_id=f"r{self.random.randrange(400)}" if self.random.random() < 0.5 else None,
            command={"row": told(self.random)},
        )
        try:
            revision = await self.log.append(entry, fold([*known, entry]))
        except (Conflict, RequestIdReused) as error:
            self.refused.append((entry, error))
        else:
            self.accepted.append((entry, revision))


def check_refusal(entry: Entry, error: LogError, stored: list[Entry]) -> None:
    """It was refused because of an entry that is there."""
    if isinstance(error, RequestIdReused):
        assert error.entry.request_id == entry.request_id
        assert error.entry in stored
    else:
        assert isinstance(error, Conflict)
        assert error.head >= entry.first, "nobody was faster"
        assert error.head in [there.last for there in stored]


@pytest.mark.parametrize("seed", range(5))
async def test_entries_of_racing_tasks_have_no_gap_and_rows_equal_their_fold(
    log: EventLog, seed: int
) -> None:
    players = [Player(log, Random(seed * 100 + n)) for n in range(TASK_COUNT)]
    with log.tail() as appends:
        await asyncio.gather(*(player.play() for player in players))
        accepted = sorted(
            (pair for player in players for pair in player.accepted), key=lambda pair: pair[1]
        )
        heard = [await anext(appends) for _ in accepted]
    assert [(appended.entry, appended.revision) for appended in heard] == accepted
    by_match: dict[str, list[Entry]] = defaultdict(list)
    for entry, _ in accepted:
        by_match[entry.match_id].append(entry)
    rows = {}
    for match_id, entries in by_match.items():
        assert await log.read(match_id) == entries
        head = 0
        for entry in entries:
            assert entry.first == head + 1
            head = entry.last
        rows[match_id] = await log.row(match_id)
        assert rows[match_id] == fold(entries)
    assert await log.rebuild_index(fold) == {}
    assert {match_id: await log.row(match_id) for match_id in rows} == rows
    for player in players:
        for entry, error in player.refused:
            check_refusal(entry, error, by_match[entry.match_id])
