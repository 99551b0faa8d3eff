"""The commands on a real server, through pipes."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from ginrummy.cli.connect import Connected
from ginrummy.cli.creation import Wish
from ginrummy.cli.play import with_rules_of_replayed
from ginrummy.client import GinRummyClient
from ginrummy.v1.match_pb2 import Match
from ginrummy.v1.rules_pb2 import Rules

from .programs import CLI, PLAY, Terminal, environment, run

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x1b]")


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("ruleset", ["short", "solo", "kawu", "playgridia"])
def test_demo_plays_a_match_of_every_ruleset(ruleset: str, tmp_path: Path) -> None:
    done = run("demo", "--ruleset", ruleset, "--seed", "tuesday", state=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Hand 1" in done.stdout
    assert "wins the match" in done.stdout or "win the match" in done.stdout
    assert re.search(r"^total +\d+ +\d+$", done.stdout, re.M)
    assert not CONTROL.search(done.stdout)


def test_demo_deals_the_same_from_the_same_seed(tmp_path: Path) -> None:
    first, second = (run("demo", "--seed", "x", state=tmp_path).stdout for _ in range(2))
    assert first.splitlines()[2:] == second.splitlines()[2:]


def test_demo_speaks_russian_and_json(tmp_path: Path) -> None:
    russian = run("demo", "--lang", "ru", "--seed", "x", state=tmp_path).stdout
    assert "Раздача 1" in russian
    told = records(run("demo", "--json", "--seed", "x", state=tmp_path).stdout)
    assert "match" in told[0]
    sequences = [int(record["event"]["sequence"]) for record in told[1:]]
    assert sequences == list(range(1, len(sequences) + 1))
    assert "matchEnded" in told[-1]["event"]


def played(state: Path, *more: str) -> list[dict[str, Any]]:
    """A whole match of `play --json`, played by answering with the last legal command."""
    process = subprocess.Popen(
        [*CLI, "play", "--json", "--ruleset", "short", "--bot", "simple", "--hints", *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(state),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    heard: list[dict[str, Any]] = []
    view: dict[str, Any] = {}
    for line in process.stdout:
        heard.append(json.loads(line))
        view = heard[-1].get("view", view)
        if "allowed" in heard[-1]:
            process.stdin.write(command(heard[-1]["allowed"], view) + "\n")
            process.stdin.flush()
    process.stdin.close()
    process.stdout.close()
    assert process.wait(60) == 0
    return heard


def command(allowed: list[str], view: dict[str, Any]) -> str:
    for wanted in ("knock", "big-gin", "layoff", "stock", "pass"):
        if wanted in allowed:
            return wanted.replace("-", "")
    return str(view["discardOptions"]["hint"]["discard"]["card"]).removeprefix("CARD_")


def test_a_program_can_play_a_match_through_pipes_and_verify_it(tmp_path: Path) -> None:
    heard = played(tmp_path, "--seed", "abc")
    ended = [record["event"] for record in heard if "event" in record][-1]
    assert "matchEnded" in ended
    name = next(record["view"]["match"] for record in heard if "view" in record)

    checked = run("verify", name, state=tmp_path)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "Every card was dealt as the seed says." in checked.stdout
    assert "shown when the match was created" in checked.stdout
    checked = run("verify", name, "--json", state=tmp_path)
    assert records(checked.stdout)[0]["ok"] is True

    listed = run("list", state=tmp_path)
    assert name.removeprefix("matches/") in listed.stdout
    assert "finished" in listed.stdout
    # Nobody else may watch it; whoever plays it may.
    watched = run("watch", name, state=tmp_path)
    assert watched.returncode == 0
    assert "You d" in watched.stdout

    again = played(tmp_path, "--replay", name)
    hands = [
        [r["event"]["handDealt"]["hands"][0] for r in match if "handDealt" in r.get("event", {})]
        for match in (heard, again)
    ]
    dealt = min(map(len, hands))
    assert hands[0][:dealt] == hands[1][:dealt]


def test_verify_finds_a_changed_commitment(tmp_path: Path) -> None:
    heard = played(tmp_path, "--seed", "abc")
    name = next(record["view"]["match"] for record in heard if "view" in record)
    saved = next((tmp_path / "seats").glob("*.json"))
    content = json.loads(saved.read_text())
    saved.write_text(json.dumps({**content, "commitment": "00" * 32}))
    checked = run("verify", name, state=tmp_path)
    assert checked.returncode == 1
    assert "WRONG" in checked.stdout
    assert "do not agree" in checked.stderr


STORY = ["handDealt", "cardDrawn", "knocked", "laidOff", "handScored", "matchEnded"]


@pytest.mark.parametrize(("seed", "how"), [("24573", "gin"), ("1675", "knock")])
def test_a_match_that_the_bot_wins_at_once_is_told(tmp_path: Path, seed: str, how: str) -> None:
    bot_first = ("play", "--ruleset", "short", "--bot", "simple", "--seed", seed)
    told = run(*bot_first, state=tmp_path)
    assert told.returncode == 0
    assert re.search(rf"Hand 1: {how} · simple scores \d+ points", told.stdout)
    assert "simple wins the match" in told.stdout
    heard = records(run(*bot_first, "--json", state=tmp_path).stdout)
    story = [key for record in heard for key in record["event"] if key in STORY]
    assert story == (STORY if how == "knock" else [key for key in STORY if key != "laidOff"])


@pytest.mark.parametrize("chosen", [[], ["--lang", "en"], ["--lang", "ru"]])
def test_what_is_to_be_typed_to_go_on_keeps_the_language(tmp_path: Path, chosen: list[str]) -> None:
    left = run(*PLAY, *chosen, typed="", state=tmp_path)
    [told] = re.findall(r"ginrummy (play --resume .*)", left.stdout)
    again = "--lang ru" if "ru" in chosen else ""
    assert re.fullmatch(rf"play --resume [0-9a-f]{{32}} ?{again}", told)
    resumed = run(*told.split(), typed="", state=tmp_path)
    assert resumed.returncode == 0
    assert ("Матч сохранён" if again else "The match is kept") in resumed.stdout


def test_input_that_ends_keeps_the_match(tmp_path: Path) -> None:
    left = run(*PLAY, typed="fold\n", state=tmp_path)
    assert left.returncode == 0
    assert '"fold" is no command and no card.' in left.stdout
    assert "ginrummy play --resume" in left.stdout
    assert not CONTROL.search(left.stdout)
    resumed = run("play", "--resume", typed="resign\nyes\n", state=tmp_path)
    assert resumed.returncode == 0
    assert "you resigned" in resumed.stdout
    nothing = run("play", "--resume", state=tmp_path)
    assert nothing.returncode == 1


def test_rules_are_shown_with_every_option(server: str, tmp_path: Path) -> None:
    listed = run("rules", "--server", server, state=tmp_path).stdout
    assert [line.split()[0] for line in listed.splitlines()[:4]] == [
        "playgridia",
        "solo",
        "kawu",
        "short",
    ]
    shown = run("rules", "kawu", "--lang", "ru", "--server", server, state=tmp_path).stdout
    assert re.search(r"предел для стука [· ]+ 10 +knock_limit", shown)
    assert re.search(r"карта стука рубашкой вверх [· ]+ да", shown)
    changed = run(
        "rules", "short", "--rule", "knock_limit=3", "--server", server, state=tmp_path
    ).stdout
    assert re.search(r"knock limit [· ]+ 3 +knock_limit=N", changed)
    assert "wall=dead|last_chance" in changed
    assert "--bot simple" in listed
    bad = run("rules", "short", "--rule", "spades_double=on", "--server", server, state=tmp_path)
    assert bad.returncode == 1
    assert "spades_double" in bad.stderr


@pytest.mark.parametrize("language", ["en", "ru"])
def test_rules_fit_into_80_columns(server: str, tmp_path: Path, language: str) -> None:
    terminal = Terminal(
        *("rules", "kawu", "--lang", language, "--server", server),
        env=environment(tmp_path, TERM="xterm-256color"),
        columns=80,
        rows=100,
    )
    assert terminal.exit_code() == 0
    shown = [line.rstrip() for line in terminal.screen.splitlines()]
    terminal.close()
    option = next(i for i, line in enumerate(shown) if "upcard_offer=on|off" in line)
    assert shown[option].strip() == "upcard_offer=on|off"
    assert "····" in shown[option - 1]
    table = [line for line in shown if line.startswith("  ")]
    assert [line for line in table if len(line) > 80] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("watch", "nothing"), "no such match"),
        (("verify", "nothing"), "no such match"),
        (("join", "nothing"), "no such match"),
        (("play", "--ruleset", "canasta"), "Rulesets: playgridia, solo, kawu, short"),
        (("play", "--bot", "deepblue"), "Bots: simple"),
        (("rules", "canasta"), "no such ruleset"),
    ],
)
def test_what_is_not_there_is_told(
    arguments: tuple[str, ...], said: str, server: str, tmp_path: Path
) -> None:
    done = run(*arguments, "--server", server, state=tmp_path)
    assert done.returncode == 1
    assert said in done.stderr
    assert done.stdout == ""


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = run("list", state=tmp_path, GINRUMMY_SERVER="localhost:1")
    assert done.returncode == 1
    assert "No server answers at localhost:1" in done.stderr


def sit_down(state: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*CLI, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(state),
    )


def leave(*players: subprocess.Popen[str]) -> list[str]:
    """Lets both resign on their first turn; what each was told."""
    for player in players:
        assert player.stdin is not None
        player.stdin.write("resign\nyes\n")
        player.stdin.flush()
    told = []
    for player in players:
        assert player.stdin is not None
        assert player.stdout is not None
        told.append(player.stdout.read())
        player.stdout.close()
        assert player.wait(60) == 0
        player.stdin.close()
    return told


def test_two_people_play_and_a_third_watches(server: str, tmp_path: Path) -> None:
    table = ("--ruleset", "short", "--name", "Ann", "--server", server)
    ann = sit_down(tmp_path / "ann", "new", *table)
    assert ann.stdout is not None
    name = ann.stdout.readline().split()[1]
    listed = run("list", "--joinable", "--server", server, state=tmp_path)
    assert name in listed.stdout
    assert "Ann : (open seat)" in listed.stdout

    bob = sit_down(tmp_path / "bob", "join", name, "--name", "Bob", "--server", server)
    # Whoever acts first resigns; the other need not be asked.
    told = leave(ann, bob)
    ends = [[end for end in ("you resigned", "the opponent resigned") if end in t] for t in told]
    assert sorted(ends) == [["the opponent resigned"], ["you resigned"]]
    assert sum("You win the match" in text for text in told) == 1

    watched = run("watch", name, "--server", server, state=tmp_path)
    assert watched.returncode == 0
    assert re.search(r"(Ann|Bob) wins the match", watched.stdout)
    full = run("join", name, "--server", server, state=tmp_path / "carl")
    assert full.returncode == 1
    lines = records(run("watch", name, "--json", "--server", server, state=tmp_path).stdout)
    assert all("event" in line for line in lines)


def test_who_comes_back_before_the_opponent_is_told_how_he_joins(
    server: str, tmp_path: Path
) -> None:
    table = ("--ruleset", "short", "--name", "Ann", "--server", server)
    ann = sit_down(tmp_path / "ann", "new", *table)
    assert ann.stdout is not None
    name = ann.stdout.readline().split()[1]
    ann.terminate()
    ann.communicate(timeout=60)
    ann = sit_down(tmp_path / "ann", "play", "--resume")
    assert ann.stdout is not None
    lines = [ann.stdout.readline() for _ in range(3)]
    assert f"join {name} --server {server}" in lines[1]
    assert "Waiting for the opponent" in lines[2]
    bob = sit_down(tmp_path / "bob", "join", name, "--name", "Bob", "--server", server)
    told = leave(ann, bob)
    assert not [text for text in told if "hand 0" in text]


async def test_a_replayed_match_has_its_rules_again() -> None:
    class Client:
        async def get_match(self, name: str) -> Match:
            return Match(ruleset="rulesets/kawu", overrides=Rules(knock_limit=5, target=200))

    server = Connected(cast("GinRummyClient", Client()), "")
    again = await with_rules_of_replayed(
        server, Wish("", replay_of="m", overrides=Rules(target=50))
    )
    assert again.ruleset == "kawu"
    assert again.overrides == Rules(knock_limit=5, target=50)
    other = Wish("short", replay_of="m")
    assert await with_rules_of_replayed(server, other) == other
