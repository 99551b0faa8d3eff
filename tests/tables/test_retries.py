"""The same request twice takes effect once."""

import pytest

from ginrummy.tables import play
from ginrummy.tables.errors import MatchOver, RequestIdReused, TokenWithheld
from ginrummy.tables.tokens import HOST, Holder, digest, holder_of, renewed

from .house import House, human, new_request_id, next_action, setup_of, vacant


async def test_an_action_sent_again_is_answered_with_the_first_events(house: House) -> None:
    match_id = await house.new_match()
    request_id = new_request_id()
    async with house.tables.use(match_id) as table:
        seat, action = next_action(table)
        head = table.state.head
        first = await play.act(table, seat, action, head, request_id)
        await house.play_on(match_id, 5)
        again = await play.act(table, seat, action, head, request_id)
    assert not first.replayed
    assert again.replayed
    assert again.happened.each() == first.happened.each()


async def test_the_first_answer_is_given_even_when_the_match_is_over(house: House) -> None:
    match_id = await house.new_match()
    request_id = new_request_id()
    async with house.tables.use(match_id) as table:
        await play.resign(table, 1, request_id)
        again = await play.resign(table, 1, request_id)
        assert again.replayed


async def test_the_first_answer_survives_a_restart(house: House) -> None:
    match_id = await house.new_match()
    request_id = new_request_id()
    async with house.tables.use(match_id) as table:
        seat, action = next_action(table)
        head = table.state.head
        first = await play.act(table, seat, action, head, request_id)
    async with house.reopened().tables.use(match_id) as table:
        again = await play.act(table, seat, action, head, request_id)
    assert again.replayed
    assert again.happened.each() == first.happened.each()


async def test_a_request_id_with_another_action_is_refused(house: House) -> None:
    match_id = await house.new_match()
    request_id = new_request_id()
    async with house.tables.use(match_id) as table:
        seat, action = next_action(table)
        await play.act(table, seat, action, table.state.head, request_id)
        with pytest.raises(RequestIdReused):
            await play.act(table, seat, {"type": "big_gin"}, table.state.head, request_id)
        with pytest.raises(RequestIdReused):
            await play.act(table, 3 - seat, action, table.state.head, request_id)
        with pytest.raises(RequestIdReused):
            await play.resign(table, seat, request_id)


async def test_creating_again_gives_the_same_match_and_new_tokens(house: House) -> None:
    request_id = new_request_id()
    first = await house.create(setup_of(), request_id)
    again = await house.create(setup_of(), request_id)
    assert again.row.match_id == first.row.match_id
    async with house.tables.use(first.row.match_id) as table:
        for role in (HOST, "1", "2"):
            assert holder_of(again.tokens[role], table.tokens) == Holder(
                role, digest(again.tokens[role])
            )
            assert holder_of(first.tokens[role], table.tokens) is None
        await house.assert_log_and_table_agree(table)
    with pytest.raises(RequestIdReused):
        await house.create(setup_of(labels={"room": "7"}), request_id)


async def test_joining_again_gives_no_token_once_the_host_has_replaced_it(house: House) -> None:
    match_id = await house.new_match(setup_of(seats=[vacant(), vacant()]))
    ann, ben = new_request_id(), new_request_id()
    async with house.tables.use(match_id) as table:
        await play.join(table, None, human("Ann"), ann)
        await play.join(table, None, human("Ben"), ben)
        given = await play.reissue_token(table, "1", Holder(HOST, table.tokens[HOST]))
    for at in (house, house.reopened()):
        async with at.tables.use(match_id) as table:
            with pytest.raises(TokenWithheld, match="replaced by the host"):
                await play.join(table, None, human("Ann"), ann)
            assert holder_of(given, table.tokens) == Holder("1", digest(given))
            again = await play.join(table, None, human("Ben"), ben)
            assert holder_of(again.token, table.tokens) == Holder("2", digest(again.token))
            await at.assert_log_and_table_agree(table)


async def test_joining_again_gives_no_token_once_the_match_has_ended(house: House) -> None:
    match_id = await house.new_match(setup_of(seats=[human("Ann"), vacant()]))
    request_id = new_request_id()
    async with house.tables.use(match_id) as table:
        joined = await play.join(table, None, human("Ben"), request_id)
        await play.resign(table, 1, None)
        with pytest.raises(MatchOver):
            await play.join(table, None, human("Ben"), request_id)
        assert holder_of(joined.token, table.tokens) == Holder("2", digest(joined.token))


def test_a_mark_among_the_hashes_opens_nothing() -> None:
    token = "m.secret"
    assert holder_of(token, {renewed("1"): digest(token)}) is None


async def test_joining_again_gives_the_same_seat_and_a_new_token(house: House) -> None:
    match_id = await house.new_match(setup_of(seats=[vacant(), vacant()]))
    request_id = new_request_id()
    async with house.tables.use(match_id) as table:
        first = await play.join(table, None, human("Ann"), request_id)
        await play.join(table, None, human("Ben"), new_request_id())
        again = await play.join(table, None, human("Ann"), request_id)
        assert again.seat == first.seat == 1
        assert holder_of(again.token, table.tokens) == Holder("1", digest(again.token))
        assert holder_of(first.token, table.tokens) is None
        with pytest.raises(RequestIdReused):
            await play.join(table, None, human("Eve"), request_id)
        with pytest.raises(RequestIdReused):
            await play.join(table, 1, human("Ann"), request_id)
