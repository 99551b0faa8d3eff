"""What the work of a task is about: the match, the seat, the call. Log lines carry it along."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import Context, ContextVar

_ABOUT: ContextVar[Mapping[str, str]] = ContextVar("_ABOUT")
NOTHING: Mapping[str, str] = {}


def about() -> Mapping[str, str]:
    """What has been noted of the work that goes on, by name."""
    return _ABOUT.get(NOTHING)


def note(**fields: str) -> None:
    """Says more of the work that goes on, for the rest of this task and for those that it begins.

    No card, token, key or name of a person: whoever runs the server reads it.
    """
    _ABOUT.set({**about(), **fields})


@contextmanager
def noted(**fields: str) -> Iterator[None]:
    """The same for a while."""
    before = _ABOUT.set({**about(), **fields})
    try:
        yield
    finally:
        _ABOUT.reset(before)


def apart(**fields: str) -> Context:
    """For a task that is not about what its beginner is about, such as a clock that runs out."""
    context = Context()
    context.run(note, **fields)
    return context
