"""Appends to the log at PATH without end: python -m tests.log.writing_program PATH ROUND.

Prints "ready", then a line for every append answered: match_id, first, last, request_id. Made to be
killed.
"""

import asyncio
import os
import sys
from random import Random

from ginrummy.log import Entry, SqliteLog

from .samples import entry_of, fold

TABLE_COUNT = 16


def say(*words: object) -> None:
    """Writes a line at once; one this short is written whole or not at all."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


async def play(log: SqliteLog, match_id: str, random: Random) -> None:
    entries: list[Entry] = []
    while True:
        first = entries[-1].last + 1 if entries else 1
        request_id = f"r{len(entries)}"
        entries.append(entry_of(match_id, first, random.randrange(1, 4), request_id=request_id))
        await log.append(entries[-1], fold(entries))
        say(match_id, first, entries[-1].last, request_id)


async def main(path: str, round_number: str) -> None:
    log = await SqliteLog.open(path)
    say("ready")
    matches = (f"round{round_number}-m{n}" for n in range(TABLE_COUNT))
    await asyncio.gather(*(play(log, match_id, Random(match_id)) for match_id in matches))


asyncio.run(main(*sys.argv[1:]))
