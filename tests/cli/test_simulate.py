"""`simulate`: tables, files and pictures of what bots come to, and how it is ended."""

import asyncio
import csv
import io
import json
import re
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from ginrummy.cli.simulate import entrants_of
from ginrummy.client import GinRummyClient
from ginrummy.v1.simulation_service_pb2 import SimulationState

from .programs import Terminal, environment, run

BOTS = ("--bots", "heuristic,simple", "--seed", "tuesday")


def played(*arguments: str, state: Path) -> Any:
    """What `--json` tells of a simulation."""
    done = run("simulate", *BOTS, *arguments, "--json", state=state)
    assert (done.returncode, done.stderr) == (0, "")
    [line] = done.stdout.splitlines()
    return json.loads(line)["simulation"]


def test_a_bot_that_is_named_again_gets_a_number() -> None:
    entrants = entrants_of("simple, hard ,simple,me=simple,simple")
    assert [entrant.label for entrant in entrants] == [
        "simple",
        "hard",
        "simple 2",
        "me",
        "simple 3",
    ]
    assert {entrant.bot.bot for entrant in entrants} == {"bots/simple", "bots/hard"}


def test_the_same_seed_gives_the_same_figures_and_leaves_nothing_behind(tmp_path: Path) -> None:
    first, again = (played("--matches", "60", state=tmp_path) for _ in range(2))
    assert first["state"] == "SIMULATION_STATE_SUCCEEDED"
    assert first["progress"]["matchesDone"] == "60"
    assert first["progress"]["pairings"] == again["progress"]["pairings"]
    assert not list(tmp_path.iterdir())


def test_people_are_told_who_wins_how_often_and_how_hands_end(tmp_path: Path) -> None:
    done = run("simulate", *BOTS, "--matches", "200", state=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "short: 200 of 200 matches" in done.stdout
    rows = re.findall(r"^(heuristic|simple) +200 +(\d+) +([\d.]+)\s% \(", done.stdout, re.MULTILINE)
    assert [name for name, _, _ in rows] == ["heuristic", "simple"]
    assert sum(int(wins) for _, wins, _ in rows) == 200
    for _, wins, rate in rows:
        assert float(rate) == int(wins) / 2
    assert re.search(r"^ +knock +[\d.]+\s% +[\d.]+\s%$", done.stdout, re.MULTILINE)
    assert "95 % intervals" in done.stdout


def test_it_speaks_russian(tmp_path: Path) -> None:
    done = run("simulate", *BOTS, "--matches", "20", "--lang", "ru", state=tmp_path)
    assert "сыграно матчей 20 из 20" in done.stdout
    assert re.search(r"\d,\d\s% \(\d+,\d…\d+,\d\)", done.stdout)


def test_rules_change_as_for_any_match(tmp_path: Path) -> None:
    changed = ("--rule", "undercut_bonus=10", "--target", "100", "--ruleset", "kawu")
    told = played("--matches", "20", *changed, state=tmp_path)
    assert told["ruleset"] == "rulesets/kawu"
    assert told["overrides"] == {"undercutBonus": 10, "target": 100}
    assert played("--matches", "21", "--single-deals", state=tmp_path)["singleDeals"] is True


def test_figures_go_into_a_file_for_programs(tmp_path: Path) -> None:
    path = tmp_path / "figures.csv"
    bots = ("--bots", "simple,heuristic,easy")
    told = played("--matches", "20", *bots, "--csv", str(path), state=tmp_path)
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    assert [(row["first"], row["second"]) for row in rows] == [
        ("simple", "heuristic"),
        ("simple", "easy"),
        ("heuristic", "easy"),
    ]
    for row, pairing in zip(rows, told["progress"]["pairings"], strict=True):
        assert row["hands"] == pairing["hands"]
        assert float(row["win_rate"]) == pairing["winRate"]["value"]
        assert float(row["win_rate_low"]) == pairing["winRate"]["low"]
        assert row["first_knocks"] == pairing["firstEnds"]["knocks"]


@pytest.mark.parametrize("bots", ["heuristic,simple", "heuristic,simple,easy"])
def test_it_draws_a_picture(bots: str, tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    done = run("simulate", "--bots", bots, "--matches", "20", "--plot", str(path), state=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG")
    assert 20_000 < path.stat().st_size < 300_000


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--matches", "3"), 1, "matches of a pair (--matches): 2 to 1,000,000, and even"),
        (("--matches", "0"), 2, "1 to 1000000"),
        (("--bots", "simple"), 1, "bots (--bots): two to eight bots take part"),
        (("--bots", "simple", "--lang", "ru"), 1, "боты (--bots): участвуют от двух до восьми"),
        (("--bots", "simple,nobody"), 1, 'no bot "nobody" on this server. It has: '),
        (("--bots", "a=simple,a=simple"), 1, "names of the bots (--bots): each needs a name"),
        (("--json", "short", "--lang", "ru"), 2, "Для чего здесь short? Это лишнее."),
        (("--ruleset", "nothing"), 1, "no such ruleset"),
        (("--rule", "knock_limit=99"), 1, "knock_limit"),
        (("--plot", "picture.txt"), 2, ".png"),
        (("--detach",), 2, "--server"),
        (("--follow", "simulations/x"), 2, "--server"),
        (("--csv", "/nowhere/figures.csv"), 2, "/nowhere/figures.csv cannot be written: there is"),
        (("--plot", "/nowhere/figures.png"), 2, "/nowhere/figures.png cannot be written: there is"),
        (("--csv", "/dev/full", "--matches", "2"), 1, "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said_on_standard_error(
    arguments: tuple[str, ...], code: int, said: str, tmp_path: Path
) -> None:
    done = run("simulate", *arguments, state=tmp_path)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_its_help_has_examples(tmp_path: Path) -> None:
    done = run("simulate", "--help", state=tmp_path)
    assert "simulate --ruleset short --bots heuristic,simple --matches 10000" in done.stdout


def test_one_can_be_left_and_followed(server: str, tmp_path: Path) -> None:
    begun = run(
        "simulate", *BOTS, "--matches", "400", "--detach", "--server", server, state=tmp_path
    )
    name = begun.stdout.strip()
    assert re.fullmatch(r"simulations/[0-9a-f]{32}", name)
    told = run("simulate", "--follow", name, "--server", server, state=tmp_path)
    assert "400 of 400 matches" in told.stdout
    unknown = run("simulate", "--follow", "simulations/x", "--server", server, state=tmp_path)
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "no such simulation" in unknown.stderr


@pytest.fixture
def terminal(server: str, tmp_path: Path) -> Iterator[Terminal]:
    arguments = ("simulate", *BOTS, "--matches", "1000000", "--server", server)
    terminal = Terminal(
        *arguments, env=environment(tmp_path, TERM="xterm-256color"), columns=100, rows=40
    )
    yield terminal
    terminal.close()


def test_ctrl_c_ends_it_and_shows_what_was_played(
    terminal: Terminal, server: str, tmp_path: Path
) -> None:
    assert terminal.wait_for(lambda: "matches/s" in terminal.text), terminal.text
    assert re.search(r"\d+/1000000 .*matches/s, \d+:\d\d left", terminal.text)
    terminal.send("\x03")
    assert terminal.exit_code() == 130
    assert "Cancelled: these are the matches that were played." in terminal.text
    assert re.search(r"heuristic +[\d\s]+ +", terminal.text)
    assert state_of_the_latest(server) == SimulationState.SIMULATION_STATE_CANCELLED


def state_of_the_latest(server: str) -> int:
    async def ask() -> int:
        async with GinRummyClient(server) as client:
            simulations = client.list_simulations(page_size=1)
            async with aclosing(simulations):
                return (await anext(simulations)).state

    return asyncio.run(ask())


def test_a_terminated_follower_leaves_it_going(server: str, tmp_path: Path) -> None:
    begun = run(
        "simulate", *BOTS, "--matches", "1000000", "--detach", "--server", server, state=tmp_path
    )
    arguments = ("simulate", "--follow", begun.stdout.strip(), "--server", server)
    terminal = Terminal(*arguments, env=environment(tmp_path, TERM="xterm-256color"))
    assert terminal.wait_for(lambda: "matches/s" in terminal.text), terminal.text
    terminal.send("\x03")
    assert terminal.exit_code() == 130
    terminal.close()
    assert state_of_the_latest(server) == SimulationState.SIMULATION_STATE_RUNNING
