"""Every field of every request is checked, and a bad one is named by its path."""

from collections.abc import Callable
from typing import Any

import grpc
import pytest

from ginrummy.v1 import (
    catalog_service_pb2,
    match_pb2,
    match_service_pb2,
)

from .players import BOT, HUMAN, Desk
from .refusals import refusal

# Requests here are written as dictionaries, which the generated types do not know.
pb: Any = match_service_pb2
catalog_pb: Any = catalog_service_pb2


def a_match(**fields: Any) -> match_pb2.Match:
    return match_pb2.Match(**{"ruleset": "rulesets/short", "seats": [HUMAN, BOT], **fields})


def person(name: str = "Ann", external_id: str = "") -> match_pb2.Seat:
    human = match_pb2.HumanSeat(display_name=name, external_id=external_id)
    return match_pb2.Seat(human=human)


def machine(**fields: Any) -> match_pb2.Seat:
    return match_pb2.Seat(bot=match_pb2.BotSeat(**{"bot": "bots/simple", **fields}))


BLANK = [" ", "\u3164", "\u115f\u1160", "\uffa0 \u2800", "\u2800"]
"""Names that nobody would see."""

BAD_MATCHES: list[tuple[str, match_pb2.Match]] = [
    ("match.ruleset", a_match(ruleset="")),
    ("match.ruleset", a_match(ruleset="short")),
    ("match.ruleset", a_match(ruleset="bots/short")),
    ("match.seats", a_match(seats=[HUMAN])),
    ("match.seats", a_match(seats=[HUMAN, BOT, BOT])),
    ("match.seats[1]", a_match(seats=[HUMAN, match_pb2.Seat()])),
    ("match.seats[0].human.display_name", a_match(seats=[person("x" * 65), BOT])),
    ("match.seats[0].human.display_name", a_match(seats=[person("a\x1b[31m"), BOT])),
    *(("match.seats[0].human.display_name", a_match(seats=[person(n), BOT])) for n in BLANK),
    ("match.seats[0].human.external_id", a_match(seats=[person("a", "x" * 129), BOT])),
    ("match.seats[0].human.external_id", a_match(seats=[person("a", "x\0"), BOT])),
    ("match.seats[0].human.external_id", a_match(seats=[person("a", "\n"), BOT])),
    ("match.seats[1].bot.bot", a_match(seats=[HUMAN, machine(bot="")])),
    ("match.seats[1].bot.bot", a_match(seats=[HUMAN, machine(bot="simple")])),
    ("match.seats[1].bot.options['x']", a_match(seats=[HUMAN, machine(options={"x": "1"})])),
    *[
        (
            "match.seats[1].bot.options['samples']",
            a_match(seats=[HUMAN, machine(bot="bots/expert", options={"samples": samples})]),
        )
        for samples in ("", "0", "-1", "1.5", "x", "²", "10001", "9" * 5000)
    ],
    ("match.seats[1].bot.think_time", a_match(seats=[HUMAN, machine(think_time={"seconds": -1})])),
    ("match.spectators", a_match(spectators=9)),
    ("match.labels", a_match(labels={str(i): "" for i in range(17)})),
    ("match.labels", a_match(labels={"k" * 64: ""})),
    ("match.labels", a_match(labels={"": "v"})),
    ("match.labels['k']", a_match(labels={"k": "v" * 256})),
    ("match.labels['k']", a_match(labels={"k": "v\0w"})),
    ("match.labels['k']", a_match(labels={"k": "v\u2028w"})),
    ("match.labels['k\\x00l']", a_match(labels={"k\0l": "v"})),
    ("match.labels['\\x85']", a_match(labels={"\x85": "v"})),
    ("match.seats[1].bot.options['\\x00']", a_match(seats=[HUMAN, machine(options={"\0": "1"})])),
    ("match.seats[1].bot.think_time", a_match(seats=[HUMAN, machine(think_time={"nanos": 999})])),
    ("match.clock.turn_time", a_match(clock={"turn_time": {"seconds": -1}})),
    ("match.clock.turn_time", a_match(clock={"turn_time": {"nanos": -5}})),
    ("match.clock.turn_time", a_match(clock={"turn_time": {"nanos": 1}})),
    ("match.clock.turn_time", a_match(clock={"turn_time": {"nanos": 999}})),
    ("match.clock.turn_time", a_match(clock={"turn_time": {"nanos": 99_999_999}})),
    ("match.clock.hand_pause", a_match(clock={"hand_pause": {"nanos": 1}})),
    ("match.clock.turn_time", a_match(clock={"turn_time": {"seconds": 2**40}})),
    ("match.clock.turn_time", a_match(clock={"turn_time": {"seconds": 1, "nanos": 2**30}})),
    ("match.clock.turn_time", a_match(clock={"turn_time": {"seconds": 1, "nanos": -1}})),
    ("match.clock.hand_pause", a_match(clock={"hand_pause": {"seconds": 601}})),
    ("match.clock.absence_grace", a_match(clock={"absence_grace": {}})),
    ("match.clock.absence_grace", a_match(clock={"absence_grace": {"nanos": 999_999_999}})),
    ("match.clock.absence_grace", a_match(clock={"absence_grace": {"seconds": -1}})),
    ("match.clock.absence_grace", a_match(clock={"absence_grace": {"seconds": 31 * 24 * 3600}})),
    ("match.clock.timeouts_to_forfeit", a_match(clock={"timeouts_to_forfeit": 1001})),
    ("match.overrides.knock_limit", a_match(overrides={"knock_limit": 11})),
    ("match.overrides.hollywood", a_match(overrides={"hollywood": True, "target": 0})),
    ("match.overrides.spades_double", a_match(overrides={"spades_double": True})),
    ("match.overrides.wall", a_match(overrides={"wall": 9})),
    ("match.overrides.wall", a_match(overrides={"wall": 0})),
    ("match.overrides.target", a_match(overrides={"target": 2**32 - 1})),
]


@pytest.mark.parametrize(("path", "match"), BAD_MATCHES)
async def test_a_bad_match_is_refused_by_its_path(
    desk: Desk, path: str, match: match_pb2.Match
) -> None:
    refused = await refusal(desk.matches.CreateMatch(pb.CreateMatchRequest(match=match)))
    assert (refused.code, refused.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_FIELD")
    assert refused.fields == [path]
    assert len(refused.message) > len(path) + 2


@pytest.mark.parametrize("name", ["", "Ann B.", "\u3164Ann", "Анна", "山田"])
async def test_a_name_that_can_be_seen_is_kept_as_it_is(desk: Desk, name: str) -> None:
    created = await desk.create(seats=[person(name), BOT])
    assert created.match.seats[0].human.display_name == name


async def test_a_value_that_an_enum_lacks_is_answered_with_those_that_the_field_takes(
    desk: Desk,
) -> None:
    said = {
        ("wall", 9): "is one of WALL_DEAD, WALL_LAST_CHANCE, not 9",
        ("wall", 0): "is one of WALL_DEAD, WALL_LAST_CHANCE, not WALL_UNSPECIFIED",
        ("layoffs", 2): "is one of MELD_CHOICE_AUTO, MELD_CHOICE_EITHER, not MELD_CHOICE_DECLARED",
    }
    for (option, number), problem in said.items():
        request = pb.CreateMatchRequest(match=a_match(overrides={option: number}))
        refused = await refusal(desk.matches.CreateMatch(request))
        assert refused.message == f"match.overrides.{option}: {problem}"


Call = Callable[[Desk], Any]
NAME = "matches/abc"


async def acted(desk: Desk, **action: Any) -> Any:
    """What a player is told who does this; nobody else's actions are looked at."""
    player, _ = await desk.new_players()
    request = pb.ActRequest(name=player.name, action=action, expected_sequence=1)
    return await desk.matches.Act(request, metadata=player.metadata)


BAD_REQUESTS: list[tuple[str, Call]] = [
    ("match", lambda d: d.matches.CreateMatch(pb.CreateMatchRequest())),
    (
        "seed",
        lambda d: d.matches.CreateMatch(pb.CreateMatchRequest(match=a_match(), seed=b"short")),
    ),
    (
        "replay_of",
        lambda d: d.matches.CreateMatch(
            pb.CreateMatchRequest(match=a_match(), seed=bytes(32), replay_of=NAME)
        ),
    ),
    (
        "replay_of",
        lambda d: d.matches.CreateMatch(pb.CreateMatchRequest(match=a_match(), replay_of="abc")),
    ),
    (
        "request_id",
        lambda d: d.matches.CreateMatch(pb.CreateMatchRequest(match=a_match(), request_id="1")),
    ),
    ("name", lambda d: d.matches.GetMatch(pb.GetMatchRequest())),
    ("name", lambda d: d.matches.GetMatch(pb.GetMatchRequest(name="matches/../x"))),
    ("name", lambda d: d.matches.GetMatch(pb.GetMatchRequest(name="matches/" + "x" * 65))),
    ("name", lambda d: d.matches.GetView(pb.GetViewRequest(name="abc"))),
    ("name", lambda d: d.matches.JoinMatch(pb.JoinMatchRequest())),
    ("seat", lambda d: d.matches.JoinMatch(pb.JoinMatchRequest(name=NAME, seat=3))),
    ("request_id", lambda d: d.matches.JoinMatch(pb.JoinMatchRequest(name=NAME, request_id="1"))),
    (
        "player.display_name",
        lambda d: d.matches.JoinMatch(
            pb.JoinMatchRequest(name=NAME, player={"display_name": "x" * 65})
        ),
    ),
    ("page_size", lambda d: d.matches.ListMatches(pb.ListMatchesRequest(page_size=501))),
    ("page_size", lambda d: d.matches.ListMatches(pb.ListMatchesRequest(page_size=-1))),
    ("page_token", lambda d: d.matches.ListMatches(pb.ListMatchesRequest(page_token="!"))),
    ("state", lambda d: d.matches.ListMatches(pb.ListMatchesRequest(state=7))),
    ("ruleset", lambda d: d.matches.ListMatches(pb.ListMatchesRequest(ruleset="short"))),
    (
        "page_size",
        lambda d: d.matches.ListMatchEvents(pb.ListMatchEventsRequest(name=NAME, page_size=5001)),
    ),
    (
        "page_token",
        lambda d: d.matches.ListMatchEvents(pb.ListMatchEventsRequest(name=NAME, page_token="-1")),
    ),
    ("action", lambda d: acted(d)),
    (
        "action.draw.pile",
        lambda d: acted(d, draw={}),
    ),
    (
        "action.draw.pile",
        lambda d: acted(d, draw={"pile": 3}),
    ),
    (
        "expected_sequence",
        lambda d: d.matches.Act(pb.ActRequest(name=NAME, action={"draw": {"pile": 1}})),
    ),
    (
        "heartbeat",
        lambda d: d.matches.WatchMatch(
            pb.WatchMatchRequest(name=NAME, heartbeat={"seconds": 1})
        ).read(),
    ),
    (
        "heartbeat",
        lambda d: d.matches.WatchMatch(
            pb.WatchMatchRequest(name=NAME, heartbeat={"seconds": 61})
        ).read(),
    ),
    (
        "labels",
        lambda d: d.matches.WatchMatches(pb.WatchMatchesRequest(labels={"": ""})).read(),
    ),
    ("name", lambda d: d.matches.ResignMatch(pb.ResignMatchRequest())),
    ("name", lambda d: d.matches.AbortMatch(pb.AbortMatchRequest())),
    ("name", lambda d: d.matches.ClaimMatch(pb.ClaimMatchRequest())),
    ("request_id", lambda d: d.matches.ClaimMatch(pb.ClaimMatchRequest(name=NAME, request_id="1"))),
    ("name", lambda d: d.matches.ReissueToken(pb.ReissueTokenRequest(name="abc"))),
    ("page_size", lambda d: d.catalog.ListRulesets(catalog_pb.ListRulesetsRequest(page_size=-1))),
    ("page_token", lambda d: d.catalog.ListBots(catalog_pb.ListBotsRequest(page_token="x"))),
    ("name", lambda d: d.catalog.GetRuleset(catalog_pb.GetRulesetRequest())),
    (
        "overrides.gin_bonus",
        lambda d: d.catalog.GetRuleset(
            catalog_pb.GetRulesetRequest(name="rulesets/short", overrides={"gin_bonus": 9999})
        ),
    ),
]


@pytest.mark.parametrize(("path", "call"), BAD_REQUESTS)
async def test_a_bad_field_is_refused_by_its_path(desk: Desk, path: str, call: Call) -> None:
    refused = await refusal(call(desk))
    assert (refused.code, refused.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_FIELD")
    assert refused.fields == [path]


BAD_CARDS: list[tuple[str, dict[str, Any]]] = [
    ("action.discard.card", {"discard": {}}),
    ("action.discard.card", {"discard": {"card": 53}}),
    ("action.knock.discard", {"knock": {"discard": -1}}),
    ("action.knock.melds[0].cards[1]", {"knock": {"discard": 1, "melds": [{"cards": [1, 99]}]}}),
    ("action.big_gin.melds[0].cards", {"big_gin": {"melds": [{"cards": [1, 1, 1]}]}}),
    ("action.lay_off.moves[0].card", {"lay_off": {"moves": [{"meld_index": 0}]}}),
]


@pytest.mark.parametrize(("path", "action"), BAD_CARDS)
async def test_a_card_that_is_none_is_refused_by_its_path(
    desk: Desk, path: str, action: dict[str, Any]
) -> None:
    refused = await refusal(acted(desk, **action))
    assert (refused.code, refused.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_CARD")
    assert refused.fields == [path]


async def test_too_many_melds_or_layoffs_are_refused(desk: Desk) -> None:
    many = [{"cards": [1, 2, 3, 4]}] * 3
    bad: list[tuple[dict[str, Any], str]] = [
        ({"knock": {"discard": 1, "melds": many}}, "action.knock.melds"),
        ({"lay_off": {"moves": [{"card": 1}] * 12}}, "action.lay_off.moves"),
        (
            {"lay_off": {"moves": [{"card": 1, "meld_index": 12}]}},
            "action.lay_off.moves[0].meld_index",
        ),
        ({"knock": {"discard": 1, "melds": [{}]}}, "action.knock.melds[0].cards"),
    ]
    for action, path in bad:
        assert (await refusal(acted(desk, **action))).fields == [path]
