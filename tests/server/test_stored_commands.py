"""Commands on the file beside the server: what they print, copy and erase, and what they refuse."""

# ruff: noqa: ASYNC240 - nothing else runs while a test reads its files.

import asyncio
import sqlite3
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest

from ginrummy.log import Entry, SqliteLog, StoredLog, from_lines
from ginrummy.server.app import FILE_NAME
from ginrummy.tables.replay import replay, row_from_log
from ginrummy.v1 import match_pb2

from .players import BOT, HUMAN, OPEN, Desk, Player, play_out
from .programs import data_flags, run_to_end, running

ANN = match_pb2.Seat(human=match_pb2.HumanSeat(display_name="Ann Private", external_id="private-1"))
NAMESAKE = match_pb2.Seat(
    human=match_pb2.HumanSeat(display_name="private-1", external_id="Ann Private")
)
SECRETS = (b"Ann Private", b"private-1")


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[Desk]:
    async with (
        running(*data_flags(folder)) as program,
        grpc.aio.insecure_channel(program.address) as channel,
    ):
        yield Desk(channel)
        assert await program.stop() == 0


async def fill(desk: Desk) -> list[str]:
    """The names of one match that has ended, and two that have not."""
    one, two = await desk.new_players()
    await play_out(one, two)
    created = [await desk.create(seats=seats) for seats in ([ANN, HUMAN], [ANN, OPEN])]
    return [one.name, *(each.match.name for each in created)]


async def exported(*arguments: str) -> list[list[Entry]]:
    code, out, err = await run_to_end("export", *arguments)
    assert code == 0, err
    return list(from_lines(out.splitlines()))


async def test_matches_are_printed_while_the_server_uses_them_and_play_again(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as desk:
        names = await fill(desk)
        matches = await exported(*data_flags(tmp_path), "--all")
        assert {f"matches/{entries[0].match_id}" for entries in matches} == set(names)
        events = await desk.events(names[0])
        code, out, err = await run_to_end("export", *data_flags(tmp_path), *names[:1])
        assert (code, err) == (0, "")
        [entries] = from_lines(out.splitlines())
        told = replay(entries)
        assert told.state.head == events[-1].sequence
        assert told.state.result is not None
        assert told.state.result["winner"] == events[-1].match_ended.winner
        assert told.state.result["seed"] == events[-1].match_ended.seed.hex()
        code, _, err = await run_to_end("export", *data_flags(tmp_path), *names[1:])
        assert code == 0
        assert err.startswith("ginrummy-server: matches that still go on: 2; their hidden cards")
    # And the same from the file alone, to which nothing is done.
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert await exported(*data_flags(tmp_path), "--all") == matches
    assert (tmp_path / FILE_NAME).read_bytes() == before[FILE_NAME]
    async with serving(tmp_path) as desk:
        assert len(await desk.events(names[0])) == len(events)


async def test_matches_that_are_not_there_are_named_and_the_others_printed(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as desk:
        created = await desk.create()
    code, out, err = await run_to_end(
        "export", *data_flags(tmp_path), "matches/nope", created.match.name, "x y"
    )
    assert code == 1
    assert len(list(from_lines(out.splitlines()))) == 1
    assert err.splitlines() == [
        "ginrummy-server: there is no match 'nope'",
        "ginrummy-server: there is no match 'x y'",
        "ginrummy-server: matches that still go on: 1; their hidden cards are in what was printed",
        "ginrummy-server: matches that could not be printed: 2",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (("export",), 2, "export needs the matches to print, or --all"),
        (("export", "m", "--all"), 2, "export needs the matches to print, or --all"),
        (("export", "--all"), 1, f"there is no {FILE_NAME}"),
        (("backup", "copy"), 1, f"there is no {FILE_NAME}"),
        (("backup",), 2, "FILE"),
        (("erase", "--external-id", "x"), 1, f"there is no {FILE_NAME}"),
        (("erase",), 2, "--external-id --display-name"),
        (("erase", "--external-id", ""), 2, "--external-id is empty"),
        (("erase", "--external-id", "x", "--display-name", "y"), 2, "not allowed with"),
    ],
)
async def test_what_cannot_be_done_is_said_and_nothing_is_made(
    arguments: tuple[str, ...], code: int, problem: str, tmp_path: Path
) -> None:
    done = await run_to_end(arguments[0], *data_flags(tmp_path), *arguments[1:])
    assert (done[0], done[1]) == (code, "")
    assert problem in done[2]
    assert all(line.startswith("ginrummy-server: ") for line in done[2].splitlines())
    assert list(tmp_path.iterdir()) == []


async def test_a_copy_made_while_people_play_serves_every_match(tmp_path: Path) -> None:
    folder, copy = tmp_path / "data", tmp_path / "copies"
    copy.mkdir()
    target = copy / FILE_NAME
    async with serving(folder) as desk:
        finished = await fill(desk)
        pairs = [await desk.new_players("kawu") for _ in range(4)]
        playing = asyncio.gather(*(play_out(*pair) for pair in pairs))
        for n in range(3):
            code, out, err = await run_to_end("backup", *data_flags(folder), str(target), "--force")
            assert (code, out) == (0, ""), err
            assert n or not playing.done(), "nobody played meanwhile"
        await playing
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [path.name for path in copy.iterdir()] == [FILE_NAME]
    names = {pair[0].name for pair in pairs} | set(finished)
    log = await SqliteLog.open(target)
    for name in names:
        entries = await log.read(name.removeprefix("matches/"))
        assert row_from_log(entries) == await log.row(name.removeprefix("matches/"))
    await log.close()
    async with serving(copy) as desk:
        # The match goes on from the copy, by the same token.
        one, two = (Player(desk, p.name, "", p.seat) for p in pairs[0])
        one.metadata, two.metadata = pairs[0][0].metadata, pairs[0][1].metadata
        await play_out(one, two)
        assert len(await desk.events(finished[0])) > 5


async def test_the_latest_action_that_was_answered_is_in_a_copy(tmp_path: Path) -> None:
    target = tmp_path / "copy"
    async with serving(tmp_path) as desk:
        one, two = await desk.new_players()
        view = await one.view()
        acting = one if view.to_act == 1 else two
        head = (await acting.act(await acting.view())).events[-1].sequence
        code, _, err = await run_to_end("backup", *data_flags(tmp_path), str(target))
        assert code == 0, err
    with StoredLog(target) as stored:
        assert stored.entries(one.name.removeprefix("matches/"))[-1].last == head


async def test_a_copy_replaces_no_file_unasked_and_never_the_log_itself(tmp_path: Path) -> None:
    folder, target = tmp_path / "data", tmp_path / "copy"
    async with serving(folder) as desk:
        await desk.create(seats=[BOT, BOT])
    target.write_text("mine")
    link = tmp_path / "link"
    link.symlink_to(folder / FILE_NAME)
    refusals = [
        ((str(target),), f"{target} exists; --force replaces it"),
        ((str(folder / FILE_NAME), "--force"), "is the match log itself"),
        ((str(link), "--force"), "is the match log itself"),
        ((str(folder),), "is a folder"),
        ((str(tmp_path / "nowhere" / "copy"),), "No such file or directory"),
    ]
    for arguments, problem in refusals:
        code, _, err = await run_to_end("backup", *data_flags(folder), *arguments)
        assert code == 1
        assert problem in err
        assert err.count("\n") == 1
    assert target.read_text() == "mine"
    code, _, err = await run_to_end("backup", *data_flags(folder), str(target), "--force")
    assert code == 0, err
    assert target.read_bytes().startswith(b"SQLite format 3")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "data", "link"]


def names_in(folder: Path) -> dict[str, int]:
    found = {
        f"{path.name} {secret!r}": path.read_bytes().count(secret)
        for path in folder.iterdir()
        for secret in SECRETS
    }
    return {name: count for name, count in found.items() if count}


def leave_remains(path: Path) -> None:
    """As a version did that did not overwrite what it deleted."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA secure_delete = OFF")
    other.execute("CREATE TABLE trial (name TEXT)")
    other.execute("INSERT INTO trial VALUES ('Ann Private')")
    other.execute("DROP TABLE trial")
    other.close()


@pytest.mark.parametrize(
    ("flag", "value"), [("--external-id", "private-1"), ("--display-name", "Ann Private")]
)
async def test_a_person_is_erased_from_every_match_and_from_every_byte_of_the_file(
    flag: str, value: str, tmp_path: Path
) -> None:
    async with serving(tmp_path) as desk:
        names = await fill(desk)
    leave_remains(tmp_path / FILE_NAME)
    assert names_in(tmp_path)
    for count in (2, 0):
        code, out, err = await run_to_end("erase", *data_flags(tmp_path), flag, value)
        assert (code, out) == (0, "")
        assert err == f"ginrummy-server: matches changed: {count}\n"
        assert names_in(tmp_path) == {}
    log = await SqliteLog.open(tmp_path / FILE_NAME)
    for name in names:
        match_id = name.removeprefix("matches/")
        assert row_from_log(await log.read(match_id)) == await log.row(match_id)
    await log.close()


async def test_whoever_has_the_same_word_in_another_field_is_left_alone(tmp_path: Path) -> None:
    async with serving(tmp_path) as desk:
        created = await desk.create(seats=[NAMESAKE, ANN])
    code, _, err = await run_to_end("erase", *data_flags(tmp_path), "--external-id", "private-1")
    assert (code, err) == (0, "ginrummy-server: matches changed: 1\n")
    [[entry]] = await exported(*data_flags(tmp_path), created.match.name)
    seats = entry.command.value["setup"]["seats"]
    assert seats[0]["external_id"] == "Ann Private"
    assert seats[1] == {"kind": "human", "erased": True}


async def test_nobody_is_erased_while_a_server_uses_the_log(tmp_path: Path) -> None:
    async with serving(tmp_path) as desk:
        await desk.create(seats=[ANN, OPEN])
        code, out, err = await run_to_end("erase", *data_flags(tmp_path), "--external-id", "x")
        assert (code, out) == (1, "")
        assert "is in use by process" in err
        assert err.count("\n") == 1
    assert names_in(tmp_path)


@pytest.mark.parametrize("damage", ["'['", "CAST(x'5b80' AS TEXT)"])
async def test_a_match_that_cannot_be_read_is_named_and_holds_up_no_other(
    damage: str, tmp_path: Path
) -> None:
    async with serving(tmp_path) as desk:
        names = await fill(desk)
    log = await SqliteLog.open(tmp_path / FILE_NAME)
    bad_id = names[1].removeprefix("matches/")
    await log._writer.run(
        lambda connection: connection.execute(
            f"UPDATE entry SET events = {damage} WHERE match_id = ?", (bad_id,)
        )
    )
    await log.close()
    code, _, err = await run_to_end("erase", *data_flags(tmp_path), "--external-id", "private-1")
    assert code == 1
    assert err.splitlines() == [
        "ginrummy-server: matches changed: 1",
        f"ginrummy-server: these matches cannot be read: {bad_id}",
    ]
    code, out, err = await run_to_end("export", *data_flags(tmp_path), "--all")
    assert code == 1
    assert len(list(from_lines(out.splitlines()))) == 2
    assert f"match {bad_id} cannot be read" in err
