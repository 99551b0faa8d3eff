"""A request sent again gets its first answer, whatever became of the connection or the server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeVar
from uuid import uuid4

import grpc

from ginrummy.v1 import errors_pb2, events_pb2, match_pb2
from ginrummy.v1 import match_service_pb2 as pb

from ..ports import free_port
from ..server.players import HUMAN, OPEN, TIMEOUT_S, Desk, Player, Stream, bearer
from ..server.programs import Program, data_flags, launch
from ..server.refusals import refusal
from .conftest import OWN_CONNECTION

Answer = TypeVar("Answer")
PASSING = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
)


@asynccontextmanager
async def desk_at(program: Program) -> AsyncIterator[Desk]:
    async with grpc.aio.insecure_channel(program.address, OWN_CONNECTION) as channel:
        yield Desk(channel)


async def insist(call: Callable[[], Awaitable[Answer]]) -> Answer:
    """Makes the call until it is answered."""
    while True:
        try:
            return await call()
        except grpc.aio.AioRpcError as error:
            if error.code() not in PASSING:
                raise
            await asyncio.sleep(0.01)


@dataclass
class Promise:
    """A call, how it is made again, and how another one with its request_id is made."""

    answer: Any
    again: Callable[[Desk], Awaitable[Any]]
    """Answers as the call did, once it has been made."""
    other: Callable[[Desk], Awaitable[Any]]
    """Has to be refused."""


async def test_every_call_gets_its_first_answer_again_even_after_a_kill(tmp_path: Path) -> None:
    program = await launch(*data_flags(tmp_path), "--allow-seeds")
    async with desk_at(program) as desk:
        promises = {make.__name__: await make(desk) for make in PROMISES}
        for _ in range(2):
            await assert_kept(desk, promises)
    for _ in range(2):
        await program.kill()
        await program.process.communicate()
        program = await launch(*data_flags(tmp_path), "--allow-seeds")
        async with desk_at(program) as desk:
            await assert_kept(desk, promises)
    assert await program.stop() == 0
    await program.process.communicate()


async def assert_kept(desk: Desk, promises: dict[str, Promise]) -> None:
    for name, promise in promises.items():
        assert await promise.again(desk) == promise.answer, name
        assert await promise.other(desk) == "REQUEST_ID_REUSED", name
        assert await promise.again(desk) == promise.answer, name


async def reason_of(call: Awaitable[Any]) -> str:
    refused = await refusal(call)
    assert refused.code is grpc.StatusCode.INVALID_ARGUMENT
    return refused.reason


async def create(desk: Desk) -> Promise:
    match = match_pb2.Match(ruleset="rulesets/short", seats=[HUMAN, HUMAN])
    request = pb.CreateMatchRequest(match=match, request_id=str(uuid4()))
    strange = pb.CreateMatchRequest(match=match, request_id=request.request_id)
    strange.match.unlisted = True

    async def again(desk: Desk) -> Any:
        created = await desk.matches.CreateMatch(request, timeout=TIMEOUT_S)
        view = await Player(desk, created.match.name, created.seat_tokens[2], 2).view()
        assert view.viewer_seat == 2
        return created.match

    async def other(desk: Desk) -> str:
        return await reason_of(desk.matches.CreateMatch(strange, timeout=TIMEOUT_S))

    return Promise(await again(desk), again, other)


async def join(desk: Desk) -> Promise:
    created = await desk.create(seats=(OPEN, OPEN))
    request = pb.JoinMatchRequest(name=created.match.name, request_id=str(uuid4()))
    strange = pb.JoinMatchRequest(name=request.name, request_id=request.request_id, seat=2)

    async def again(desk: Desk) -> Any:
        joined = await desk.matches.JoinMatch(request, timeout=TIMEOUT_S)
        view = await Player(desk, request.name, joined.token, joined.seat).view()
        return joined.seat, view.viewer_seat, view.sequence

    async def other(desk: Desk) -> str:
        return await reason_of(desk.matches.JoinMatch(strange, timeout=TIMEOUT_S))

    return Promise(await again(desk), again, other)


async def acting(desk: Desk) -> tuple[Player, pb.ActRequest, pb.ActRequest]:
    """Who has to act, what he does, and something else that he could do."""
    one, two = await desk.new_players()
    view = await one.view()
    player = one if view.to_act == 1 else two
    first, *_, last = (await player.view()).legal_actions
    request = player.act_request(view, action=first)
    return player, request, player.act_request(view, request.request_id, action=last)


async def act(desk: Desk) -> Promise:
    player, request, strange = await acting(desk)

    async def again(desk: Desk) -> Any:
        player.desk = desk
        answer = await player.send(request)
        assert answer.replayed
        return list(answer.events)

    async def other(desk: Desk) -> str:
        player.desk = desk
        return await reason_of(player.send(strange))

    first = await player.send(request)
    assert not first.replayed
    return Promise(list(first.events), again, other)


async def resign(desk: Desk) -> Promise:
    one, two = await desk.new_players()
    request = pb.ResignMatchRequest(name=one.name, request_id=str(uuid4()))

    async def again(desk: Desk) -> Any:
        answer = await desk.matches.ResignMatch(request, metadata=one.metadata, timeout=TIMEOUT_S)
        return answer.view.sequence, answer.view.result

    async def other(desk: Desk) -> str:
        call = desk.matches.ResignMatch(request, metadata=two.metadata, timeout=TIMEOUT_S)
        return await reason_of(call)

    return Promise(await again(desk), again, other)


async def abort(desk: Desk) -> Promise:
    created = await desk.create()
    request = pb.AbortMatchRequest(name=created.match.name, request_id=str(uuid4()))
    strange = pb.ResignMatchRequest(name=request.name, request_id=request.request_id)

    async def again(desk: Desk) -> Any:
        host = bearer(created.host_token)
        return (await desk.matches.AbortMatch(request, metadata=host, timeout=TIMEOUT_S)).match

    async def other(desk: Desk) -> str:
        seat = bearer(created.seat_tokens[1])
        return await reason_of(desk.matches.ResignMatch(strange, metadata=seat, timeout=TIMEOUT_S))

    return Promise(await again(desk), again, other)


async def played(desk: Desk, player: Player, **command: Any) -> pb.PlayReply:
    """The reply to a command over a Play stream of its own."""
    player.desk = desk
    stream = Stream(player)
    assert (await stream.send(watch={"name": player.name})).ok
    reply = await stream.send("a", **command)
    stream.call.cancel()
    return reply


async def reused(desk: Desk, player: Player, **command: Any) -> str:
    reply = await played(desk, player, **command)
    assert not reply.ok
    return errors_pb2.ErrorReason.Name(reply.reason).removeprefix("ERROR_REASON_")


async def act_in_play(desk: Desk) -> Promise:
    player, request, strange = await acting(desk)
    first = await played(desk, player, act=request)
    assert first.ok
    assert not first.replayed

    async def again(desk: Desk) -> Any:
        reply = await played(desk, player, act=request)
        assert reply.replayed
        return reply.ok, reply.sequence

    return Promise((True, first.sequence), again, lambda desk: reused(desk, player, act=strange))


async def resign_in_play(desk: Desk) -> Promise:
    player, _, strange = await acting(desk)
    resigning = {"request_id": str(uuid4())}
    strange.request_id = resigning["request_id"]
    first = await played(desk, player, resign=resigning)
    assert first.ok

    async def again(desk: Desk) -> Any:
        answer = await desk.matches.ResignMatch(
            pb.ResignMatchRequest(name=player.name, **resigning),
            metadata=player.metadata,
            timeout=TIMEOUT_S,
        )
        return answer.view.sequence

    async def other(desk: Desk) -> str:
        player.desk = desk
        return await reason_of(player.send(strange))

    return Promise(first.sequence, again, other)


PROMISES = (create, join, act, resign, abort, act_in_play, resign_in_play)


async def test_calls_that_a_kill_cut_off_take_effect_once(tmp_path: Path) -> None:
    random = Random(3)
    flags = ("--port", str(free_port()), *data_flags(tmp_path))
    program = await launch(*flags)
    async with grpc.aio.insecure_channel(program.address, OWN_CONNECTION) as channel:
        desk = Desk(channel)
        games = [asyncio.create_task(stubborn_game(desk, i)) for i in range(24)]
        for _ in range(3):
            await asyncio.sleep(0.1 + 0.2 * random.random())
            await program.kill()
            await program.process.communicate()
            program = await launch(*flags)
        acted = await asyncio.gather(*games)
        assert sum(acted) > 24
        labels = {"room": "7"}
        listed = pb.ListMatchesRequest(labels=labels, page_size=500)
        matches = (await desk.matches.ListMatches(listed, timeout=TIMEOUT_S)).matches
        assert sorted(int(match.labels["number"]) for match in matches) == list(range(24))
    assert await program.stop() == 0
    await program.process.communicate()


async def stubborn_game(desk: Desk, number: int) -> int:
    """Makes each call until it is answered, and checks that each was done once; actions done."""
    match = match_pb2.Match(
        ruleset="rulesets/short",
        seats=[HUMAN, OPEN],
        labels={"room": "7", "number": str(number)},
    )
    creation = pb.CreateMatchRequest(match=match, request_id=str(uuid4()))
    created = await insist(lambda: desk.matches.CreateMatch(creation, timeout=TIMEOUT_S))
    name = created.match.name
    sitting = pb.JoinMatchRequest(name=name, request_id=str(uuid4()))
    joined = await insist(lambda: desk.matches.JoinMatch(sitting, timeout=TIMEOUT_S))
    players = [
        Player(desk, name, created.seat_tokens[1], 1),
        Player(desk, name, joined.token, 2),
    ]
    answered: list[events_pb2.MatchEvent] = []
    for _ in range(12):
        to_act = (await insist(players[0].view)).to_act
        if not to_act:
            break
        player = players[to_act - 1]
        request = player.act_request(await insist(player.view))
        response = await insist(lambda: player.send(request))  # noqa: B023 - awaited at once
        assert response.events[0].sequence == request.expected_sequence + 1
        answered += response.events
    giving_up = pb.AbortMatchRequest(name=name, request_id=str(uuid4()))
    host = bearer(created.host_token)
    if (await insist(players[0].view)).to_act:
        await insist(lambda: desk.matches.AbortMatch(giving_up, metadata=host, timeout=TIMEOUT_S))
    told = await insist(lambda: desk.events(name))
    assert [event.sequence for event in told] == list(range(1, len(told) + 1))
    kinds = [event.WhichOneof("payload") for event in told]
    assert kinds.count("seat_taken") == 2
    begun = kinds.index("hand_dealt") + 1
    assert [e.sequence for e in told[begun : begun + len(answered)]] == [
        e.sequence for e in answered
    ]
    assert all(told[event.sequence - 1].time == event.time for event in answered)
    return len(answered)


async def test_calls_that_ran_out_of_time_take_effect_once(
    desks: tuple[Desk, Desk],
) -> None:
    counts = await asyncio.gather(*(hasty_game(desks[i % 2], i) for i in range(8)))
    sent, answered_again = (sum(each) for each in zip(*counts, strict=True))
    assert sent > 1000
    assert answered_again > 10


async def hasty_game(desk: Desk, number: int) -> tuple[int, int]:
    """Plays a match with deadlines of next to nothing; calls sent, and answered by a replay."""
    random = Random(number)
    one, two = await desk.new_players("short", seed=random.randbytes(32))
    sent = replayed = 0
    answered: list[events_pb2.MatchEvent] = []
    while sent < 400:
        to_act = (await one.view()).to_act
        if not to_act:
            one, two = await checked(desk, one, answered, random)
            continue
        player = (one, two)[to_act - 1]
        request = player.act_request(await player.view())
        limit_s = 0.0005
        while True:
            sent += 1
            try:
                response = await desk.matches.Act(
                    request, metadata=player.metadata, timeout=limit_s * random.random()
                )
            except grpc.aio.AioRpcError as error:
                assert error.code() in PASSING  # noqa: PT017 - any of them
                limit_s *= 1.3
                continue
            replayed += response.replayed
            answered += response.events
            break
    return sent, replayed


async def checked(
    desk: Desk, player: Player, answered: list[events_pb2.MatchEvent], random: Random
) -> tuple[Player, Player]:
    """Compares what was answered with the log of the ended match; two players of another."""
    told = await desk.events(player.name)
    begun = len(told) - len(answered)
    assert [event.sequence for event in told[begun:]] == [event.sequence for event in answered]
    assert all(told[event.sequence - 1].time == event.time for event in answered)
    answered.clear()
    return await desk.new_players("short", seed=random.randbytes(32))
