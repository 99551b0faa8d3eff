"""What the work of a task is about: the match, the seat, the call. Log lines carry it along."""

from collections.abc import Callable, Mapping
from contextvars import Context, ContextVar

NOTHING: Mapping[str, str] = {}


def nothing() -> Mapping[str, str]:
    """Says nothing."""
    return NOTHING


class About:
    """What one piece of work is about, for a log line that may never be written."""

    __slots__ = ("noted", "tell")

    def __init__(self, noted: dict[str, str]) -> None:
        self.noted = noted
        self.tell: Callable[[], Mapping[str, str]] = nothing
        """What it is about just now, made up only when somebody asks."""


_ABOUT: ContextVar[About] = ContextVar("_ABOUT")


def begin(**fields: str) -> About:
    """This task, and those that it begins from now on, work on something of their own."""
    work = About(fields)
    _ABOUT.set(work)
    return work


def current() -> About:
    """What the work that goes on is about."""
    return _ABOUT.get(None) or begin()


def note(**fields: str) -> None:
    """Says more of the work that goes on, in all tasks that take part in it.

    No card, token, key or name of a person: whoever runs the server reads it.
    """
    current().noted.update(fields)


def about() -> Mapping[str, str]:
    """What has been said of the work that goes on, by name."""
    work = _ABOUT.get(None)
    return NOTHING if work is None else {**work.noted, **work.tell()}


def apart(**fields: str) -> Context:
    """For a task that is not about what its beginner is about, such as a clock that runs out."""
    context = Context()
    context.run(begin, **fields)
    return context
