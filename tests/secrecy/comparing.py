"""Plays twin matches in two worlds in step, and compares every byte that their viewers are sent.

Time is not compared by the clock: it depends on the machine more than on the cards. What is done
for a viewer depends on hidden cards in one place only: the engine keeps every card in masks of the
same size, a view or an event takes out of them what its viewer may know, and hints, prices and
flags are counted from his own hand. So the same number of the same messages of the same length is
made in both worlds, and that is compared here. What an action costs the engine differs with the
hand of whoever acts (least deadwood of eleven cards: microseconds, below what one call over a
network varies by), and who sends an action waits for what his own hand costs. A bot thinks about
its own cards, for microseconds too.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from random import Random
from typing import Any, cast
from uuid import UUID

from ginrummy.engine import Action
from ginrummy.v1 import match_service_pb2 as pb

from ..engine import messages
from . import questions
from .checker import Checker, Leak, abort
from .questions import Place, Question
from .twins import Pair, Plan, Twins
from .worlds import Live, LiveNews, LivePlay, World, bearer, in_order

STREAMS = {World.read: "WatchMatch", World.read_play: "Play"}
KINDS = {
    "Watch": pb.WatchMatchResponse,
    "Play": pb.PlayResponse,
    "WatchMatches": pb.WatchMatchesResponse,
}
TURN_US = 120_000_000
"""Longer than any clock here."""


async def check(checker: Checker, plan: Plan) -> None:
    """Plays the twins of this plan. Raises Leak."""
    comparison = Comparison(checker, plan)
    await comparison.begin()
    try:
        await comparison.run()
        await comparison.compare_news()
    finally:
        await comparison.end()
    checker.counts.matches += 1
    checker.counts.hands += comparison.twins.hands


async def check_all(
    checker: Checker, numbers: Iterable[int], plan: Callable[[int], Plan], at_once: int = 6
) -> None:
    """The twins of these numbers, some at once. Raises a group with a Leak."""
    waiting = iter(numbers)

    async def work() -> None:
        for number in waiting:
            await check(checker, plan(number))

    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(work())


class Comparison:
    """One pair of twins."""

    def __init__(self, checker: Checker, plan: Plan) -> None:
        self.checker = checker
        self.plan = plan
        self.random = Random(f"{plan.name} compared")
        self.twins = Twins(plan)
        self.name = ""
        self.tokens: dict[int, str] = {}
        self.host_token = ""
        self.lives: dict[str, tuple[Live, Live]] = {}
        self.news: list[LiveNews] = []
        self.compared: Counter[str] = Counter()
        """Messages of each live stream."""
        self.goes_on = True
        """Nobody has moved in one world alone."""
        self.answered: list[Question] = []
        """Accepted actions of viewers, to be sent again."""

    async def begin(self) -> None:
        """Sets the table and follows it as everybody who may."""
        label = {"pair": self.checker.label(self.plan)}
        for world in self.checker.worlds:
            news = LiveNews(world, pb.WatchMatchesRequest(labels=label))
            self.news.append(news)
            await news.begun()
        answer = await self.checker.create(self.plan)
        assert answer.code == "OK", answer
        created = pb.CreateMatchResponse.FromString(answer.messages[0])
        self.name = created.match.name
        self.tokens = dict(created.seat_tokens)
        self.host_token = created.host_token
        if self.plan.joins:
            await self._join()
        self.goes_on = self._let_bots_move()
        for seat in sorted(self.tokens):
            await self._follow_seat(seat)
        if self.plan.spectators == "none" or self.random.random() < 0.3:
            await self._follow("Watch host", 0, Live)
        if self.plan.spectators != "none":
            await self._follow("Watch spectator", 0, Live)

    async def _follow_seat(self, seat: int) -> None:
        """By WatchMatch, by Play or by both. Who is not compared may be away."""
        kinds = self.random.choice(["Watch", "Play", "Play", "Watch Play"]).split()
        if self.plan.bots:
            kinds = ["Watch"]
        elif seat not in self.twins.alike and self.random.random() < 0.4:
            kinds = []
        for kind in kinds:
            await self._follow(f"{kind} seat {seat}", seat, Live if kind == "Watch" else LivePlay)

    async def _join(self) -> None:
        """Somebody takes the open seat."""
        first, second = await self.checker.join(self.name)
        assert first.code == "OK", first
        self.tokens[2] = pb.JoinMatchResponse.FromString(first.messages[0]).token
        if 2 in self.twins.alike:
            self.checker.same("JoinMatch", "JoinMatch", self.where(), first, second)

    async def _follow(self, surface: str, viewer: int, kind: type[Live]) -> None:
        place = self.place(viewer, is_host=surface == "Watch host")
        after = 0 if self.plan.bots or self.random.random() < 0.5 else None
        request = questions.watching(place, after)
        first, second = (kind(world, request, place.metadata) for world in self.checker.worlds)
        others = {
            live: len(live.messages)
            for name, pair in self.lives.items()
            for live in pair
            if viewer and not name.endswith(f"seat {viewer}")
        }
        is_first_of_seat = not any(name.endswith(f"seat {viewer}") for name in self.lives)
        self.lives[surface] = (first, second)
        for live in (first, second):
            await live.begun()
            await live.until(self.twins.head)
        if viewer and is_first_of_seat:
            for other, count in others.items():
                await other.more_than(count)  # it is told who has come

    def place(self, viewer: int, *, is_host: bool = False) -> Place:
        token = self.tokens[viewer] if viewer else (self.host_token if is_host else None)
        return Place(self.name, self.checker.label(self.plan), viewer, token, self.twins.head)

    def places(self) -> list[Place]:
        """Everybody who may ask and has seen the same in both worlds."""
        found = [self.place(v) for v in sorted(self.twins.alike) if v in self.tokens]
        if 0 in self.twins.alike:
            found += [self.place(0, is_host=True), self.place(0)]
        return found

    async def run(self) -> None:
        """Plays on as long as there is anybody to compare for."""
        for _ in range(self.checker.most_positions):
            if not self.goes_on:
                return
            await self.compare()
            pair = self._choose()
            if pair is None:
                return
            await self._play(pair)
            self.goes_on = self._let_bots_move()

    def where(self, place: Place | None = None) -> str:
        who = "" if place is None else f", viewer {place.viewer}"
        return f"pair {self.plan.name}, event {self.twins.head}{who}"

    # ------------------------------------------------------------------ comparing

    async def compare(self) -> None:
        """Everything at this position."""
        await self._compare_streams()
        places = self.places()
        for place in places:
            is_shown = place.viewer or (place.token is None and self.plan.spectators != "none")
            if self._is_time("view") and (is_shown or self.random.random() < 0.2):
                await self.checker.ask(questions.view(place), self.where(place))
        if self.twins.differ:
            viewers = {place.viewer for place in places}
            self.checker.counts.positions += len(viewers)
        for place in places:
            await self._ask_more(place)
        await self._compare_streams()

    async def _compare_streams(self) -> None:
        for surface, pair in self.lives.items():
            viewer = int(surface[-1]) if surface[-1].isdigit() else 0
            await asyncio.gather(*(live.until(self.twins.head) for live in pair))
            if viewer in self.twins.alike:
                self._compare_stream(surface, pair)

    def _compare_stream(self, surface: str, pair: tuple[Live, Live]) -> None:
        first, second = (live.messages[self.compared[surface] :] for live in pair)
        if self.plan.bots:
            # A bot's move comes with the move before it, or in a message of its own.
            same = b"".join(first) == b"".join(second)
        else:
            kind = KINDS[surface.partition(" ")[0]]
            same = first == second or [in_order(raw, kind) for raw in first] == [
                in_order(raw, kind) for raw in second
            ]
        if not same:
            raise Leak(surface, self.where(), first, second)
        self.compared[surface] += len(first)
        if self.plan.bots:
            for live in pair:
                live.messages = live.messages[len(live.messages) :]
            self.compared[surface] = 0
        counts = self.checker.counts
        counts.answers[f"{surface.partition(' ')[0]}, live"] += len(first)
        counts.bytes += sum(map(len, first))

    def _is_time(self, question: str) -> bool:
        return self.random.random() < self.checker.chances[question]

    async def _ask_more(self, place: Place) -> None:
        """The longer questions, now and then."""
        asked: list[Question] = []
        if self._is_time("told"):
            asked += questions.tellings(place)
        if self._is_time("malformed"):
            asked += questions.malformed(place, self.checker.other_token, self.random)
        if place.viewer and self._is_time("refused"):
            actions = questions.refused_actions(self.twins.games, place.viewer)
            asked += questions.refused_acts(place, actions, self.random)
            await self._send_refused(place, actions)
        if self.answered and self._is_time("again"):
            again = self.random.choice(self.answered)
            if self._viewer_of(again) in self.twins.alike:
                asked.append(again)
        for question in asked:
            answer = await self.checker.ask(question, self.where(place))
            is_refused = answer.code != "OK"
            assert is_refused or not question.surface.startswith("Act "), question.surface
        if self._is_time("resumed_everywhere"):
            await self._resume(place, range(place.head + 2))
        elif self._is_time("resumed"):
            await self._resume(place, [self.random.randrange(place.head)])

    def _viewer_of(self, question: Question) -> int:
        return next(s for s, token in self.tokens.items() if bearer(token) == question.metadata)

    async def _resume(self, place: Place, after: Iterable[int]) -> None:
        """Streams that begin now, with every event after each of these, and with a snapshot."""
        worlds = self.checker.worlds
        requests = [questions.watching(place)] + [questions.watching(place, n) for n in after]
        for request in requests:
            if request.HasField("after_sequence") and request.after_sequence == place.head:
                continue  # nothing comes
            kinds = [World.read]
            if place.viewer and self.random.random() < 0.2:
                kinds.append(World.read_play)
            for read in kinds:
                first, second = await asyncio.gather(
                    *(read(world, request, place.metadata, place.head) for world in worlds)
                )
                surface = f"{STREAMS[read]} resumed after {request.after_sequence}"
                self.checker.same(surface, STREAMS[read], self.where(place), first, second)

    async def _send_refused(self, place: Place, actions: list[Action]) -> None:
        """All of these actions by Play, one right after the other."""
        pair = self.lives.get(f"Play seat {place.viewer}")
        if pair is None:
            return
        requests = [
            pb.PlayRequest(act=questions.acting(place, action), correlation_id=str(i))
            for i, action in enumerate(actions)
        ]
        requests += [pb.PlayRequest(correlation_id="x" * 65), pb.PlayRequest(ping=pb.Ping())]
        await self._send(f"Play seat {place.viewer}", [requests, requests], compared=True)

    async def _send(
        self, surface: str, requests: list[list[pb.PlayRequest]], *, compared: bool
    ) -> None:
        pair = cast(tuple[LivePlay, LivePlay], self.lives[surface])
        if not compared:
            for live, of_world in zip(pair, requests, strict=True):
                await live.send(of_world)
            return
        self._compare_stream(surface, pair)
        first, second = await asyncio.gather(
            *(live.send(of_world) for live, of_world in zip(pair, requests, strict=True))
        )
        if first != second:
            raise Leak("Play replies", self.where(), first, second)
        if len(first) > 1:
            # How many refusals share a message is a matter of time.
            self.compared[surface] = 0
            for live in pair:
                live.messages.clear()
        self.checker.counts.answers["Play, replies"] += len(first)
        self.checker.counts.bytes += sum(map(len, first))

    # ------------------------------------------------------------------ playing

    def _let_bots_move(self) -> bool:
        """Plays here what the bots play there; false where that sets the worlds apart."""
        while (bot := self.plan.bots.get(self.twins.to_act)) is not None:
            pair = self.twins.bot_pair(bot)
            if self.twins.to_act in self.twins.alike and pair[0] != pair[1]:
                raise Leak("bot", self.where(), *pair)
            if not self.twins.after(pair) & {0, *self.tokens}:
                self.checker.apart.add(self.name.partition("/")[2])
                return False
            self.twins.play(pair)
        return bool(self.twins.to_act)

    def _choose(self) -> Pair | None:
        """Commands that look the same to as many as possible; None where nobody is left."""
        if not self.twins.to_act or not self.twins.alike & {0, *self.tokens}:
            return None
        if self.plan.times_out and self.random.random() < 0.15:
            pair = self.twins.time_out_pair()
            if self.twins.after(pair) == self.twins.alike:
                return pair
        pairs = self.twins.pairs(self.random)
        bot = self.twins.bot_pair("simple")
        if bot in pairs and self.random.random() < 0.5:
            pairs.insert(0, bot)
        best: tuple[set[int], Pair] | None = None
        enough = self.twins.alike
        if self.random.random() < self.plan.risk:
            enough = enough - {self.twins.to_act}
        for pair in pairs[:14]:
            left = self.twins.after(pair)
            if left == enough or (pair[0] != pair[1] and left >= enough):
                return pair
            if best is None or len(left) > len(best[0]):
                best = (left, pair)
        return best[1] if best is not None and best[0] & {0, *self.tokens} else None

    async def _play(self, pair: Pair) -> None:
        if pair[0]["type"] == "time_out":
            await self.checker.pass_time(TURN_US)
        else:
            await self._send_pair(pair)
            self.checker.counts.other_cards += pair[0] != pair[1]
        self.twins.play(pair)

    async def _send_pair(self, pair: Pair) -> None:
        seat = self.twins.to_act
        after = self.twins.after(pair)
        is_compared = seat in after
        request_id = str(UUID(int=self.random.getrandbits(128), version=4))
        place = self.place(seat)
        requests = [
            pb.ActRequest(
                name=self.name,
                action=messages.action(cast(Any, command)["action"]),
                expected_sequence=place.head,
                request_id=request_id,
            )
            for command in pair
        ]
        if f"Play seat {seat}" in self.lives:
            await self._send(
                f"Play seat {seat}",
                [[pb.PlayRequest(act=r)] for r in requests],
                compared=is_compared,
            )
        else:
            await self._act(place, requests, is_compared=is_compared)

    async def _act(self, place: Place, requests: list[pb.ActRequest], *, is_compared: bool) -> None:
        for request in requests:
            request.want_view = not self.plan.bots and self.random.random() < 0.3
        requests[1].want_view = requests[0].want_view
        raw = [request.SerializeToString() for request in requests]
        first, second = await asyncio.gather(
            *(
                world.ask("Act", request, place.metadata)
                for world, request in zip(self.checker.worlds, raw, strict=True)
            )
        )
        assert (first.code, second.code) == ("OK", "OK"), (first, second)
        if is_compared:
            self.checker.same("Act", "Act", self.where(place), first, second)
            if not requests[0].want_view:
                self.answered.append(Question("Act-again", "Act", raw[0], place.metadata))

    async def compare_news(self) -> None:
        """What those are told who follow all matches, to the end of this one."""
        if self.goes_on and 0 in self.twins.alike:
            await abort(self.checker.worlds, self.name, self.host_token)
            for news in self.news:
                await news.until_ended()
            self._compare_stream("WatchMatches", (self.news[0], self.news[1]))

    async def end(self) -> None:
        """Lets go of the match."""
        for pair in self.lives.values():
            for live in pair:
                await live.close()
        for news in self.news:
            await news.close()
        await abort(self.checker.worlds, self.name, self.host_token)
