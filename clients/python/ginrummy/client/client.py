"""The client: one server, all its matches."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import grpc

from ginrummy.client import analysis
from ginrummy.client.actions import MeldLike
from ginrummy.client.analysis import HandLike
from ginrummy.client.cards import CardValue
from ginrummy.client.connection import ChannelOption, Connection, StreamReader, new_request_id
from ginrummy.client.match import MatchClient
from ginrummy.client.names import match_name, ruleset_name, simulation_name
from ginrummy.client.retry import RetryPolicy
from ginrummy.client.simulations import follow
from ginrummy.client.tls import Tls
from ginrummy.v1.analysis_service_pb2 import (
    AnalyzeColumnsRequest,
    AnalyzeColumnsResponse,
    AnalyzeHandsRequest,
    FindLayoffsRequest,
    HandAnalysis,
    HandQuery,
    LayoffProblem,
    LayoffSolution,
    SeatPosition,
    SuggestActionsResponse,
)
from ginrummy.v1.catalog_service_pb2 import (
    Bot,
    GetRulesetRequest,
    GetServerInfoRequest,
    GetServerInfoResponse,
    ListBotsRequest,
    ListRulesetsRequest,
)
from ginrummy.v1.events_pb2 import MatchEvent
from ginrummy.v1.match_pb2 import HumanSeat, Match, MatchState
from ginrummy.v1.match_service_pb2 import (
    CreateMatchRequest,
    GetMatchRequest,
    JoinMatchRequest,
    ListMatchesRequest,
    ListMatchEventsRequest,
    WatchMatchesRequest,
)
from ginrummy.v1.rules_pb2 import Rules, Ruleset
from ginrummy.v1.simulation_service_pb2 import (
    CancelSimulationRequest,
    CreateSimulationRequest,
    GetSimulationRequest,
    ListSimulationsRequest,
    Simulation,
)
from ginrummy.v1.view_pb2 import View


@dataclass(frozen=True, slots=True)
class CreatedMatch:
    """A new match, with what governs it."""

    match: Match
    host_token: str = field(repr=False)
    """Governs the match: `abort`, `reissue_token`, `erase_player`.

    It can take any person's seat, so it stays with the backend that created the match.
    """
    seats: dict[int, str] = field(repr=False)
    """The tokens by seat number, of the seats that were created for people."""


@dataclass(frozen=True, slots=True)
class JoinedSeat:
    """A seat taken."""

    seat: int
    """1 or 2."""
    token: str = field(repr=False)
    view: View = field(repr=False)
    match: MatchClient
    """The match, to be played with this token."""


class GinRummyClient:
    """A gin rummy server. An async context manager; calls may run side by side.

    Every call has a deadline, and is made again after UNAVAILABLE and DEADLINE_EXCEEDED within it
    (see RetryPolicy): each either reads, or carries a request_id that makes it take effect once.
    Failures raise GinRummyError. Names go with or without their "matches/", "rulesets/".
    """

    def __init__(
        self,
        target: str,
        *,
        timeout_s: float = 10.0,
        api_key: str | None = None,
        retry: RetryPolicy | None = None,
        tls: Tls | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        options: Sequence[ChannelOption] = (),
    ) -> None:
        """`target` as grpc names it, "localhost:50051"; in the clear without `tls`, or
        `credentials` of your own making. Raises OSError when a file of `tls` cannot be read.

        `api_key` is what a server that has keys asks for; it goes to the server and nowhere else.
        `timeout_s` is for a whole call, retries included; `options` are for the channel.
        """
        if tls is not None:
            if credentials is not None:
                raise ValueError("tls or credentials, not both")
            credentials = tls.credentials()
        self._connection = Connection(
            target,
            timeout_s=timeout_s,
            api_key=api_key,
            retry=retry or RetryPolicy(),
            credentials=credentials,
            options=options,
        )

    def __repr__(self) -> str:
        return f"<GinRummyClient of {self._connection.target}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connection with every call and stream on it."""
        await self._connection.close()

    # ------------------------------------------------------------- the server

    async def wait_ready(self, timeout_s: float) -> None:
        """Waits until the server serves; raises ServerUnavailable when it does not in this time,
        with DEADLINE_EXCEEDED if nothing answered at all."""
        await self._connection.wait_ready(timeout_s)

    async def server_info(self) -> GetServerInfoResponse:
        """Versions and abilities."""
        connection = self._connection
        return await connection.call(connection.catalog.GetServerInfo, GetServerInfoRequest())

    async def rulesets(self) -> list[Ruleset]:
        """Every ruleset that matches can be created with."""
        connection, found = self._connection, list[Ruleset]()
        request = ListRulesetsRequest()
        while True:
            page = await connection.call(connection.catalog.ListRulesets, request)
            found.extend(page.rulesets)
            if not page.next_page_token:
                return found
            request.page_token = page.next_page_token

    async def ruleset(self, name: str, overrides: Rules | None = None) -> Ruleset:
        """One ruleset; with `overrides` on it, checked as `create_match` would check them."""
        connection = self._connection
        request = GetRulesetRequest(name=ruleset_name(name), overrides=overrides)
        return (await connection.call(connection.catalog.GetRuleset, request)).ruleset

    async def bots(self) -> list[Bot]:
        """Every bot that can take a seat."""
        connection, found = self._connection, list[Bot]()
        request = ListBotsRequest()
        while True:
            page = await connection.call(connection.catalog.ListBots, request)
            found.extend(page.bots)
            if not page.next_page_token:
                return found
            request.page_token = page.next_page_token

    # ------------------------------------------------------ hands and positions

    async def analyze_hands(
        self,
        hands: Iterable[HandLike | HandQuery],
        *,
        barred: Sequence[str | CardValue | None] | None = None,
        ruleset: str = "",
        overrides: Rules | None = None,
        all_arrangements: bool = False,
    ) -> list[HandAnalysis]:
        """Melds, deadwood, discards and knocks of up to a thousand hands, in their order.

        `barred`, one for each hand: the card just taken from the pile. A bad hand has its `error`
        set and spares the others. Without a ruleset the knock limit is 10, and big gin is on.
        """
        request = AnalyzeHandsRequest(
            hands=analysis.queries(hands, barred),
            ruleset=ruleset_name(ruleset),
            overrides=overrides,
            all_arrangements=all_arrangements,
        )
        connection = self._connection
        return list((await connection.call(connection.analysis.AnalyzeHands, request)).results)

    async def analyze_columns(self, masks: bytes, barred: bytes = b"") -> AnalyzeColumnsResponse:
        """The same of up to 100,000 hands as columns: eight bytes a hand in, a byte each out."""
        request = AnalyzeColumnsRequest(masks=masks, barred_discards=barred)
        connection = self._connection
        return await connection.call(connection.analysis.AnalyzeColumns, request)

    async def find_layoffs(
        self, problems: Iterable[tuple[Iterable[MeldLike], HandLike] | LayoffProblem]
    ) -> list[LayoffSolution]:
        """The best defence in each of up to a thousand problems, in their order.

        A problem is a knocker's melds and a defender's hand: `(["4H 5H 6H"], "7H 8H KS")`. A bad
        one has its `error` set and spares the others. Raises ValueError for a meld's text that
        names no cards.
        """
        asked = [
            each if isinstance(each, LayoffProblem) else analysis.layoff_problem(*each)
            for each in problems
        ]
        connection, request = self._connection, FindLayoffsRequest(problems=asked)
        return list((await connection.call(connection.analysis.FindLayoffs, request)).results)

    async def suggest_actions(
        self,
        position: SeatPosition,
        *,
        bot: str = "",
        think_time_s: float | None = None,
        max_suggestions: int = 0,
        language_code: str = "",
        seed: int = 0,
    ) -> SuggestActionsResponse:
        """What to do in a position of your own, best first. `MatchClient` has it for a match.

        Raises InvalidRequest for a position that cannot be.
        """
        return await analysis.ask(
            self._connection,
            position,
            None,
            bot=bot,
            think_time_s=think_time_s,
            max_suggestions=max_suggestions,
            language_code=language_code,
            seed=seed,
        )

    # ---------------------------------------------------------------- matches

    async def create_match(
        self,
        match: Match,
        *,
        seed: bytes | None = None,
        replay_of: str | None = None,
        request_id: str | None = None,
    ) -> CreatedMatch:
        """Sets a table with the match's ruleset and seats.

        `seed` (32 bytes) or `replay_of` (an ended match) fix the deals; between two people the
        server has to allow it.
        """
        request = CreateMatchRequest(
            match=match,
            seed=seed or b"",
            replay_of=match_name(replay_of or ""),
            request_id=request_id or new_request_id(),
        )
        connection = self._connection
        created = await connection.call(connection.matches.CreateMatch, request)
        return CreatedMatch(created.match, created.host_token, dict(created.seat_tokens))

    async def join_match(
        self,
        name: str,
        *,
        display_name: str,
        seat: int | None = None,
        external_id: str = "",
        request_id: str | None = None,
    ) -> JoinedSeat:
        """Takes an open seat: `seat`, or any. Raises NoOpenSeat.

        Whoever knows the `request_id` can repeat the call for the seat's token, until the host
        renews that one (BadToken from then on) or the match ends (MatchOver).
        """
        request = JoinMatchRequest(
            name=match_name(name),
            seat=seat,
            player=HumanSeat(display_name=display_name, external_id=external_id),
            request_id=request_id or new_request_id(),
        )
        connection = self._connection
        joined = await connection.call(connection.matches.JoinMatch, request)
        match = self.seat(request.name, joined.token)
        return JoinedSeat(joined.seat, joined.token, joined.view, match)

    def spectate(self, name: str) -> MatchClient:
        """The match as spectators see it, where it lets them in; needs no token."""
        return MatchClient(self._connection, name, None)

    async def get_match(self, name: str, token: str | None = None) -> Match:
        """The match's state, rules and seats; nothing of its cards."""
        connection = self._connection
        request = GetMatchRequest(name=match_name(name))
        return (await connection.call(connection.matches.GetMatch, request, token)).match

    async def list_matches(
        self,
        *,
        state: MatchState.ValueType | None = None,
        joinable_only: bool = False,
        ruleset: str = "",
        labels: Mapping[str, str] | None = None,
        page_size: int = 0,
    ) -> AsyncGenerator[Match, None]:
        """Matches, latest first; pages are fetched as they are needed."""
        request = ListMatchesRequest(
            page_size=page_size,
            state=state or MatchState.MATCH_STATE_UNSPECIFIED,
            joinable_only=joinable_only,
            ruleset=ruleset_name(ruleset),
            labels=labels,
        )
        connection = self._connection
        while True:
            page = await connection.call(connection.matches.ListMatches, request)
            for match in page.matches:
                yield match
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def watch_matches(
        self, labels: Mapping[str, str] | None = None
    ) -> AsyncGenerator[Match, None]:
        """Matches as they are created, start, end or are aborted, each in its latest state.

        Has no sequence numbers, so it cannot be resumed: when the connection is lost it raises
        ServerUnavailable. Watch anew, then read `list_matches` for what changed meanwhile.
        """
        connection = self._connection
        reader = StreamReader(connection.target, silence_limit_s=None)
        call = connection.matches.WatchMatches(
            WatchMatchesRequest(labels=labels), metadata=connection.metadata(None)
        )
        with connection.stream(call):
            while (response := await reader.read(call)) is not None:
                yield response.match

    async def match_events(self, name: str) -> AsyncGenerator[MatchEvent, None]:
        """Every event of an ended match, nothing hidden; pages are fetched as they are needed."""
        request = ListMatchEventsRequest(name=match_name(name))
        connection = self._connection
        while True:
            page = await connection.call(connection.matches.ListMatchEvents, request)
            for event in page.events:
                yield event
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    # ------------------------------------------------------------ simulations

    async def create_simulation(
        self, simulation: Simulation, *, request_id: str | None = None
    ) -> Simulation:
        """Has bots play each other, as soon as the server has room; its name follows it."""
        request = CreateSimulationRequest(
            simulation=simulation, request_id=request_id or new_request_id()
        )
        connection = self._connection
        return (await connection.call(connection.simulations.CreateSimulation, request)).simulation

    async def get_simulation(self, name: str) -> Simulation:
        """How it stands."""
        connection, request = self._connection, GetSimulationRequest(name=simulation_name(name))
        return (await connection.call(connection.simulations.GetSimulation, request)).simulation

    async def list_simulations(self, page_size: int = 0) -> AsyncGenerator[Simulation, None]:
        """Simulations, latest first, without `hand_points`; pages are fetched as needed."""
        connection, request = self._connection, ListSimulationsRequest(page_size=page_size)
        while True:
            page = await connection.call(connection.simulations.ListSimulations, request)
            for simulation in page.simulations:
                yield simulation
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def cancel_simulation(self, name: str) -> Simulation:
        """Plays no more of it; what was played stays."""
        connection, request = self._connection, CancelSimulationRequest(name=simulation_name(name))
        return (await connection.call(connection.simulations.CancelSimulation, request)).simulation

    def watch_simulation(
        self, name: str, *, min_interval_s: float | None = None
    ) -> AsyncGenerator[Simulation, None]:
        """How it stands, each `min_interval_s` (0.1 to 60; 1), until it has ended.

        Comes back by itself after a lost connection or a restarted server.
        """
        return follow(self._connection, simulation_name(name), min_interval_s)

    # ----------------------------------------------------------------- a seat

    def seat(self, name: str, token: str) -> MatchClient:
        """The match as the owner of this token sees it: a seat's, or the host's."""
        return MatchClient(self._connection, name, token)
