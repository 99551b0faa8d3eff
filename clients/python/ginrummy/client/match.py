"""One match, as the owner of one token sees it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable

from ginrummy.client.analysis import ask
from ginrummy.client.connection import Connection, checked_token, new_request_id
from ginrummy.client.names import match_name
from ginrummy.client.play import PlaySession
from ginrummy.client.watch import Cursor, Follower, Update, watch_request
from ginrummy.v1.action_pb2 import Action
from ginrummy.v1.analysis_service_pb2 import SuggestActionsResponse
from ginrummy.v1.match_pb2 import Match
from ginrummy.v1.match_service_pb2 import (
    AbortMatchRequest,
    ActRequest,
    ActResponse,
    ClaimMatchRequest,
    ErasePlayerRequest,
    GetViewRequest,
    ReissueTokenRequest,
    ResignMatchRequest,
    WatchMatchRequest,
    WatchMatchResponse,
)
from ginrummy.v1.view_pb2 import View


class MatchClient:
    """Plays, watches or governs one match with one token. Made by `GinRummyClient.seat`.

    May be used by several tasks at once.
    """

    def __init__(self, connection: Connection, name: str, token: str | None) -> None:
        self._connection = connection
        self._token = None if token is None else checked_token(token)
        self.name = match_name(name)
        """`"matches/{id}"`."""

    def __repr__(self) -> str:
        return f"<MatchClient {self.name} at {self._connection.target}>"

    async def view(self) -> View:
        """What the token's owner may know, with his legal actions."""
        connection = self._connection
        request = GetViewRequest(name=self.name)
        return (await connection.call(connection.matches.GetView, request, self._token)).view

    async def act(
        self,
        action: Action,
        *,
        expected_sequence: int,
        request_id: str | None = None,
        want_view: bool = False,
    ) -> ActResponse:
        """One action, decided on the state after `expected_sequence` (`View.sequence`).

        Takes effect once, however often it is sent. After ServerUnavailable its effect is unknown;
        to be able to ask again, bring a request_id.

        Raises IllegalAction, NotYourTurn, StaleSequence, MatchOver.
        """
        request = ActRequest(
            name=self.name,
            action=action,
            expected_sequence=expected_sequence,
            request_id=request_id or new_request_id(),
            want_view=want_view,
        )
        connection = self._connection
        return await connection.call(connection.matches.Act, request, self._token)

    async def suggest_actions(
        self,
        *,
        bot: str = "",
        think_time_s: float | None = None,
        max_suggestions: int = 0,
        language_code: str = "",
        seed: int = 0,
    ) -> SuggestActionsResponse:
        """What this seat may do now, best first, each with its reason and a sentence.

        Raises NotYourTurn, MatchOver, and HintsOff where the match gives no hints.
        """
        return await ask(
            self._connection,
            self.name,
            self._token,
            bot=bot,
            think_time_s=think_time_s,
            max_suggestions=max_suggestions,
            language_code=language_code,
            seed=seed,
        )

    async def resign(self, *, request_id: str | None = None) -> View:
        """Gives up; the other seat wins."""
        request = ResignMatchRequest(name=self.name, request_id=request_id or new_request_id())
        connection = self._connection
        return (await connection.call(connection.matches.ResignMatch, request, self._token)).view

    async def claim(self, *, request_id: str | None = None) -> View:
        """Wins the match of an opponent who has been away for longer than `Clock.absence_grace`.

        Raises NotClaimable while he has not, with the time from which he will have been.
        """
        request = ClaimMatchRequest(name=self.name, request_id=request_id or new_request_id())
        connection = self._connection
        return (await connection.call(connection.matches.ClaimMatch, request, self._token)).view

    async def abort(self, *, request_id: str | None = None) -> Match:
        """Ends the match without a winner: for the host, or a seat before its first action."""
        request = AbortMatchRequest(name=self.name, request_id=request_id or new_request_id())
        connection = self._connection
        return (await connection.call(connection.matches.AbortMatch, request, self._token)).match

    async def reissue_token(self, seat: int = 0) -> str:
        """A new token for a person's seat, or with 0 for the host, whose token this has to be.

        The one before stops working at once; streams opened with it raise BadToken. A lost reply to
        a new host token loses that one: `create_match` with its request_id gives others.
        """
        request = ReissueTokenRequest(name=self.name, seat=seat)
        connection = self._connection
        return (await connection.call(connection.matches.ReissueToken, request, self._token)).token

    async def erase_player(self, seat: int) -> Match:
        """Takes a person's names out of the match and all that is stored of it, for good.

        For the host at any time; for the seat's own token once the match has ended. Raises
        MatchNotOver.
        """
        request = ErasePlayerRequest(name=self.name, seat=seat)
        connection = self._connection
        return (await connection.call(connection.matches.ErasePlayer, request, self._token)).match

    def watch(
        self,
        *,
        after_sequence: int | None = None,
        heartbeat_s: float | None = None,
        on_connection: Callable[[bool], None] = lambda _: None,
    ) -> AsyncGenerator[Update, None]:
        """A view, then every later event; or, with `after_sequence`, every event after it.

        When the connection is lost it comes back by itself and goes on with the next event: none
        comes twice and none is left out. Presence, heartbeats and the server's farewell come as
        notices between the events. Ends after the match's last event. Raises ServerUnavailable when
        the server stays away, SequenceGap when it skips an event, and its refusals as they are.
        `on_connection` is called with False when the connection is lost and with True when it is
        back, so that a person can be told.

        To leave early with the stream closed at once: `async with aclosing(match.watch()) as ...`.
        """
        cursor = Cursor(after_sequence)
        connection = self._connection
        metadata = connection.metadata(self._token)
        return Follower[WatchMatchRequest, WatchMatchResponse](
            connection,
            self.name,
            cursor,
            heartbeat_s,
            lambda: connection.matches.WatchMatch(
                watch_request(self.name, cursor, heartbeat_s), metadata=metadata
            ),
            lambda response: response,
            on_connection=on_connection,
        ).updates()

    def play(
        self, *, after_sequence: int | None = None, heartbeat_s: float | None = None
    ) -> PlaySession:
        """Commands and updates over one stream, which costs less than `act` and `watch`.

        ```python
        async with match.play() as session:
            async for update in session: ...
                await session.act(action, expected_sequence=sequence)
        ```
        """
        return PlaySession(self._connection, self.name, self._token, after_sequence, heartbeat_s)
