"""Where spectators may see scored hands in full, they see those, later, and nothing else.

The oracle is the log: what is shown of a stored event follows from where the match stood when the
spectator came.
"""

import asyncio
from collections.abc import Sequence
from random import Random

import pytest

from ginrummy import engine
from ginrummy.tables import play
from ginrummy.tables.blocks import BLOCK_LEN
from ginrummy.tables.events import Recorded, TableEvent, seen_live
from ginrummy.tables.setup import Setup
from ginrummy.tables.table import Table
from ginrummy.tables.watcher import Watcher

from .house import House, events_of, setup_of, take_all

RULESETS = ["kawu", "playgridia"]
TABLE = ("match_created", "seat_taken")


def delayed(ruleset: str) -> Setup:
    return setup_of(ruleset, overrides={"target": 50}, spectators="delayed_full")


async def play_on(table: Table, actions: int) -> None:
    """Plays so many actions; in every other hand nobody knocks, so that it ends dead."""
    for _ in range(actions):
        seat, game = table.state.to_act, table.state.game
        if not seat or game is None:
            return
        view = game.view(seat, False)
        action = game.bot_action(seat, "simple")
        if view["hand_number"] % 2 == 0:
            legal = view["legal_actions"]
            action = legal[0]
            if view["last_drawn"] is not None:
                action = {"type": "discard", "card": view["last_drawn"]}
            elif {"type": "draw", "pile": "stock"} in legal:
                action = {"type": "draw", "pile": "stock"}
        assert action is not None
        await play.act(table, seat, action, table.state.head, None)


async def catch_up(watcher: Watcher, head: int) -> list[Recorded]:
    """All that a watcher is shown up to the event `head`."""
    seen: list[Recorded] = []
    while watcher.cursor < head:
        updates = await watcher.updates()
        assert updates is not None
        seen += events_of(updates)
    return seen


async def seen_by_one_who_comes_now(table: Table, after: int, viewer: int = 0) -> list[Recorded]:
    with table.audience.watch(viewer, after, 10) as watcher:
        return await catch_up(watcher, table.state.head)


def hands_in(stored: Sequence[Recorded]) -> list[tuple[int, int, str]]:
    """First and last event of each scored hand, and how it came out."""
    hands: list[tuple[int, int, str]] = []
    start = 0
    for event in stored:
        if event.event["type"] == "hand_dealt":
            start = event.sequence
        elif event.event["type"] == "hand_scored":
            hands.append((start, event.sequence, event.event["outcome"]))
    return hands


def shown(setup: Setup, stored: Sequence[Recorded], came_at: int) -> list[TableEvent]:
    """What a spectator is shown, from the first event on, who came after the event `came_at`."""
    past, face_down = stored[:came_at], setup["rules"]["knock_card_face_down"]
    live = [seen_live(e.event, 0, face_down) for e in stored]
    if past[-1].event["type"] == "match_ended":
        return [e.event for e in past] + live[came_at:]
    told = live
    open_until = 0
    for first, last, outcome in hands_in(past):
        open_until = last
        if outcome != "dead":
            told[first - 1 : last] = [e.event for e in stored[first - 1 : last]]
    if setup["rules"]["pile_view"] == "top_only":
        running = [e.event for e in stored[open_until:came_at] if e.event["type"] not in TABLE]
        covered = engine.replayed_to(0, running, "top_only", face_down)  # type: ignore[arg-type]
        told[came_at - len(covered) : came_at] = covered
    return told


def bare(seen: Sequence[Recorded]) -> list[TableEvent]:
    return [event.event for event in seen]


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_who_comes_at_any_time_is_shown_scored_hands_and_no_other(
    house: House, ruleset: str
) -> None:
    random = Random(5)
    setup = delayed(ruleset)
    match_id = await house.new_match(setup)
    heads = set()
    async with house.tables.use(match_id) as table:
        while True:
            stored, head = await house.stored(match_id), table.state.head
            for after in (0, BLOCK_LEN, random.randrange(head), head - 1):
                if after < head:
                    seen = await seen_by_one_who_comes_now(table, after)
                    assert bare(seen) == shown(setup, stored, head)[after:]
            heads.add(head)
            if not table.state.to_act:
                break
            await play_on(table, random.randrange(2, 25))
    outcomes = [outcome for _, _, outcome in hands_in(stored)]
    assert len(heads) > 10
    assert len(stored) > 2 * BLOCK_LEN
    assert "dead" in outcomes[:-1]


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("newcomers_read_first", [True, False])
async def test_a_hand_scored_while_one_catches_up_is_covered_for_him_and_open_for_later_ones(
    house: House, ruleset: str, newcomers_read_first: bool
) -> None:
    setup = delayed(ruleset)
    if ruleset == "playgridia":
        setup["rules"]["pile_view"] = "all"  # who is covered then does not depend on when he reads
    match_id = await house.new_match(setup)
    async with house.tables.use(match_id) as table:
        while table.state.to_act:
            await play_on(table, 17)
            came_at = table.state.head
            with table.audience.watch(0, 0, 10) as early:
                await play_on(table, 60)
                stored, head = await house.stored(match_id), table.state.head

                async def newcomers(stored: list[Recorded], head: int) -> None:
                    seen = await seen_by_one_who_comes_now(table, 0)
                    assert bare(seen) == shown(setup, stored, head)

                if newcomers_read_first:
                    await newcomers(stored, head)
                seen = await catch_up(early, head)
                assert bare(seen) == shown(setup, stored, came_at)
                await newcomers(stored, head)
    assert len(stored) > 2 * BLOCK_LEN


async def test_who_follows_live_sees_what_lies_face_up(house: House) -> None:
    match_id = await house.new_match(delayed("kawu"))
    async with house.tables.use(match_id) as table:
        with table.audience.watch(0, 0, 10) as prompt, table.audience.watch(0, 0, 10) as sleeper:
            seeing = asyncio.create_task(take_all(prompt))
            await house.play_on(match_id)
            stored = await house.stored(match_id)
            expected = [seen_live(event.event, 0, knock_card_face_down=True) for event in stored]
            assert bare(await seeing) == expected
            assert bare(await take_all(sleeper)) == expected


@pytest.mark.parametrize("seat", [1, 2])
async def test_a_seat_sees_the_past_as_it_happened(house: House, seat: int) -> None:
    match_id = await house.new_match(delayed("kawu"))
    async with house.tables.use(match_id) as table:
        while table.state.to_act:
            await play_on(table, 90)
            await seen_by_one_who_comes_now(table, 0)
            seen = await seen_by_one_who_comes_now(table, 0, viewer=seat)
            stored = await house.stored(match_id)
            expected = [seen_live(event.event, seat, knock_card_face_down=True) for event in stored]
            assert bare(seen) == expected


async def test_the_public_is_shown_no_scored_hand_in_full(house: House) -> None:
    match_id = await house.new_match(setup_of("kawu", spectators="public_info"))
    await house.play_on(match_id)
    async with house.tables.use(match_id) as table:
        seen = await seen_by_one_who_comes_now(table, 0)
    stored = await house.stored(match_id)
    expected = [seen_live(event.event, 0, knock_card_face_down=True) for event in stored]
    assert bare(seen) == expected
