"""Help pages, usage errors and clean output, without a server."""

import io
import re

import pytest
from grpc import StatusCode

from ginrummy.cli import main as program
from ginrummy.cli.faults import CommandError, explained
from ginrummy.cli.output import PlainerStream
from ginrummy.cli.program import Program
from ginrummy.cli.words import LANGUAGES, Words
from ginrummy.client import GinRummyError, ServerUnavailable

COMMANDS = sorted(Program(Words("en"), lambda _: None).group().commands)


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "GINRUMMY_SERVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_every_help_page_has_examples(
    command: str | None, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [command] if command else []
    assert program.run([*arguments, "--help", "--lang", language]) == 0
    page = capsys.readouterr().out
    words = Words(language)
    assert words("help-usage") in page
    assert words("help-examples") in page
    assert f"ginrummy {command or 'demo'}" in page.split(words("help-examples"))[1]
    if language == "ru":
        assert "Options" not in page
        assert "Usage" not in page


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.run(["--version"]) == 0
    assert re.fullmatch(r"ginrummy \d+\.\d+\S*\n", capsys.readouterr().out)


def test_two_people_are_offered_no_private_server(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("new", "join"):
        assert program.run([command, "--help"]) == 0
        assert "private" not in capsys.readouterr().out


def test_nothing_at_all_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.run([]) == 2
    assert "ginrummy COMMAND --help" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["dance"], "Commands: demo, play"),
        (["watch"], "MATCH is missing"),
        (["play", "--colour"], "no option --colour"),
        (["play", "--target", "many"], "Allowed: 50 to 500, or 0 for a single hand"),
        (["play", "--target", "20"], "Allowed: 50 to 500, or 0 for a single hand"),
        (["play", "--lang", "fr"], "Allowed: en, ru"),
        (["new", "--spectators", "some"], "Allowed: none, public"),
        (["play", "--seed"], "--seed needs a value"),
        (["list", "--limit", "0"], "Allowed: 1 to 10000"),
        (["list", "extra"], "extra"),
        (["play", "--traget", "50"], "Did you mean --target?"),
        (["play", "--rule", "colour=red"], "Options: upcard_offer, knock_limit"),
        (["play", "--rule", "oklahoma=maybe"], "Allowed: off, ace_is_one, ace_is_gin"),
        (["play", "--rule", "big_gin=maybe"], "Allowed: on, off"),
        (["play", "--rule", "target=ten"], "whole number"),
        (["play", "--seed", "a", "--replay", "b"], "do not go together"),
        (["new"], "ginrummy-server --port 50051"),
        (["join", "abc"], "--server localhost:50051"),
    ],
)
def test_usage_errors_say_what_is_allowed(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.run(arguments) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["play", "--resume"], "no unfinished match"),
        (["play", "--resume", "abc"], "no seat of matches/abc"),
    ],
)
def test_failures_go_to_standard_error(
    arguments: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: object,
) -> None:
    monkeypatch.setenv("GINRUMMY_STATE_DIR", str(tmp_path))
    assert program.run(arguments) == 1
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


def test_errors_are_in_the_chosen_language(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.run(["--lang", "ru", "dance"]) == 2
    assert "Команды «dance» нет" in capsys.readouterr().err


def test_the_language_is_found_wherever_it_stands() -> None:
    assert program.language_of(["play", "--lang", "ru"]) == "ru"
    assert program.language_of(["--lang=ru", "play"]) == "ru"
    assert program.language_of(["play"]) == "en"


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        (
            {"rule": "OVER_KNOCK_LIMIT", "deadwood": "14", "limit": "10"},
            "That leaves 14; the limit is 10.",
        ),
        ({"rule": "DOES_NOT_FIT", "card": "CARD_TH"}, "10♥ does not fit that meld."),
        ({"rule": "SOMETHING_NEW"}, "as the server says"),
        ({"rule": "OVER_KNOCK_LIMIT"}, "as the server says"),
    ],
)
def test_refusals_are_explained_with_their_numbers(metadata: dict[str, str], said: str) -> None:
    error = GinRummyError(
        "as the server says",
        code=StatusCode.FAILED_PRECONDITION,
        reason="ILLEGAL_ACTION",
        metadata=metadata,
    )
    assert explained(error, Words("en")) == said


def refused(field: str, problem: str) -> GinRummyError:
    return GinRummyError(
        f"{field}: {problem}",
        code=StatusCode.INVALID_ARGUMENT,
        reason="BAD_FIELD",
        field_violations=[(field, problem)],
    )


@pytest.mark.parametrize(
    ("field", "problem", "said"),
    [
        (
            "match.overrides.knock_limit",
            "99 is out of range: 0 to 10",
            "предел для стука (--rule knock_limit=): «99» нельзя. Можно: от 0 до 10",
        ),
        (
            "match.overrides.target",
            "20 is out of range: 50 to 500, or 0 for a single hand",
            "играют до (--target): «20» нельзя. Можно: от 50 до 500 или 0 — одна раздача",
        ),
        (
            "match.clock.turn_time",
            "17 s is not offered by playgridia: 30, 45, 60, 90, 600 s",
            "время на ход (--turn-time): по правилам playgridia можно столько секунд: "
            "30, 45, 60, 90, 600",
        ),
        (
            "match.overrides.spades_double",
            "needs oklahoma: without it no upcard counts double",
            "открытая пика удваивает (--rule spades_double=): нужна Оклахома "
            "(oklahoma=ace_is_one или ace_is_gin)",
        ),
        ("match.something_new", "is odd", "match.something_new: is odd"),
    ],
)
def test_a_refused_setting_is_told_by_its_option(field: str, problem: str, said: str) -> None:
    assert explained(refused(field, problem), Words("ru")) == said


def test_other_failures_are_explained_too() -> None:
    down = ServerUnavailable("the server is away", code=StatusCode.UNAVAILABLE)
    assert explained(down, Words("en")) == "the server is away"
    assert "y" in explained(CommandError("cannot-connect", server="x", why="y"), Words("ru"))


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("utf-8", "10♥ ╭─╮ Вы"),
        ("ascii", "10h +-+ ??"),
        ("cp1251", "10h +-+ Вы"),
    ],
)
def test_encodings_without_the_signs_get_plainer_ones(encoding: str, written: str) -> None:
    raw = io.BytesIO()
    stream = PlainerStream(io.TextIOWrapper(raw, encoding=encoding, write_through=True))
    stream.write("10♥ ╭─╮ Вы")
    assert raw.getvalue().decode(encoding) == written
