"""The limit: a bare grpc.aio server that moves the messages of a match and computes nothing.

It speaks MatchService: each move is answered and shown to both seats and every spectator, as the
service does, but there are no cards, rules, tokens, checks or log. What the service costs beyond
this is its own; the rest is what gRPC in Python costs. It needs only grpcio and the messages, no
generated service and nothing of ours, so that any release of grpcio runs it.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import secrets
import sys
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

import grpc.aio
import uvloop
from google.protobuf.message_factory import GetMessageClass

from ginrummy.v1 import action_pb2, cards_pb2, events_pb2, match_pb2, view_pb2
from ginrummy.v1 import match_service_pb2 as pb

SERVICE = pb.DESCRIPTOR.services_by_name["MatchService"]
KINDS: dict[tuple[bool, bool], Any] = {
    (False, False): grpc.unary_unary_rpc_method_handler,
    (False, True): grpc.unary_stream_rpc_method_handler,
    (True, True): grpc.stream_stream_rpc_method_handler,
}
"""By whether the client streams, and whether the server does."""
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


class Skeleton:
    """Answers what the benchmark asks."""

    def __init__(self) -> None:
        self._tables: dict[str, Table] = {}

    def add_to(self, server: Any) -> None:
        """Serves it as generated code does, which refuses grpcio older than its generator."""
        handlers = {
            method.name: KINDS[method.client_streaming, method.server_streaming](
                getattr(self, method.name),
                GetMessageClass(method.input_type).FromString,
                GetMessageClass(method.output_type).SerializeToString,
            )
            for method in SERVICE.methods
            if hasattr(self, method.name)
        }
        generic = grpc.method_handlers_generic_handler(SERVICE.full_name, handlers)
        server.add_generic_rpc_handlers((generic,))
        # Newer releases find such a method without asking the handlers above.
        if hasattr(server, "add_registered_method_handlers"):
            server.add_registered_method_handlers(SERVICE.full_name, handlers)

    async def CreateMatch(self, request: Any, context: Any) -> Any:
        name = f"matches/{secrets.token_hex(16)}"
        self._tables[name] = Table()
        match = match_pb2.Match(name=name)
        return pb.CreateMatchResponse(match=match, host_token=name, seat_tokens={1: "1", 2: "2"})

    async def AbortMatch(self, request: Any, context: Any) -> Any:
        self._tables.pop(request.name, None)
        return pb.AbortMatchResponse()

    async def WatchMatch(self, request: Any, context: Any) -> None:
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

    async def Play(self, requests: AsyncIterator[Any], context: Any) -> None:
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


def options() -> argparse.Namespace:
    """What the caller chose."""
    parser = argparse.ArgumentParser(prog="bench_service.skeleton")
    parser.add_argument("--options", default="[]", help="of the server, as pairs in JSON")
    parser.add_argument("--loop", choices=("asyncio", "uvloop"), default="uvloop")
    parser.add_argument("--gc-threshold", type=int, help="new objects before garbage is sought")
    parser.add_argument("--turns", action="store_true", help="threads do not interrupt each other")
    return parser.parse_args()


async def serve(options: list[tuple[str, Any]]) -> None:
    """Until it is killed. The first line tells where, and by which release of grpcio."""
    server = grpc.aio.server(options=options)
    Skeleton().add_to(server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    ready = {"address": f"127.0.0.1:{port}", "grpcio": grpc.__version__}
    sys.stdout.write(json.dumps(ready) + "\n")
    sys.stdout.flush()
    await server.wait_for_termination()


if __name__ == "__main__":
    given = options()
    if given.gc_threshold is not None:
        gc.set_threshold(given.gc_threshold)
    if given.turns:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    run = uvloop.run if given.loop == "uvloop" else asyncio.run
    run(serve([(name, value) for name, value in json.loads(given.options)]))
