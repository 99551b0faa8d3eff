"""What clients asked, what they were answered, and what they were shown, as it arrived."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from ginrummy.v1.events_pb2 import MatchEvent
from ginrummy.v1.view_pb2 import View

Kind = Literal["create", "join", "act", "resign", "abort"]


@dataclass(eq=False)
class Asked:
    """One request, however often it was sent."""

    request_id: str
    kind: Kind
    match_id: str = ""
    seat: int = 0
    action: dict[str, Any] | None = None
    """Of an act, in the engine's words."""
    is_answered: bool = False
    is_replayed: bool = False
    """The answer said that an earlier attempt had succeeded."""
    refusal: str = ""
    last: int | None = None
    """The last event that it caused, as far as the answer told."""
    events: list[MatchEvent] = field(default_factory=list)
    """The events in the answer."""
    kills: int = 0
    """How often the server was killed while it waited for an answer."""


@dataclass(eq=False)
class Sighting:
    """What one watcher was shown, in the order of its coming."""

    match_id: str
    viewer: int
    """1 or 2; 0 for a spectator."""
    who: str
    events: list[MatchEvent] = field(default_factory=list)
    views: list[View] = field(default_factory=list)


@dataclass
class Holder:
    """A match, and the tokens of those who hold one."""

    name: str
    host_token: str = field(repr=False)
    seat_tokens: dict[int, str] = field(repr=False)


@dataclass
class Record:
    """All of a run."""

    asked: dict[str, Asked] = field(default_factory=dict)
    sightings: list[Sighting] = field(default_factory=list)
    matches: dict[str, Holder] = field(default_factory=dict)
    troubles: list[str] = field(default_factory=list)
    """What a client met that it should never meet."""
    _pending: set[Asked] = field(default_factory=set)

    @contextmanager
    def asking(self, asked: Asked) -> Iterator[Asked]:
        """Notes a request while it waits for its answer."""
        self.asked[asked.request_id] = asked
        self._pending.add(asked)
        try:
            yield asked
        finally:
            self._pending.discard(asked)

    def watcher(self, match_id: str, viewer: int, who: str) -> Sighting:
        sighting = Sighting(match_id, viewer, who)
        self.sightings.append(sighting)
        return sighting

    @property
    def pending_count(self) -> int:
        """Requests that wait for an answer."""
        return len(self._pending)

    def note_kill(self) -> int:
        """The server is killed now; how many requests that interrupts."""
        for asked in self._pending:
            asked.kills += 1
        return len(self._pending)

    def count(self, **fields: Any) -> int:
        """Requests with these fields."""
        return sum(
            all(getattr(asked, name) == value for name, value in fields.items())
            for asked in self.asked.values()
        )
