"""MatchService: each call read, decided by the tables, answered."""

import asyncio
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from ginrummy.log import RowFilter, TailLagged
from ginrummy.server.auth import (
    Entered,
    Who,
    bearer_token,
    caller_of,
    host_of,
    player_of,
    viewer_of,
)
from ginrummy.server.convert.actions import action_from_wire
from ginrummy.server.convert.fields import (
    match_id_from_wire,
    page_size_from_wire,
    request_id_from_wire,
    seat_number_from_wire,
)
from ginrummy.server.convert.matches import labels_from_wire, match_to_wire, setup_from_wire
from ginrummy.server.convert.seats import human_from_wire, human_seat_from_wire, role_from_wire
from ginrummy.server.convert.views import view_to_bytes, view_to_wire
from ginrummy.server.edge import Context, answered
from ginrummy.server.encoding import (
    ACT_EVENT,
    ACT_VIEW,
    GOT_VIEW,
    SNAPSHOT,
    delimited,
    repeated,
)
from ginrummy.server.gate import Gate
from ginrummy.server.keys import KeyRing
from ginrummy.server.limits import LONGEST_EVENTS_PAGE
from ginrummy.server.listing import filter_from_wire, list_matches, news_to_wire
from ginrummy.server.past_events import list_events, page_from_wire
from ginrummy.server.play_stream import PlayStream
from ginrummy.server.refusals import BadField, SlowConsumer
from ginrummy.server.streams import (
    StreamWriter,
    heartbeat_s_from_wire,
    in_own_task,
    updates_to_wire,
)
from ginrummy.tables import play
from ginrummy.tables.about import note
from ginrummy.tables.creation import create_match
from ginrummy.tables.errors import Draining, WrongSeat
from ginrummy.tables.registry import Tables
from ginrummy.tables.rows import index_row
from ginrummy.tables.table import Table
from ginrummy.tables.tokens import HOST, Holder
from ginrummy.tables.views import view_of
from ginrummy.tables.watcher import Watcher
from ginrummy.v1 import match_service_pb2 as pb
from ginrummy.v1 import match_service_pb2_grpc as pb_grpc

USUAL_EVENTS_PAGE = 500
RECENT_NEWS = 64
"""Messages kept for those who follow all matches, as most of them are sent the same."""


def _match_id(name: str) -> str:
    match_id = match_id_from_wire(name, "name")
    note(match=match_id)
    return match_id


class MatchService(pb_grpc.MatchServiceServicer):
    """The life of a match."""

    def __init__(self, tables: Tables, gate: Gate, keys: KeyRing, *, seeds_allowed: bool) -> None:
        self.gate = gate
        self._keys = keys
        self._tables = tables
        self._seeds_allowed = seeds_allowed
        self._listing_turn = asyncio.Lock()
        """One page is made at a time, so that others have a turn between two parts of pages."""
        self.check_open = tables.check_open
        self._match_to_wire = partial(match_to_wire, lifetimes=tables.lifetimes)
        self._news_to_wire = lru_cache(RECENT_NEWS)(
            partial(news_to_wire, lifetimes=tables.lifetimes)
        )

    def _asked_by(
        self, find: Callable[[Table, Holder | None], Who], name: str, context: Context
    ) -> Entered[Who]:
        """The table that a call is about, and who calls, by its token, as `find` tells."""
        return Entered(self._tables, _match_id(name), bearer_token(context), find)

    @answered
    async def CreateMatch(
        self, request: pb.CreateMatchRequest, context: Context
    ) -> pb.CreateMatchResponse:
        self._keys.check(context)
        setup = setup_from_wire(request)
        request_id = request_id_from_wire(request.request_id)
        created = await create_match(
            self._tables, setup, request_id, seeds_allowed=self._seeds_allowed
        )
        given = dict(created.tokens)
        return pb.CreateMatchResponse(
            match=self._match_to_wire(created.row),
            host_token=given.pop(HOST),
            seat_tokens={int(seat): token for seat, token in given.items()},
        )

    @answered
    async def JoinMatch(
        self, request: pb.JoinMatchRequest, context: Context
    ) -> pb.JoinMatchResponse:
        request_id = request_id_from_wire(request.request_id)
        player = human_from_wire(request.player, "player")
        seat = None
        if request.HasField("seat"):
            seat = seat_number_from_wire(request.seat, "seat")
        match_id = _match_id(request.name)
        await play.check_room(self._tables, match_id, request_id)
        async with self._tables.use(match_id) as table:
            joined = await play.join(table, seat, player, request_id)
            view = view_to_wire(view_of(table, joined.seat))
        return pb.JoinMatchResponse(seat=joined.seat, token=joined.token, view=view)

    @answered
    async def GetMatch(self, request: pb.GetMatchRequest, context: Context) -> pb.GetMatchResponse:
        match_id = _match_id(request.name)
        row = await self._tables.index.row(match_id)
        return pb.GetMatchResponse(match=await self._tables.index.shown(row, self._match_to_wire))

    @answered
    async def ListMatches(
        self, request: pb.ListMatchesRequest, context: Context
    ) -> pb.ListMatchesResponse:
        self._keys.check(context)
        page_size = page_size_from_wire(request.page_size)
        chosen = filter_from_wire(request)
        with self.gate.listings.one(self.gate.caller_of(context)):
            async with self._listing_turn:
                return await list_matches(self._tables, chosen, page_size, request.page_token)

    @answered
    async def GetView(  # type: ignore[override] # serialised already
        self, request: pb.GetViewRequest, context: Context
    ) -> bytes:
        async with self._asked_by(viewer_of, request.name, context) as (table, viewer):
            return GOT_VIEW + delimited(view_to_bytes(view_of(table, viewer.number)))

    @answered
    async def WatchMatch(  # type: ignore[override] # written through the context
        self, request: pb.WatchMatchRequest, context: Context
    ) -> None:
        quiet_s = heartbeat_s_from_wire(request, "heartbeat")
        async with self._asked_by(viewer_of, request.name, context) as (table, viewer):
            wants_snapshot = not request.HasField("after_sequence")
            after = table.state.head if wants_snapshot else request.after_sequence
            del request
            with (
                table.audience.watch(viewer.number, after, quiet_s, viewer.role) as watcher,
                StreamWriter(context) as writer,
            ):
                if wants_snapshot:
                    view = view_to_bytes(view_of(table, viewer.number))
                    await writer.write(SNAPSHOT + delimited(view))
                else:
                    await context.send_initial_metadata(())
                await in_own_task(self._show(watcher, writer))

    async def _show(self, watcher: Watcher, writer: StreamWriter) -> None:
        while (news := await watcher.updates()) is not None:
            for response in updates_to_wire(news, self._tables):
                await writer.write(response)

    @answered
    async def Act(  # type: ignore[override] # serialised already
        self, request: pb.ActRequest, context: Context
    ) -> bytes:
        request_id = request_id_from_wire(request.request_id)
        if not request.expected_sequence:
            raise BadField("expected_sequence", "is required")
        async with self._asked_by(player_of, request.name, context) as (table, player):
            action = action_from_wire(request.action, "action")
            seat, expected = player.seat, request.expected_sequence
            answer = await play.act(table, seat, action, expected, request_id, by=player.holder)
            response = repeated(ACT_EVENT, table.audience.encode(answer.happened, seat))
            if request.want_view:
                response += ACT_VIEW + delimited(view_to_bytes(view_of(table, seat)))
        if answer.replayed:
            response += pb.ActResponse(replayed=True).SerializeToString()
        return response

    @answered
    async def Play(  # type: ignore[override] # written through the context
        self, requests: Any, context: Context
    ) -> None:
        await PlayStream(self._tables, self.gate.commands(context), requests, context).run()

    @answered
    async def ResignMatch(
        self, request: pb.ResignMatchRequest, context: Context
    ) -> pb.ResignMatchResponse:
        request_id = request_id_from_wire(request.request_id)
        async with self._asked_by(player_of, request.name, context) as (table, player):
            await play.resign(table, player.seat, request_id, by=player.holder)
            return pb.ResignMatchResponse(view=view_to_wire(view_of(table, player.seat)))

    @answered
    async def AbortMatch(
        self, request: pb.AbortMatchRequest, context: Context
    ) -> pb.AbortMatchResponse:
        request_id = request_id_from_wire(request.request_id)
        async with self._asked_by(caller_of, request.name, context) as (table, caller):
            await play.abort(table, caller.seat, request_id, by=caller)
            return pb.AbortMatchResponse(match=self._match_to_wire(index_row(table.state, None)))

    @answered
    async def ClaimMatch(
        self, request: pb.ClaimMatchRequest, context: Context
    ) -> pb.ClaimMatchResponse:
        request_id = request_id_from_wire(request.request_id)
        async with self._asked_by(player_of, request.name, context) as (table, player):
            await play.claim(table, player.seat, request_id, by=player.holder)
            return pb.ClaimMatchResponse(view=view_to_wire(view_of(table, player.seat)))

    @answered
    async def ReissueToken(
        self, request: pb.ReissueTokenRequest, context: Context
    ) -> pb.ReissueTokenResponse:
        async with self._asked_by(host_of, request.name, context) as (table, host):
            role = role_from_wire(request.seat, table.state.occupants, "seat")
            return pb.ReissueTokenResponse(token=await play.reissue_token(table, role, host))

    @answered
    async def ErasePlayer(
        self, request: pb.ErasePlayerRequest, context: Context
    ) -> pb.ErasePlayerResponse:
        async with self._asked_by(caller_of, request.name, context) as (table, caller):
            seat = human_seat_from_wire(request.seat, table.state.occupants, "seat")
            if caller.seat not in (None, seat):
                raise WrongSeat("a seat's token erases its own player only")
            await table.erase(seat, caller)
            return pb.ErasePlayerResponse(match=self._match_to_wire(index_row(table.state, None)))

    @answered
    async def ListMatchEvents(  # type: ignore[override] # serialised already
        self, request: pb.ListMatchEventsRequest, context: Context
    ) -> bytes:
        match_id = _match_id(request.name)
        page_size = page_size_from_wire(request.page_size, USUAL_EVENTS_PAGE, LONGEST_EVENTS_PAGE)
        after = page_from_wire(request.page_token)
        with self.gate.event_listings.one(self.gate.caller_of(context)):
            row = await self._tables.index.row(match_id)
            return await list_events(self._tables, row, after, page_size)

    @answered
    async def WatchMatches(  # type: ignore[override] # written through the context
        self, request: pb.WatchMatchesRequest, context: Context
    ) -> None:
        self._keys.check(context)
        labels = labels_from_wire(request.labels, "labels")
        del request
        chosen = RowFilter(labels=labels, include_unlisted=bool(labels))
        with (
            self._tables.follow() as news,
            self._keys.holding(context, news.close) as holder,
            StreamWriter(context) as writer,
        ):
            await context.send_initial_metadata(())
            try:
                async for appended in news:
                    if chosen.admits(appended.row):
                        await writer.write(self._news_to_wire(appended))
            except TailLagged:
                raise SlowConsumer from None
            holder.check()
            raise Draining  # the tables have closed
