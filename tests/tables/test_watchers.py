"""Watchers see every event once, as they may see it, whatever happens to them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from random import Random
from typing import Any

import pytest

from ginrummy import engine
from ginrummy.log import Entry, LogUnavailable, MemoryLog
from ginrummy.tables import audience, play, ring
from ginrummy.tables.audience import Sending
from ginrummy.tables.blocks import BLOCK_LEN
from ginrummy.tables.errors import Draining, LimitReached, SequenceAhead, StoreUnavailable
from ginrummy.tables.events import Recorded, seen_live
from ginrummy.tables.table import Answer
from ginrummy.tables.watcher import Closing, News, PresenceChanged, Quiet, Watcher

from .house import (
    Bare,
    House,
    bot,
    events_of,
    human,
    new_request_id,
    next_action,
    setup_of,
    take_all,
    until,
)

RULESETS = ["playgridia", "kawu"]


@asynccontextmanager
async def watching(
    house: House, match_id: str, viewer: int, after: int = 0
) -> AsyncIterator[Watcher]:
    async with house.tables.use(match_id) as table:
        with table.audience.watch(viewer, after, 10) as watcher:
            yield watcher


async def collect(house: House, match_id: str, viewer: int, after: int = 0) -> list[Recorded]:
    async with watching(house, match_id, viewer, after) as watcher:
        return await take_all(watcher)


@pytest.mark.parametrize("viewer", [0, 1, 2])
async def test_who_watches_from_the_start_sees_all_as_it_happens(house: House, viewer: int) -> None:
    match_id = await house.new_match(setup_of("kawu"))
    seeing = asyncio.create_task(collect(house, match_id, viewer))
    await house.play_on(match_id)
    seen = await seeing
    stored = await house.stored(match_id)
    face_down = setup_of("kawu")["rules"]["knock_card_face_down"]
    assert [event.event for event in seen] == [
        seen_live(event.event, viewer, face_down) for event in stored
    ]


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_nothing_is_skipped_or_doubled_under_random_resumes(
    house: House, ruleset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ring, "RING_LEN", 5)
    random = Random(7)
    overrides = {"target": 100} if ruleset == "playgridia" else {}
    match_id = await house.new_match(setup_of(ruleset, overrides=overrides))
    watchers = [resuming(house, match_id, viewer, random) for viewer in (0, 1, 2, 0, 1, 2)]
    tasks = [asyncio.create_task(watcher) for watcher in watchers]
    async with house.tables.use(match_id) as table:
        while table.state.to_act:
            await house.act_once(table)
            await asyncio.sleep(0.001 * random.random())
    head = (await house.stored(match_id))[-1].sequence
    for seen in await asyncio.gather(*tasks):
        assert seen == list(range(1, head + 1))


async def resuming(house: House, match_id: str, viewer: int, random: Random) -> list[int]:
    """Sequence numbers seen by one who loses his connection again and again."""
    seen: list[int] = []
    while True:
        after = seen[-1] if seen else 0
        async with watching(house, match_id, viewer, after) as watcher:
            for _ in range(random.randrange(6)):
                updates = await watcher.updates()
                if updates is None:
                    return seen
                seen += [event.sequence for event in events_of(updates)]
                await asyncio.sleep(0.003 * random.random())


async def test_each_event_is_encoded_once_for_all_who_see_the_same(house: House) -> None:
    encoder = Bare()
    made = encoder.made
    house.tables._sending = Sending(encoder)
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        times: set[int] = set()
        for _ in range(12):
            made.clear()
            after = table.state.head
            with ExitStack() as stack:
                watchers = [
                    stack.enter_context(table.audience.watch(viewer, after, 10))
                    for viewer in (0, 0, 1, 2)
                ]
                seat = table.state.to_act
                answer = await play.act(table, *next_action(table), after, None)
                for watcher in watchers:
                    assert events_of(await watcher.updates())
                assert table.audience.encode(answer.happened, seat)
            [event] = answer.happened.each()
            hides = event.event["type"] == "card_drawn" and event.event["pile"] == "stock"
            assert made == [after + 1] * (2 if hides else 1)
            times.add(len(made))
        assert times == {1, 2}


async def test_a_past_match_is_read_and_encoded_once_for_all_who_read_it(house: House) -> None:
    match_id = await house.new_match(setup_of("kawu"))
    await house.play_on(match_id)
    stored = await house.stored(match_id)
    encoder = Bare()
    reads = 0
    read = house.log.read

    async def counted(*given: Any, **named: Any) -> list[Entry]:
        nonlocal reads
        reads += 1
        return await read(*given, **named)

    again = house.reopened()
    again.tables._sending = Sending(encoder)
    async with again.tables.use(match_id):
        house.log.read = counted  # type: ignore[method-assign]
        seen = await asyncio.gather(*(collect(again, match_id, 0) for _ in range(50)))
    assert len(stored) > 3 * BLOCK_LEN
    assert set(encoder.made) == {event.sequence for event in stored}
    # Those in the ring are made in each of their looks at once.
    assert len(encoder.made) < len(stored) + 2 * ring.RING_LEN
    assert reads <= 2 * len(stored) / audience.READ_LEN
    for events in seen:
        assert [event.sequence for event in events] == [event.sequence for event in stored]


async def test_who_is_far_behind_is_given_a_little_at_a_time(house: House) -> None:
    match_id = await house.new_match(setup_of("kawu"))
    await house.play_on(match_id)
    last = (await house.stored(match_id))[-1].sequence
    for after in (0, 1, 63, 64, 65, last - 129, last - 1, last):
        numbers = []
        async with watching(house.reopened(), match_id, 1, after) as watcher:
            while (updates := await watcher.updates()) is not None:
                numbers += [event.sequence for event in events_of(updates)]
                assert len(events_of(updates)) <= 2 * BLOCK_LEN
        assert numbers == list(range(after + 1, last + 1))


async def test_a_block_that_could_not_be_read_is_tried_again(house: House) -> None:
    assert isinstance(house.log, MemoryLog)
    match_id = await house.new_match(setup_of("kawu"))
    await house.play_on(match_id)
    async with house.tables.use(match_id):
        house.log.trouble = LogUnavailable("disk")
        with pytest.raises(StoreUnavailable):
            await collect(house, match_id, 0)
        house.log.trouble = None
        assert await collect(house, match_id, 0)


async def test_spectators_leave_room_for_the_players(house: House) -> None:
    house.tables._sending = Sending(Bare(), most_spectators=2)
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        for _ in range(2):  # who has left makes room
            with ExitStack() as stack:
                for _ in range(2):
                    stack.enter_context(table.audience.watch(0, 0, 10))
                with pytest.raises(LimitReached), table.audience.watch(0, 0, 10):
                    pass
                for role in ("1", "2", "host"):
                    stack.enter_context(table.audience.watch(int(role in "12"), 0, 10, role))


async def test_who_asked_is_told_before_anybody_is_shown_the_events(house: House) -> None:
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        head, told = table.state.head, []

        def note(answer: Answer) -> None:
            told.append((answer.head, answer.replayed, table.state.head))

        request_id, move = new_request_id(), next_action(table)
        for _ in range(2):
            await play.act(table, *move, head, request_id, note)
    assert told == [(head + 1, False, head), (head + 1, True, head + 1)]


async def test_a_closing_table_first_shows_what_there_is(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ring, "RING_LEN", 2)
    monkeypatch.setattr(audience, "READ_LEN", 3)
    match_id = await house.new_match(setup_of("kawu"))
    await house.play_on(match_id, 20)
    head = (await house.stored(match_id))[-1].sequence
    async with watching(house, match_id, 0) as watcher:
        await house.tables.close()
        taken = []
        with suppress(Draining):
            while (news := await watcher.updates()) is not None:
                taken.append(news)
    assert [list(news.notices) for news in taken] == [[]] * (len(taken) - 1) + [[Closing()]]
    numbers = [event.sequence for news in taken for event in events_of(news)]
    assert numbers == list(range(1, head + 1))


async def test_a_resume_beyond_the_head_is_refused(house: House) -> None:
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        head = table.state.head
        with pytest.raises(SequenceAhead) as ahead, table.audience.watch(1, head + 1, 10):
            pass
        assert ahead.value.head == head


async def test_who_comes_back_to_a_covered_pile_is_not_told_its_older_cards(house: House) -> None:
    match_id = await house.new_match(setup_of("playgridia"))
    await house.play_on(match_id, 9)
    async with watching(house, match_id, 0) as watcher:
        updates = await watcher.updates()
    assert updates is not None
    seen = [event.event for event in events_of(updates)]
    stored = [event.event for event in await house.stored(match_id)]
    assert [event["type"] for event in seen] == [event["type"] for event in stored]
    discards = [event["card"] for event in seen if event["type"] == "card_discarded"]
    assert len(discards) > 2
    assert discards[0] is None
    played = [event for event in stored if event["type"] not in ("match_created", "seat_taken")]
    expected = engine.replayed_to(0, played, "top_only", False)  # type: ignore[arg-type]
    assert seen[-len(expected) :] == expected


async def test_who_stays_remembers_the_pile(house: House) -> None:
    match_id = await house.new_match(setup_of("playgridia"))
    async with house.tables.use(match_id) as table:
        seeing = asyncio.create_task(collect(house, match_id, 0, table.state.head))
    await asyncio.sleep(0.01)
    await house.play_on(match_id)
    discards = [e.event for e in await seeing if e.event["type"] == "card_discarded"]
    assert all(event["card"] for event in discards if event["type"] == "card_discarded")


async def test_a_watch_of_an_ended_match_ends(house: House) -> None:
    match_id = await house.new_match(setup_of("playgridia"))
    await house.play_on(match_id)
    head = (await house.stored(match_id))[-1].sequence
    for after in (0, head - 1, head):
        seen = await asyncio.wait_for(collect(house, match_id, 1, after), 60)
        assert [event.sequence for event in seen] == list(range(after + 1, head + 1))


async def test_one_who_does_not_read_slows_nobody_and_keeps_nothing(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ring, "RING_LEN", 8)
    match_id = await house.new_match(setup_of("kawu"))
    async with watching(house, match_id, 1) as sleeper:
        seeing = asyncio.create_task(collect(house, match_id, 2))
        await house.play_on(match_id)
        quick = await seeing
        slow = await take_all(sleeper)
    assert [event.sequence for event in slow] == [event.sequence for event in quick]


async def test_presence_is_told_to_the_others_when_a_player_comes_and_leaves(
    house: House,
) -> None:
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        with table.audience.watch(2, table.state.head, 10) as other:
            assert not table.audience.is_connected(1)
            with table.audience.watch(1, table.state.head, 10):
                assert await other.updates() == News((), (PresenceChanged(1, connected=True),))
                assert table.audience.is_connected(1)
                with table.audience.watch(1, table.state.head, 10):
                    pass
            assert await other.updates() == News((), (PresenceChanged(1, connected=False),))


async def test_a_bot_is_always_there(house: House) -> None:
    match_id = await house.new_match(setup_of(seats=[human(), bot()]))
    async with house.tables.use(match_id) as table:
        assert table.audience.is_connected(2)
        assert not table.audience.is_connected(1)


async def test_silence_is_broken_by_a_heartbeat(house: House) -> None:
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        with table.audience.watch(1, table.state.head, 0.02) as watcher:
            assert await watcher.updates() == News((), (Quiet(table.state.head),))
            assert await watcher.updates() == News((), (Quiet(table.state.head),))
            await house.act_once(table)
            assert events_of(await watcher.updates())
            assert await watcher.updates() == News((), (Quiet(table.state.head),))


async def test_closing_tables_have_a_last_word_and_take_no_more_watchers(house: House) -> None:
    match_id = await house.new_match()
    async with house.tables.use(match_id) as table:
        with table.audience.watch(1, table.state.head, 10) as watcher:
            seeing = asyncio.create_task(watcher.updates())
            await asyncio.sleep(0)
            await house.tables.close()
            assert await seeing == News((), (Closing(),))
            with pytest.raises(Draining):
                await watcher.updates()
        with pytest.raises(Draining), table.audience.watch(1, 0, 10):
            pass
        with pytest.raises(Draining):
            await house.act_once(table)


async def test_tables_nobody_needs_are_let_go(house: House) -> None:
    ended = await house.new_match(setup_of("playgridia"))
    await house.play_on(ended)
    idle = await house.new_match()
    watched = await house.new_match()
    assert house.tables.live_count == 3
    async with watching(house, watched, 1):
        house.tables.sweep(asyncio.get_running_loop().time() + 30)
        await until(lambda: house.tables.live_count == 2)
        house.tables.sweep(asyncio.get_running_loop().time() + 3600)
        assert house.tables.live_count == 1
    await house.play_on(idle)


async def test_many_who_come_at_once_load_a_match_once(house: House) -> None:
    match_id = await house.new_match()
    other = house.reopened()

    async def touch() -> int:
        async with other.tables.use(match_id) as table:
            return id(table)

    assert len(set(await asyncio.gather(*(touch() for _ in range(20))))) == 1
