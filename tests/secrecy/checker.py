"""Two worlds compared: each call is asked of both, and whatever differs is a leak."""

import asyncio
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import count
from typing import Any, cast

from google.protobuf.duration_pb2 import Duration

from ginrummy.server.convert.rules import rules_to_wire
from ginrummy.v1 import match_pb2, rules_pb2
from ginrummy.v1 import match_service_pb2 as pb

from .questions import Question
from .twins import Plan
from .worlds import ENDED, Answer, World, bearer, ordered

SPECTATORS = {
    "none": match_pb2.SPECTATOR_POLICY_NONE,
    "public_info": match_pb2.SPECTATOR_POLICY_PUBLIC_INFO,
    "delayed_full": match_pb2.SPECTATOR_POLICY_DELAYED_FULL,
}


NUMBERS = count(1)
"""Of checkers: several may use the same servers."""
CHANCES = {
    "view": 1.0,
    "told": 0.01,
    "malformed": 0.003,
    "refused": 0.01,
    "again": 0.01,
    "resumed": 0.04,
    "resumed_everywhere": 0.003,
}
"""How often each question is asked of a viewer at an event. What comes live is compared always."""


class Leak(AssertionError):  # noqa: N818 - as it is read
    """Somebody was sent something that depends on what is hidden from him."""

    def __init__(self, surface: str, where: str, first: object, second: object) -> None:
        super().__init__(f"{surface} ({where}) differs:\n  {first}\n  {second}")
        self.surface = surface


@dataclass
class Counts:
    """How much was compared."""

    matches: int = 0
    hands: int = 0
    positions: int = 0
    """A viewer at an event after which he has seen the same in both worlds, and they differ."""
    other_cards: int = 0
    """Knocks with another card face down in each world."""
    answers: Counter[str] = field(default_factory=Counter)
    """By what was asked."""
    bytes: int = 0
    lines: int = 0
    """Of each server's log."""

    def __add__(self, other: "Counts") -> "Counts":
        names = (f.name for f in fields(self))
        return Counts(**{name: getattr(self, name) + getattr(other, name) for name in names})

    def __str__(self) -> str:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(self.answers.items()))
        return (
            f"{self.matches:,} twin matches with {self.hands:,} hands; {self.positions:,} viewer"
            f" positions, {self.other_cards:,} knocks with other cards face down;"
            f" {sum(self.answers.values()):,} answers and stream messages with"
            f" {self.bytes:,} bytes and {self.lines:,} log lines compared\n({kinds})"
        )


class Checker:
    """Compares two worlds, one match after the other or several at once."""

    def __init__(
        self,
        worlds: tuple[World, World],
        *,
        most_positions: int = 160,
        chances: Mapping[str, float] = CHANCES,
    ) -> None:
        """`most_positions`: of one match. `chances`: of questions, in place of CHANCES."""
        self.worlds = worlds
        self.counts = Counts()
        self.chances = CHANCES | dict(chances)
        self.most_positions = most_positions
        self.apart: set[str] = set()
        """Matches that went on differently where everybody sees it."""
        self.other_token = ""
        self.now_us = 1_800_000_000_000_000
        self._creating = asyncio.Lock()
        """Held where ids are made: they are the same where their order is."""
        self._number = next(NUMBERS)

    def label(self, plan: Plan) -> str:
        """Of this plan's match and no other on these servers."""
        return f"{plan.name}.{self._number}"

    async def create(self, plan: Plan) -> Answer:
        """Sets the table in both worlds; the one answer."""
        async with self._creating:
            if not self.other_token:
                other = await self._create(replace(plan, name="other", seed=bytes(32)))
                created = pb.CreateMatchResponse.FromString(other.messages[0])
                self.other_token = created.host_token
                await abort(self.worlds, created.match.name, created.host_token)
            return await self._create(plan)

    async def join(self, name: str) -> tuple[Answer, Answer]:
        """Takes the open seat in both worlds; what its player is told."""
        player = match_pb2.HumanSeat(display_name="Ben")
        request = pb.JoinMatchRequest(name=name, player=player).SerializeToString()
        async with self._creating:
            first, second = [await world.ask("JoinMatch", request) for world in self.worlds]
        return first, second

    async def _create(self, plan: Plan) -> Answer:
        for world, decks in zip(self.worlds, plan.decks, strict=True):
            seed = plan.seed.hex()
            await world.tell(plant={"seed": seed, "decks": decks, "dealer": plan.dealer})
        request = creating(plan, self.label(plan)).SerializeToString()
        return await self.ask(Question("CreateMatch", "CreateMatch", request, ()), "setting")

    async def ask(self, question: Question, where: str) -> Answer:
        """Asks both worlds; the answer, if there is one alone. Raises Leak."""
        first, second = await asyncio.gather(
            *(w.ask(question.method, question.request, question.metadata) for w in self.worlds)
        )
        return self.same(question.surface, question.method, where, first, second)

    def same(self, surface: str, method: str, where: str, first: Answer, second: Answer) -> Answer:
        """The answer that both worlds gave. Raises Leak if it is not the same."""
        if first != second and ordered(first, method) != ordered(second, method):
            raise Leak(surface, where, first, second)
        self.counts.answers[surface.partition(" ")[0]] += 1
        self.counts.bytes += first.size
        return first

    async def compare_lines(self, wait_s: float = 60) -> None:
        """What both servers wrote to their logs. Raises Leak.

        The end of a stream is told a little after its caller has gone.
        """
        told: list[Counter[str]] = [Counter(), Counter()]
        gone_on_s = 0.0
        while True:
            for world, counted in zip(self.worlds, told, strict=True):
                lines = map(plain_line, await world.lines_so_far())
                counted.update(line for line in lines if self._tells(line))
            first, second = told
            if first == second:
                break
            if gone_on_s >= wait_s:
                some = [sorted(first - second)[:3], sorted(second - first)[:3]]
                raise Leak("log", "all matches", *some)
            gone_on_s += 0.1
            await asyncio.sleep(0.1)
        self.counts.lines += sum(first.values())

    async def metrics(self) -> list[dict[str, float]]:
        """What each server counts, once every stream has ended."""
        return [await world.quiet_metrics() for world in self.worlds]

    async def compare_metrics(self, before: list[dict[str, float]], wait_s: float) -> None:
        """What both servers have counted since. Raises Leak.

        Streams are counted as they end, which may be a little after their callers have gone.
        """
        gone_on_s = 0.0
        while True:
            first, second = (
                {name: value - was.get(name, 0) for name, value in now.items()}
                for was, now in zip(before, await self.metrics(), strict=True)
            )
            if first == second:
                return
            if gone_on_s >= wait_s:
                found = dict(first.items() ^ second.items())
                raise Leak("metrics", "all matches", found, "")
            gone_on_s += 0.1
            await asyncio.sleep(0.1)

    def _tells(self, line: str) -> bool:
        """Whether it is a line of ours about what should be the same."""
        return " ginrummy." in line and not any(match_id in line for match_id in self.apart)

    async def pass_time(self, length_us: int) -> None:
        """Moves both clocks on."""
        self.now_us += length_us
        for world in self.worlds:
            await world.tell(now_us=self.now_us)


async def abort(worlds: tuple[World, World], name: str, host_token: str) -> None:
    """Ends a match that is of no more use."""
    request = pb.AbortMatchRequest(name=name).SerializeToString()
    for world in worlds:
        await world.ask("AbortMatch", request, bearer(host_token))


def plain_line(line: str) -> str:
    """A log line without what differs by chance: when it was written, and how long things took."""
    line = re.sub(r"^[0-9][0-9TZ:., -]* ", "", line)
    line = re.sub(r"127\.0\.0\.1:\d+", "ADDRESS", line)
    line = ENDED.sub("ENDED", line)
    return " " + re.sub(r"\b\d+(\.\d+)? ?(us|ms|s)\b", "LENGTH", line)


def creating(plan: Plan, label: str) -> pb.CreateMatchRequest:
    """The request that sets the table."""
    human = match_pb2.HumanSeat(display_name="Ann")
    clock = rules_pb2.Clock(turn_time=Duration(seconds=plan.turn_time_s))
    match = match_pb2.Match(
        ruleset=f"rulesets/{plan.ruleset}",
        overrides=rules_to_wire(cast(Any, plan.overrides)),
        spectators=SPECTATORS[plan.spectators],
        allow_hints=plan.hints,
        clock=clock if plan.turn_time_s else None,
        labels={"pair": label},
        seats=[
            match_pb2.Seat(bot=match_pb2.BotSeat(bot=f"bots/{plan.bots[seat]}"))
            if seat in plan.bots
            else match_pb2.Seat(open=match_pb2.OpenSeat())
            if plan.joins and seat == 2
            else match_pb2.Seat(human=human)
            for seat in (1, 2)
        ],
    )
    return pb.CreateMatchRequest(match=match)
