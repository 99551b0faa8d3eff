"""A match whose stored events disagree with its replay is set aside, and the others go on."""

import asyncio
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import grpc

from ginrummy.v1 import match_service_pb2 as pb
from tests.server.players import Stream, watch
from tests.server.refusals import refusal

from .accounts import differences
from .pairs import Pair, desk_at
from .record import Record
from .servers import Server, stopping

CARD = re.compile(r"\b(CARD_)?[A2-9TJQK][CDHS]\b")
HARMS = {
    "another event": "UPDATE entry SET events = json_set(events, '$[0].seat', 7)",
    "another command": "UPDATE entry SET command = json_set(command, '$.seat', 7)",
    "no JSON": "UPDATE entry SET events = substr(events, 2)",
    "no text": "UPDATE entry SET events = CAST(x'5b7b22ff' AS TEXT)",
    "text of no meaning": "UPDATE entry SET events = CAST(x'5b7b22ff223a317d5d' AS TEXT)",
    "no entry": "DELETE FROM entry",
}


def harm(file: Path, match_id: str, statement: str) -> None:
    """Changes an entry of the match, which a start looks at because a bot seems to owe a move."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        # A knock has several events, so that an entry does not begin with every number.
        one = "SELECT max(first) FROM entry WHERE match_id = ?1 AND first <= 10"
        harmed = connection.execute(
            f"{statement} WHERE match_id = ?1 AND first = ({one})", [match_id]
        )
        assert harmed.rowcount == 1
        query = "UPDATE match_row SET bot_owes = 1 WHERE match_id = ?"
        connection.execute(query, (match_id,))


async def refuses_every_call(pair: Pair) -> None:
    one = pair.players[0]
    act = pb.ActRequest(name=pair.name, action=pair.request.action, expected_sequence=9)
    resign = pb.ResignMatchRequest(name=pair.name)
    calls = (
        one.view(),
        one.send(act),
        one.desk.matches.ResignMatch(resign, metadata=one.metadata, timeout=60),
        watch(one, after_sequence=0).read(),
        Stream(one).send(watch={"name": pair.name}),
    )
    for call in calls:
        refused = await refusal(call)
        assert (refused.code, refused.reason) == (grpc.StatusCode.DATA_LOSS, "MATCH_UNREADABLE")


async def test_a_match_that_disagrees_with_its_replay_is_set_aside_alone_over_a_restart_too(
    tmp_path: Path,
) -> None:
    server, record = Server(tmp_path / "data"), Record()
    async with stopping(server), desk_at(server) as desk:
        pairs = {name: await Pair.sit_down(desk, Record()) for name in HARMS}
        for pair in pairs.values():
            await pair.act(12)
        other = await Pair.sit_down(desk, record)
        await other.act(12)
    for name, pair in pairs.items():
        harm(server.file, pair.match_id, HARMS[name])
    for start in (1, 2):
        async with stopping(server), desk_at(server) as desk:
            for pair in pairs.values():
                pair.move_to(desk)
                await refuses_every_call(pair)
            other.move_to(desk)
            await other.act(3)
            await until_all_were_looked_at(server, start)
        for pair in pairs.values():
            assert server.said.count(f"match {pair.match_id} is set aside: ") == start
    assert not CARD.search(server.said)
    with closing(sqlite3.connect(server.file, isolation_level=None)) as connection:
        connection.execute("DELETE FROM entry WHERE match_id != ?", (other.match_id,))
        connection.execute("DELETE FROM match_row WHERE match_id != ?", (other.match_id,))
    assert differences(record, server.file) == []


async def until_all_were_looked_at(server: Server, times: int) -> None:
    """A match that cannot be read does not keep a start from the matches after it."""
    async with asyncio.timeout(120):
        while server.said.count("went on with") < times:  # noqa: ASYNC110 - it is a file
            await asyncio.sleep(0.05)


async def test_index_rows_that_cannot_be_read_are_made_anew(tmp_path: Path) -> None:
    server, record = Server(tmp_path / "data"), Record()
    columns = ("state", "labels", "summary")
    async with stopping(server), desk_at(server) as desk:
        pairs = [await Pair.sit_down(desk, record) for _ in columns]
        for pair in pairs:
            await pair.act(3)
    with closing(sqlite3.connect(server.file, isolation_level=None)) as connection:
        for column, pair in zip(columns, pairs, strict=True):
            damage = f"UPDATE match_row SET {column} = CAST(x'7b22ff' AS TEXT) WHERE match_id = ?"
            connection.execute(damage, (pair.match_id,))
    async with stopping(server), desk_at(server) as desk:
        listed = await desk.matches.ListMatches(pb.ListMatchesRequest(), timeout=60)
        assert {match.name for match in listed.matches} == {pair.name for pair in pairs}
        for pair in pairs:
            pair.move_to(desk)
            await pair.act(3)
    assert differences(record, server.file) == []
