"""`play` in a real pseudo-terminal."""

import json
import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ginrummy.cli.state import SavedSeats
from tests.ports import free_port

from .conftest import serve, stop
from .programs import PLAY, Terminal, environment, run


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    """Terminals to be closed after the test."""
    opened: list[Terminal] = []
    yield opened
    with ExitStack() as closing:
        for terminal in opened:
            closing.callback(terminal.close)


def keeper_of(state: Path) -> int:
    """The process that keeps the private server."""
    return int(json.loads((state / "private" / "server.json").read_text())["pid"])


def start(terminals: list[Terminal], state: Path, *arguments: str, **more: str) -> Terminal:
    terminal = Terminal(*arguments, env=environment(state, TERM="xterm-256color", **more))
    terminals.append(terminal)
    return terminal


def shows(terminal: Terminal, *texts: str) -> str:
    """Which of the texts it shows, once it shows one; none if it does not."""
    shown = ""

    def is_there() -> bool:
        nonlocal shown
        screen = terminal.screen
        shown = next((text for text in texts if text in screen), "")
        return bool(shown)

    terminal.wait_for(is_there)
    return shown


def next_keys(screen: str) -> str:
    """What a simple player presses: draw, knock when it may, else discard the dearest card."""
    if "Enter: go on" in screen or "Enter discard" in screen:
        return "\r"
    for key, label in (("s", " s draw from the stock"), ("p", " p pass"), ("a", " a best melds")):
        if label in screen:
            return key
    if "k knock" in screen or "k/g gin" in screen:
        return "k"
    if "b big gin" in screen:
        return "b"
    if "t take" in screen:
        return "t"
    return "\x1b[F\r\r" if "Enter choose a card" in screen else ""


def play_to_the_end(terminal: Terminal) -> None:
    until = time.monotonic() + 240
    while "wins the match" not in terminal.text and "You win the match" not in terminal.text:
        assert time.monotonic() < until, terminal.state
        terminal.settle(0.05)
        keys = next_keys(terminal.screen)
        if keys == "\r" and "Enter discard" in terminal.screen:
            # Most likely it is being discarded.
            terminal.wait_for(lambda: "Enter discard" not in terminal.screen, 1)
            keys = next_keys(terminal.screen)
        if keys == "\r":
            # A key is heard only when there was time to read.
            terminal.settle(0.35)
        before = len(terminal.heard)
        if keys:
            terminal.send(keys)
        terminal.wait_for(lambda: len(terminal.heard) > before, 5)  # noqa: B023
        if terminal.has_ended:
            break


def test_a_match_is_played_with_keys_to_its_end(terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = start(terminals, tmp_path, *PLAY)
    assert shows(terminal, "hand 1")
    play_to_the_end(terminal)
    assert terminal.exit_code() == 0
    end = terminal.text[terminal.text.rindex("Hand ") :]
    assert "hand points" in end
    assert "ginrummy verify" in end
    # The terminal is given back: cursor shown, alternate screen left.
    assert terminal.heard.rindex("\x1b[?1049l") > terminal.heard.rindex("\x1b[?1049h")
    assert terminal.heard.rindex("\x1b[?25h") > terminal.heard.rindex("\x1b[?25l")


def test_colours_are_used_and_no_color_is_honoured(
    terminals: list[Terminal], tmp_path: Path
) -> None:
    coloured = start(terminals, tmp_path / "a", *PLAY)
    assert coloured.wait_for(lambda: "\x1b[1;31m" in coloured.heard), coloured.state
    plain = start(terminals, tmp_path / "b", *PLAY, NO_COLOR="1")
    assert shows(plain, "hand 1")
    plain.settle()
    assert "\x1b[1;31m" not in plain.heard


def test_russian_keys_and_words(terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = start(terminals, tmp_path, *PLAY, LANG="ru_RU.UTF-8")
    assert shows(terminal, "раздача 1")
    assert "Джин рамми" in terminal.screen
    # The key of q on a Russian keyboard.
    terminal.send("й")
    assert terminal.exit_code() == 0
    assert "Матч сохранён" in terminal.text


def test_ctrl_c_keeps_the_match_and_resume_goes_on(
    terminals: list[Terminal], tmp_path: Path
) -> None:
    terminal = start(terminals, tmp_path, *PLAY)
    assert shows(terminal, "hand 1")
    server = keeper_of(tmp_path)
    terminal.send("\x03")
    assert terminal.exit_code() == 130
    assert "ginrummy play --resume" in terminal.text
    with pytest.raises(ProcessLookupError):
        os.kill(server, 0)

    resumed = start(terminals, tmp_path, "play", "--resume")
    assert shows(resumed, "hand 1")
    resumed.send("x")
    assert shows(resumed, "Resign the match?")
    resumed.send("y")
    assert resumed.exit_code() == 0
    assert "you resigned" in resumed.text


def test_a_closed_terminal_ends_the_private_server(
    terminals: list[Terminal], tmp_path: Path
) -> None:
    terminal = start(terminals, tmp_path, *PLAY)
    assert shows(terminal, "hand 1")
    server = keeper_of(tmp_path)
    os.kill(terminal.pid, signal.SIGHUP)
    assert terminal.exit_code() == 130
    with pytest.raises(ProcessLookupError):
        os.kill(server, 0)


def test_a_killed_program_leaves_no_server_behind(
    terminals: list[Terminal], tmp_path: Path
) -> None:
    terminal = start(terminals, tmp_path, *PLAY)
    assert shows(terminal, "hand 1")
    keeper = keeper_of(tmp_path)
    os.kill(terminal.pid, signal.SIGKILL)
    assert terminal.exit_code() == -signal.SIGKILL
    until = time.monotonic() + 60
    while Path(f"/proc/{keeper}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    # The next match is played with the same folder.
    resumed = start(terminals, tmp_path, "play", "--resume")
    assert shows(resumed, "hand 1")
    resumed.send("q")
    assert resumed.exit_code() == 0


def test_other_commands_use_the_private_server_of_a_running_game(
    terminals: list[Terminal], tmp_path: Path
) -> None:
    # A match of a folder of its own, as older versions made them.
    first = start(terminals, tmp_path, *PLAY)
    assert shows(first, "hand 1")
    first.send("q")
    assert first.exit_code() == 0
    (older,) = (seat.match for seat in SavedSeats(tmp_path).all())
    (tmp_path / "private").rename(tmp_path / "private-2")

    playing = start(terminals, tmp_path, *PLAY)
    assert shows(playing, "hand 1")
    keeper = keeper_of(tmp_path)
    match = SavedSeats(tmp_path).all()[0].match.removeprefix("matches/")
    listed = run("list", state=tmp_path).stdout
    assert [line.split()[0] for line in listed.splitlines()] == [
        match,
        older.removeprefix("matches/"),
    ]
    for command, said in (
        (("verify", match), "is not over yet"),
        (("play", "--resume", match), "in another terminal"),
    ):
        done = run(*command, state=tmp_path)
        assert (done.returncode, said in done.stderr) == (1, True), done.stderr
    second = start(terminals, tmp_path, *PLAY)
    assert shows(second, "hand 1")
    # The first to come ends first; the other plays on.
    playing.send("q")
    assert playing.exit_code() == 0
    second.send("s" if " s draw" in second.screen else "p")
    assert second.wait_for(lambda: "You" in second.screen)
    assert keeper_of(tmp_path) == keeper
    second.send("q")
    assert second.exit_code() == 0
    assert "The match is kept" in second.text


class Server:
    """A server that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running, self.address = serve(folder, str(free_port()))

    def kill(self) -> None:
        self._running.kill()
        self._running.wait()
        assert self._running.stdout is not None
        self._running.stdout.close()

    def start_again(self) -> None:
        self._running, _ = serve(self._folder, self.address.rpartition(":")[2])

    def close(self) -> None:
        if self._running.poll() is None:
            stop(self._running)


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Server]:
    """A server of one test."""
    server = Server(tmp_path / "server")
    yield server
    server.close()


def test_a_match_goes_on_after_the_server_was_killed_and_started_again(
    terminals: list[Terminal], tmp_path: Path, mortal: Server
) -> None:
    terminal = start(terminals, tmp_path, *PLAY, "--server", mortal.address)
    assert shows(terminal, "hand 1"), terminal.state
    mortal.kill()
    # It is told on the table, and no longer when the server is back.
    assert shows(terminal, "Connection lost"), terminal.state
    mortal.start_again()
    assert terminal.wait_for(lambda: "Connection lost" not in terminal.screen), terminal.state
    play_to_the_end(terminal)
    assert terminal.exit_code() == 0
    assert "hand points" in terminal.text


def test_it_goes_on_when_the_server_was_killed_in_the_opponent_s_turn(
    terminals: list[Terminal], tmp_path: Path, mortal: Server
) -> None:
    table = ("new", "--ruleset", "playgridia", "--server", mortal.address)
    ann = start(terminals, tmp_path / "a", *table, "--name", "Ann")
    assert ann.wait_for(lambda: "ginrummy join" in ann.text), ann.text
    match = ann.text.split("join ")[1].split()[0]
    joined = ("join", match, "--server", mortal.address, "--name", "Bob")
    bob = start(terminals, tmp_path / "b", *joined)
    players = (ann, bob)
    for terminal in players:
        assert shows(terminal, "hand 1"), terminal.state
        # Both see each other there.
        assert terminal.wait_for(lambda: " away" not in terminal.screen), terminal.state  # noqa: B023
    has_turn = shows(ann, "Waiting for Bob", " s draw") == " s draw"
    acting, waiting = players if has_turn else players[::-1]
    assert shows(acting, " s draw"), acting.state
    assert shows(waiting, "Waiting for"), waiting.state
    mortal.kill()
    acting.send("s")
    for terminal in players:
        assert shows(terminal, "Connection lost"), terminal.state
    mortal.start_again()
    # The draw was sent while the server was away, and is done once it is back.
    assert shows(acting, "Enter choose a card"), acting.state
    assert shows(waiting, "draws from the stock"), waiting.state
    acting.send("\x1b[F\r\r")
    assert shows(waiting, " s draw"), waiting.state
    waiting.send("s")
    assert shows(waiting, "Enter choose a card"), waiting.state
    for terminal in players:
        terminal.send("q")
        assert terminal.exit_code() == 0


def test_the_ruleset_is_asked_for(terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = start(terminals, tmp_path, "play", "--bot", "simple", "--seed", "tuesday")
    assert terminal.wait_for(lambda: "Number or name [short]:" in terminal.text)
    terminal.send("9\n")
    assert terminal.wait_for(lambda: "Type a number from 1 to 4" in terminal.text)
    terminal.send("solo\n")
    assert shows(terminal, "solo · hand 1")
    terminal.send("q")
    assert terminal.exit_code() == 0


def test_a_dumb_terminal_is_played_with_lines(terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = Terminal(*PLAY, env=environment(tmp_path, TERM="dumb"))
    terminals.append(terminal)
    assert terminal.wait_for(lambda: " >" in terminal.text)
    terminal.send("help\n")
    assert terminal.wait_for(lambda: "refuse the upcard" in terminal.text)
    terminal.send("quit\n")
    assert terminal.exit_code() == 0
    assert "\x1b" not in terminal.heard


def test_a_small_window_shows_the_table_in_lines(terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = Terminal(*PLAY, env=environment(tmp_path, TERM="xterm"), columns=50, rows=16)
    terminals.append(terminal)
    assert shows(terminal, "Your hand:")
    terminal.send("q")
    assert terminal.exit_code() == 0


def test_a_hint_comes_from_the_server_with_its_reason(
    terminals: list[Terminal], tmp_path: Path
) -> None:
    terminal = start(terminals, tmp_path, *PLAY)
    assert shows(terminal, "h hint")
    terminal.send("h")
    assert shows(terminal, "Expected points:")
    assert "Hint: " in terminal.screen
    assert re.search(r"Expected points: .* [+−][0-9]+\.[0-9]", terminal.screen)
    terminal.send("h")
    assert terminal.wait_for(lambda: "Hint: " not in terminal.screen)
    terminal.send("q")
