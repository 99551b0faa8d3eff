"""Two people at a table, who act in turn by plain calls and note what they were answered."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import grpc

from ginrummy.server.convert.actions import action_from_wire
from ginrummy.v1 import match_service_pb2 as pb
from tests.server.players import HUMAN, LONG, Desk, Player, new_request_id

from .crowd import CONNECTS_SOON
from .record import Asked, Holder, Record
from .servers import Server


@asynccontextmanager
async def desk_at(server: Server) -> AsyncIterator[Desk]:
    """A connection to the server."""
    async with grpc.aio.insecure_channel(server.address, CONNECTS_SOON) as channel:
        yield Desk(channel)


class Pair:
    """A match that goes on from server to server."""

    def __init__(self, record: Record, created: pb.CreateMatchResponse, desk: Desk) -> None:
        self.record = record
        self.created = created
        self.name = created.match.name
        self.match_id = self.name.removeprefix("matches/")
        self.players = [Player(desk, self.name, created.seat_tokens[n], n) for n in (1, 2)]
        tokens = dict(created.seat_tokens)
        record.matches[self.match_id] = Holder(self.name, created.host_token, tokens)

    @classmethod
    async def sit_down(cls, desk: Desk, record: Record, ruleset: str = "kawu") -> "Pair":
        """Sets a table."""
        request_id = new_request_id()
        match = pb.CreateMatchRequest(request_id=request_id)
        match.match.ruleset = f"rulesets/{ruleset}"
        match.match.overrides.CopyFrom(LONG)
        match.match.seats.extend([HUMAN, HUMAN])
        created = await desk.matches.CreateMatch(match, timeout=60)
        pair = cls(record, created, desk)
        asked = Asked(request_id, "create", pair.match_id, is_answered=True)
        record.asked[request_id] = asked
        return pair

    def move_to(self, desk: Desk) -> None:
        """Goes on over another connection."""
        for player in self.players:
            player.desk = desk

    async def next_request(self) -> pb.ActRequest:
        """What the player whose turn it is wants to do: the request that `send` sends."""
        one, two = self.players
        self.view = await one.view()
        if self.view.to_act == 2:
            self.view = await two.view()
        self.request = self.players[self.view.to_act - 1].act_request(self.view)
        return self.request

    async def send(self) -> pb.ActResponse:
        """Sends it for him, and notes the answer; the same request can be sent again."""
        request = self.request
        seat = self.view.viewer_seat
        asked = Asked(request.request_id, "act", self.match_id, seat)
        asked.action = cast("dict[str, Any]", action_from_wire(request.action, "action"))
        asked = self.record.asked.setdefault(request.request_id, asked)
        response = await self.players[seat - 1].send(request)
        asked.is_answered, asked.is_replayed = True, response.replayed
        asked.events = list(response.events)
        asked.last = asked.events[-1].sequence
        return response

    async def act(self, count: int = 1) -> None:
        """Plays so many actions."""
        for _ in range(count):
            await self.next_request()
            await self.send()
