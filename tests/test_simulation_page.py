"""What docs/SIMULATION.md shows: its program runs, and its figures are of this engine's making."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs/SIMULATION.md").read_text()
NUMBER = r"[+-]?\d+\.\d+"


def run(*arguments: str) -> str:
    program = ROOT / "docs/undercut_bonus.py"
    done = subprocess.run(
        [sys.executable, program, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )
    return done.stdout


def shape(table: str) -> list[str]:
    return [re.sub(NUMBER, "0", line) for line in table.splitlines()]


def table_of_the_page() -> str:
    found = re.search(r"(?:^\|.*\n)+", PAGE, re.MULTILINE)
    assert found is not None
    return found[0]


def test_the_program_compares_two_bonuses_and_draws_them(tmp_path: Path) -> None:
    picture = tmp_path / "bonus.png"
    arguments = ("--bots", "heuristic,simple", "--matches", "40", "--plot", str(picture))
    table = run(*arguments)
    assert shape(table) == shape(table_of_the_page())
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert run(*arguments) == table, "the same seed gives the same figures"


def test_the_page_shows_a_command_that_the_program_takes() -> None:
    [command] = re.findall(
        r"^\$ \.venv/bin/python docs/undercut_bonus.py (.*)$", PAGE, re.MULTILINE
    )
    assert re.fullmatch(r"--bots \w+,\w+ --matches \d+ --plot docs/undercut_bonus.png", command), (
        command
    )
    assert (ROOT / "docs/undercut_bonus.png").stat().st_size < 150_000
