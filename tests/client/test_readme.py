"""The example in the client's README."""

import re
from pathlib import Path
from typing import Any

import pytest

from ginrummy.client import GinRummyClient, actions
from ginrummy.v1 import match_service_pb2 as pb
from ginrummy.v1.match_pb2 import Match

from .fake_server import Context, FakeServer

README = Path(__file__).resolve().parents[2] / "clients/python/README.md"


class FinishedAtOnce(FakeServer):
    """A match that is over after Ada's first action."""

    async def GetView(self, request: pb.GetViewRequest, context: Context) -> pb.GetViewResponse:
        reply = await super().GetView(request, context)
        if not self.is_over:
            reply.view.legal_actions.append(actions.draw_stock())
        return reply

    async def Act(self, request: pb.ActRequest, context: Context) -> pb.ActResponse:
        reply = await super().Act(request, context)
        await self.happen(ended=True)
        return reply


async def test_the_example_in_the_readme_plays_a_match(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    [example] = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    server = FinishedAtOnce()
    await server.start()
    names: dict[str, Any] = {"__name__": "readme"}
    exec(compile(example, README, "exec"), names)
    names["GinRummyClient"] = lambda target: GinRummyClient(server.address)
    try:
        await names["main"]()
    finally:
        await server.stop()
    assert len(server.requests("Act")) == 1
    [created] = server.requests("CreateMatch")
    assert isinstance(created.match, Match)
    assert [seat.WhichOneof("occupant") for seat in created.match.seats] == ["human", "bot"]
