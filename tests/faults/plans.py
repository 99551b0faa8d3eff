"""How each match of a run goes: who plays it and how, by which rules, and how it ends."""

from dataclasses import dataclass
from random import Random
from typing import Literal

from google.protobuf.duration_pb2 import Duration

from ginrummy.v1.match_pb2 import BotSeat, HumanSeat, Match, OpenSeat, Seat, SpectatorPolicy
from ginrummy.v1.rules_pb2 import Clock, Rules

Way = Literal["act and watch", "play"]
Opponent = Literal["human", "open", "bot"]
End = Literal["played", "resigned", "aborted"]

RULESETS = ("short", "kawu", "solo", "playgridia")
TARGETS = (0, 50)
"""Low ones, so that matches end during a run and others take their places; 0 is a single hand."""
TURN_TIME_S = 1


@dataclass(frozen=True)
class Plan:
    """One match."""

    ruleset: str
    target: int
    opponent: Opponent
    """Who sits in seat 2; an open seat is joined."""
    ways: tuple[Way, Way]
    has_clock: bool
    """A clock so short that it runs out now and then."""
    end: End
    is_public: bool
    has_second_tab: bool
    """Seat 1 is watched over a second stream."""

    def match(self) -> Match:
        """What to create."""
        occupants = {
            "human": Seat(human=HumanSeat(display_name="Ben")),
            "open": Seat(open=OpenSeat()),
            "bot": Seat(bot=BotSeat(bot="bots/simple")),
        }
        match = Match(
            ruleset=f"rulesets/{self.ruleset}",
            seats=[Seat(human=HumanSeat(display_name="Ann")), occupants[self.opponent]],
            allow_hints=True,
        )
        if self.ruleset != "playgridia":
            match.overrides.CopyFrom(Rules(target=self.target))
        if self.is_public:
            match.spectators = SpectatorPolicy.SPECTATOR_POLICY_PUBLIC_INFO
        if self.has_clock:
            length = Duration(seconds=TURN_TIME_S)
            match.clock.CopyFrom(Clock(turn_time=length, timeouts_to_forfeit=4))
        return match


def plan_of(random: Random, *, is_short: bool) -> Plan:
    """Any of them; short ones are given up in their first hand."""
    ways: list[Way] = random.choices(["act and watch", "play"], k=2)
    opponents: list[Opponent] = random.choices(["human", "open", "bot"], [5, 2, 2])
    ends: list[End] = random.choices(["played", "resigned", "aborted"], [8, 1, 1])
    ruleset = random.choice(RULESETS)
    return Plan(
        ruleset=ruleset,
        target=random.choice(TARGETS),
        opponent=opponents[0],
        ways=(ways[0], ways[1]),
        has_clock=ruleset != "playgridia" and random.random() < 0.2,
        end="resigned" if is_short else ends[0],
        is_public=random.random() < 0.4,
        has_second_tab=random.random() < 0.2,
    )
