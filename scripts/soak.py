"""Plays thousands of matches against one server and tells how its memory grows: `make soak`.

A real `ginrummy-server` on loopback, with its log in a file. Most matches are between two bots and
are watched by somebody; each tenth is played by two people over Play streams. After every tenth of
all, and a pause, the server's resident memory is told. What it keeps of ended matches is bounded:
the tables of the last seconds, and 1,024 blocks of past events. Those fill at first; after that the
memory must not grow with the matches. They are begun at an even pace, as faster ones leave more
ended tables in the last seconds.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ginrummy.client import GinRummyClient, NotYourTurn, StaleSequence
from ginrummy.v1.action_pb2 import Action
from ginrummy.v1.events_pb2 import Notice
from ginrummy.v1.match_pb2 import BotSeat, HumanSeat, Match, Seat, SpectatorPolicy
from ginrummy.v1.view_pb2 import View

PARTS = 10
QUIET_S = 12
"""Before each figure, so that it does not tell how fast the last matches were played: until then
the server lets go of ended tables."""
WARM_UP = 0.4
"""The share of the matches whose figures do not count."""
MOST_BYTES_PER_MATCH = 1000
SERVER = (
    *(sys.executable, "-m", "ginrummy.server.app"),
    *("--port", "0", "--ready-json", "--log-level", "warning"),
)
PEOPLE = [Seat(human=HumanSeat(display_name=name)) for name in ("Ann", "Ben")]
BOTS = [Seat(bot=BotSeat(bot="bots/simple"))] * 2


def start_server(folder: str) -> tuple[subprocess.Popen[str], str]:
    """A server and its address."""
    server = subprocess.Popen(
        [*SERVER, "--data-dir", folder],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    return server, json.loads(server.stdout.readline())["address"]


def resident_bytes(pid: int) -> int:
    """The memory that a process holds now."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"process {pid} has gone")


async def play_bots(client: GinRummyClient) -> None:
    """Watches two bots to the end."""
    match = Match(
        ruleset="rulesets/playgridia",
        seats=BOTS,
        spectators=SpectatorPolicy.SPECTATOR_POLICY_PUBLIC_INFO,
    )
    created = await client.create_match(match)
    async for _ in client.seat(created.match.name, created.host_token).watch():
        pass


async def play_people(client: GinRummyClient) -> None:
    """Plays both seats to the end."""
    match = Match(ruleset="rulesets/playgridia", seats=PEOPLE, allow_hints=True)
    created = await client.create_match(match)
    name = created.match.name
    await asyncio.gather(*(play_seat(client, name, token) for token in created.seats.values()))


async def play_seat(client: GinRummyClient, name: str, token: str) -> None:
    """Plays one seat over a stream, by what its view allows."""
    seat = client.seat(name, token)
    async with seat.play() as session:
        async for update in session:
            if isinstance(update, Notice):
                continue
            view = await seat.view()
            if view.legal_actions:
                try:
                    await session.act(choice(view), expected_sequence=view.sequence)
                except (StaleSequence, NotYourTurn):
                    continue


def choice(view: View) -> Action:
    """What the server advises, else the first that is allowed."""
    options = view.discard_options
    return options.hint if options.HasField("hint") else view.legal_actions[0]


async def soak(address: str, pid: int, match_count: int, per_s: float) -> list[tuple[int, int]]:
    """Plays them all; how many were done, and the memory then."""
    figures: list[tuple[int, int]] = []
    began_s = time.monotonic()

    async def play_part(client: GinRummyClient, numbers: range) -> None:
        async with asyncio.TaskGroup() as playing:
            for number in numbers:
                playing.create_task(play_people(client) if number % 10 == 0 else play_bots(client))
                await asyncio.sleep(1 / per_s)

    async with GinRummyClient(address, timeout_s=120) as client:
        for part in range(1, PARTS + 1):
            after, until = match_count * (part - 1) // PARTS, match_count * part // PARTS
            await play_part(client, range(after, until))
            await asyncio.sleep(QUIET_S)
            figures.append((until, resident_bytes(pid)))
            seconds = time.monotonic() - began_s
            print(
                f"{until:>7} matches {figures[-1][1] / 1e6:>8.1f} MB  {seconds:>6.0f} s", flush=True
            )
    return figures


def bytes_per_match(figures: list[tuple[int, int]]) -> float:
    """The slope of the line through the figures after the warm-up."""
    kept = figures[int(len(figures) * WARM_UP) :]
    mean_count = sum(count for count, _ in kept) / len(kept)
    mean_bytes = sum(held for _, held in kept) / len(kept)
    above = sum((count - mean_count) * (held - mean_bytes) for count, held in kept)
    return above / sum((count - mean_count) ** 2 for count, _ in kept)


def main() -> int:
    """Plays and tells; fails where memory grows with the matches."""
    parser = argparse.ArgumentParser(description="tells how a server's memory grows")
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--per-s", type=float, default=10, help="matches begun in a second")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server, address = start_server(folder)
        try:
            print(f"        0 matches {resident_bytes(server.pid) / 1e6:>8.1f} MB")
            figures = asyncio.run(soak(address, server.pid, given.matches, given.per_s))
        finally:
            server.terminate()
            server.wait(60)
    slope = bytes_per_match(figures)
    print(f"after the warm-up {slope:.0f} bytes a match (at most {MOST_BYTES_PER_MATCH})")
    return 0 if slope <= MOST_BYTES_PER_MATCH else 1


if __name__ == "__main__":
    raise SystemExit(main())
