"""What `make bench-counts` makes of callgrind's profiles and of the counts that are kept."""

import dataclasses

import bench_counts
import pytest
from bench_counts import Counts, Record, changes, instructions, report

KEPT: Counts = {"least deadwood": {"r10": 100.0, "l10": 200.0}, "deck": {"deals": 4000.0}}


def record(counts: Counts) -> Record:
    return Record("rustc 1.95.0", "x86_64-unknown-linux-gnu", "valgrind-3.19.0", counts)


def test_profile_tells_its_instructions() -> None:
    assert instructions("events: Ir\nsummary: 1417229\n\nfn=(1)\n\ntotals: 1417229\n") == 1_417_229


def test_profile_without_instructions_is_refused() -> None:
    with pytest.raises(SystemExit, match="counted nothing"):
        instructions("events: Ir\ntotals: 0\n")


def test_counts_within_the_tolerance_pass() -> None:
    now: Counts = {**KEPT, "least deadwood": {"r10": 101.9, "l10": 196.1}}
    lines, has_changed = report(record(KEPT), record(now), 2)
    assert not has_changed
    assert lines[-1] == "all counts are within 2 % of those kept"


def test_changes_beyond_the_tolerance_are_told_both_ways() -> None:
    now: Counts = {**KEPT, "least deadwood": {"r10": 103.0, "l10": 190.0}}
    lines, has_changed = report(record(KEPT), record(now), 2)
    assert has_changed
    assert "least deadwood, r10: 100.0 -> 103.0, 3.0 % more" in lines
    assert "least deadwood, l10: 200.0 -> 190.0, 5.0 % fewer" in lines


def test_question_that_came_or_went_is_a_change() -> None:
    now: Counts = {"least deadwood": KEPT["least deadwood"], "defence": {"late": 1.0}}
    lines, has_changed = report(record(KEPT), record(now), 2)
    assert has_changed
    assert "defence, late: new" in lines
    assert "deck, deals: no longer counted" in lines


def test_other_compiler_is_told() -> None:
    newer = dataclasses.replace(record(KEPT), rustc="rustc 1.96.0")
    lines, has_changed = report(record(KEPT), newer, 2)
    assert not has_changed
    assert (
        "counted with rustc 1.96.0; those kept with rustc 1.95.0:"
        " another compiler counts otherwise" in lines
    )


def test_counts_are_a_table_with_a_column_for_each_shared_set() -> None:
    assert report(None, record(KEPT), 2)[0][:4] == [
        "| instructions a call | r10 | l10 | other |",
        "|---|---|---|---|",
        "| least deadwood | 100.0 | 200.0 |  |",
        "| deck |  |  | 4,000.0 |",
    ]


def test_counts_are_kept_for_every_question() -> None:
    kept = bench_counts.read_kept()
    assert kept is not None
    assert kept.rustc.startswith("rustc ")
    assert changes(kept.instructions, kept.instructions)
    assert all(count > 0 for sets in kept.instructions.values() for count in sets.values())
