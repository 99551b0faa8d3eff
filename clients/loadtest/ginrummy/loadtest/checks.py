"""What a load test checks while it loads: wrong answers fail the run, however fast they were."""

from __future__ import annotations

from collections.abc import Sequence

from ginrummy.v1.action_pb2 import Pile
from ginrummy.v1.events_pb2 import MatchEvent
from ginrummy.v1.rules_pb2 import Rules

SPECTATOR = 0


class WrongAnswer(Exception):  # noqa: N818 - as the report names it
    """The server said something that cannot be right."""


class Witness:
    """One stream of a match: what it was shown, each event checked as it comes."""

    def __init__(self, match: str, viewer: int, rules: Rules) -> None:
        self.match = match
        self.viewer = viewer
        self.events: list[MatchEvent] = []
        self._rules = rules

    @property
    def has_seen_the_end(self) -> bool:
        """Whether the match's last event has come."""
        return bool(self.events) and self.events[-1].HasField("match_ended")

    def note(self, event: MatchEvent) -> None:
        """Takes in the next event. Raises WrongAnswer for a gap, or a card that is covered."""
        expected = len(self.events) + 1
        if event.sequence != expected:
            raise WrongAnswer(f"{self}: event {event.sequence} came after {expected - 1}")
        self._check_hidden(event)
        self.events.append(event)

    def __str__(self) -> str:
        who = f"seat {self.viewer}" if self.viewer else "a spectator"
        return f"{self.match}, {who}"

    def _check_hidden(self, event: MatchEvent) -> None:
        is_mine = event.seat == self.viewer
        match event.WhichOneof("payload"):
            case "hand_dealt":
                for i, hand in enumerate(event.hand_dealt.hands):
                    if hand.cards and i + 1 != self.viewer:
                        raise WrongAnswer(f"{self}: event {event.sequence} shows a hand not his")
            case "card_drawn":
                drawn = event.card_drawn
                is_covered = drawn.pile == Pile.PILE_STOCK and not is_mine
                if is_covered and drawn.HasField("card"):
                    raise WrongAnswer(f"{self}: event {event.sequence} shows a card of the stock")
            case "knocked":
                is_covered = self._rules.knock_card_face_down and not is_mine
                if is_covered and event.knocked.HasField("knock_card"):
                    raise WrongAnswer(f"{self}: event {event.sequence} shows the covered card")


def check_agree(one: Witness, two: Witness) -> None:
    """Raises WrongAnswer unless both were told the same public facts, as far as both have come."""
    for seen, also_seen in zip(one.events, two.events, strict=False):
        if _public(seen, also_seen) != _public(also_seen, seen):
            raise WrongAnswer(
                f"{one} and {two} were told different things in event {seen.sequence}"
            )


def check_log(witness: Witness, stored: Sequence[MatchEvent]) -> None:
    """Raises WrongAnswer unless the log of an ended match has just what the witness was shown."""
    if len(witness.events) != len(stored):
        raise WrongAnswer(f"{witness}: saw {len(witness.events)} events of {len(stored)}")
    for seen, whole in zip(witness.events, stored, strict=True):
        if _public(seen, whole) != _public(whole, seen):
            raise WrongAnswer(f"{witness}: event {seen.sequence} is another one in the log")
    if stored[-1].match_ended != witness.events[-1].match_ended:
        raise WrongAnswer(f"{witness}: the log has another final score")


def _public(event: MatchEvent, other: MatchEvent) -> MatchEvent:
    """The event without what only some may see: what `other`, the same event, does not show."""
    public = MatchEvent()
    public.CopyFrom(event)
    match event.WhichOneof("payload"):
        case "hand_dealt":
            del public.hand_dealt.hands[:]
            if not other.hand_dealt.HasField("upcard"):
                public.hand_dealt.ClearField("upcard")
        case "card_drawn":
            if not other.card_drawn.HasField("card"):
                public.card_drawn.ClearField("card")
        case "card_discarded":
            if not other.card_discarded.HasField("card"):
                public.card_discarded.ClearField("card")
        case "knocked":
            if not other.knocked.HasField("knock_card"):
                public.knocked.ClearField("knock_card")
        case "hand_scored":
            # A dead hand's cards are shown in the log of an ended match.
            if not other.hand_scored.reveals:
                del public.hand_scored.reveals[:]
                del public.hand_scored.deadwood_points[:]
    return public
