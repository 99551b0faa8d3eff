"""Matches as lines of text: what is read back is what was written."""

import json
from typing import Any

import pytest

from ginrummy.log import Entry, LogDamaged, from_lines, to_lines

from .samples import entry_of


def entries_of(match_id: str) -> list[Entry]:
    return [
        entry_of(match_id, 1, 2, request_id="r1"),
        entry_of(match_id, 3, command={"name": "Аня\n", "deep": {"n": [1, None]}}),
    ]


def test_lines_are_read_back_as_the_entries_they_came_from() -> None:
    matches = [entries_of("m1"), entries_of("m2")]
    lines = [line for entries in matches for line in to_lines(entries)]
    assert all("\n" not in line for line in lines)
    assert list(from_lines(lines)) == matches


def test_the_first_line_says_what_it_is() -> None:
    header = json.loads(next(to_lines(entries_of("m1"))))
    assert header == {
        "format": "ginrummy match log",
        "match_id": "m1",
        "schema": 1,
        "rules_version": 1,
        "entries": 2,
        "head": 3,
    }


@pytest.mark.parametrize(
    ("number", "change"),
    [
        (0, {"format": "diary"}),
        (0, {"schema": 2}),
        (0, {"entries": 3}),
        (1, {"last": 3}),
        (1, {"events": []}),
        (2, None),
    ],
)
def test_lines_that_were_changed_are_refused(number: int, change: dict[str, Any] | None) -> None:
    lines = list(to_lines(entries_of("m1")))
    lines[number] = "?" if change is None else json.dumps(json.loads(lines[number]) | change)
    with pytest.raises(LogDamaged, match=r"^line \d"):
        list(from_lines(lines))
