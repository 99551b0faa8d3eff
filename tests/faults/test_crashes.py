"""A server that is killed while clients play loses nothing, and the check of that can fail."""

import asyncio
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ginrummy.v1.cards_pb2 import Card
from ginrummy.v1.events_pb2 import MatchEvent

from .accounts import differences
from .crash_run import Outcome, Run, crash_run
from .record import Record
from .servers import planted


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """A short crash run; `make crash` is a long one."""
    run = Run(matches=10, kills=3, seed=1)
    return asyncio.run(crash_run(run, tmp_path_factory.mktemp("crashes")))


def test_killed_servers_lose_nothing_and_show_nothing_that_is_not_stored(outcome: Outcome) -> None:
    assert outcome.differences == []
    assert outcome.record.count(is_answered=True, kind="act") > 100
    assert all(outcome.interrupted)
    assert outcome.told


@pytest.mark.parametrize(
    ("fault", "difference"),
    [
        ("answer_before_storing", "was answered and is not stored"),
        ("show_before_storing", "was shown"),
        ("forget_requests", "was answered and is not stored"),
    ],
)
async def test_a_server_without_its_protection_is_found_out(
    fault: str, difference: str, tmp_path: Path
) -> None:
    run = Run(matches=6, kills=1, seed=1, program=planted(fault), end_s=1)
    found = (await crash_run(run, tmp_path)).differences
    assert any(difference in each for each in found), found


@pytest.fixture
def copy(outcome: Outcome, tmp_path: Path) -> Path:
    """A file to tamper with."""
    return Path(shutil.copy(outcome.file, tmp_path))


AN_ACTION = "request_id IS NOT NULL AND command ->> 'type' = 'act' AND first > 20"
HEAD = "(SELECT head FROM match_row WHERE match_row.match_id = entry.match_id)"
LAST = f"revision = (SELECT revision FROM entry WHERE {AN_ACTION} AND last = {HEAD} LIMIT 1)"
ONE = f"revision = (SELECT revision FROM entry WHERE {AN_ACTION} AND last < {HEAD} LIMIT 1)"


@pytest.mark.parametrize(
    ("harm", "difference"),
    [
        (f"DELETE FROM entry WHERE {LAST}", "was answered and is not stored"),
        (f"DELETE FROM entry WHERE {LAST}", "was shown and is not stored"),
        (f"DELETE FROM entry WHERE {LAST}", "the index row stands at"),
        (f"DELETE FROM entry WHERE {LAST}", "the API tells other events"),
        (f"DELETE FROM entry WHERE {ONE}", "comes the entry of"),
        (f"UPDATE entry SET time_us = time_us + 1 WHERE {ONE}", "was shown otherwise than stored"),
        (f"UPDATE entry SET request_id = 'x' WHERE {ONE}", "nobody has sent the stored request x"),
        (f"UPDATE entry SET request_id = NULL WHERE {ONE}", "nobody asked for the entry"),
        (
            f"UPDATE entry SET events = json_set(events, '$[0].seat', 3) WHERE {ONE}",
            "causes other events",
        ),
        (
            f"UPDATE entry SET command = json_set(command, '$.seat', 3) WHERE {ONE}",
            "is stored as another command",
        ),
        (
            "UPDATE entry SET command = json_set(command, '$.action.card',"
            f" iif(command ->> '$.action.card' IS 'AS', 'KD', 'AS')) WHERE {ONE}",
            "is stored as another action",
        ),
        (
            "UPDATE match_row SET summary = json_remove(summary, '$.result.seed')",
            "the index row tells another result",
        ),
        ("DELETE FROM match_row", "there is no index row"),
        (
            f"DELETE FROM entry WHERE match_id = (SELECT match_id FROM entry WHERE {LAST})",
            "the match is not stored",
        ),
    ],
)
def test_a_file_that_was_tampered_with_is_found_out(
    outcome: Outcome, copy: Path, harm: str, difference: str
) -> None:
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        assert connection.execute(harm).rowcount > 0
    found = differences(outcome.record, copy, outcome.told)
    assert any(difference in each for each in found), found


@pytest.fixture
def record(outcome: Outcome) -> Iterator[Record]:
    """What clients were told, to tamper with; put back afterwards."""
    record = outcome.record
    seen = [list(sighting.events) for sighting in record.sightings]
    yield record
    for sighting, events in zip(record.sightings, seen, strict=True):
        sighting.events = events


def test_an_event_that_came_twice_or_not_at_all_is_found_out(
    outcome: Outcome, record: Record
) -> None:
    sighting = max(record.sightings, key=lambda each: len(each.events))
    events = list(sighting.events)
    for shown in ([*events[:5], *events[4:]], [*events[:4], *events[5:]], events[:-1]):
        sighting.events = shown
        found = differences(record, outcome.file, outcome.told)
        assert len(found) == 1
        assert "skipped or came twice" in found[0] or "nothing was shown after" in found[0]


def test_a_hidden_card_that_was_shown_is_found_out(outcome: Outcome, record: Record) -> None:
    sighting, n = next(
        (sighting, n)
        for sighting in record.sightings
        for n, event in enumerate(sighting.events)
        if event.HasField("card_drawn") and not event.card_drawn.HasField("card")
    )
    shown = MatchEvent.FromString(sighting.events[n].SerializeToString())
    shown.card_drawn.card = Card.CARD_AC
    sighting.events[n] = shown
    found = differences(record, outcome.file, outcome.told)
    assert len(found) == 1
    assert "was shown otherwise than stored" in found[0]


def test_a_refused_request_that_is_stored_is_found_out(outcome: Outcome) -> None:
    asked = next(each for each in outcome.record.asked.values() if each.kind == "act")
    asked.is_answered, asked.refusal = False, "STALE_SEQUENCE"
    found = differences(outcome.record, outcome.file, outcome.told)
    asked.is_answered, asked.refusal = True, ""
    assert len(found) == 1
    assert "was refused (STALE_SEQUENCE) and is stored" in found[0]
