"""What a server keeps does not grow with the matches that have ended. `make soak` measures more."""

import asyncio
import gc
import math
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ginrummy.log import SqliteLog
from ginrummy.server.serving import Serving
from ginrummy.tables.about import About

from .players import BOT, Desk, Player, play_out

MATCH_COUNT = 80
AT_ONCE = 10
FEW = MATCH_COUNT // 20
"""Objects of one type that may be more by chance, such as what a pool keeps."""


@pytest.fixture
async def serving(tmp_path: Path) -> AsyncIterator[Serving]:
    """A server whose entries are not in memory."""
    serving = Serving(await SqliteLog.open(tmp_path / "log.sqlite"))
    yield serving
    await serving.stop(0.2)


async def play_some(desk: Desk) -> None:
    """Matches in many ways: watched, played, joined by name, retried, read afterwards."""

    async def watched() -> None:
        created = await desk.create("playgridia", seats=[BOT, BOT])
        host = Player(desk, created.match.name, created.host_token, 0)
        assert [event async for event in host.watch()][-1].HasField("match_ended")
        await desk.events(created.match.name)

    for _ in range(MATCH_COUNT // AT_ONCE):
        players = await desk.new_players("playgridia")
        await asyncio.gather(play_out(*players), *(watched() for _ in range(AT_ONCE - 1)))


def objects_of_ours() -> Counter[str]:
    """How many objects there are of each type of the server's."""
    gc.collect()
    # What a log line is about is known to the timers begun meanwhile, and goes with them.
    types = (type(each) for each in gc.get_objects() if not isinstance(each, About))
    return Counter(
        f"{kind.__module__}.{kind.__qualname__}"
        for kind in types
        if str(kind.__module__).startswith(("ginrummy.tables", "ginrummy.server", "ginrummy.log"))
    )


async def test_nothing_is_kept_of_a_match_that_has_ended(desk: Desk, serving: Serving) -> None:
    counts: list[Counter[str]] = []
    for _ in range(3):
        await play_some(desk)
        while serving.tables.live_count:
            await asyncio.sleep(0.05)
            serving.tables.sweep(math.inf)
        counts.append(objects_of_ours())
    more = {
        kind: count - counts[1][kind]
        for kind, count in counts[2].items()
        if count - counts[1][kind] > FEW
    }
    assert more == {}
    assert serving.tables.open_matches.count == 0
    assert "ginrummy.tables.table.Table" not in counts[2]
