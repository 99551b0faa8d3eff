"""A server that does what a test tells it: drops streams, loses replies, skips events.

It knows no rules. A match is a list of events; an accepted action adds one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, cast

import grpc
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]
from grpc import aio

from ginrummy.v1 import catalog_service_pb2 as catalog
from ginrummy.v1 import match_service_pb2 as pb
from ginrummy.v1.catalog_service_pb2_grpc import (
    CatalogServiceServicer,
    add_CatalogServiceServicer_to_server,
)
from ginrummy.v1.events_pb2 import CardDiscarded, GoingAway, Heartbeat, MatchEvent, Notice
from ginrummy.v1.match_pb2 import Match, MatchResult, MatchState
from ginrummy.v1.match_service_pb2_grpc import (
    MatchServiceServicer,
    add_MatchServiceServicer_to_server,
)
from ginrummy.v1.rules_pb2 import Ruleset
from ginrummy.v1.view_pb2 import Phase, View
from tests.ports import free_port

Context = aio.ServicerContext[Any, Any]


@dataclass
class Refusal:
    """A failure with its details, as the real server sends them."""

    code: grpc.StatusCode
    message: str = ""
    reason: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    retry_after_s: float | None = None
    violations: list[tuple[str, str]] = field(default_factory=list)

    def trailers(self) -> tuple[tuple[str, bytes], ...]:
        status = status_pb2.Status(code=self.code.value[0], message=self.message)
        if self.reason:
            info = error_details_pb2.ErrorInfo(
                domain="ginrummy", reason=self.reason, metadata=self.metadata
            )
            status.details.add().Pack(info)
        if self.retry_after_s is not None:
            retry = error_details_pb2.RetryInfo()
            retry.retry_delay.FromMilliseconds(round(self.retry_after_s * 1000))
            status.details.add().Pack(retry)
        if self.violations:
            bad = error_details_pb2.BadRequest()
            for path, description in self.violations:
                bad.field_violations.add(field=path, description=description)
            status.details.add().Pack(bad)
        return (("grpc-status-details-bin", status.SerializeToString()),)

    async def abort(self, context: Context) -> None:
        await context.abort(self.code, self.message, cast("Any", self.trailers()))


# One step of a scripted stream: something to send, a wait, or a way to end.
Step = pb.WatchMatchResponse | Refusal | Callable[[], Awaitable[None]]
# Stands for a stream that stays open and silent.
SILENCE: Step = asyncio.Event().wait  # type: ignore[assignment]


# What a Play stream sends: messages, and how it ends.
Outbox = asyncio.Queue[pb.PlayResponse | Refusal | None]


class DropStream(Exception):  # noqa: N818
    """Ends a stream as a dying process does: the client reads CANCELLED."""


async def drop() -> None:
    raise DropStream


class FakeServer(MatchServiceServicer, CatalogServiceServicer):
    """Each call takes the next entry of its script; after the last, all goes well."""

    def __init__(self) -> None:
        self.events: list[MatchEvent] = []
        self.acts: dict[str, int] = {}
        self.failures: dict[str, list[Refusal | None]] = {}
        self.lost_replies = 0
        self.watch_scripts: list[list[Step]] = []
        self.play_reply_losses = 0
        self.plays_together = False
        self.play_refusals: list[pb.PlayReply] = []
        self.calls: list[tuple[str, Any, dict[str, str]]] = []
        self.serving = True
        self.checks = 0
        self.answered_checks: int | None = None
        self.address = ""
        self._server: aio.Server | None = None
        self._news = asyncio.Condition()

    # -------------------------------------------------------------- its life

    async def start(self, port: int | None = None) -> None:
        port = port or free_port()
        # One server per port: a test that restarts one has to find out.
        self._server = aio.server(options=[("grpc.so_reuseport", 0)])
        add_MatchServiceServicer_to_server(cast("Any", self), cast("Any", self._server))
        add_CatalogServiceServicer_to_server(cast("Any", self), cast("Any", self._server))
        check: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(
            cast("Any", self._check)
        )
        self._server.add_generic_rpc_handlers(
            [grpc.method_handlers_generic_handler("grpc.health.v1.Health", {"Check": check})]
        )
        bound = self._server.add_insecure_port(f"127.0.0.1:{port}")
        self.address = f"127.0.0.1:{bound}"
        await self._server.start()

    async def stop(self) -> None:
        if self._server is not None:
            await self._server.stop(None)
            self._server = None

    async def restart(self) -> None:
        port = int(self.address.rpartition(":")[2])
        await self.stop()
        await self.start(port)

    async def _check(self, request: bytes, context: Context) -> bytes:
        self.checks += 1
        if self.answered_checks is not None and self.checks > self.answered_checks:
            await asyncio.Event().wait()
        return b"\x08\x01" if self.serving else b"\x08\x02"

    async def _begin(self, call: str, request: Any, context: Context) -> None:
        """Records the call, and refuses it when the script says so."""
        metadata = {str(key): str(value) for key, value in context.invocation_metadata() or ()}
        kept = type(request)()
        kept.CopyFrom(request)
        self.calls.append((call, kept, metadata))
        script = self.failures.get(call)
        if script and (refusal := script.pop(0)) is not None:
            await refusal.abort(context)

    def requests(self, call: str) -> list[Any]:
        return [request for name, request, _ in self.calls if name == call]

    # ------------------------------------------------------------- the match

    async def happen(self, count: int = 1, *, ended: bool = False) -> None:
        async with self._news:
            for _ in range(count):
                self.events.append(
                    MatchEvent(sequence=len(self.events) + 1, card_discarded=CardDiscarded())
                )
            if ended:
                self.events[-1].match_ended.CopyFrom(MatchResult(winner=1))
            self._news.notify_all()

    @property
    def is_over(self) -> bool:
        return bool(self.events) and self.events[-1].HasField("match_ended")

    def view(self) -> View:
        phase = Phase.PHASE_MATCH_OVER if self.is_over else Phase.PHASE_DRAW
        return View(match="matches/m", sequence=len(self.events), phase=phase)

    async def accept(self, request_id: str, *, ended: bool = False) -> tuple[int, bool]:
        """Sequence number of the action's event, and whether it had been accepted before."""
        if request_id in self.acts:
            return self.acts[request_id], True
        await self.happen(ended=ended)
        self.acts[request_id] = len(self.events)
        return len(self.events), False

    # --------------------------------------------------------------- streams

    async def _updates(self, request: pb.WatchMatchRequest) -> AsyncIterator[pb.WatchMatchResponse]:
        sequence = request.after_sequence
        if not request.HasField("after_sequence"):
            sequence = len(self.events)
            yield pb.WatchMatchResponse(snapshot=self.view())
        while True:
            if sequence < len(self.events):
                later = self.events[sequence:]
                sequence += len(later)
                yield pb.WatchMatchResponse(events=later)
            if self.is_over:
                return
            async with self._news:
                await self._news.wait_for(lambda: len(self.events) > sequence)  # noqa: B023

    async def WatchMatch(
        self, request: pb.WatchMatchRequest, context: Context
    ) -> AsyncIterator[pb.WatchMatchResponse]:
        await self._begin("WatchMatch", request, context)
        if not self.watch_scripts:
            async for update in self._updates(request):
                yield update
            return
        for step in self.watch_scripts.pop(0):
            if isinstance(step, pb.WatchMatchResponse):
                yield step
            elif isinstance(step, Refusal):
                await step.abort(context)
            else:
                try:
                    await step()
                except DropStream:
                    await context.abort(grpc.StatusCode.CANCELLED, "")

    async def Play(
        self, requests: AsyncIterator[pb.PlayRequest], context: Context
    ) -> AsyncIterator[pb.PlayResponse]:
        first = await anext(requests)
        await self._begin("Play", first.watch, context)
        outbox: Outbox = asyncio.Queue()
        outbox.put_nowait(pb.PlayResponse(replies=[pb.PlayReply(ok=True)]))
        tasks = [
            asyncio.create_task(self._play_updates(first.watch, outbox)),
            asyncio.create_task(self._play_commands(requests, outbox)),
        ]
        try:
            while (item := await outbox.get()) is not None:
                if isinstance(item, Refusal):
                    await item.abort(context)
                else:
                    if self.plays_together:
                        await merge_waiting(item, outbox)
                    yield item
        finally:
            for task in tasks:
                task.cancel()

    async def _play_updates(self, request: pb.WatchMatchRequest, outbox: Outbox) -> None:
        async for update in self._updates(request):
            outbox.put_nowait(pb.PlayResponse(update=update))
        outbox.put_nowait(None)

    async def _play_commands(self, requests: AsyncIterator[pb.PlayRequest], outbox: Outbox) -> None:
        async for command in requests:
            self.calls.append(("Play.command", command, {}))
            reply = pb.PlayReply(ok=True)
            if self.play_refusals:
                reply = self.play_refusals.pop(0)
            else:
                kind = command.WhichOneof("command") or "act"
                request_id = getattr(command, kind).request_id
                sequence, replayed = await self.accept(request_id, ended=kind != "act")
                reply.sequence, reply.replayed = sequence, replayed
            reply.correlation_id = command.correlation_id
            if self.play_reply_losses:
                self.play_reply_losses -= 1
                outbox.put_nowait(Refusal(grpc.StatusCode.UNAVAILABLE, "connection reset"))
                return
            outbox.put_nowait(pb.PlayResponse(replies=[reply]))

    async def WatchMatches(
        self, request: pb.WatchMatchesRequest, context: Context
    ) -> AsyncIterator[pb.WatchMatchesResponse]:
        await self._begin("WatchMatches", request, context)
        yield pb.WatchMatchesResponse(match=Match(name="matches/m"))
        await context.abort(grpc.StatusCode.CANCELLED, "")

    # ----------------------------------------------------------------- calls

    async def Act(self, request: pb.ActRequest, context: Context) -> pb.ActResponse:
        await self._begin("Act", request, context)
        sequence, replayed = await self.accept(request.request_id)
        if self.lost_replies:
            self.lost_replies -= 1
            await Refusal(grpc.StatusCode.UNAVAILABLE, "connection reset").abort(context)
        return pb.ActResponse(events=[self.events[sequence - 1]], replayed=replayed)

    async def ResignMatch(
        self, request: pb.ResignMatchRequest, context: Context
    ) -> pb.ResignMatchResponse:
        await self._begin("ResignMatch", request, context)
        await self.accept(request.request_id, ended=True)
        return pb.ResignMatchResponse(view=self.view())

    async def AbortMatch(
        self, request: pb.AbortMatchRequest, context: Context
    ) -> pb.AbortMatchResponse:
        await self._begin("AbortMatch", request, context)
        return pb.AbortMatchResponse(match=Match(state=MatchState.MATCH_STATE_ABORTED))

    async def ClaimMatch(
        self, request: pb.ClaimMatchRequest, context: Context
    ) -> pb.ClaimMatchResponse:
        await self._begin("ClaimMatch", request, context)
        await self.accept(request.request_id, ended=True)
        return pb.ClaimMatchResponse(view=self.view())

    async def ReissueToken(
        self, request: pb.ReissueTokenRequest, context: Context
    ) -> pb.ReissueTokenResponse:
        await self._begin("ReissueToken", request, context)
        return pb.ReissueTokenResponse(token="NEW-SECRET")

    async def ErasePlayer(
        self, request: pb.ErasePlayerRequest, context: Context
    ) -> pb.ErasePlayerResponse:
        await self._begin("ErasePlayer", request, context)
        return pb.ErasePlayerResponse(match=Match(name=request.name))

    async def GetView(self, request: pb.GetViewRequest, context: Context) -> pb.GetViewResponse:
        await self._begin("GetView", request, context)
        return pb.GetViewResponse(view=self.view())

    async def GetMatch(self, request: pb.GetMatchRequest, context: Context) -> pb.GetMatchResponse:
        await self._begin("GetMatch", request, context)
        running, finished = MatchState.MATCH_STATE_RUNNING, MatchState.MATCH_STATE_FINISHED
        state = finished if self.is_over else running
        match = Match(name=request.name, state=state, sequence=len(self.events))
        return pb.GetMatchResponse(match=match)

    async def CreateMatch(
        self, request: pb.CreateMatchRequest, context: Context
    ) -> pb.CreateMatchResponse:
        await self._begin("CreateMatch", request, context)
        return pb.CreateMatchResponse(
            match=Match(name="matches/m"), host_token="HOST-SECRET", seat_tokens={1: "SEAT-SECRET"}
        )

    async def JoinMatch(
        self, request: pb.JoinMatchRequest, context: Context
    ) -> pb.JoinMatchResponse:
        await self._begin("JoinMatch", request, context)
        return pb.JoinMatchResponse(seat=2, token="SEAT-SECRET", view=self.view())

    async def ListMatches(
        self, request: pb.ListMatchesRequest, context: Context
    ) -> pb.ListMatchesResponse:
        await self._begin("ListMatches", request, context)
        page = int(request.page_token or 1)
        return pb.ListMatchesResponse(
            matches=[Match(name=f"matches/{page}")],
            next_page_token="" if page == 3 else str(page + 1),
        )

    async def ListMatchEvents(
        self, request: pb.ListMatchEventsRequest, context: Context
    ) -> pb.ListMatchEventsResponse:
        await self._begin("ListMatchEvents", request, context)
        first = int(request.page_token or 0)
        rest = first + 2 < len(self.events)
        return pb.ListMatchEventsResponse(
            events=self.events[first : first + 2], next_page_token=str(first + 2) if rest else ""
        )

    async def GetServerInfo(
        self, request: catalog.GetServerInfoRequest, context: Context
    ) -> catalog.GetServerInfoResponse:
        await self._begin("GetServerInfo", request, context)
        return catalog.GetServerInfoResponse(version="0.1.0")

    async def ListRulesets(
        self, request: catalog.ListRulesetsRequest, context: Context
    ) -> catalog.ListRulesetsResponse:
        await self._begin("ListRulesets", request, context)
        return catalog.ListRulesetsResponse(
            rulesets=[Ruleset(name="rulesets/" + (request.page_token or "short"))],
            next_page_token="" if request.page_token else "solo",
        )

    async def GetRuleset(
        self, request: catalog.GetRulesetRequest, context: Context
    ) -> catalog.GetRulesetResponse:
        await self._begin("GetRuleset", request, context)
        return catalog.GetRulesetResponse(
            ruleset=Ruleset(name=request.name, rules=request.overrides)
        )

    async def ListBots(
        self, request: catalog.ListBotsRequest, context: Context
    ) -> catalog.ListBotsResponse:
        await self._begin("ListBots", request, context)
        return catalog.ListBotsResponse(bots=[catalog.Bot(name="bots/simple")])


async def merge_waiting(message: pb.PlayResponse, outbox: Outbox) -> None:
    """Adds to `message` what comes within a moment, up to the stream's end."""
    await asyncio.sleep(0.03)
    while not outbox.empty():
        item = outbox.get_nowait()
        if not isinstance(item, pb.PlayResponse):
            outbox.put_nowait(item)
            return
        message.MergeFrom(item)


# ------------------------------------------------------------ words of a script


def snapshot(sequence: int) -> pb.WatchMatchResponse:
    return pb.WatchMatchResponse(snapshot=View(sequence=sequence, phase=Phase.PHASE_DRAW))


def event(sequence: int, *, ended: bool = False) -> pb.WatchMatchResponse:
    happened = MatchEvent(sequence=sequence, card_discarded=CardDiscarded())
    if ended:
        happened.match_ended.CopyFrom(MatchResult(winner=1))
    return pb.WatchMatchResponse(events=[happened])


def heartbeat() -> pb.WatchMatchResponse:
    return pb.WatchMatchResponse(notices=[Notice(heartbeat=Heartbeat())])


def going_away(retry_after_s: float) -> pb.WatchMatchResponse:
    goodbye = GoingAway()
    goodbye.retry_after.FromMilliseconds(round(retry_after_s * 1000))
    return pb.WatchMatchResponse(notices=[Notice(going_away=goodbye)])


def together(*messages: pb.WatchMatchResponse) -> pb.WatchMatchResponse:
    """One message with all that these have: their bytes, one after the other, are it."""
    raw = b"".join(message.SerializeToString() for message in messages)
    return pb.WatchMatchResponse.FromString(raw)
