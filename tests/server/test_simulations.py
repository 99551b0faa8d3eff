"""SimulationService over a real socket: what is played, followed, cancelled and kept."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from ginrummy import engine
from ginrummy.log import MemoryLog
from ginrummy.server.convert.simulations import spec_from_wire
from ginrummy.server.keys import keys_from_text
from ginrummy.server.serving import Serving
from ginrummy.server.settings import Limits, Security, Settings
from ginrummy.simulations.errors import TooMany
from ginrummy.simulations.simulations import Bounds, Simulations
from ginrummy.v1 import rules_pb2
from ginrummy.v1 import simulation_service_pb2 as pb

from .players import Desk, new_request_id
from .refusals import refusal
from .simulations import ENDLESS, SEED, Office, asked, entrant


@pytest.fixture
async def office(desk: Desk) -> Office:
    return Office(desk.channel)


def tally_of(matches: int, number: int = 0, *, single_deals: bool = False) -> engine.TallyCounts:
    """What the engine itself makes of these matches."""
    rules = engine.resolve_rules("short", {})
    pairing = engine.Pairing(rules, ("simple", "simple"), SEED, number, single_deals)
    tally = pairing.play(0, matches if single_deals else matches // 2, engine.Cancel())
    assert tally is not None
    return tally.counts()


async def test_a_simulation_ends_with_what_the_engine_counts(office: Office) -> None:
    created = await office.create(asked(600))
    assert created.name.startswith("simulations/")
    ended = await office.ended(created.name)
    assert ended.state == pb.SIMULATION_STATE_SUCCEEDED
    assert ended.engine_version == engine.__version__
    assert ended.create_time.ToNanoseconds() < ended.end_time.ToNanoseconds()
    counts = tally_of(600)
    assert ended.progress.matches_done == ended.progress.matches_total == 600
    assert not ended.progress.HasField("time_left")
    [pair] = ended.progress.pairings
    assert (pair.first, pair.second, pair.matches) == (0, 1, 600)
    assert [pair.first_wins, pair.second_wins] == counts["wins"]
    assert (pair.hands, pair.dead_hands) == (counts["hands"], counts["dead_hands"])
    assert pair.first_ends.undercuts == counts["ends"][0]["undercuts"]
    assert pair.second_ends.gins == counts["ends"][1]["gins"]
    assert {p.points: p.hands for p in pair.hand_points} == counts["hand_points"]
    assert pair.hands_per_match.value == pytest.approx(counts["hands"] / 600)
    assert pair.hands_per_match.low < pair.hands_per_match.value < pair.hands_per_match.high
    assert await office.get(created.name) == ended


async def test_each_entrant_meets_each_other(office: Office) -> None:
    entrants = [entrant("A"), entrant("B"), entrant("C"), entrant()]
    ended = await office.ended((await office.create(asked(40, entrants=entrants))).name)
    assert [who.label for who in ended.entrants] == ["A", "B", "C", "simple"]
    pairs = [(pair.first, pair.second) for pair in ended.progress.pairings]
    assert pairs == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert ended.progress.matches_done == 240
    for number, pair in enumerate(ended.progress.pairings):
        assert pair.hands == tally_of(40, number)["hands"], "each pair has deals of its own"
    for standing in ended.progress.standings:
        assert standing.matches == 120
        assert standing.wins + standing.losses == 120
    wins_of_c = sum(
        pair.first_wins if pair.first == 2 else pair.second_wins
        for pair in ended.progress.pairings
        if 2 in (pair.first, pair.second)
    )
    assert ended.progress.standings[2].wins == wins_of_c


async def test_single_deals_are_played_once_each(office: Office) -> None:
    created = await office.create(asked(301, single_deals=True))
    ended = await office.ended(created.name)
    counts = tally_of(301, single_deals=True)
    [pair] = ended.progress.pairings
    assert [pair.first_wins, pair.second_wins] == counts["wins"]
    assert counts["wins"][0] != counts["wins"][1], "nothing balances the deals"


async def test_overrides_count_and_are_told(office: Office) -> None:
    overrides = rules_pb2.Rules(undercut_bonus=10, target=100)
    ended = await office.ended((await office.create(asked(20, overrides=overrides))).name)
    assert ended.overrides == overrides
    rules = engine.resolve_rules("short", {"undercut_bonus": 10, "target": 100})
    tally = engine.Pairing(rules, ("simple", "simple"), SEED).play(0, 10, engine.Cancel())
    assert tally is not None
    assert ended.progress.pairings[0].hands == tally.counts()["hands"]


async def test_a_seed_that_nobody_chose_is_told_and_leads_to_the_same(office: Office) -> None:
    first = await office.create(asked(40, seed=b""))
    assert len(first.seed) == 32
    again = await office.create(asked(40, seed=first.seed))
    progress = [(await office.ended(one.name)).progress for one in (first, again)]
    assert progress[0].pairings == progress[1].pairings
    other = await office.create(asked(40, seed=b""))
    assert other.seed != first.seed


async def test_a_repeated_request_finds_the_first(office: Office) -> None:
    request_id = new_request_id()
    first = await office.create(asked(40, seed=b""), request_id)
    again = await office.create(asked(40, seed=b""), request_id.upper())
    assert (again.name, again.seed) == (first.name, first.seed)
    await office.ended(first.name)
    assert (await office.create(asked(40, seed=b""), request_id)).name == first.name
    for other in (asked(42, seed=b""), asked(40, seed=SEED)):
        told = await refusal(office.create(other, request_id))
        assert (told.reason, told.code) == (
            "REQUEST_ID_REUSED",
            grpc.StatusCode.INVALID_ARGUMENT,
        )


async def test_progress_comes_at_intervals_and_ends_with_the_end(office: Office) -> None:
    created = await office.create(asked(ENDLESS))
    times, seen = [time.monotonic()], []
    async for response in office.watch(created.name, 200):
        times.append(time.monotonic())
        seen.append(response.simulation)
        if len(seen) == 5:
            await office.cancel(created.name)
    # The first comes at once; one that arrives late takes nothing from those after it.
    assert all(at - times[0] > 0.19 * n for n, at in enumerate(times[1:6]))
    done = [one.progress.matches_done for one in seen]
    assert done == sorted(done)
    assert seen[-1].state == pb.SIMULATION_STATE_CANCELLED
    assert all(one.state != seen[-1].state for one in seen[:-1])
    running = [one for one in seen[:-1] if one.progress.matches_done]
    assert any(one.progress.matches_per_second > 0 for one in running)
    for one in running:
        if one.progress.HasField("time_left"):
            left = one.progress.time_left.ToMilliseconds() / 1000
            expected = (ENDLESS - one.progress.matches_done) / one.progress.matches_per_second
            assert left == pytest.approx(expected, abs=0.01)


async def test_cancelling_does_not_wait_for_the_rest_and_keeps_what_was_played(
    office: Office,
) -> None:
    created = await office.create(asked(ENDLESS))
    await office.begun(created.name)
    watching = asyncio.create_task(office.ended(created.name))
    began_s = time.monotonic()
    cancelled = await office.cancel(created.name)
    assert cancelled.state == pb.SIMULATION_STATE_CANCELLED
    assert await watching == cancelled
    assert time.monotonic() - began_s < 20
    assert cancelled.progress.matches_done > 0
    [pair] = cancelled.progress.pairings
    counts = tally_of(cancelled.progress.matches_done)
    assert [pair.first_wins, pair.second_wins] == counts["wins"], "the first deals, whole"
    await asyncio.sleep(0.5)
    assert await office.cancel(created.name) == await office.get(created.name) == cancelled


async def test_a_bot_that_thinks_leaves_off_in_the_middle_of_a_match_when_cancelled(
    serving: Serving, office: Office
) -> None:
    # Most of a minute for each match and its return.
    overrides = rules_pb2.Rules(target=500, hollywood=True, knock_limit=0, gin_bonus=0)
    long = {
        "ruleset": "rulesets/solo",
        "overrides": overrides,
        "entrants": [entrant("A", bot="expert"), entrant("B", bot="expert")],
    }
    created = await office.create(asked(ENDLESS, **long))
    async with asyncio.timeout(60):
        while not serving.simulations.threads_playing:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert (await office.cancel(created.name)).progress.matches_done == 0
    async with asyncio.timeout(10):
        while serving.simulations.threads_playing:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_of_an_ended_simulation_nothing_changes(office: Office) -> None:
    ended = await office.ended((await office.create()).name)
    assert await office.cancel(ended.name) == ended


async def test_the_latest_are_listed_first_page_by_page(office: Office) -> None:
    names = [(await office.create(asked(2))).name for _ in range(5)]
    for name in names:
        await office.ended(name)
    found, token = [], ""
    while True:
        page = await office.page(2, token)
        found += [one.name for one in page.simulations]
        assert all(not pair.hand_points for s in page.simulations for pair in s.progress.pairings)
        token = page.next_page_token
        if not token:
            break
    assert found == names[::-1]


@pytest.fixture
async def small_office() -> AsyncIterator[Office]:
    limits = Limits(
        simulation_workers=1,
        simulations_at_once=1,
        max_simulations=3,
        max_simulations_per_caller=2,
    )
    serving = Serving(MemoryLog(), Settings(limits=limits))
    port = await serving.start("127.0.0.1", 0)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Office(channel)
    await serving.stop(0.2)


async def test_those_that_have_no_room_wait_for_others_to_end(small_office: Office) -> None:
    first = await small_office.create(asked(ENDLESS))
    second = await small_office.create(asked(20))
    await small_office.begun(first.name)
    assert (await small_office.get(second.name)).state == pb.SIMULATION_STATE_QUEUED
    await small_office.cancel(first.name)
    assert (await small_office.ended(second.name)).progress.matches_done == 20


async def test_a_caller_has_so_many_and_then_has_to_wait(small_office: Office) -> None:
    first = await small_office.create(asked(ENDLESS))
    await small_office.create(asked(ENDLESS))
    told = await refusal(small_office.create())
    assert (told.reason, told.code) == ("LIMIT_REACHED", grpc.StatusCode.RESOURCE_EXHAUSTED)
    assert told.retry_s == 10
    assert told.metadata == {"limit": "simulations_of_a_caller", "most": "2"}
    await small_office.cancel(first.name)
    await small_office.create()


async def test_who_reads_slowly_holds_nobody_up(office: Office) -> None:
    created = await office.create(asked(ENDLESS))
    watches = [office.watch(created.name) for _ in range(20)]
    for watch in watches:
        await watch.read()  # and no more
    async with asyncio.timeout(120):
        seen = set[int]()
        async for response in office.watch(created.name):
            seen.add(response.simulation.progress.matches_done)
            if len(seen) == 4:
                break
    for watch in watches:
        watch.cancel()
    await office.cancel(created.name)


async def test_whoever_watches_is_told_when_the_server_stops(
    serving: Serving, office: Office
) -> None:
    created = await office.create(asked(ENDLESS))
    await office.begun(created.name)
    watch = office.watch(created.name, 60_000)
    await watch.read()
    stopping = asyncio.create_task(serving.stop(1))
    told = await refusal(watch.read())
    assert (told.reason, told.code) == ("DRAINING", grpc.StatusCode.UNAVAILABLE)
    await stopping


async def test_all_callers_together_have_so_many() -> None:
    bounds = Bounds(workers=1, most_unfinished=2, most_of_a_caller=2)
    simulations = Simulations(None, bounds)
    await simulations.start()
    spec = spec_from_wire(pb.CreateSimulationRequest(simulation=asked(ENDLESS)))
    for caller in ("key:a", "key:b"):
        await simulations.create(spec, None, caller)
    with pytest.raises(TooMany) as told:
        await simulations.create(spec, None, "key:c")
    assert (told.value.most, told.value.of_caller) == (2, False)
    await simulations.close()


BAD = [
    ("simulation.ruleset", {"ruleset": ""}),
    ("simulation.ruleset", {"ruleset": "short"}),
    ("simulation.entrants", {"entrants": []}),
    ("simulation.entrants", {"entrants": [entrant("A")]}),
    ("simulation.entrants", {"entrants": [entrant(str(i)) for i in range(9)]}),
    ("simulation.entrants[1].bot", {"entrants": [entrant("A"), pb.Entrant(label="B")]}),
    ("simulation.entrants[1].bot.bot", {"entrants": [entrant("A"), entrant("B", bot="")]}),
    ("simulation.entrants[2].label", {"entrants": [entrant("A"), entrant("B"), entrant("A")]}),
    ("simulation.entrants[1].label", {"entrants": [entrant(), entrant()]}),
    ("simulation.entrants[0].label", {"entrants": [entrant("x" * 65), entrant()]}),
    ("simulation.entrants[0].label", {"entrants": [entrant("a\nb"), entrant()]}),
    ("simulation.entrants[0].label", {"entrants": [entrant("\u2003"), entrant()]}),
    (
        "simulation.entrants[1].bot.think_time",
        {"entrants": [entrant("A"), entrant("B", think_time=Duration(seconds=1))]},
    ),
    (
        "simulation.entrants[0].bot.options['x']",
        {"entrants": [entrant("A", options={"x": "1"}), entrant("B")]},
    ),
    (
        "simulation.entrants[0].bot.options['samples']",
        {"entrants": [entrant("A", bot="expert", options={"samples": "5"}), entrant("B")]},
    ),
    ("simulation.matches_per_pairing", {"matches_per_pairing": 0}),
    ("simulation.matches_per_pairing", {"matches_per_pairing": 3}),
    ("simulation.matches_per_pairing", {"matches_per_pairing": 1_000_002}),
    ("simulation.matches_per_pairing", {"matches_per_pairing": 2**64 - 2}),
    ("simulation.seed", {"seed": b"x" * 31}),
    ("simulation.seed", {"seed": b"x" * 33}),
    ("simulation.overrides.knock_limit", {"overrides": rules_pb2.Rules(knock_limit=11)}),
    (
        "simulation.overrides.hollywood",
        {"overrides": rules_pb2.Rules(hollywood=True, target=0)},
    ),
]


@pytest.mark.parametrize(("field", "wrong"), BAD)
async def test_a_bad_field_is_named(office: Office, field: str, wrong: dict[str, Any]) -> None:
    told = await refusal(office.create(asked(**wrong)))
    assert (told.code, told.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_FIELD")
    assert told.fields == [field]
    assert not (await office.page()).simulations


async def test_unknown_names_are_not_found(office: Office) -> None:
    for wrong, reason in (
        ({"entrants": [entrant("A"), entrant("B", bot="nobody")]}, "BOT_NOT_FOUND"),
        ({"ruleset": "rulesets/nothing"}, "RULESET_NOT_FOUND"),
    ):
        told = await refusal(office.create(asked(**wrong)))
        assert (told.code, told.reason) == (grpc.StatusCode.NOT_FOUND, reason)
    name = f"simulations/{'0' * 32}"
    for call in (office.get(name), office.cancel(name), office.watch(name).read()):
        told = await refusal(call)
        assert (told.code, told.reason) == (grpc.StatusCode.NOT_FOUND, "SIMULATION_NOT_FOUND")


async def test_other_calls_name_their_bad_fields_too(office: Office) -> None:
    created = await office.create()
    nothing = office.stub.CreateSimulation(pb.CreateSimulationRequest(), timeout=5)
    for call, field in (
        (nothing, "simulation"),
        (office.create(asked(), "no uuid"), "request_id"),
        (office.get(""), "name"),
        (office.get("matches/x"), "name"),
        (office.cancel("simulations/"), "name"),
        (office.watch("x").read(), "name"),
        (office.watch(created.name, 99).read(), "min_interval"),
        (office.watch(created.name, 60_001).read(), "min_interval"),
        (office.page(501), "page_size"),
        (office.page(token="x"), "page_token"),
        (office.page(token="9" * 30), "page_token"),
    ):
        told = await refusal(call)
        assert (told.reason, told.fields) == ("BAD_FIELD", [field])


async def test_changes_need_a_deadline(office: Office) -> None:
    request = pb.CreateSimulationRequest(simulation=asked())
    assert (await refusal(office.stub.CreateSimulation(request))).reason == "DEADLINE_REQUIRED"
    cancel = pb.CancelSimulationRequest(name="simulations/x")
    assert (await refusal(office.stub.CancelSimulation(cancel))).reason == "DEADLINE_REQUIRED"


async def test_where_keys_are_needed_every_call_needs_one() -> None:
    key = "a-key-of-the-lobby-01"
    security = Security(api_keys=keys_from_text(f"lobby={key}"))
    serving = Serving(MemoryLog(), Settings(security=security))
    port = await serving.start("127.0.0.1", 0)
    name = f"simulations/{'0' * 32}"
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        office = Office(channel)
        for call in (
            office.create(),
            office.get(name),
            office.page(),
            office.cancel(name),
            office.watch(name).read(),
        ):
            assert (await refusal(call)).reason == "BAD_KEY"
        request = pb.CreateSimulationRequest(simulation=asked())
        await office.stub.CreateSimulation(request, metadata=(("x-api-key", key),), timeout=20)
    await serving.stop(0.2)
