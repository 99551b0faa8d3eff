"""`ginrummy-load` as people and pipelines use it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SHORT = ("--duration", "3s", "--ramp", "0.5s", "--matches", "4", "--rulesets", "playgridia")


def load(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).parent / "ginrummy-load"
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120)


def test_a_run_against_a_server_of_its_own_tells_what_was_done(tmp_path: Path) -> None:
    page = tmp_path / "load.html"
    done = load(*SHORT, "--in-memory", "--processes", "2", "--json", "--report", page)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["passed"]
    assert told["moves"] > 0
    assert told["matches_ended"] == told["matches_audited"] > 0
    assert 0 < told["ms"]["answer"]["p50"] <= told["ms"]["answer"]["p99"]
    assert sum(second["moves"] for second in told["seconds"]) >= told["moves"]
    assert "data:image/svg+xml;base64," in page.read_text()


def test_people_get_a_table(address: str) -> None:
    done = load(*SHORT, "--address", address, "--way", "mixed")
    assert done.returncode == 0, done.stderr
    assert "move to answer" in done.stdout
    assert "moves/s over" in done.stdout


def test_a_threshold_that_is_not_kept_is_the_exit_code(address: str, tmp_path: Path) -> None:
    picture = tmp_path / "load.png"
    limits = ("--min-rate", "1000000", "--max-p99", "0.001")
    done = load(*SHORT, "--address", address, *limits, "--report", picture)
    assert done.returncode == 1
    assert "at least 1e+06 are needed" in done.stderr
    assert "at most 0.001 ms allowed" in done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--matches", "5", "--rate", "1"), "exclude each other"),
        (("--duration", "soon"), "'soon' is no length of time: 90s, 5m or 250ms"),
        (("--duration", "1s", "--ramp", "2s"), "has to be longer than --ramp"),
        (("--rulesets", "short=-1"), "'short=-1' is no ruleset with a share"),
        (("--report", "load.txt"), "has to end with .html, .png"),
        (("--report", "/nowhere/load.png"), "there is no folder /nowhere"),
    ],
)
def test_wrong_use_is_explained(arguments: tuple[str, ...], message: str) -> None:
    done = load(*arguments)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


def test_a_ruleset_that_is_not_there_is_told_before_the_run(address: str) -> None:
    done = load("--address", address, "--rulesets", "bridge")
    assert done.returncode == 1
    assert "bridge" in done.stderr


def test_a_server_that_is_not_there_is_told() -> None:
    done = load("--address", "127.0.0.1:1")
    assert done.returncode == 1
    assert "127.0.0.1:1" in done.stderr
    assert "Traceback" not in done.stderr
