"""What the work of a task is about: the match, the seat, the call. Log lines carry it along."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import Context, ContextVar

_ABOUT: ContextVar[Mapping[str, str]] = ContextVar("_ABOUT")
_CURRENT: ContextVar["Current | None"] = ContextVar("_CURRENT")
NOTHING: Mapping[str, str] = {}


def about() -> Mapping[str, str]:
    """What has been noted of the work that goes on, by name."""
    current = _CURRENT.get(None)
    noted = _ABOUT.get(NOTHING)
    return noted if current is None else {**noted, **current.tell()}


def note(**fields: str) -> None:
    """Says more of the work that goes on, for the rest of this task and for those that it begins.

    No card, token, key or name of a person: whoever runs the server reads it.
    """
    _ABOUT.set({**_ABOUT.get(NOTHING), **fields})


def nothing() -> Mapping[str, str]:
    """Says nothing."""
    return NOTHING


class Current:
    """What the current one of many pieces of work is about, told only to those who ask."""

    __slots__ = ("tell",)

    def __init__(self) -> None:
        self.tell: Callable[[], Mapping[str, str]] = nothing


def note_current(current: Current) -> None:
    """From now on the work is also about whatever `current` tells when it is asked."""
    _CURRENT.set(current)


@contextmanager
def noted(**fields: str) -> Iterator[None]:
    """The same for a while."""
    before = _ABOUT.set({**_ABOUT.get(NOTHING), **fields})
    try:
        yield
    finally:
        _ABOUT.reset(before)


def apart(**fields: str) -> Context:
    """For a task that is not about what its beginner is about, such as a clock that runs out."""
    context = Context()
    context.run(note, **fields)
    return context
