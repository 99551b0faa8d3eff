"""No line of the log names a card, whatever goes wrong: of a real server at debug level."""

import json
import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, cast

import grpc
import pytest

from ginrummy.engine import Action
from ginrummy.v1 import match_service_pb2 as pb

from ..engine import messages
from ..server.players import BOT, Desk, Player, play_out
from . import questions
from .notations import cards_named, masks_of
from .twins import DECK
from .worlds import World, begin


@pytest.mark.parametrize(
    "line",
    [
        "drew AS",
        "drew 'TD'",
        "drew 10H",
        "hand A♠ K♦",
        "upcard ♥7",
        "CARD_QC",
        "the ace of spades",
        "Card.KingOfHearts",
        "🂡",
        "hands [1, 14, 27]",
        "cards: 40 cards: 41",
        "{'card': 7}",
        f"mask {(1 << 40) + 3}",
        f"mask {(1 << 40) + 3:#x}",
        "seed 5eed5eed",
    ],
)
def test_cards_are_found_however_they_are_written(line: str) -> None:
    assert cards_named(line, ["5eed5eed"], [(1 << 40) + 3])


@pytest.mark.parametrize(
    "line",
    [
        "went on with 12 matches",
        "fault 0a1b2c3d: RuntimeError at /srv/views.py:37 view_of <- /srv/edge.py:51 answering",
        "match 2c4d5f6a7b8c9d0e1f2a3b4c5d6e7f80 is set aside: entry at 7 causes other events",
    ],
)
def test_other_lines_are_let_pass(line: str) -> None:
    assert not cards_named(line, ["5eed5eed"], [(1 << 40) + 3])


async def test_no_line_names_a_card(tmp_path: Path) -> None:
    world = await begin("--data-dir", str(tmp_path))
    desk = Desk(world.channel)
    for ruleset in ("short", "kawu"):
        await play_out(*await desk.new_players(ruleset))
    running = [await _played_a_little(desk) for _ in range(4)]
    for player in running:
        await _ask_badly(world, player)
    await _meet_faults(world, desk, running[0])
    world.process.kill()
    await world.close()
    _damage(tmp_path / "matches.sqlite3", [player.name for player in running])

    again = await begin("--data-dir", str(tmp_path), "--log-format", "json")
    for player in running:
        metadata = player.metadata
        await again.ask(
            "GetView", pb.GetViewRequest(name=player.name).SerializeToString(), metadata
        )
    await again.ask("ListMatches", b"")
    again.process.terminate()
    await again.close()

    lines = world.lines + again.lines
    assert sum(bool(re.search("fault|stands still", line)) for line in lines) >= 3
    assert sum("is set aside" in line for line in lines) >= 2
    assert any("is made anew" in line for line in lines)
    assert _named(tmp_path, lines) == []


async def test_a_card_in_a_line_is_found(tmp_path: Path) -> None:
    world = await begin("--data-dir", str(tmp_path))
    await world.tell(set_leak="log_line")
    await _played_a_little(Desk(world.channel))
    lines = await world.lines_so_far()
    world.process.kill()
    await world.close()
    assert _named(tmp_path, lines)


async def _played_a_little(desk: Desk) -> Player:
    """The player to act, in the middle of a hand."""
    players = await desk.new_players("solo")
    for _ in range(9):
        view = await players[0].view()
        player = players[view.to_act - 1]
        await player.act(await player.view())
    return players[(await players[0].view()).to_act - 1]


async def _ask_badly(world: World, player: Player) -> None:
    """Everything that is refused, with every card."""
    view = await player.view()
    token = player.metadata[0][1].partition(" ")[2]
    place = questions.Place(player.name, "", player.seat, token, view.sequence)
    legal = {action.SerializeToString() for action in view.legal_actions}
    asked = list(questions.malformed(place, token, Random(1)))
    for card in DECK:
        for kind in ("discard", "knock"):
            field = "card" if kind == "discard" else "discard"
            action = messages.action(cast(Action, {"type": kind, field: card}))
            if action.SerializeToString() not in legal:
                request = pb.ActRequest(
                    name=player.name, action=action, expected_sequence=view.sequence
                )
                raw = request.SerializeToString()
                asked.append(questions.Question("Act", "Act", raw, place.metadata))
    for question in asked:
        if not question.surface.endswith("another match's"):
            await world.ask(question.method, question.request, question.metadata)


async def _meet_faults(world: World, desk: Desk, player: Player) -> None:
    """Faults whose errors speak of cards: of calls, and of a bot that cannot move."""
    await world.tell(set_leak="fault")
    await desk.create("short", seats=(BOT, BOT))
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await player.view()
    assert failed.value.code() is grpc.StatusCode.INTERNAL
    request = pb.ResignMatchRequest(name=player.name).SerializeToString()
    assert (await world.ask("ResignMatch", request, player.metadata)).code == "INTERNAL"
    await world.until_line("stands still")
    await world.tell(set_leak=None)


def _damage(path: Path, names: list[str]) -> None:
    """One match tells another card than it was, one cannot be read, one has a broken row."""
    other_card, unreadable, no_row, _ = (name.partition("/")[2] for name in names)
    with closing(sqlite3.connect(path)) as file, file:
        last, events = file.execute(
            "SELECT last, events FROM entry WHERE match_id = ? AND events LIKE '%card_d%'"
            " ORDER BY last DESC LIMIT 1",
            (other_card,),
        ).fetchone()
        changed = re.sub(r'"card": ?"(..)"', '"card":"AS"', events)
        if changed == events:
            changed = re.sub(r'"card": ?"(..)"', '"card":"KD"', events)
        file.execute(
            "UPDATE entry SET events = ? WHERE match_id = ? AND last = ?",
            (changed, other_card, last),
        )
        file.execute(
            "UPDATE entry SET command = substr(command, 2) WHERE match_id = ? AND first > 5",
            (unreadable,),
        )
        file.execute("UPDATE match_row SET summary = '[' WHERE match_id = ?", (no_row,))


def _named(folder: Path, lines: Iterable[str]) -> list[tuple[str, list[str]]]:
    """The lines that name a card or a seed, with what they name."""
    seeds: list[str] = []
    masks: set[int] = set()
    match_ids: set[str] = set()
    with closing(sqlite3.connect(folder / "matches.sqlite3")) as file:
        told: dict[str, list[dict[str, Any]]] = {}
        for match_id, command, events in file.execute(
            "SELECT match_id, command, events FROM entry"
        ):
            match_ids.add(match_id)
            seeds += re.findall(r'"seed": ?"(\w{64})"', command)
            told.setdefault(match_id, []).extend(json.loads(events))
    for events in told.values():
        masks |= masks_of(events)
    found = []
    for line in lines:
        text = re.sub(r"^[0-9][0-9TZ:., -]* ", "", line)
        for match_id in match_ids:
            text = text.replace(match_id, "ID")
        if named := cards_named(text, seeds, masks):
            found.append((line, named))
    return found
