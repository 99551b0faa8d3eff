"""`analyze` on a real server, through pipes."""

import json
from pathlib import Path

import pytest

from ginrummy.cli.analyze import typed_cards
from ginrummy.cli.faults import CommandLineError
from ginrummy.v1.cards_pb2 import Card

from .programs import run

ELEVEN = "AS 2S 3S 8C 8D 8H TC JC QC KC 9D"


def test_a_hand_is_told_with_every_discard(tmp_path: Path) -> None:
    done = run("analyze", ELEVEN, state=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert " ".join(lines[0]) == "Melds 8♣ 8♦ 8♥ · 10♣ J♣ Q♣ K♣ · A♠ 2♠ 3♠"
    assert lines[1] == ["Deadwood", "9♦", "=", "9", "points"]
    assert lines[2] == ["Gin,", "with", "9♦", "down"]
    assert lines[5:8] == [["9♦", "0", "gin"], ["K♣", "9", "knock"], ["10♣", "9", "knock"]]
    assert lines[-1] == ["J♣", "39"]
    assert len(lines) == 5 + 11


def test_cards_may_be_words_of_the_command_line_and_one_barred(tmp_path: Path) -> None:
    done = run("analyze", *ELEVEN.lower().split(), "--barred", "9d", state=tmp_path)
    assert "You can knock with K♣, which leaves 9" in done.stdout
    assert "\n  9♦" not in done.stdout


def test_rules_decide_over_knocks_and_big_gin(tmp_path: Path) -> None:
    strict = run("analyze", ELEVEN, "--barred", "9D", "--rule", "knock_limit=8", state=tmp_path)
    assert "knock" not in strict.stdout
    big = "AS 2S 3S 8C 8D 8H TC JC QC KC 4S"
    assert "Big gin" in run("analyze", big, state=tmp_path).stdout
    assert "Big gin" not in run("analyze", big, "--ruleset", "solo", state=tmp_path).stdout


def test_all_arrangements_are_told_when_asked_for(tmp_path: Path) -> None:
    hand = "4S 5S 6S 5D 5H KC"
    done = run("analyze", hand, "--all", state=tmp_path)
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        "Melds",
        "Deadwood",
        "Or",
        "Deadwood",
    ]
    assert "Or " not in run("analyze", hand, state=tmp_path).stdout


def test_layoffs_on_given_melds_are_told(tmp_path: Path) -> None:
    melds = ["--layoffs-on", "4H 5H 6H", "--layoffs-on", "9C 9D 9S"]
    done = run("analyze", "7H 8H KS AC 2D", *melds, state=tmp_path)
    rows = dict(line.split("  ", 1) for line in done.stdout.splitlines())
    assert rows["Lay off"].strip() == "7♥ → 4♥ 5♥ 6♥, 8♥ → 4♥ 5♥ 6♥"
    assert rows["Left"].strip() == "A♣ 2♦ K♠ = 13 points"


def test_many_hands_are_a_line_each_and_bad_ones_spare_the_others(tmp_path: Path) -> None:
    typed = f"AS 2S 3S 9D\n\nAS 2X\n{ELEVEN}\nAS AS\n"
    done = run("analyze", "-", state=tmp_path, typed=typed)
    assert done.returncode == 1
    first, second = done.stdout.splitlines()
    assert first == "9♦ A♠ 2♠ 3♠: 9 points"
    assert second.endswith(": 9 points · discard 9♦, 0 left · gin")
    assert 'line 3: "2X" is no card' in done.stderr
    assert "line 5: A♠ is named twice." in done.stderr
    assert "2 lines could not be read" in done.stderr


def test_more_hands_than_a_call_takes_are_answered_in_order(tmp_path: Path) -> None:
    cards = ["AS", "KD", "5C"]
    typed = "\n".join(cards[i % 3] for i in range(2500))
    done = run("analyze", "-", state=tmp_path, typed=typed)
    points = [line.rpartition(": ")[2].split()[0] for line in done.stdout.splitlines()]
    assert points == [["1", "10", "5"][i % 3] for i in range(2500)]


def test_lines_of_defenders_lay_off_on_the_same_melds(tmp_path: Path) -> None:
    done = run("analyze", "-", "--layoffs-on", "4H5H6H", state=tmp_path, typed="7H KS\nKD\n")
    assert done.stdout.splitlines() == [
        "lay off 7♥ → 4♥ 5♥ 6♥ · left K♠ = 10 points",
        "lay off none · left K♦ = 10 points",
    ]


def test_json_is_the_answer_of_the_api(tmp_path: Path) -> None:
    told = json.loads(run("analyze", ELEVEN, "--json", state=tmp_path).stdout)
    assert told["hand"]["deadwoodPoints"] == 9
    assert told["hand"]["discards"][0]["card"] == "CARD_9D"
    lines = run("analyze", "-", "--json", state=tmp_path, typed="AS\nX\n").stdout.splitlines()
    good, bad = map(json.loads, lines)
    assert good["hand"]["deadwoodPoints"] == 1
    assert bad["line"] == 2


def test_json_tells_of_a_hand_without_deadwood_that_it_has_0_points(tmp_path: Path) -> None:
    told = json.loads(run("analyze", "7H 8H 9H", "--json", state=tmp_path).stdout)
    assert told["hand"]["deadwoodPoints"] == 0


def test_russians_read_their_own_cards(tmp_path: Path) -> None:
    done = run("analyze", "Тп 2п 3п Дч", "--ruleset", "kawu", "--lang", "ru", state=tmp_path)
    assert done.stdout.splitlines()[0].split() == ["Комбинации", "Т♠", "2♠", "3♠"]
    assert "Д♥ = 10 очков" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ([], 2, "no hand"),
        (["AS 11H"], 2, '"11H" is no card'),
        (["AS2SXX"], 2, '"XX" is no card'),
        (["AS 2S AS"], 2, "A♠ is named twice"),
        (["AC2C3C4C5C6C7C8C9CTCJCQC"], 2, "12 cards: 11 are the most"),
        (["AC2C3C4C5C6C7C8C9CTCJC", "--layoffs-on", "4H5H6H"], 2, "11 cards: 10 are the most"),
        (["AS", "--barred", "KD"], 2, "K♦ of --barred is not among the cards"),
        (["AS", "--barred", "KD KC"], 2, "one card"),
        (["AS", "--ruleset", "x"], 1, "no such ruleset"),
        (["7H", "--layoffs-on", "4H 6H"], 2, '"4H 6H" is no meld'),
        (["7H", "--layoffs-on", "4H 5H 6H", "--layoffs-on", "6HTH6D6S"], 2, "is no meld"),
        (["7H", "--layoffs-on", "4H5H6H", "--layoffs-on", "6H6D6S"], 2, "6♥ is named twice"),
        (["7H 6H", "--layoffs-on", "4H5H6H"], 2, "6♥ is named twice"),
        (["AS", "--rule", "knock_limit=11"], 1, "0 to 10"),
    ],
)
def test_bad_input_is_named_on_standard_error(
    arguments: list[str], code: int, told: str, tmp_path: Path
) -> None:
    done = run("analyze", *arguments, state=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr


@pytest.mark.parametrize("text", ["as 10h", "AS,TH", "AS10H", "A♠T♥", "Тп10ч", "as\t10h "])
def test_cards_are_read_however_they_are_written(text: str) -> None:
    assert typed_cards(text) == [Card.CARD_AS, Card.CARD_TH]


def test_a_half_card_is_named() -> None:
    with pytest.raises(CommandLineError) as refused:
        typed_cards("AS2SK")
    assert refused.value.values == {"text": "K"}


def test_the_help_has_examples(tmp_path: Path) -> None:
    done = run("analyze", "--help", state=tmp_path)
    assert done.returncode == 0
    assert 'analyze "AS 2S 3S 8C 8D 8H TC JC QC KC 9D"' in done.stdout
    assert "--layoffs-on" in done.stdout
