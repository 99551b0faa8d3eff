"""How much callers may ask for: every limit, with the option that sets it and what is answered."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from ginrummy.server.convert.analysis import MOST_ITEMS, MOST_ROWS
from ginrummy.server.convert.cards import MOST_CARDS
from ginrummy.server.convert.fields import LONGEST_PAGE
from ginrummy.server.convert.matches import LONGEST_LABEL_KEY, LONGEST_LABEL_VALUE, MOST_LABELS
from ginrummy.server.convert.seats import LONGEST_DISPLAY_NAME, LONGEST_EXTERNAL_ID
from ginrummy.server.convert.simulations import MOST_ENTRANTS, MOST_MATCHES
from ginrummy.server.edge import LONGEST_OF_METHOD, LONGEST_REQUEST
from ginrummy.server.receiving import MOST_WAITING
from ginrummy.server.settings import Limits
from ginrummy.tables.errors import LimitReached

USUAL = Limits()
LONGEST_EVENTS_PAGE = 5000
LONGEST_CORRELATION_ID = 64


class LimitName(StrEnum):
    """What LIMIT_REACHED names in its metadata."""

    OPEN_MATCHES = "open_matches"
    REQUESTS_PER_SECOND = "requests_per_second"
    STREAMS_OF_A_CALLER = "streams_of_a_caller"
    STREAMS_OF_A_MATCH = "streams_of_a_match"
    STREAMS_OF_ALL_MATCHES = "streams_of_all_matches"
    LISTINGS = "listings"
    ANALYSES = "analyses"
    SUGGESTIONS = "suggestions"
    OPEN_SIMULATIONS = "open_simulations"
    SIMULATIONS_OF_A_CALLER = "simulations_of_a_caller"


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit as operators and clients meet it."""

    what: str
    most: int
    """The default, where an option sets it; 0 of an option: no limit."""
    reason: str
    """A name of ErrorReason, without its prefix."""
    option: str | None = None
    """Of the server; a limit without one is the same everywhere."""
    name: LimitName | None = None
    """As LIMIT_REACHED names it."""


def _set_by(option: str, what: str, name: LimitName) -> Limit:
    most = getattr(USUAL, option.replace("-", "_"))
    return Limit(what, most, "LIMIT_REACHED", option, name)


LIMITS = (
    _set_by("max-open-matches", "matches that have not ended", LimitName.OPEN_MATCHES),
    _set_by(
        "max-requests-per-s",
        "calls and commands of a caller in a second",
        LimitName.REQUESTS_PER_SECOND,
    ),
    _set_by("max-streams-per-caller", "streams of a caller", LimitName.STREAMS_OF_A_CALLER),
    _set_by(
        "max-spectators",
        "streams of a match's spectators, and the same again of its host",
        LimitName.STREAMS_OF_A_MATCH,
    ),
    _set_by("max-streams-per-seat", "streams of a seat", LimitName.STREAMS_OF_A_MATCH),
    _set_by("max-followers", "streams of WatchMatches", LimitName.STREAMS_OF_ALL_MATCHES),
    _set_by(
        "max-listings",
        "listings of matches answered at once, and the same again of events; half for one caller",
        LimitName.LISTINGS,
    ),
    _set_by(
        "max-analyses",
        "analyses of many hands at once; half for one caller",
        LimitName.ANALYSES,
    ),
    _set_by(
        "max-suggestions",
        "suggestions thought about at once; half for one caller",
        LimitName.SUGGESTIONS,
    ),
    _set_by("max-simulations", "simulations that have not ended", LimitName.OPEN_SIMULATIONS),
    _set_by(
        "max-simulations-per-caller",
        "simulations of a caller that have not ended",
        LimitName.SIMULATIONS_OF_A_CALLER,
    ),
    Limit(
        "calls of a caller that wait for their first request",
        MOST_WAITING,
        "LIMIT_REACHED",
        name=LimitName.STREAMS_OF_A_CALLER,
    ),
    Limit("bytes of a request, or of a message in Play", LONGEST_REQUEST, "MESSAGE_TOO_LARGE"),
    *(
        Limit(f"bytes of a request of {method}", most, "MESSAGE_TOO_LARGE")
        for method, most in LONGEST_OF_METHOD.items()
    ),
    Limit("hands of AnalyzeHands, problems of FindLayoffs", MOST_ITEMS, "BAD_FIELD"),
    Limit("hands of AnalyzeColumns", MOST_ROWS, "BAD_FIELD"),
    Limit("labels of a match", MOST_LABELS, "BAD_FIELD"),
    Limit("characters of a label's key", LONGEST_LABEL_KEY, "BAD_FIELD"),
    Limit("characters of a label's value", LONGEST_LABEL_VALUE, "BAD_FIELD"),
    Limit("characters of a display_name", LONGEST_DISPLAY_NAME, "BAD_FIELD"),
    Limit("characters of an external_id", LONGEST_EXTERNAL_ID, "BAD_FIELD"),
    Limit("characters of a correlation_id", LONGEST_CORRELATION_ID, "BAD_FIELD"),
    Limit("entrants of a simulation", MOST_ENTRANTS, "BAD_FIELD"),
    Limit("matches of each pairing of a simulation", MOST_MATCHES, "BAD_FIELD"),
    Limit("characters of an entrant's label", LONGEST_DISPLAY_NAME, "BAD_FIELD"),
    Limit("matches, simulations, rulesets or bots of a page", LONGEST_PAGE, "BAD_FIELD"),
    Limit("events of a page", LONGEST_EVENTS_PAGE, "BAD_FIELD"),
    Limit("cards of an action's melds or layoffs", MOST_CARDS, "BAD_FIELD"),
)
"""Every limit on what callers may ask for."""


class AtOnce:
    """Lets each caller do something so many times at once, and all callers together so many."""

    def __init__(self, limit: LimitName, most: int, most_of_all: int | None = None) -> None:
        self._limit = limit
        self._most = most
        self._most_of_all = most_of_all
        self._counts: Counter[str] = Counter()

    @contextmanager
    def one(self, caller: str) -> Iterator[None]:
        """While this caller does it once. Raises LimitReached."""
        self.enter(caller)
        try:
            yield
        finally:
            self.leave(caller)

    def enter(self, caller: str) -> None:
        """One more begins. Raises LimitReached."""
        if self._counts[caller] >= self._most:
            raise LimitReached(self._limit, self._most)
        if self._most_of_all is not None and self._counts.total() >= self._most_of_all:
            raise LimitReached(self._limit, self._most_of_all)
        self._counts[caller] += 1

    def leave(self, caller: str) -> None:
        """One that has begun ends. Nothing is kept of callers who do nothing."""
        self._counts[caller] -= 1
        if not self._counts[caller]:
            del self._counts[caller]

    def __len__(self) -> int:
        """How many callers do it now."""
        return len(self._counts)


def half_for_one(limit: LimitName, most: int) -> AtOnce:
    """Slots of which one caller leaves half to the others."""
    return AtOnce(limit, max(most // 2, 1), most)


class Rates:
    """Lets each caller make so many requests in a second, all of them at once if he likes.

    A caller's bucket is kept as the time at which it will be full again. Once it is full there is
    nothing to be kept of it, so that memory is bounded by the callers of the last seconds.
    """

    SWEEP_S = 1.0

    def __init__(self, most_per_s: int, now_s: Callable[[], float] = time.monotonic) -> None:
        self._most = most_per_s
        self._now_s = now_s
        self._full_at_s: dict[str, float] = {}
        self._swept_s = now_s()

    def take(self, caller: str) -> None:
        """Counts one request. Raises LimitReached with the time until the next may come."""
        now_s = self._now_s()
        if now_s - self._swept_s >= self.SWEEP_S:
            self._sweep(now_s)
        step_s = 1 / self._most
        full_at_s = max(self._full_at_s.get(caller, now_s), now_s) + step_s
        # What floating-point sums lose must not cost a request.
        wait_s = full_at_s - now_s - 1
        if wait_s > step_s / 1000:
            raise LimitReached(LimitName.REQUESTS_PER_SECOND, self._most, wait_s)
        self._full_at_s[caller] = full_at_s

    def _sweep(self, now_s: float) -> None:
        self._swept_s = now_s
        kept = {caller: at_s for caller, at_s in self._full_at_s.items() if at_s > now_s}
        self._full_at_s = kept

    def __len__(self) -> int:
        """Of how many callers something is kept."""
        return len(self._full_at_s)
