"""Whole matches at a table, and what is refused on the way."""

import asyncio

import pytest

from ginrummy import engine
from ginrummy.log import MatchState
from ginrummy.tables import play
from ginrummy.tables.creation import create_match
from ginrummy.tables.errors import (
    IllegalAction,
    MatchNotFound,
    MatchNotOver,
    MatchOver,
    NoOpenSeat,
    NotYourTurn,
    RequestIdReused,
    SeedsNotAllowed,
    StaleSequence,
    WrongSeat,
)
from ginrummy.tables.history import ended_match_events
from ginrummy.tables.setup import ClockSetup
from ginrummy.tables.tokens import Holder, digest, holder_of

from .house import House, bot, commands, human, new_request_id, next_action, setup_of, until, vacant

RULESETS = ["playgridia", "solo", "kawu", "short"]


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_a_match_is_played_to_its_end_and_reads_back_the_same(
    house: House, ruleset: str
) -> None:
    match_id = await house.new_match(setup_of(ruleset))
    await house.play_on(match_id)
    async with house.tables.use(match_id) as table:
        assert table.state.stage is MatchState.FINISHED
        await house.assert_log_and_table_agree(table)
    events = await house.stored(match_id)
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert events[0].event["type"] == "match_created"
    assert events[-1].event["type"] == "match_ended"
    assert events[-1].to_act == 0


async def test_two_bots_play_by_themselves(house: House) -> None:
    match_id = await house.new_match(setup_of(seats=[bot(), bot()]))
    async with house.tables.use(match_id) as table:
        await until(lambda: table.state.result is not None)
        await house.assert_log_and_table_agree(table)


async def test_a_bot_answers_with_an_entry_of_its_own(house: House) -> None:
    match_id = await house.new_match(setup_of(seats=[human(), bot()]))
    async with house.tables.use(match_id) as table:
        while table.state.result is None:
            await until(lambda: table.state.to_act == 1 or table.state.result is not None)
            if table.state.result is None:
                await house.act_once(table)
    seats = {e.command.value.get("seat") for e in await house.log.read(match_id)}
    assert seats == {None, 1, 2}


async def test_a_bot_that_owed_a_move_plays_on_after_a_restart(house: House) -> None:
    house.tables.start = lambda: None  # type: ignore[method-assign]
    setup = setup_of(seats=[bot(), bot()])
    match_id = await house.new_match(setup)
    await house.tables.close()
    left_at = len(await house.log.read(match_id))
    again = house.reopened()
    again.tables.start()
    async with again.tables.use(match_id) as table:
        await until(lambda: table.state.result is not None)
    assert len(await house.log.read(match_id)) > left_at
    await again.tables.close()


async def test_nothing_is_dealt_before_both_seats_are_taken(house: House) -> None:
    created = await house.create(setup_of(seats=[vacant(), vacant()]))
    assert created.row.state is MatchState.OPEN
    assert created.row.joinable
    async with house.tables.use(created.row.match_id) as table:
        first = await play.join(table, None, human("Ann"), None)
        with pytest.raises(IllegalAction, match="seat is open") as refused:
            await play.act(table, 1, {"type": "pass"}, table.state.head, None)
        assert (refused.value.kind, refused.value.fields) == ("wrong_phase", {"phase": "waiting"})
        with pytest.raises(NoOpenSeat):
            await play.join(table, 1, human("Eve"), None)
        second = await play.join(table, 2, human("Ben"), None)
        assert (first.seat, second.seat) == (1, 2)
        assert table.state.stage is MatchState.RUNNING
        with pytest.raises(NoOpenSeat):
            await play.join(table, None, human("Eve"), None)
        assert holder_of(first.token, table.tokens) == Holder("1", digest(first.token))
    kinds = [event.event["type"] for event in await house.stored(created.row.match_id)]
    assert kinds == ["match_created", "seat_taken", "seat_taken", "hand_dealt"]


async def test_of_two_who_want_one_seat_one_gets_it(house: House) -> None:
    match_id = await house.new_match(setup_of(seats=[human(), vacant()]))
    async with house.tables.use(match_id) as table:
        tries = [play.join(table, None, human(name), None) for name in ("Ben", "Eve")]
        results = await asyncio.gather(*tries, return_exceptions=True)
    assert sorted(type(result).__name__ for result in results) == ["Joined", "NoOpenSeat"]


async def test_refusals_come_in_the_order_of_the_rules(house: House) -> None:
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        seat, action = next_action(table)
        head = table.state.head
        with pytest.raises(StaleSequence) as stale:
            await play.act(table, 3 - seat, {"type": "big_gin"}, head - 1, None)
        assert (stale.value.expected, stale.value.actual) == (head - 1, head)
        with pytest.raises(StaleSequence):
            await play.act(table, seat, action, head + 1, None)
        with pytest.raises(NotYourTurn) as not_yours:
            await play.act(table, 3 - seat, {"type": "big_gin"}, head, None)
        assert not_yours.value.to_act == seat
        with pytest.raises(IllegalAction) as wrong_phase:
            await play.act(table, seat, {"type": "discard", "card": "AS"}, head, None)
        assert wrong_phase.value.kind == "wrong_phase"
        assert table.state.head == head
        await play.resign(table, seat, None)
        with pytest.raises(MatchOver):
            await play.act(table, seat, action, head - 1, None)


async def test_who_resigns_loses(house: House) -> None:
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        await play.resign(table, 1, None)
        assert table.state.result is not None
        assert table.state.result["winner"] == 2
        assert table.state.result["reason"] == "resigned"
        with pytest.raises(MatchOver):
            await play.resign(table, 2, None)


async def test_a_seat_may_abort_only_before_it_has_acted(house: House) -> None:
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        seat = table.state.to_act
        await house.act_once(table)
        with pytest.raises(WrongSeat):
            await play.abort(table, seat, None)
        await play.abort(table, 3 - seat, None)
        assert table.state.stage is MatchState.ABORTED
        await house.assert_log_and_table_agree(table)


async def test_a_seat_cannot_abort_once_the_engine_has_played_for_it(house: House) -> None:
    clock = ClockSetup(turn_time_us=40_000, timeouts_to_forfeit=0, hand_pause_us=0)
    match_id = await house.new_match(setup_of(clock=clock))
    async with house.tables.use(match_id) as table:
        seat = table.state.to_act
        await until(lambda: table.state.to_act == 3 - seat)
        with pytest.raises(WrongSeat):
            await play.abort(table, seat, None)


async def test_a_seat_cannot_abort_once_a_hand_has_ended(house: House) -> None:
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        while table.state.game is not None and table.state.game.hand_number == 1:
            table.state = table.state._replace(has_acted=(False, False))  # as if by the other
            await house.act_once(table)
        for seat in (1, 2):
            with pytest.raises(WrongSeat):
                await play.abort(table, seat, None)


async def test_a_host_may_abort_at_any_time_even_before_the_deal(house: House) -> None:
    played = await house.new_match()
    waiting = await house.new_match(setup_of(seats=[human(), vacant()]))
    await house.play_on(played, 3)
    for match_id in (played, waiting):
        async with house.tables.use(match_id) as table:
            await play.abort(table, None, None)
            assert table.state.stage is MatchState.ABORTED
            assert table.state.open_seats == []
            await house.assert_log_and_table_agree(table)


async def test_an_unknown_match_is_not_found(house: House) -> None:
    with pytest.raises(MatchNotFound):
        async with house.tables.use("nothing"):
            pass


async def test_chosen_deals_between_people_need_permission(house: House) -> None:
    seed = "07" * 32
    for seats in ([human(), human()], [human(), vacant()]):
        with pytest.raises(SeedsNotAllowed):
            await create_match(
                house.tables, setup_of(seats=seats, seed=seed), None, seeds_allowed=False
            )
    setup = setup_of(seats=[human(), bot()], seed=seed)
    created = await create_match(house.tables, setup, None, seeds_allowed=False)
    assert created.row.summary.value["seeded"]
    dealt = (await house.stored(created.row.match_id))[3].event
    assert dealt["type"] == "hand_dealt"
    assert dealt["upcard"] == engine.deck(bytes.fromhex(seed), 1)[20]


async def test_an_ended_match_is_dealt_again_and_a_running_one_is_not(house: House) -> None:
    match_id = await house.new_match()
    with pytest.raises(MatchNotOver):
        await house.create(setup_of(seed=None, replay_of=match_id))
    await house.play_on(match_id)
    again = await house.create(setup_of(seed=None, replay_of=match_id))
    assert again.row.summary.value["seeded"]
    first, second = await house.stored(match_id), await house.stored(again.row.match_id)
    assert first[3].event == second[3].event


async def test_the_history_is_closed_until_the_end_and_then_hides_nothing(house: House) -> None:
    match_id = await house.new_match()
    with pytest.raises(MatchNotOver):
        await ended_match_events(house.tables, await house.tables.index.row(match_id), 0, 100)
    await house.play_on(match_id)
    row = await house.tables.index.row(match_id)
    read: list[int] = []
    while not read or read[-1] < row.head:
        events = await ended_match_events(house.tables, row, read[-1] if read else 0, 7)
        read += [event.sequence for event in events]
        assert all(None not in event.event.values() for event in events if _is_open(event.event))
    assert read == list(range(1, row.head + 1))


def _is_open(event: object) -> bool:
    return isinstance(event, dict) and event["type"] in ("hand_dealt", "card_drawn")


async def test_a_request_id_of_the_creation_belongs_to_it(house: House) -> None:
    request_id = new_request_id()
    created = await house.create(setup_of(), request_id)
    async with house.tables.use(created.row.match_id) as table:
        with pytest.raises(RequestIdReused):
            await house.act_once(table, request_id)
    assert commands(await house.log.read(created.row.match_id)) == ["create"]
