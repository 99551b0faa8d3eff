"""A match as it was wished for, and the seat in it that is kept."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass

from google.protobuf.duration_pb2 import Duration

from ginrummy.cli.connect import Connected
from ginrummy.cli.faults import CommandError
from ginrummy.cli.state import SavedSeat, SavedSeats
from ginrummy.client import CreatedMatch, bot_name, ruleset_name
from ginrummy.v1.match_pb2 import (
    SPECTATOR_POLICY_NONE,
    SPECTATOR_POLICY_PUBLIC_INFO,
    BotSeat,
    HumanSeat,
    Match,
    OpenSeat,
    Seat,
)
from ginrummy.v1.rules_pb2 import Clock, Rules

SPECTATORS = {
    "none": SPECTATOR_POLICY_NONE,
    "public": SPECTATOR_POLICY_PUBLIC_INFO,
}


@dataclass(frozen=True)
class Wish:
    """What the person asked for."""

    ruleset: str
    name: str = ""
    bot: str = ""
    """Empty = the other seat is open."""
    overrides: Rules | None = None
    hints: bool | None = None
    turn_time_s: float | None = None
    spectators: str = "none"
    seed: bytes | None = None
    replay_of: str | None = None

    def match(self) -> Match:
        other = Seat(bot=BotSeat(bot=bot_name(self.bot))) if self.bot else Seat(open=OpenSeat())
        match = Match(
            ruleset=ruleset_name(self.ruleset),
            seats=[Seat(human=HumanSeat(display_name=self.name)), other],
            spectators=SPECTATORS[self.spectators],
            allow_hints=self.hints,
        )
        if self.overrides and self.overrides.ListFields():
            match.overrides.CopyFrom(self.overrides)
        if self.turn_time_s is not None:
            turn_time = Duration()
            turn_time.FromMilliseconds(round(self.turn_time_s * 1000))
            match.clock.CopyFrom(Clock(turn_time=turn_time))
        return match


def seed_of(text: str | None) -> bytes | None:
    """64 hex digits are the seed; of any other text its SHA-256."""
    if not text:
        return None
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    return seed if len(seed) == 32 else hashlib.sha256(text.encode()).digest()


async def create(connected: Connected, seats: SavedSeats, wish: Wish) -> tuple[Match, SavedSeat]:
    """Creates the match and writes its seat down before anything is played."""
    created: CreatedMatch = await connected.client.create_match(
        wish.match(), seed=wish.seed, replay_of=wish.replay_of
    )
    saved = SavedSeat(
        match=created.match.name,
        seat=1,
        token=created.seats[1],
        server=connected.server,
        folder=connected.folder,
        ruleset=created.match.ruleset,
        opponent=wish.bot,
        created=time.time(),
        commitment=created.match.deal_commitment.hex(),
    )
    seats.save(saved)
    return created.match, saved


def seat_to_resume(
    seats: SavedSeats, server: str, match: str = "", seat: int | None = None
) -> SavedSeat:
    """The saved seat that is asked for, or the latest."""
    found = seats.of_match(match, seat) if match else seats.latest(server, seat)
    if found is None:
        raise (
            CommandError("no-saved-match", match=match)
            if match
            else CommandError("nothing-to-resume")
        )
    return found
