"""What the engine refuses, as exceptions."""

# ruff: noqa: N818  # the words of the table: a violation, an invalid option

from typing import Any

__all__ = ["EngineError", "InvalidCards", "InvalidOption", "InvalidPosition", "Violation"]


class EngineError(ValueError):
    """Something that the engine cannot take: each subclass says what.

    The class itself is raised for dictionaries of the wrong shape and numbers out of range.
    """


class InvalidCards(EngineError):
    """Text, a list or a mask that is no set of cards, or not one that the call can take."""


class Violation(EngineError):
    """The rule that refuses an action. Nothing has changed.

    ``kind`` names the rule, ``fields`` holds its numbers and cards::

        over_knock_limit {"deadwood": 14, "limit": 10}
        not_your_turn    {"to_act": 2}
        bad_melds        {"problem": "not_a_meld", "cards": ["AS", "2S", "4S"]}
    """

    kind: str
    fields: dict[str, Any]

    def __init__(self, message: str, kind: str, fields: dict[str, Any]) -> None:
        super().__init__(message)
        self.kind = kind
        self.fields = fields

    def __reduce__(self) -> tuple[type["Violation"], tuple[str, str, dict[str, Any]]]:
        return type(self), (str(self), self.kind, self.fields)


class InvalidOption(EngineError):
    """An option that a match may not have: its name and what is allowed."""

    option: str
    problem: str

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(f"{option}: {problem}")
        self.option = option
        self.problem = problem

    def __reduce__(self) -> tuple[type["InvalidOption"], tuple[str, str]]:
        return type(self), (self.option, self.problem)


class InvalidPosition(EngineError):
    """A position that no hand can be in: the impossible field and what is wrong with it."""

    field: str
    problem: str

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem

    def __reduce__(self) -> tuple[type["InvalidPosition"], tuple[str, str]]:
        return type(self), (self.field, self.problem)
