"""What the server offers, and lists."""

import pytest

from ginrummy.server.catalog_service import SERVER_VERSION
from ginrummy.v1 import catalog_service_pb2 as pb
from ginrummy.v1 import match_pb2, match_service_pb2, rules_pb2

from .players import BOT, HUMAN, OPEN, Desk, play_out


async def test_the_server_tells_its_versions_and_abilities(desk: Desk) -> None:
    info = await desk.catalog.GetServerInfo(pb.GetServerInfoRequest())
    assert info.version == SERVER_VERSION
    assert info.engine_version
    assert list(info.features) == ["seeds"]


async def test_the_four_rulesets_are_listed_page_by_page(desk: Desk) -> None:
    names: list[str] = []
    token = ""
    while True:
        request = pb.ListRulesetsRequest(page_size=3, page_token=token)
        response = await desk.catalog.ListRulesets(request)
        for ruleset in response.rulesets:
            names.append(ruleset.name)
            assert ruleset.display_name
            assert ruleset.description
            assert len(ruleset.rules.ListFields()) == len(rules_pb2.Rules.DESCRIPTOR.fields)
        token = response.next_page_token
        if not token:
            break
    assert sorted(names) == [f"rulesets/{n}" for n in ("kawu", "playgridia", "short", "solo")]


async def test_a_ruleset_is_told_with_its_table_manners(desk: Desk) -> None:
    request = pb.GetRulesetRequest(name="rulesets/playgridia")
    ruleset = (await desk.catalog.GetRuleset(request)).ruleset
    assert ruleset.clock.turn_time.seconds == 45
    assert [length.seconds for length in ruleset.turn_times] == [30, 45, 60, 90, 600]
    assert ruleset.hints
    assert ruleset.usual_bot == ""
    assert ruleset.rules.pile_view == rules_pb2.PILE_VIEW_TOP_ONLY


async def test_overrides_are_answered_together_with_the_base(desk: Desk) -> None:
    overrides = rules_pb2.Rules(target=250, oklahoma=rules_pb2.OKLAHOMA_ACE_IS_GIN)
    request = pb.GetRulesetRequest(name="rulesets/short", overrides=overrides)
    rules = (await desk.catalog.GetRuleset(request)).ruleset.rules
    assert (rules.target, rules.oklahoma) == (250, rules_pb2.OKLAHOMA_ACE_IS_GIN)
    assert rules.big_gin_bonus == 31


async def test_bots_are_listed(desk: Desk) -> None:
    bots = (await desk.catalog.ListBots(pb.ListBotsRequest())).bots
    assert "bots/simple" in [bot.name for bot in bots]
    assert all(bot.display_name and bot.description for bot in bots)
    told = {bot.name: dict(bot.default_options) for bot in bots if not bot.deterministic}
    assert {"bots/expert", "bots/hard"} <= set(told)
    assert all(int(options["samples"]) > 0 for options in told.values())
    assert all(not bot.default_options for bot in bots if bot.deterministic)


async def test_the_usual_bot_of_solo_is_there(desk: Desk) -> None:
    solo = (await desk.catalog.GetRuleset(pb.GetRulesetRequest(name="rulesets/solo"))).ruleset
    bots = (await desk.catalog.ListBots(pb.ListBotsRequest())).bots
    assert solo.usual_bot == "bots/heuristic"
    assert solo.usual_bot in [bot.name for bot in bots]


async def test_a_match_is_shown_as_it_was_agreed(desk: Desk) -> None:
    created = await desk.create(
        "kawu",
        seats=[HUMAN, BOT],
        overrides=rules_pb2.Rules(target=50),
        labels={"room": "7"},
        allow_hints=True,
        spectators=match_pb2.SPECTATOR_POLICY_PUBLIC_INFO,
    )
    match = created.match
    assert match.state == match_pb2.MATCH_STATE_RUNNING
    assert match.overrides == rules_pb2.Rules(target=50)
    assert match.effective_rules.target == 50
    assert len(match.effective_rules.ListFields()) == len(rules_pb2.Rules.DESCRIPTOR.fields)
    assert [seat.number for seat in match.seats] == [1, 2]
    assert match.seats[0].human.display_name == "Ann"
    assert match.seats[1].bot.bot == "bots/simple"
    assert len(match.deal_commitment) == 32
    assert not match.seeded
    assert not match.HasField("result")
    assert sorted(created.seat_tokens) == [1]
    again = await desk.matches.GetMatch(match_service_pb2.GetMatchRequest(name=match.name))
    assert again.match.labels == {"room": "7"}


async def listed(desk: Desk, **fields: object) -> list[str]:
    """Names of all matches that a filter admits, in small pages."""
    names: list[str] = []
    request = match_service_pb2.ListMatchesRequest(page_size=2, **fields)  # type: ignore[arg-type]
    while True:
        response = await desk.matches.ListMatches(request)
        names += [match.name for match in response.matches]
        if not response.next_page_token:
            return names
        request.page_token = response.next_page_token


async def test_matches_are_listed_latest_first_as_the_filter_says(desk: Desk) -> None:
    opened = [
        (await desk.create(seats=[HUMAN, OPEN], labels={"room": str(i % 2)})).match.name
        for i in range(5)
    ]
    kawu = (await desk.create("kawu")).match.name
    players = await desk.new_players("playgridia")
    await play_out(*players)
    secret = (await desk.create(unlisted=True, labels={"room": "secret"})).match.name
    everything = await listed(desk)
    assert everything == [players[0].name, kawu, *reversed(opened)]
    assert await listed(desk, joinable_only=True) == opened[::-1]
    assert await listed(desk, labels={"room": "1"}) == [opened[3], opened[1]]
    assert await listed(desk, ruleset="rulesets/kawu") == [kawu]
    assert await listed(desk, state=match_pb2.MATCH_STATE_FINISHED) == [players[0].name]
    assert await listed(desk, labels={"room": "secret"}) == [secret]
    assert await listed(desk, labels={"room": "9"}) == []


@pytest.mark.parametrize("seats", [[HUMAN, HUMAN], [HUMAN, BOT]])
async def test_an_ended_match_can_be_dealt_again(desk: Desk, seats: list[match_pb2.Seat]) -> None:
    players = await desk.new_players("playgridia")
    await play_out(*players)
    request = match_service_pb2.CreateMatchRequest(
        match=match_pb2.Match(ruleset="rulesets/playgridia", seats=seats),
        replay_of=players[0].name,
    )
    match = (await desk.matches.CreateMatch(request)).match
    assert match.replay_of == players[0].name
    assert match.seeded
    first = await desk.matches.GetMatch(match_service_pb2.GetMatchRequest(name=players[0].name))
    assert match.deal_commitment == first.match.deal_commitment
