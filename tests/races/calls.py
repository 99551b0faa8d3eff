"""Calls of MatchService without a connection: the servicer's own methods, and who calls them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import grpc
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]

from ginrummy.server.encoding import EventEncoder
from ginrummy.server.gate import Gate
from ginrummy.server.keys import KeyRing
from ginrummy.server.match_service import MatchService
from ginrummy.server.settings import Limits
from ginrummy.tables.audience import Sending
from ginrummy.tables.registry import Tables
from ginrummy.v1 import errors_pb2, match_pb2, view_pb2
from ginrummy.v1 import match_service_pb2 as pb

HUMAN = match_pb2.Seat(human=match_pb2.HumanSeat(display_name="Ann"))
OPEN = match_pb2.Seat(open=match_pb2.OpenSeat())


class Aborted(grpc.aio.AbortError):
    """A call that was answered with a failure."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Line:
    """Stands for a call's connection: keeps what is written."""

    def __init__(self, token: str = "") -> None:
        self.written: list[Any] = []
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return self._metadata

    def time_remaining(self) -> float:
        return 60.0

    def peer(self) -> str:
        return "ipv4:127.0.0.1:50000"

    def done(self) -> bool:
        return False

    async def send_initial_metadata(self, _: object) -> None:
        await asyncio.sleep(0)

    async def write(self, message: Any) -> None:
        await asyncio.sleep(0)
        self.written.append(message)

    async def abort(self, _code: object, _message: str, trailer: Any) -> None:
        status = status_pb2.Status.FromString(dict(trailer)["grpc-status-details-bin"])
        info = error_details_pb2.ErrorInfo()
        status.details[0].Unpack(info)
        raise Aborted(info.reason)


@dataclass(frozen=True, slots=True)
class Call:
    """A call that can be made again; tells, where it can, whether the first answer came again."""

    match_id: str
    request_id: str
    send: Callable[[], Awaitable[bool | None]]


class Office:
    """Where calls are made."""

    def __init__(self, tables: Tables) -> None:
        tables._sending = Sending(EventEncoder())
        self.tables = tables
        gate = Gate(Limits(require_deadlines=False), lambda _: "racer")
        self.service = MatchService(tables, gate, KeyRing(), seeds_allowed=True)

    async def create(self, seats: Iterable[match_pb2.Seat]) -> pb.CreateMatchResponse:
        request = self._creation(seats, str(uuid4()))
        return await self.service.CreateMatch(request, Line())  # type: ignore[arg-type]

    def _creation(self, seats: Iterable[match_pb2.Seat], request_id: str) -> pb.CreateMatchRequest:
        match = match_pb2.Match(ruleset="rulesets/short", seats=seats)
        return pb.CreateMatchRequest(match=match, request_id=request_id, seed=bytes([2] * 32))

    async def call(self, kind: str) -> Call:
        """A call of this kind, on a match of its own."""
        request_id = str(uuid4())
        if kind == "create":
            return await self._call_create(request_id)
        created = await self.create((HUMAN, OPEN) if kind == "join" else (HUMAN, HUMAN))
        name = created.match.name
        match_id = name.removeprefix("matches/")
        make = getattr(self, f"_{kind}")
        return Call(match_id, request_id, await make(name, created, request_id))

    async def _call_create(self, request_id: str) -> Call:
        request = self._creation((HUMAN, HUMAN), request_id)

        async def send() -> None:
            await self.service.CreateMatch(request, Line())  # type: ignore[arg-type]

        return Call("", request_id, send)

    async def _join(self, name: str, created: Any, request_id: str) -> Any:
        request = pb.JoinMatchRequest(name=name, request_id=request_id)

        async def send() -> None:
            await self.service.JoinMatch(request, Line())  # type: ignore[arg-type]

        return send

    async def _acting(self, name: str, created: Any) -> tuple[str, pb.ActRequest]:
        line: Any = Line(created.seat_tokens[1])
        view = await self._view(name, line)
        token = created.seat_tokens[view.to_act]
        line = Line(token)
        view = await self._view(name, line)
        act = pb.ActRequest(
            name=name, action=view.legal_actions[0], expected_sequence=view.sequence
        )
        return token, act

    async def _view(self, name: str, line: Any) -> view_pb2.View:
        response = await self.service.GetView(pb.GetViewRequest(name=name), line)
        return pb.GetViewResponse.FromString(response).view

    async def _act(self, name: str, created: Any, request_id: str) -> Any:
        token, request = await self._acting(name, created)
        request.request_id = request_id

        async def send() -> bool:
            response = await self.service.Act(request, Line(token))  # type: ignore[arg-type]
            return pb.ActResponse.FromString(response).replayed

        return send

    async def _resign(self, name: str, created: Any, request_id: str) -> Any:
        request = pb.ResignMatchRequest(name=name, request_id=request_id)

        async def send() -> None:
            line: Any = Line(created.seat_tokens[2])
            await self.service.ResignMatch(request, line)

        return send

    async def _abort(self, name: str, created: Any, request_id: str) -> Any:
        request = pb.AbortMatchRequest(name=name, request_id=request_id)

        async def send() -> None:
            line: Any = Line(created.host_token)
            await self.service.AbortMatch(request, line)

        return send

    async def _play_act(self, name: str, created: Any, request_id: str) -> Any:
        token, act = await self._acting(name, created)
        act.request_id = request_id
        return lambda: self._play(name, token, pb.PlayRequest(act=act))

    async def _play_resign(self, name: str, created: Any, request_id: str) -> Any:
        resign = pb.ResignMatchRequest(request_id=request_id)
        return lambda: self._play(name, created.seat_tokens[1], pb.PlayRequest(resign=resign))

    async def _play(self, name: str, token: str, command: pb.PlayRequest) -> bool:
        """Sends one command over a stream of its own; the answer to it."""

        async def requests() -> AsyncIterator[pb.PlayRequest]:
            yield pb.PlayRequest(watch=pb.WatchMatchRequest(name=name, after_sequence=0))
            yield command

        line = Line(token)
        await self.service.Play(requests(), line)  # type: ignore[arg-type]
        responses = map(pb.PlayResponse.FromString, line.written)
        replies = [reply for response in responses for reply in response.replies]
        if not replies[1].ok:
            name = errors_pb2.ErrorReason.Name(replies[1].reason)
            raise Aborted(name.removeprefix("ERROR_REASON_"))
        replayed: bool = replies[1].replayed
        return replayed
