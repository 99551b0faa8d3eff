"""What a command leads to, in each of the forms in which it is told."""

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any, cast

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.internal.encoder import _VarintBytes  # type: ignore[attr-defined]
from google.protobuf.message import Message

from ginrummy.engine import (
    Command,
    EngineError,
    Event,
    Match,
    Rules,
    Step,
    Violation,
    resolve_rules,
    seen_by,
)
from ginrummy.engine.wire import match_event, match_events, match_view
from ginrummy.v1.match_pb2 import BotSeat, HumanSeat, OpenSeat, Seat
from ginrummy.v1.view_pb2 import SeatStatus, View

from . import messages
from .players import some_action, some_rules, wild_action

HANDS = 12
"""Enough that the marks of a match's end are met, and few enough to be quick."""


def some_command(random: Random, game: Match) -> Command:
    chance = random.random()
    if chance < 0.15:
        return {"type": "act", "seat": random.choice([1, 2]), "action": wild_action(random)}
    if chance < 0.18:
        return {"type": "time_out", "timeouts_to_forfeit": random.choice([0, 3])}
    if game.hand_number > HANDS:
        endings: list[Command] = [
            {"type": "resign", "seat": random.choice([1, 2])},
            {"type": "claim_absence", "seat": random.choice([1, 2])},
            {"type": "abort"},
        ]
        return random.choice(endings)
    assert game.to_act is not None
    return {"type": "act", "seat": game.to_act, "action": some_action(random, game)}


def delimited(message: Message) -> bytes:
    """The message behind its length."""
    return bytes(_VarintBytes(message.ByteSize())) + message.SerializeToString()


def steps(random: Random, rules: Rules) -> Iterator[Step]:
    """A whole match. Each step is compared with what `apply` does."""
    game, _ = Match.start(rules, random.randbytes(32))
    while not game.is_over:
        command, before, copy = some_command(random, game), game.clone(), game.clone()
        try:
            step = game.after(command)
        except Violation as refused:
            with pytest.raises(Violation, match=re.escape(str(refused))):
                copy.apply(command)
            assert game == before
            continue
        events = copy.apply(command)
        assert game == before
        assert step.game == copy
        assert step.game is step.game
        assert step.events == events
        assert step.is_over is copy.is_over
        yield step
        game = step.game


def stored(events: list[Event], marks: dict[str, int]) -> str:
    objects = [*events[:-1], {**events[-1], **marks}]
    return json.dumps(objects, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("seed", range(40))
def test_a_step_is_what_the_command_does_and_is_stored_as_json_dumps_it(seed: int) -> None:
    random = Random(seed)
    for step in steps(random, some_rules(random)):
        events = step.events
        seats = [event.get("seat", 0) for event in events]
        assert step.kinds == [(e["type"], seat) for e, seat in zip(events, seats, strict=True)]
        assert step.stored() == stored(events, {})
        assert step.stored(2) == stored(events, {"to_act": 2})
        assert step.stored(deadline_us=0) == stored(events, {"deadline_us": 0})
        marks = {"to_act": 1, "deadline_us": random.randrange(1 << 52)}
        assert step.stored(**marks) == stored(events, marks)


@pytest.mark.parametrize("seed", range(40))
def test_each_viewer_is_told_what_he_may_see_in_the_bytes_python_would_send(seed: int) -> None:
    random = Random(seed)
    rules = some_rules(random)
    first = random.choice([1, 2, 1 << 40])
    for step in steps(random, rules):
        time_us = random.choice([0, 999_999, random.randrange(1 << 52)])
        to_act, deadline_us = random.choice([(0, None), (1, None), (2, time_us + 45_000_001)])
        told = match_events(step, first, time_us, to_act, deadline_us)
        last = len(step.events) - 1
        for i, (event, *bytes_by_viewer) in enumerate(zip(step.events, *told, strict=True)):
            marks = (to_act, deadline_us) if i == last else (0, None)
            for viewer, seen_bytes in enumerate(bytes_by_viewer):
                seen = seen_by(event, viewer, rules["knock_card_face_down"])
                wanted = messages.match_event(seen, first + i, time_us, *marks)
                assert seen_bytes == delimited(wanted), (event, viewer)
                alone = match_event(seen, first + i, time_us, *marks)
                assert alone == wanted.SerializeToString(), (event, viewer)
            same = {bytes(seen_bytes): seen_bytes for seen_bytes in bytes_by_viewer}
            assert all(same[bytes(seen_bytes)] is seen_bytes for seen_bytes in bytes_by_viewer)
        first += len(step.events)


@pytest.mark.parametrize("seed", range(30))
def test_each_viewer_is_shown_the_match_in_the_bytes_python_would_send(seed: int) -> None:
    random = Random(seed)
    for step in steps(random, some_rules(random)):
        place = random.choice([None, (random.randrange(1, 99), 17, 0, None), (5, 6, 2, 1 << 50)])
        for viewer in (0, 1, 2):
            table = some_table(viewer, random)
            hints = table.hints_allowed
            told = match_view(table.SerializeToString(), step.game, viewer, hints, place)
            wanted = messages.match_view(table, step.game.view(viewer, hints), place)
            assert told == wanted.SerializeToString(), (wanted, View.FromString(told))


def some_table(viewer: int, random: Random) -> View:
    """What the table alone knows."""
    view = View(match="matches/m", sequence=random.choice([7, 1 << 40]), viewer_seat=viewer)
    view.to_act = random.choice([0, 2])
    view.hints_allowed = random.random() < 0.5
    view.server_time.FromMicroseconds(random.randrange(1 << 52))
    if random.random() < 0.5:
        view.deadline.FromMicroseconds(random.randrange(1 << 52))
    view.seats.extend(some_seat(number, random) for number in (1, 2))
    return view


def some_seat(number: int, random: Random) -> SeatStatus:
    occupants = [
        Seat(number=number, human=HumanSeat(display_name="Анна", external_id="7")),
        Seat(number=number, bot=BotSeat(bot="bots/simple", options={"depth": "2"})),
        Seat(number=number, bot=BotSeat(bot="bots/simple", think_time=Duration(nanos=1000))),
        Seat(number=number, open=OpenSeat()),
    ]
    status = SeatStatus(number=number, occupant=random.choice(occupants))
    status.connected = random.random() < 0.5
    if random.random() < 0.5:
        status.claimable_time.FromMicroseconds(1 << 50)
    return status


def test_a_view_is_added_to_a_view_alone() -> None:
    game, _ = Match.start(resolve_rules("short"), bytes(32))
    with pytest.raises(EngineError, match="table"):
        match_view(b"\xff", game, 1, True, None)


def test_every_kind_of_event_is_met_in_these_matches() -> None:
    kinds = {"hand_dealt"}
    for seed in range(40):
        random = Random(seed)
        kinds.update(name for step in steps(random, some_rules(random)) for name, _ in step.kinds)
        if kinds == messages.PAYLOADS.keys():
            return
    assert sorted(kinds) == sorted(messages.PAYLOADS)


def test_a_type_is_one_object_however_often_it_is_told() -> None:
    game, _ = Match.start(resolve_rules("short"), bytes(32))
    passing: Command = {"type": "act", "seat": 2, "action": {"type": "pass"}}
    assert game.after(passing).kinds[0][0] is game.after(passing).kinds[0][0]


COMMANDS: list[dict[str, Any]] = [
    {"type": "act", "seat": 2, "action": {"type": "draw", "pile": "table"}},
    {"type": "act", "seat": 2, "action": {"type": "draw", "pile": 1}},
    {"type": "act", "seat": 2, "action": {"type": "discard", "card": "1S"}},
    {"type": "act", "seat": 2, "action": {"type": "discard", "card": "\ud800"}},
    {"type": "act", "seat": 3, "action": {"type": "pass"}},
    {"type": "act", "seat": 1 << 70, "action": {"type": "pass"}},
    {"type": "act", "action": {"type": "pass"}},
    {"type": "act", "seat": 2, "action": {"type": "pass"}, "deadline_us": 1},
    {"type": "act", "seat": 2, "action": "pass"},
]


@pytest.mark.parametrize("command", COMMANDS, ids=ascii)
def test_a_malformed_command_is_refused_whichever_way_it_is_read(command: dict[str, Any]) -> None:
    class OfItsOwn(dict[str, Any]):
        """A dictionary that is not read the quick way."""

    game, _ = Match.start(resolve_rules("short"), bytes(32))
    with pytest.raises(EngineError) as refused:
        game.after(cast(Command, command))
    with pytest.raises(EngineError) as refused_slowly:
        game.after(cast(Command, OfItsOwn(command)))
    assert str(refused.value) == str(refused_slowly.value)
