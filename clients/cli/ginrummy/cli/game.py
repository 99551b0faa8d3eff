"""What one viewer knows of a running match: its events so far and the latest view."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ginrummy.v1.events_pb2 import HandScored, MatchEvent
from ginrummy.v1.match_pb2 import Match, MatchResult
from ginrummy.v1.view_pb2 import PHASE_MATCH_OVER, View


@dataclass(frozen=True)
class Game:
    """Grows by one event at a time; `view` is read again after them."""

    match: Match
    me: int
    view: View
    sequence: int = 0
    """Of the last event heard."""
    hands: tuple[HandScored, ...] = ()
    news: tuple[MatchEvent, ...] = ()
    """Of this hand: what the others did last, and my answer to it."""
    result: MatchResult | None = None
    by_clock: tuple[MatchEvent, ...] = ()
    """That my time ran out, and what was done for me; until I act myself."""

    def after(self, event: MatchEvent) -> Game:
        hands, result = self.hands, self.result
        answered = event.seat != self.me and any(told.seat == self.me for told in self.news)
        news = (event,) if answered or event.HasField("hand_dealt") else (*self.news, event)
        if event.HasField("hand_scored"):
            hands = (*hands, event.hand_scored)
        if event.HasField("match_ended"):
            result = event.match_ended
        return replace(
            self,
            sequence=event.sequence,
            hands=hands,
            news=news,
            result=result,
            by_clock=self._by_clock(event),
        )

    def _by_clock(self, event: MatchEvent) -> tuple[MatchEvent, ...]:
        if not self.me or event.seat != self.me:
            return self.by_clock
        if event.HasField("timed_out"):
            return (event,)
        latest = self.by_clock[-1] if self.by_clock else None
        goes_on = latest and (latest.HasField("timed_out") or latest.HasField("card_drawn"))
        return (*self.by_clock, event) if goes_on else ()

    def seen(self, view: View) -> Game:
        return replace(self, view=view)

    @property
    def is_current(self) -> bool:
        """Whether the view knows all that was heard."""
        return self.view.sequence >= self.sequence

    @property
    def over(self) -> bool:
        return self.result is not None or self.view.phase == PHASE_MATCH_OVER

    @property
    def my_turn(self) -> bool:
        return not self.over and bool(self.me) and self.view.to_act == self.me

    @property
    def opponent(self) -> int:
        """The seat across; seat 2 for spectators."""
        return 3 - self.me if self.me else 2
