"""Writes an SQL dump of a log with real matches: python -m tests.log.played_program PATH > FILE.

Run once with the last version before a new schema, whose files later versions have to read.
"""

import asyncio
import sqlite3
import sys
from pathlib import Path

from ginrummy.log import SqliteLog
from ginrummy.tables import play

from ..tables.house import House, bot, human, setup_of, until, vacant


async def fill(house: House) -> None:
    """Matches in every state, and of several rulesets."""
    finished = await house.new_match(setup_of("playgridia", labels={"город": "Тула"}))
    await house.play_on(finished)
    running = await house.create(setup_of("kawu", seats=[human("Аня"), human()]), "create-1")
    await house.play_on(running.row.match_id, 7)
    against_bot = await house.new_match(setup_of("solo", seats=[human(), bot()], hints=True))
    async with house.tables.use(against_bot) as table:
        for _ in range(3):
            await until(lambda: table.state.bot_to_act is None)
            await house.act_once(table)
        await until(lambda: table.state.bot_to_act is None)
    await house.new_match(setup_of(seats=[human(), vacant()], unlisted=True))
    joined = await house.new_match(setup_of("short", seats=[human(), vacant()]))
    async with house.tables.use(joined) as table:
        await play.join(table, None, human("Ben"), "join-1")
        await house.act_once(table, "act-1")
        await play.resign(table, 1, None)
    aborted = await house.new_match()
    async with house.tables.use(aborted) as table:
        await play.abort(table, None, None)


async def main(path: Path) -> None:
    log = await SqliteLog.open(path)
    house = House(log)
    await fill(house)
    await house.tables.close()
    await log.close()
    with sqlite3.connect(path) as connection:
        for pragma in ("application_id", "user_version"):
            value = connection.execute(f"PRAGMA {pragma}").fetchone()[0]
            sys.stdout.write(f"PRAGMA {pragma} = {value};\n")
        for line in connection.iterdump():
            sys.stdout.write(line + "\n")
    connection.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
