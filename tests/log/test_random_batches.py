"""Random batches: what is stored together ends as if it had come one by one."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import pytest

from ginrummy.log import (
    Conflict,
    EventLog,
    Json,
    MatchAlreadyCreated,
    MatchState,
    MemoryLog,
    RequestIdReused,
    SqliteLog,
    UnknownMatch,
)

from .samples import busy_writer, digest, entry_of, row_of

BATCH_COUNT = 12
LARGEST = 150
MATCH_IDS = [f"m{n}" for n in range(12)]

Change = Callable[[EventLog], Awaitable[Any]]
"""Something asked of a log; asked of each log with the very same arguments."""


_new_requests = itertools.count(100)


class Caller:
    """Asks for what mostly fits."""

    def __init__(self, random: Random, mistakes: float) -> None:
        self.random = random
        self.mistakes = mistakes
        self.heads = dict.fromkeys(MATCH_IDS, 0)
        self.creators = dict.fromkeys(MATCH_IDS, "c")
        self.match_ids = MATCH_IDS.copy()

    def wants(self, chance: float) -> bool:
        return self.random.random() < chance

    def next_change(self) -> Change:
        match_id = self.random.choice(MATCH_IDS)
        if self.wants(0.004):
            self.heads[match_id] = 0
            return lambda log: log.forget(match_id)
        if self.wants(0.004):
            return lambda log: log.set_token(match_id, "1", digest(match_id))
        if self.wants(self.mistakes):
            return self.mistaken_append(match_id)
        return self.good_append(match_id)

    def good_append(self, match_id: str) -> Change:
        first = self.heads[match_id] + 1
        if first == 1:
            self.creators[match_id] = f"c{next(_new_requests)}"
        creator = self.creators[match_id]
        change, self.heads[match_id] = self.append(match_id, first, creator)
        return change

    def mistaken_append(self, match_id: str) -> Change:
        """A second match for a request, or an entry that does not follow or was made before."""
        head, creator = self.heads[match_id], self.creators[match_id]
        if not head or self.wants(0.1):
            other = f"o{next(_new_requests)}"
            self.match_ids.append(other)
            return self.append(other, 1, creator)[0]
        first = max(1, head + self.random.randrange(-2, 4))
        known = next(_new_requests)
        request_id = f"r{self.random.randrange(max(known - 200, 0), known)}"
        return self.append(match_id, first, creator, request_id)[0]

    def append(
        self, match_id: str, first: int, creator: str, request_id: str = ""
    ) -> tuple[Change, int]:
        """The change, and the head after it."""
        entry = entry_of(
            match_id,
            first,
            self.random.randrange(1, 4),
            request_id=request_id or f"r{next(_new_requests)}",
        )
        row = row_of(
            entry,
            state=self.random.choice(list(MatchState)) if self.wants(0.1) else MatchState.RUNNING,
            created_us=5,
            joinable=self.wants(0.2),
            labels={"room": str(self.random.randrange(3))},
            create_request_id=creator,
        )
        tokens = {"1": digest(str(first))} if self.wants(0.05) else None
        return lambda log: log.append(entry, row, tokens), entry.last

    async def look(self, log: EventLog) -> None:
        """Learns where each match stands."""
        for match_id in MATCH_IDS:
            row = await log.row(match_id)
            self.heads[match_id] = 0 if row is None else row.head
            if row is not None:
                self.creators[match_id] = row.create_request_id or ""


async def outcome_of(change: Change, log: EventLog) -> Any:
    """What came of it, to compare: revisions are each log's own."""
    try:
        await change(log)
    except Conflict as error:
        return Conflict, error.match_id, error.first, error.head
    except RequestIdReused as error:
        return RequestIdReused, error.entry
    except MatchAlreadyCreated as error:
        return MatchAlreadyCreated, error.match_id, error.create_request_id
    except UnknownMatch as error:
        return UnknownMatch, error.match_id
    return None


async def at_once(log: SqliteLog, changes: list[Change]) -> list[Any]:
    """The outcomes of changes that the writer finds all there when it comes to them."""
    async with busy_writer(log):
        asked = [asyncio.create_task(outcome_of(change, log)) for change in changes]
        await asyncio.sleep(0)
    return await asyncio.gather(*asked)


async def contents(log: EventLog, match_ids: list[str]) -> dict[str, Any]:
    return {
        match_id: (await log.row(match_id), await log.read(match_id), await log.tokens(match_id))
        for match_id in match_ids
    }


@pytest.mark.parametrize("mistakes", [0.0, 0.01, 0.3])
@pytest.mark.parametrize("seed", range(4))
async def test_a_batch_ends_as_if_its_changes_had_come_one_by_one(
    sqlite_log: SqliteLog, seed: int, mistakes: float
) -> None:
    caller = Caller(Random(seed), mistakes)
    memory = MemoryLog()
    with sqlite_log.tail() as one, memory.tail() as other:
        for _ in range(BATCH_COUNT):
            size = caller.random.randrange(1, LARGEST)
            await caller.look(memory)
            changes = [caller.next_change() for _ in range(size)]
            together = await at_once(sqlite_log, changes)
            assert together == [await outcome_of(change, memory) for change in changes]
            known = caller.match_ids
            assert await contents(sqlite_log, known) == await contents(memory, known)
            assert sqlite_log.unfinished_count == memory.unfinished_count
        await sqlite_log.close()
        await memory.close()
        heard = [[(told.entry, told.row) async for told in tail] for tail in (one, other)]
    assert heard[0] == heard[1]
    assert heard[0]


def test_two_texts_that_say_the_same_are_equal() -> None:
    assert Json('{"a": 1, "b": [2]}') == Json.of({"b": [2], "a": 1})
    assert Json("[1]") != Json("[2]")
    assert Json("[1]") != [1]
