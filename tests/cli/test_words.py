"""Both languages say everything, and the program asks for nothing else."""

import ast
import re
import sys
from pathlib import Path

import pytest
from fluent.syntax import FluentParser
from fluent.syntax import ast as ftl
from fluent.syntax.visitor import Visitor
from rich.cells import cell_len

import ginrummy.cli
from ginrummy import engine
from ginrummy.cli.access import FILES
from ginrummy.cli.card_art import CARD_WIDTH
from ginrummy.cli.legend import HELP
from ginrummy.cli.program import Program
from ginrummy.cli.rule_options import option_names, parsed
from ginrummy.cli.simulation_report import ENDS
from ginrummy.cli.typed import COMMANDS
from ginrummy.cli.words import LANGUAGES, Words, catalog_text, locale_language, program_name
from ginrummy.v1.rules_pb2 import Rules

SOURCES = [path for folder in ginrummy.cli.__path__ for path in sorted(Path(folder).rglob("*.py"))]

# The glossary of the rules.
GLOSSARY = {
    "match": "матч",
    "hand": "раздача",
    "dealer": "сдающий",
    "non-dealer": "не сдававший",
    "stock": "колода",
    "discard-pile": "сброс",
    "upcard": "открытая карта",
    "draw": "взять",
    "discard": "сбросить",
    "pass": "спасовать",
    "meld": "комбинация",
    "set": "сет",
    "run": "последовательность",
    "arrangement": "раскладка",
    "deadwood-cards": "мёртвые карты",
    "deadwood-points": "мёртвые очки",
    "knock": "стук",
    "knocker": "стучавший",
    "defender": "соперник",
    "knock-limit": "предел для стука",
    "gin": "джин",
    "big-gin": "большой джин",
    "layoff": "подкладка",
    "undercut": "подрез",
    "dead-hand": "мёртвая раздача",
    "box": "бонус за раздачу",
    "game-bonus": "бонус за игру",
    "shutout": "всухую",
}
# The terms under which these messages have to appear.
USED = {
    "stock": "typed-stock",
    "discard-pile": "typed-take",
    "upcard": "upcard",
    "discard": "typed-discard",
    "pass": "button-pass",
    "knock": "outcome-knock",
    "knock-limit": "rule-knock-limit",
    "gin": "outcome-gin",
    "big-gin": "outcome-big-gin",
    "layoff": "rule-layoffs",
    "undercut": "outcome-undercut",
    "dead-hand": "outcome-dead",
    "box": "rule-box-bonus",
    "game-bonus": "rule-game-bonus",
    "shutout": "sheet-shutout",
    "set": "label-set",
}


class Variables(Visitor):
    """The variables of one message."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def visit_VariableReference(self, node: ftl.VariableReference) -> None:
        self.found.add(node.id.name)


def catalog(language: str) -> dict[str, set[str]]:
    """The messages with their variables."""
    messages: dict[str, set[str]] = {}
    for entry in FluentParser().parse(catalog_text(language)).body:
        assert not isinstance(entry, ftl.Junk), f"{language}: {entry.content}"
        if isinstance(entry, ftl.Message):
            assert entry.id.name not in messages, f"{language}: {entry.id.name} twice"
            variables = Variables()
            variables.visit(entry)
            messages[entry.id.name] = variables.found
    return messages


def test_both_languages_have_every_message_with_the_same_values() -> None:
    assert catalog("en") == catalog("ru")


def said_in_sources() -> set[str]:
    """Every text constant of the program that could name a message."""
    constants: set[str] = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                constants.add(node.value)
    return constants


def composed() -> set[str]:
    """The messages whose names are put together."""
    helps = {f"help-{name}" for name in HELP} | {f"help-key-{name}" for name in HELP}
    commands = Program(Words("en"), lambda _: None).group().commands
    pages = {f"{kind}-{name}" for kind in ("about", "short", "examples") for name in commands}
    typed = {f"typed-{name}" for name in COMMANDS}
    rules = {f"rule-{name}".replace("_", "-") for name in option_names()}
    files = {f"option-{name}" for name in FILES}
    ends = {f"end-{name.replace('_', '-')}" for name in ENDS}
    return helps | pages | typed | rules | files | ends


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_composed_message_is_there(language: str) -> None:
    assert composed() <= set(catalog(language))


def calls_with_a_name() -> dict[str, set[str] | None]:
    """`words("name", a=..., b=...)` in the sources; None where the values are spread."""
    calls: dict[str, set[str] | None] = {}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and node.args):
                continue
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            first = node.args[0]
            if name not in ("words", "said", "CommandError", "MisreadError", "Notice"):
                continue
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                given = {keyword.arg for keyword in node.keywords}
                spread = None in given or name == "Notice"
                calls[first.value] = None if spread else {str(key) for key in given}
    return calls


def test_every_call_names_a_message_and_brings_its_values() -> None:
    messages = catalog("en")
    for name, given in calls_with_a_name().items():
        assert name in messages, name
        if given is not None:
            assert messages[name] <= given | {"good", "program"}, name


def test_no_message_is_left_over() -> None:
    said = said_in_sources() | composed()
    # Names put together from what a server sends, or from a state of the table.
    open_ended = (
        r"(term|error|value|outcome|ended|state|ruleset|bot|event|order|editing|key-send|hint"
        r"|fault|scored|usage|help|key|advice|analyze)-"
    )
    left = {name for name in catalog("en") if name not in said and not re.match(open_ended, name)}
    assert left == set()


def test_russian_uses_the_terms_of_the_glossary() -> None:
    words = Words("ru")
    assert {term: words(f"term-{term}") for term in GLOSSARY} == GLOSSARY
    for term, message in USED.items():
        assert GLOSSARY[term] in words(message), message


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 карт"),
        (1, "1 карта"),
        (2, "2 карты"),
        (5, "5 карт"),
        (11, "11 карт"),
        (21, "21 карта"),
        (22, "22 карты"),
        (111, "111 карт"),
    ],
)
def test_russian_plurals_are_right(count: int, text: str) -> None:
    assert Words("ru")("cards", count=count) == text


def test_english_plurals_are_right() -> None:
    assert [Words("en")("points", points=n) for n in (1, 2)] == ["1 point", "2 points"]


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "ru_RU.UTF-8"}, "ru"),
        ({"LANG": "ru_RU.UTF-8", "LC_ALL": "en_GB.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "ru_UA"}, "ru"),
        ({"LANG": "ru_RU.UTF-8", "LC_ALL": ""}, "ru"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LC_ALL": "C"}, "en"),
    ],
)
def test_the_locale_chooses_the_language(environment: dict[str, str], language: str) -> None:
    assert locale_language(environment) == language


def test_commands_are_printed_as_they_can_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "ginrummy"
    program.parent.mkdir()
    program.touch(mode=0o755)
    monkeypatch.setattr(sys, "argv", [str(program)])
    monkeypatch.setenv("PATH", str(tmp_path))
    program_name.cache_clear()
    assert f"Check the deals with: {program} verify x" in Words("en")("verify-how", match="x")
    monkeypatch.setenv("PATH", str(program.parent))
    program_name.cache_clear()
    assert "Check the deals with: ginrummy verify x" in Words("en")("verify-how", match="x")
    program_name.cache_clear()


def test_a_missing_message_or_value_is_a_fault() -> None:
    with pytest.raises(LookupError):
        Words("en")("no such message")
    with pytest.raises(LookupError):
        Words("en")("cards")


def test_every_option_of_the_rules_can_be_set_and_named() -> None:
    rules = parsed(["oklahoma=ace_is_gin", "knock-limit=5", "big_gin=off", "hollywood=yes"])
    expected = Rules(oklahoma=3, knock_limit=5, big_gin=False, hollywood=True)  # type: ignore[arg-type]
    assert rules == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_caption_is_no_wider_than_its_card(language: str) -> None:
    words = Words(language)
    for caption in ("caption-new", "caption-barred"):
        assert cell_len(words(caption)) <= CARD_WIDTH


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_bot_is_described_in_the_readers_language(language: str) -> None:
    words = Words(language)
    assert [bot for bot in engine.bots() if not words.knows(f"bot-{bot}")] == []
