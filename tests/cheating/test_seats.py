"""Tries to act for somebody else: by his token, by what is nearly his token, by his request ids."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import timedelta
from time import monotonic
from typing import Any

import grpc
import pytest

from ginrummy.server.serving import Serving
from ginrummy.tables.table import Table
from ginrummy.v1 import action_pb2, errors_pb2, match_pb2, rules_pb2, view_pb2
from ginrummy.v1 import match_service_pb2 as pb

from ..server.players import (
    BOT,
    HUMAN,
    LONG,
    OPEN,
    TIMEOUT_S,
    Desk,
    Player,
    Stream,
    bearer,
    new_request_id,
    read_to_end,
    watch,
)
from ..server.refusals import refusal
from .conftest import served

Code = grpc.StatusCode
Metadata = tuple[tuple[str, str | bytes], ...]

EVE = match_pb2.HumanSeat(display_name="Eve")

NEARLY: dict[str, Callable[[str], Metadata]] = {
    "cut short": lambda token: bearer(token[:-1]),
    "longer": lambda token: bearer(token + "A"),
    "in capitals": lambda token: bearer(token.upper()),
    "in small letters": lambda token: bearer(token.lower()),
    "its random part": lambda token: bearer(token.partition(".")[2]),
    "its match": lambda token: bearer(token.partition(".")[0]),
    "parts exchanged": lambda token: bearer(".".join(reversed(token.split(".")))),
    "a space before it": lambda token: bearer(" " + token),
    "quoted": lambda token: bearer(f'"{token}"'),
    "twice": lambda token: bearer(f"{token}, Bearer {token}"),
    "with a parameter": lambda token: bearer(f"{token};seat=2"),
    "percent-encoded": lambda token: bearer(token.replace(".", "%2e")),
    "another scheme": lambda token: (("authorization", f"Basic {token}"),),
    "no scheme": lambda token: (("authorization", token),),
    "binary": lambda token: (("authorization-bin", f"Bearer {token}".encode()),),
    "another header": lambda token: (("x-authorization", f"Bearer {token}"),),
    "as a key": lambda token: (("x-api-key", token),),
    "as a cookie": lambda token: (("cookie", f"authorization=Bearer {token}"),),
    "behind another": lambda token: (*bearer("a.b"), *bearer(token)),
}


class Heist:
    """A match of two people, one of whom somebody else wants to be; and what he has got hold of."""

    def __init__(self, desk: Desk, created: pb.CreateMatchResponse) -> None:
        self.desk = desk
        self.created = created
        self.name = created.match.name
        self.players = [Player(desk, self.name, created.seat_tokens[i], i) for i in (1, 2)]

    @classmethod
    async def begin(cls, desk: Desk, **fields: Any) -> "Heist":
        return cls(desk, await desk.create(**fields))

    async def to_act(self) -> tuple[Player, view_pb2.View]:
        player = self.players[(await self.players[0].view()).to_act - 1]
        return player, await player.view()

    def token(self, seat: int) -> str:
        return self.created.seat_tokens[seat]


def seat_calls(desk: Desk, name: str, metadata: Any) -> list[Callable[[], Awaitable[Any]]]:
    """Everything that only a player of this match can do."""
    matches, request_id = desk.matches, new_request_id()
    action = action_pb2.Action(draw=action_pb2.Draw(pile=action_pb2.PILE_STOCK))
    act = pb.ActRequest(name=name, action=action, expected_sequence=4)

    async def play() -> None:
        call = matches.Play(metadata=metadata)
        await call.write(pb.PlayRequest(watch=pb.WatchMatchRequest(name=name)))
        await read_to_end(call)

    resign = pb.ResignMatchRequest(name=name, request_id=request_id)
    claim = pb.ClaimMatchRequest(name=name, request_id=request_id)
    return [
        lambda: matches.Act(act, metadata=metadata, timeout=TIMEOUT_S),
        lambda: matches.ResignMatch(resign, metadata=metadata, timeout=TIMEOUT_S),
        lambda: matches.ClaimMatch(claim, metadata=metadata, timeout=TIMEOUT_S),
        play,
    ]


def host_calls(desk: Desk, name: str, metadata: Any) -> list[Callable[[], Awaitable[Any]]]:
    """Everything that only the host of this match can do, whichever seat it is done to."""
    matches = desk.matches

    def renew(seat: int) -> Awaitable[Any]:
        request = pb.ReissueTokenRequest(name=name, seat=seat)
        return matches.ReissueToken(request, metadata=metadata, timeout=TIMEOUT_S)

    return [lambda: renew(0), lambda: renew(1), lambda: renew(2)]


def shared_calls(desk: Desk, name: str, metadata: Any) -> list[Callable[[], Awaitable[Any]]]:
    """What the host, and a player as far as it is about himself, can do."""
    matches = desk.matches

    def erase(seat: int) -> Awaitable[Any]:
        request = pb.ErasePlayerRequest(name=name, seat=seat)
        return matches.ErasePlayer(request, metadata=metadata, timeout=TIMEOUT_S)

    abort = pb.AbortMatchRequest(name=name)
    return [
        lambda: erase(1),
        lambda: erase(2),
        lambda: matches.AbortMatch(abort, metadata=metadata, timeout=TIMEOUT_S),
    ]


def every_call(desk: Desk, name: str, metadata: Any) -> list[Callable[[], Awaitable[Any]]]:
    parts = (seat_calls, host_calls, shared_calls)
    return [call for part in parts for call in part(desk, name, metadata)]


async def state_of(desk: Desk, name: str) -> match_pb2.Match:
    return (await desk.matches.GetMatch(pb.GetMatchRequest(name=name))).match


@pytest.mark.parametrize("kind", NEARLY)
async def test_what_is_nearly_a_token_opens_nothing(desk: Desk, kind: str) -> None:
    heist = await Heist.begin(desk)
    before = await state_of(desk, heist.name)
    for token in (heist.token(1), heist.token(2), heist.created.host_token):
        for call in every_call(desk, heist.name, NEARLY[kind](token)):
            refused = await refusal(call())
            assert (refused.code, refused.reason) == (Code.UNAUTHENTICATED, "BAD_TOKEN")
    assert await state_of(desk, heist.name) == before


async def test_of_two_tokens_only_the_first_is_looked_at(desk: Desk) -> None:
    heist = await Heist.begin(desk)
    mine, his = bearer(heist.token(1)), bearer(heist.token(2))
    request = pb.GetViewRequest(name=heist.name)
    for metadata, seat in (((*mine, *his), 1), ((*his, *mine), 2)):
        response = await desk.matches.GetView(request, metadata=metadata)
        assert response.view.viewer_seat == seat


async def test_a_token_of_another_match_does_nothing_here(desk: Desk) -> None:
    heist, other = await Heist.begin(desk), await Heist.begin(desk)
    before = await state_of(desk, heist.name)
    for token in (other.token(1), other.token(2), other.created.host_token):
        for call in every_call(desk, heist.name, bearer(token)):
            refused = await refusal(call())
            assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "WRONG_SEAT")
    assert await state_of(desk, heist.name) == before


async def test_a_token_of_a_match_that_has_ended_does_nothing_in_the_next(desk: Desk) -> None:
    over = await Heist.begin(desk)
    request = pb.ResignMatchRequest(name=over.name)
    await desk.matches.ResignMatch(request, metadata=bearer(over.token(1)))
    heist = await Heist.begin(desk)
    for call in every_call(desk, heist.name, bearer(over.token(2))):
        assert (await refusal(call())).reason == "WRONG_SEAT"


async def test_the_host_plays_no_seat(desk: Desk) -> None:
    heist = await Heist.begin(desk)
    before = await state_of(desk, heist.name)
    for call in seat_calls(desk, heist.name, bearer(heist.created.host_token)):
        assert (await refusal(call())).reason == "WRONG_SEAT"
    assert await state_of(desk, heist.name) == before


async def test_a_player_governs_nothing_but_himself(desk: Desk) -> None:
    heist = await Heist.begin(desk)
    player, view = await heist.to_act()
    await player.act(view)
    before = await state_of(desk, heist.name)
    mine = player.metadata
    for call in host_calls(desk, heist.name, mine):
        assert (await refusal(call())).reason == "WRONG_SEAT"
    erase = pb.ErasePlayerRequest(name=heist.name, seat=3 - player.seat)
    assert (await refusal(desk.matches.ErasePlayer(erase, metadata=mine))).reason == "WRONG_SEAT"
    abort = pb.AbortMatchRequest(name=heist.name)
    assert (await refusal(desk.matches.AbortMatch(abort, metadata=mine))).reason == "WRONG_SEAT"
    assert await state_of(desk, heist.name) == before


async def test_a_replaced_token_plays_no_more(desk: Desk) -> None:
    heist = await Heist.begin(desk)
    host = bearer(heist.created.host_token)
    request = pb.ReissueTokenRequest(name=heist.name, seat=1)
    new = (await desk.matches.ReissueToken(request, metadata=host)).token
    before = await state_of(desk, heist.name)
    for call in every_call(desk, heist.name, bearer(heist.token(1))):
        assert (await refusal(call())).reason == "BAD_TOKEN"
    assert await state_of(desk, heist.name) == before
    assert (await Player(desk, heist.name, new, 1).view()).viewer_seat == 1


async def test_a_stream_of_one_match_commands_no_other(desk: Desk) -> None:
    heist, other = await Heist.begin(desk), await Heist.begin(desk)
    before = await state_of(desk, other.name)
    stream = Stream(heist.players[0])
    watch_here = pb.WatchMatchRequest(name=heist.name)
    assert (await stream.send("", watch=watch_here)).ok
    action = (await other.to_act())[1].legal_actions[0]
    commands: list[dict[str, Any]] = [
        {"act": pb.ActRequest(name=other.name, action=action, expected_sequence=before.sequence)},
        {"resign": pb.ResignMatchRequest(name=other.name)},
        {"claim": pb.ClaimMatchRequest(name=other.name)},
        {"watch": pb.WatchMatchRequest(name=other.name)},
    ]
    for command in commands:
        assert not (await stream.send("", **command)).ok
    stream.call.cancel()
    assert await state_of(desk, other.name) == before


async def joined(desk: Desk, name: str, request_id: str) -> Player:
    request = pb.JoinMatchRequest(name=name, player=HUMAN.human, request_id=request_id)
    return Player(desk, name, (await desk.matches.JoinMatch(request)).token, 2)


async def test_whoever_repeats_a_join_as_somebody_else_gets_no_token(desk: Desk) -> None:
    created = await desk.create(seats=(HUMAN, OPEN))
    name, request_id = created.match.name, new_request_id()
    player = await joined(desk, name, request_id)
    for fields in ({"player": EVE}, {}, {"player": HUMAN.human, "seat": 2}):
        request = pb.JoinMatchRequest(name=name, request_id=request_id, **fields)
        assert (await refusal(desk.matches.JoinMatch(request))).reason == "REQUEST_ID_REUSED"
    assert (await player.view()).viewer_seat == 2


async def test_the_id_of_no_other_request_gives_a_token(desk: Desk) -> None:
    match = match_pb2.Match(ruleset="rulesets/short", seats=[HUMAN, OPEN])
    create = pb.CreateMatchRequest(match=match, request_id=new_request_id())
    created = await desk.matches.CreateMatch(create)
    name = created.match.name
    player = await joined(desk, name, new_request_id())
    host = Player(desk, name, created.seat_tokens[1], 1)
    players = (host, player)
    to_act = players[(await host.view()).to_act - 1]
    act = to_act.act_request(await to_act.view())
    await to_act.send(act)
    for request_id in (create.request_id, act.request_id):
        join = pb.JoinMatchRequest(name=name, player=HUMAN.human, request_id=request_id)
        assert (await refusal(desk.matches.JoinMatch(join))).reason == "REQUEST_ID_REUSED"
    create.request_id = act.request_id
    assert (await desk.matches.CreateMatch(create)).match.name != name
    for who in players:
        assert (await who.view()).viewer_seat == who.seat


async def test_the_id_of_anothers_action_neither_acts_nor_tells_its_events(desk: Desk) -> None:
    heist = await Heist.begin(desk)
    player, view = await heist.to_act()
    request = player.act_request(view)
    await player.send(request)
    other = heist.players[2 - player.seat]
    refused = await refusal(other.send(request))
    assert refused.reason == "REQUEST_ID_REUSED"
    resign = pb.ResignMatchRequest(name=heist.name, request_id=request.request_id)
    call = desk.matches.ResignMatch(resign, metadata=other.metadata)
    assert (await refusal(call)).reason == "REQUEST_ID_REUSED"


async def test_whoever_creates_again_otherwise_gets_no_tokens(desk: Desk) -> None:
    match = match_pb2.Match(ruleset="rulesets/short", seats=[HUMAN, HUMAN])
    request = pb.CreateMatchRequest(match=match, request_id=new_request_id())
    created = await desk.matches.CreateMatch(request)
    others = (
        match_pb2.Match(ruleset="rulesets/solo", seats=[HUMAN, HUMAN]),
        match_pb2.Match(ruleset="rulesets/short", seats=[HUMAN, match_pb2.Seat(human=EVE)]),
        match_pb2.Match(ruleset="rulesets/short", seats=[HUMAN, HUMAN], labels={"a": "b"}),
        match_pb2.Match(ruleset="rulesets/short", seats=[HUMAN, HUMAN], unlisted=True),
    )
    for other in others:
        again = pb.CreateMatchRequest(match=other, request_id=request.request_id)
        assert (await refusal(desk.matches.CreateMatch(again))).reason == "REQUEST_ID_REUSED"
    for seat, token in created.seat_tokens.items():
        player = Player(desk, created.match.name, token, seat)
        assert (await player.view()).viewer_seat == seat


async def test_whoever_creates_again_does_not_get_the_seat_that_somebody_took(desk: Desk) -> None:
    match = match_pb2.Match(ruleset="rulesets/short", seats=[HUMAN, OPEN])
    request = pb.CreateMatchRequest(match=match, request_id=new_request_id())
    name = (await desk.matches.CreateMatch(request)).match.name
    player = await joined(desk, name, new_request_id())
    again = await desk.matches.CreateMatch(request)
    assert again.match.name == name
    assert set(again.seat_tokens) == {1}
    assert (await player.view()).viewer_seat == 2


def grace(length: timedelta) -> rules_pb2.Clock:
    clock = rules_pb2.Clock()
    clock.absence_grace.FromTimedelta(length)
    return clock


async def claim(player: Player) -> Any:
    request = pb.ClaimMatchRequest(name=player.name)
    return await player.desk.matches.ClaimMatch(request, metadata=player.metadata)


async def opened(call: Any) -> Any:
    await call.read()
    return call


async def test_nobody_makes_a_player_absent_who_is_there(desk: Desk) -> None:
    spectators = match_pb2.SPECTATOR_POLICY_PUBLIC_INFO
    created = await desk.create(clock=grace(timedelta(seconds=1)), spectators=spectators)
    name = created.match.name
    cheat, victim = (Player(desk, name, created.seat_tokens[i], i) for i in (1, 2))
    async with AsyncExitStack() as streams:

        async def hold(call: Any) -> Any:
            streams.callback(call.cancel)
            return await opened(call)

        left = await hold(watch(victim))
        await hold(watch(victim))
        for _ in range(32):
            await hold(watch(cheat))
        assert (await refusal(opened(watch(cheat)))).reason == "LIMIT_REACHED"
        request = pb.WatchMatchRequest(name=name)
        for metadata in ((), bearer(created.host_token)):
            for _ in range(3):
                await hold(desk.matches.WatchMatch(request, metadata=metadata))
        await hold(watch(victim))  # room for him is not taken by others
        left.cancel()
        assert (await cheat.view()).seats[1].connected
        refused = await refusal(claim(cheat))
        assert refused.reason == "NOT_CLAIMABLE"
        assert not refused.metadata


async def test_a_stream_of_another_makes_nobody_present(desk: Desk) -> None:
    spectators = match_pb2.SPECTATOR_POLICY_PUBLIC_INFO
    created = await desk.create(clock=grace(timedelta(days=1)), spectators=spectators)
    one, two = (Player(desk, created.match.name, created.seat_tokens[i], i) for i in (1, 2))
    request = pb.WatchMatchRequest(name=one.name)
    tokens = ((), bearer(created.host_token), one.metadata)
    calls = [
        await opened(desk.matches.WatchMatch(request, metadata=metadata)) for metadata in tokens
    ]
    seats = (await one.view()).seats
    assert (seats[0].connected, seats[1].connected) == (True, False)
    assert (await two.view()).seats[1].HasField("claimable_time")
    for call in calls:
        call.cancel()


async def test_a_bot_is_never_absent(desk: Desk) -> None:
    created = await desk.create(
        seats=(HUMAN, BOT), clock=grace(timedelta(seconds=1)), overrides=LONG
    )
    player = Player(desk, created.match.name, created.seat_tokens[1], 1)
    refused = await refusal(claim(player))
    assert refused.reason == "NOT_CLAIMABLE"
    assert not refused.metadata


async def test_nobody_claims_a_match_before_somebody_sits_there(desk: Desk) -> None:
    created = await desk.create(seats=(HUMAN, OPEN), clock=grace(timedelta(seconds=1)))
    player = Player(desk, created.match.name, created.seat_tokens[1], 1)
    assert (await refusal(claim(player))).reason == "NOT_CLAIMABLE"
    assert (await state_of(desk, player.name)).state == match_pb2.MATCH_STATE_OPEN


async def test_the_host_locks_out_whoever_knows_the_request_id_of_a_join(desk: Desk) -> None:
    created = await desk.create(seats=(HUMAN, OPEN))
    name, request_id = created.match.name, new_request_id()
    await joined(desk, name, request_id)
    thief = await joined(desk, name, request_id)
    renew = pb.ReissueTokenRequest(name=name, seat=2)
    new = (await desk.matches.ReissueToken(renew, metadata=bearer(created.host_token))).token
    for _ in range(2):
        refused = await refusal(joined(desk, name, request_id))
        assert (refused.code, refused.reason) == (Code.UNAUTHENTICATED, "BAD_TOKEN")
        assert "replaced by the host" in refused.message
    assert (await refusal(thief.view())).reason == "BAD_TOKEN"
    assert (await Player(desk, name, new, 2).view()).viewer_seat == 2


async def under_way(table: Table, count: int) -> None:
    """Waits until so many commands have begun and wait at the table."""
    async with asyncio.timeout(60):
        while len(table._lock._waiters or ()) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.005)


@asynccontextmanager
async def renewal_held_back(
    served: Serving, desk: Desk, created: pb.CreateMatchResponse, seat: int
) -> AsyncIterator[Table]:
    """The host renews a token; what is asked with the old one meanwhile comes to wait behind it."""
    name, log = created.match.name, served.tables.log
    begun, go = asyncio.Event(), asyncio.Event()
    set_token = log.set_token

    async def held(*given: Any) -> None:
        begun.set()
        await go.wait()
        await set_token(*given)

    log.set_token = held  # type: ignore[method-assign, assignment]
    request = pb.ReissueTokenRequest(name=name, seat=seat)
    call = desk.matches.ReissueToken(request, metadata=bearer(created.host_token))
    renewing = asyncio.ensure_future(call)
    async with served.tables.use(name.removeprefix("matches/")) as table:
        await begun.wait()
        yield table
        go.set()
        assert (await renewing).token
        log.set_token = set_token  # type: ignore[method-assign]


OLD_CALLS = ("act", "resign", "claim", "abort", "erase", "act again", "play act", "play resign")


@pytest.mark.parametrize("how", OLD_CALLS)
async def test_a_call_under_way_does_nothing_once_its_token_is_replaced(how: str) -> None:
    async with served() as (serving, desk):
        heist = await Heist.begin(desk)
        player, view = await heist.to_act()
        name, mine, matches = heist.name, player.metadata, desk.matches
        act = player.act_request(view)
        if how == "act again":
            await player.send(act)
        stream = Stream(player)
        if how.startswith("play"):
            assert (await stream.send("", watch=pb.WatchMatchRequest(name=name))).ok
        before = await state_of(desk, name)
        calls: dict[str, Callable[[], Any]] = {
            "act": lambda: player.send(act),
            "act again": lambda: player.send(act),
            "resign": lambda: matches.ResignMatch(pb.ResignMatchRequest(name=name), metadata=mine),
            "claim": lambda: matches.ClaimMatch(pb.ClaimMatchRequest(name=name), metadata=mine),
            "abort": lambda: matches.AbortMatch(pb.AbortMatchRequest(name=name), metadata=mine),
            "erase": lambda: matches.ErasePlayer(
                pb.ErasePlayerRequest(name=name, seat=player.seat), metadata=mine
            ),
            "play act": lambda: stream.send("", act=act),
            "play resign": lambda: stream.send("", resign=pb.ResignMatchRequest(name=name)),
        }
        async with renewal_held_back(serving, desk, heist.created, player.seat) as table:
            call = asyncio.ensure_future(calls[how]())
            await under_way(table, 1)
        if how.startswith("play"):
            with suppress(grpc.aio.AioRpcError):  # the stream may end before it is answered
                assert (await call).reason == errors_pb2.ERROR_REASON_BAD_TOKEN
        else:
            assert (await refusal(call)).reason == "BAD_TOKEN"
        assert await state_of(desk, name) == before


async def test_a_hosts_call_under_way_does_nothing_once_his_token_is_replaced() -> None:
    async with served() as (serving, desk):
        heist = await Heist.begin(desk)
        before = await state_of(desk, heist.name)
        host = bearer(heist.created.host_token)
        calls = shared_calls(desk, heist.name, host) + host_calls(desk, heist.name, host)
        async with renewal_held_back(serving, desk, heist.created, 0) as table:
            waiting = [asyncio.ensure_future(call()) for call in calls]
            await under_way(table, len(calls))
        for call in waiting:
            assert (await refusal(call)).reason == "BAD_TOKEN"
        assert await state_of(desk, heist.name) == before


async def test_no_match_is_loaded_for_whoever_has_no_token_of_it() -> None:
    async with served() as (serving, desk):
        heist, other = await Heist.begin(desk), await Heist.begin(desk)
        name, matches = heist.name, desk.matches
        renew = pb.ReissueTokenRequest(name=name, seat=1)
        host = bearer(heist.created.host_token)
        new = (await matches.ReissueToken(renew, metadata=host)).token
        serving.tables.sweep(monotonic() + 3600)
        metadatas = {
            (): "BAD_TOKEN",
            bearer("a.b"): "BAD_TOKEN",
            bearer(f"{name.removeprefix('matches/')}.{'x' * 43}"): "BAD_TOKEN",
            bearer(heist.token(1)): "BAD_TOKEN",
            bearer(other.token(1)): "WRONG_SEAT",
        }
        for metadata, reason in metadatas.items():

            def view(metadata: Any = metadata) -> Any:
                return matches.GetView(pb.GetViewRequest(name=name), metadata=metadata)

            def follow(metadata: Any = metadata) -> Any:
                request = pb.WatchMatchRequest(name=name)
                return read_to_end(matches.WatchMatch(request, metadata=metadata))

            for call in (*every_call(desk, name, metadata), view, follow):
                assert (await refusal(call())).reason == reason
        join = pb.JoinMatchRequest(name=name, request_id=new_request_id())
        assert (await refusal(matches.JoinMatch(join))).reason == "NO_OPEN_SEAT"
        nothing = pb.GetViewRequest(name="matches/nothing")
        for metadata in metadatas:
            refused = await refusal(matches.GetView(nothing, metadata=metadata))
            assert refused.reason == "MATCH_NOT_FOUND"
        assert serving.tables.live_count == 0
        assert (await Player(desk, name, new, 1).view()).viewer_seat == 1
        assert serving.tables.live_count == 1


async def test_a_match_that_has_ended_is_not_loaded_for_whoever_would_join() -> None:
    async with served() as (serving, desk):
        created = await desk.create(seats=(HUMAN, OPEN))
        abort = pb.AbortMatchRequest(name=created.match.name)
        await desk.matches.AbortMatch(abort, metadata=bearer(created.host_token))
        serving.tables.sweep(monotonic() + 3600)
        for request_id in ("", new_request_id()):
            join = pb.JoinMatchRequest(name=created.match.name, request_id=request_id)
            assert (await refusal(desk.matches.JoinMatch(join))).reason == "MATCH_OVER"
        assert serving.tables.live_count == 0
