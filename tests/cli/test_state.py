"""Saved seats."""

import stat
from dataclasses import replace
from pathlib import Path
from unittest.mock import create_autospec

import pytest

from ginrummy.cli.connect import Connected
from ginrummy.cli.creation import Wish, create
from ginrummy.cli.state import SavedSeat, SavedSeats, state_folder
from ginrummy.client import CreatedMatch, GinRummyClient
from ginrummy.v1.match_pb2 import Match

SEAT = SavedSeat("matches/one", 1, "secret", server="localhost:1", created=1.0)


def test_a_seat_is_found_again(tmp_path: Path) -> None:
    SavedSeats(tmp_path / "state").save(SEAT)
    seats = SavedSeats(tmp_path / "state")
    assert seats.of_match("matches/one") == SEAT
    assert seats.of_match("matches/one", 2) is None
    assert seats.of_match("matches/two") is None


def test_tokens_are_for_the_owner_alone(tmp_path: Path) -> None:
    SavedSeats(tmp_path / "state").save(SEAT)
    modes = {
        path.relative_to(tmp_path).as_posix(): stat.S_IMODE(path.stat().st_mode)
        for path in tmp_path.rglob("*")
    }
    assert modes == {"state": 0o700, "state/seats": 0o700, "state/seats/one-1.json": 0o600}


def test_the_latest_unfinished_match_of_the_server_is_resumed(tmp_path: Path) -> None:
    seats = SavedSeats(tmp_path)
    seats.save(SEAT)
    seats.save(replace(SEAT, match="matches/two", created=2.0))
    seats.save(replace(SEAT, match="matches/three", created=3.0, over=True))
    seats.save(replace(SEAT, match="matches/four", created=4.0, server=""))
    assert seats.latest("localhost:1") == replace(SEAT, match="matches/two", created=2.0)
    anywhere = seats.latest("")
    assert anywhere is not None
    assert anywhere.match == "matches/four"


def test_both_seats_of_a_match_can_be_held(tmp_path: Path) -> None:
    seats = SavedSeats(tmp_path)
    seats.save(SEAT)
    seats.save(replace(SEAT, seat=2, token="other"))
    found = seats.of_match("matches/one", 2)
    assert found is not None
    assert found.token == "other"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"match": "x"}', "\x00"])
def test_a_broken_file_is_left_out(tmp_path: Path, content: str) -> None:
    seats = SavedSeats(tmp_path)
    seats.save(SEAT)
    (tmp_path / "seats" / "broken-1.json").write_text(content)
    assert seats.all() == [SEAT]


def test_fields_of_a_newer_program_are_ignored(tmp_path: Path) -> None:
    seats = SavedSeats(tmp_path)
    seats.save(SEAT)
    path = tmp_path / "seats" / "one-1.json"
    path.write_text(path.read_text().replace("{", '{"colour": "red", ', 1))
    assert seats.all() == [SEAT]


def test_the_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GINRUMMY_STATE_DIR", str(tmp_path))
    assert state_folder() == tmp_path
    monkeypatch.delenv("GINRUMMY_STATE_DIR")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_folder().name == "ginrummy"


def test_one_program_plays_a_seat_at_a_time(tmp_path: Path) -> None:
    seats = SavedSeats(tmp_path)
    older, latest = SEAT, replace(SEAT, match="matches/two", created=2.0)
    for seat in (older, latest):
        seats.save(seat)
    with seats.played(latest) as mine, seats.played(latest) as again:
        assert (mine, again) == (True, False)
        assert seats.is_played(latest)
        assert not seats.is_played(older)
        # `--resume` goes on with what nobody plays, if there is such a match.
        assert seats.latest("") == older
        with seats.played(older):
            assert seats.latest("") == latest
    assert not seats.is_played(latest)


@pytest.mark.parametrize("bot", ["", "simple"])
async def test_the_hosts_token_is_not_kept(tmp_path: Path, bot: str) -> None:
    """It could take the opponent's seat, and see his cards."""
    client = create_autospec(GinRummyClient, instance=True)
    client.create_match.return_value = CreatedMatch(
        Match(name="matches/one", ruleset="rulesets/short"), "HOST-SECRET", {1: "SEAT-SECRET"}
    )
    seats = SavedSeats(tmp_path)
    _, saved = await create(Connected(client, "localhost:1"), seats, Wish("short", bot=bot))
    assert seats.all() == [saved]
    [path] = (tmp_path / "seats").iterdir()
    assert "SEAT-SECRET" in path.read_text()
    assert "HOST-SECRET" not in path.read_text()
