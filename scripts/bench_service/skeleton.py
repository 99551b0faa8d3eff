"""The limit: a bare grpc.aio server that moves the messages of a match and computes nothing.

It speaks MatchService: each move is answered and shown to both seats and every spectator, as the
service does, but there are no cards, rules, tokens, checks or log. What the service costs beyond
this is its own; the rest is what gRPC in Python costs.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

import grpc.aio
import uvloop

from ginrummy.server.serving import channel_options
from ginrummy.v1 import action_pb2, cards_pb2, events_pb2, match_pb2, view_pb2
from ginrummy.v1 import match_service_pb2 as pb
from ginrummy.v1 import match_service_pb2_grpc as pb_grpc

CARD = cards_pb2.CARD_KS


class Follower:
    """What waits to be written to one stream."""

    def __init__(self) -> None:
        self.updates: deque[Any] = deque()
        self._news = asyncio.Event()

    def show(self, update: Any) -> None:
        self.updates.append(update)
        self._news.set()

    async def take(self) -> list[Any]:
        if not self.updates:
            self._news.clear()
            await self._news.wait()
        taken = list(self.updates)
        self.updates.clear()
        return taken


class Table:
    """One match: a number, whose turn it is, and who follows."""

    def __init__(self) -> None:
        self.sequence = 1
        self.to_act = 1
        self.followers: list[Follower] = []

    def move(self, action: action_pb2.Action) -> events_pb2.MatchEvent:
        self.sequence += 1
        seat = self.to_act
        event = events_pb2.MatchEvent(sequence=self.sequence, seat=seat)
        event.time.GetCurrentTime()
        if action.HasField("draw"):
            event.card_drawn.pile = action_pb2.PILE_STOCK
            event.card_drawn.card = CARD
        else:
            event.card_discarded.card = CARD
            self.to_act = 3 - seat
        event.to_act = self.to_act
        return event


class Skeleton(pb_grpc.MatchServiceServicer):
    """Answers what the benchmark asks."""

    def __init__(self) -> None:
        self._tables: dict[str, Table] = {}

    async def CreateMatch(self, request: Any, context: Any) -> Any:
        name = f"matches/{secrets.token_hex(16)}"
        self._tables[name] = Table()
        match = match_pb2.Match(name=name)
        return pb.CreateMatchResponse(match=match, host_token=name, seat_tokens={1: "1", 2: "2"})

    async def AbortMatch(self, request: Any, context: Any) -> Any:
        self._tables.pop(request.name, None)
        return pb.AbortMatchResponse()

    async def WatchMatch(self, request: Any, context: Any) -> None:  # type: ignore[override]
        table = self._tables[request.name]
        follower = Follower()
        table.followers.append(follower)
        response = pb.WatchMatchResponse()
        response.snapshot.sequence, response.snapshot.to_act = table.sequence, table.to_act
        await context.write(response)
        try:
            while True:
                await context.write(pb.WatchMatchResponse(events=await follower.take()))
        finally:
            table.followers.remove(follower)

    async def Act(self, request: Any, context: Any) -> Any:
        table = self._tables[request.name]
        event = table.move(request.action)
        for follower in table.followers:
            follower.show(event)
        view = view_pb2.View(sequence=event.sequence) if request.want_view else None
        return pb.ActResponse(events=[event], view=view)

    async def Play(self, requests: AsyncIterator[Any], context: Any) -> None:  # type: ignore[override]
        first = await anext(requests)
        table = self._tables[first.watch.name]
        follower = Follower()
        table.followers.append(follower)
        response = pb.PlayResponse()
        response.update.snapshot.sequence = table.sequence
        response.update.snapshot.to_act = table.to_act
        await context.write(response)
        reading = asyncio.create_task(self._read(requests, table, follower))
        try:
            while True:
                taken = await follower.take()
                response = pb.PlayResponse()
                response.update.events.extend(e for e in taken if hasattr(e, "to_act"))
                response.replies.extend(r for r in taken if hasattr(r, "ok"))
                await context.write(response)
        finally:
            reading.cancel()
            table.followers.remove(follower)

    async def _read(self, requests: AsyncIterator[Any], table: Table, follower: Follower) -> None:
        async for request in requests:
            event = table.move(request.act.action)
            reply = pb.PlayReply(
                correlation_id=request.correlation_id, ok=True, sequence=table.sequence
            )
            follower.show(reply)
            for other in table.followers:
                other.show(event)


async def serve() -> None:
    server = grpc.aio.server(options=channel_options())
    pb_grpc.add_MatchServiceServicer_to_server(Skeleton(), server)  # type: ignore[abstract]
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(json.dumps({"address": f"127.0.0.1:{port}"}) + "\n")
    sys.stdout.flush()
    await server.wait_for_termination()


if __name__ == "__main__":
    uvloop.run(serve())
