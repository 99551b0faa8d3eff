"""A match can be claimed from an opponent who has been away for long enough, and only then."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from ginrummy.log import MatchState, MemoryLog
from ginrummy.tables import play
from ginrummy.tables.errors import (
    MatchOver,
    NotClaimable,
    RequestIdReused,
)
from ginrummy.tables.setup import ClockSetup, Setup
from ginrummy.tables.table import Table
from ginrummy.tables.views import view_of
from ginrummy.tables.watcher import NO_NEWS, News, PresenceChanged

from .house import (
    NO_CLOCK,
    House,
    bot,
    commands,
    events_of,
    human,
    new_request_id,
    next_action,
    setup_of,
    take_all,
    until,
    vacant,
)
from .test_commit import SlowLog

GRACE_US = 30_000_000
START_US = 1_700_000_000_000_000
PATIENT = ClockSetup(
    turn_time_us=0, timeouts_to_forfeit=0, hand_pause_us=0, absence_grace_us=GRACE_US
)


class Time:
    """The time of day, which passes only when it is told to."""

    def __init__(self) -> None:
        self.now_us = START_US

    def __call__(self) -> int:
        return self.now_us


@pytest.fixture
def time(house: House) -> Time:
    time = Time()
    house.tables.now_us = time
    return time


def patient(**changes: object) -> Setup:
    return setup_of(clock=PATIENT, **changes)  # type: ignore[arg-type]


@pytest.fixture
async def table(house: House, time: Time) -> AsyncIterator[Table]:
    match_id = await house.new_match(patient())
    async with house.tables.use(match_id) as table:
        yield table


async def refused_claim(table: Table, seat: int = 1) -> NotClaimable:
    with pytest.raises(NotClaimable) as refused:
        await play.claim(table, seat, None)
    assert table.state.result is None
    return refused.value


async def test_the_match_of_who_has_been_away_for_long_enough_can_be_claimed(
    house: House, time: Time, table: Table
) -> None:
    time.now_us += GRACE_US
    answer = await play.claim(table, 1, None)
    result = table.state.result
    assert result is not None
    assert (result["winner"], result["reason"]) == (1, "absence_claimed")
    assert table.state.stage is MatchState.FINISHED
    assert answer.happened.each()[-1].event["type"] == "match_ended"
    await house.assert_log_and_table_agree(table)


async def test_a_claim_before_its_time_is_told_when_that_comes(time: Time, table: Table) -> None:
    time.now_us += GRACE_US - 1
    assert (await refused_claim(table)).claimable_us == START_US + GRACE_US
    time.now_us += 1
    await play.claim(table, 1, None)


async def test_nothing_can_be_claimed_from_who_is_there(time: Time, table: Table) -> None:
    with table.audience.watch(2, 0, 10, "2"):
        time.now_us += 10 * GRACE_US
        assert (await refused_claim(table)).claimable_us is None
        assert view_of(table, 1).claimable_us == (START_US + GRACE_US, None)


async def test_each_absence_counts_for_itself(time: Time, table: Table) -> None:
    with table.audience.watch(2, 0, 10, "2"):
        time.now_us += 10 * GRACE_US
    left_us = time.now_us
    time.now_us += GRACE_US - 1
    assert (await refused_claim(table)).claimable_us == left_us + GRACE_US
    time.now_us += 1
    await play.claim(table, 1, None)


async def test_one_of_two_streams_is_enough_to_be_there(time: Time, table: Table) -> None:
    with table.audience.watch(2, 0, 10, "2"):
        with table.audience.watch(2, 0, 10, "2"):
            pass
        time.now_us += GRACE_US
        assert (await refused_claim(table)).claimable_us is None


async def test_a_spectator_is_no_player(time: Time, table: Table) -> None:
    time.now_us += GRACE_US
    with table.audience.watch(0, 0, 10), table.audience.watch(0, 0, 10, "host"):
        await play.claim(table, 1, None)


async def test_a_bot_is_never_away(house: House, time: Time) -> None:
    match_id = await house.new_match(patient(seats=[human(), bot()]))
    async with house.tables.use(match_id) as table:
        time.now_us += GRACE_US
        assert (await refused_claim(table)).claimable_us is None
        assert view_of(table, 1).claimable_us == (None, None), "a bot claims nothing"


async def test_without_a_grace_nothing_can_be_claimed(house: House, time: Time) -> None:
    match_id = await house.new_match(setup_of(clock=NO_CLOCK))
    async with house.tables.use(match_id) as table:
        time.now_us += 10**12
        assert (await refused_claim(table)).claimable_us is None
        assert view_of(table, 1).claimable_us == (None, None)


async def test_absence_counts_from_the_deal(house: House, time: Time) -> None:
    match_id = await house.new_match(patient(seats=[human(), vacant()]))
    async with house.tables.use(match_id) as table:
        time.now_us += GRACE_US
        assert "open" in str(await refused_claim(table))
        with table.audience.watch(1, table.state.head, 10, "1") as watcher:
            await play.join(table, 2, human("Ben"), None)
            claimable_us = time.now_us + GRACE_US
            awaited = PresenceChanged(2, connected=False, claimable_us=claimable_us)
            assert awaited in (await watcher.updates() or NO_NEWS).notices
        assert (await refused_claim(table)).claimable_us == claimable_us
        time.now_us = claimable_us
        await play.claim(table, 1, None)


async def test_an_ended_match_cannot_be_claimed(time: Time, table: Table) -> None:
    time.now_us += GRACE_US
    await play.resign(table, 1, None)
    with pytest.raises(MatchOver):
        await play.claim(table, 1, None)
    assert view_of(table, 1).claimable_us == (None, None)


async def test_a_claim_sent_again_is_answered_as_before_also_after_a_restart(
    house: House, time: Time, table: Table
) -> None:
    time.now_us += GRACE_US
    request_id = new_request_id()
    first = await play.claim(table, 1, request_id)
    async with house.reopened().tables.use(table.state.match_id) as reopened:
        for at in (table, reopened):
            again = await play.claim(at, 1, request_id)
            assert (again.replayed, again.happened.each()) == (True, first.happened.each())
            with pytest.raises(RequestIdReused):
                await play.claim(at, 2, request_id)


async def test_after_a_restart_absence_counts_anew(house: House, time: Time, table: Table) -> None:
    time.now_us += GRACE_US
    again = house.reopened()
    again.tables.now_us = time
    async with again.tables.use(table.state.match_id) as reopened:
        assert (await refused_claim(reopened)).claimable_us == time.now_us + GRACE_US
        time.now_us += GRACE_US
        await play.claim(reopened, 1, None)


async def test_absence_is_remembered_while_nobody_needs_the_table(house: House, time: Time) -> None:
    match_id = await house.new_match(patient())
    time.now_us += GRACE_US - 1
    house.tables.sweep(asyncio.get_running_loop().time() + 3600)
    assert house.tables.live_count == 0
    async with house.tables.use(match_id) as table:
        assert (await refused_claim(table)).claimable_us == START_US + GRACE_US
        time.now_us += 1
        await play.claim(table, 1, None)


async def test_the_others_are_told_when_an_absence_lets_them_claim(
    time: Time, table: Table
) -> None:
    head = table.state.head
    with (
        table.audience.watch(1, head, 10, "1") as opponent,
        table.audience.watch(0, head, 10) as spectator,
    ):
        for _ in range(2):
            with table.audience.watch(2, head, 10, "2"):
                for watcher in (opponent, spectator):
                    assert (
                        PresenceChanged(2, connected=True)
                        in (await watcher.updates() or NO_NEWS).notices
                    )
                time.now_us += 5
            left = PresenceChanged(2, connected=False, claimable_us=time.now_us + GRACE_US)
            for watcher in (opponent, spectator):
                assert await watcher.updates() == News((), (left,))
        assert view_of(table, 1).claimable_us == (None, time.now_us + GRACE_US)


async def test_a_claim_that_was_decided_before_the_opponent_came_back_stands() -> None:
    gate = asyncio.Event()
    gate.set()
    house = House(SlowLog(gate))
    house.tables.now_us = time = Time()
    match_id = await house.new_match(patient())
    time.now_us += GRACE_US
    gate.clear()
    async with house.tables.use(match_id) as table:
        claiming = asyncio.create_task(play.claim(table, 1, None))
        await asyncio.sleep(0.01)
        with table.audience.watch(2, table.state.head, 10, "2") as back:
            assert table.state.result is None
            gate.set()
            await claiming
            assert [e.event["type"] for e in await take_all(back)] == ["match_ended"]
    await house.tables.close()


async def test_of_a_claim_and_a_return_at_once_one_wins(house: House, time: Time) -> None:
    wins = set()
    for turns in range(8):
        match_id = await house.new_match(patient())
        time.now_us += GRACE_US
        async with house.tables.use(match_id) as table:
            claiming = asyncio.create_task(play.claim(table, 1, None))
            for _ in range(turns):
                await asyncio.sleep(0)
            with table.audience.watch(2, table.state.head, 10, "2") as back:
                try:
                    await claiming
                except NotClaimable:
                    assert table.state.result is None
                    await house.act_once(table)
                    assert events_of(await back.updates())
                    wins.add("return")
                else:
                    assert table.state.result is not None
                    wins.add("claim")
            await house.assert_log_and_table_agree(table)
    assert wins == {"claim", "return"}


@pytest.mark.parametrize("claims_first", [True, False])
async def test_a_claim_and_a_move_at_once_are_decided_in_their_order(
    house: House, time: Time, table: Table, claims_first: bool
) -> None:
    time.now_us += GRACE_US
    mover, action = next_action(table)
    move = play.act(table, mover, action, table.state.head, None)
    claim = play.claim(table, 3 - mover, None)
    both = [claim, move] if claims_first else [move, claim]
    outcomes = await asyncio.gather(*both, return_exceptions=True)
    ends = ["create", "claim_absence"] if claims_first else ["create", "act", "claim_absence"]
    assert commands(await house.log.read(table.state.match_id)) == ends
    assert isinstance(outcomes[1], MatchOver) is claims_first
    await house.assert_log_and_table_agree(table)


async def test_a_claim_meets_what_another_server_has_done(house: House, time: Time) -> None:
    match_id = await house.new_match(patient())
    other = house.reopened()
    other.tables.now_us = time
    async with house.tables.use(match_id) as here, other.tables.use(match_id) as there:
        time.now_us += GRACE_US
        await play.claim(here, 1, None)
        with pytest.raises(MatchOver):
            await play.claim(there, 2, None)
        assert there.state.result == here.state.result


async def test_matches_stored_before_there_was_a_grace_go_on(house: House) -> None:
    assert isinstance(house.log, MemoryLog)
    match_id = await house.new_match(setup_of())
    stored = (await house.log.read(match_id))[0].command.value["setup"]["clock"]
    assert set(stored) == {"turn_time_us", "timeouts_to_forfeit", "hand_pause_us"}
    again = house.reopened()
    await again.play_on(match_id)
    async with again.tables.use(match_id) as table:
        await until(lambda: table.state.result is not None)
        await house.assert_log_and_table_agree(table)
