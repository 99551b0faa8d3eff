"""`erase`: takes a person's name out of every match, while no server uses the log."""

import argparse
import asyncio
import sys
from pathlib import Path

from ginrummy.log import LogInUse, SqliteLog
from ginrummy.server.commands import Command, CommandError
from ginrummy.server.configuration import Configuration
from ginrummy.server.settings import SettingsError
from ginrummy.server.stored_file import stored_file
from ginrummy.tables.erasing import Erasure, erase_person

EPILOG = """\
Whoever had this external_id, or display_name, in a match has none afterwards; the match is
otherwise as it was. Then the file is made anew, so that nothing of the name is left in it: that
needs as much room again for a while. Doing it again does no harm. Backups and exports made before
still have the name, and so may the labels of a match, which are the backend's own.

examples:
  ginrummy-server erase --data-dir /data --external-id user-4711
  ginrummy-server erase --data-dir /data --display-name "Ann Example"
"""


def run_erase(configuration: Configuration, given: argparse.Namespace) -> int:
    """Erases the person."""
    field = "display_name" if given.external_id is None else "external_id"
    value = given.external_id or given.display_name
    if not value:
        raise SettingsError(f"--{field.replace('_', '-')} is empty: nobody is named so")
    path = stored_file(configuration.settings())
    try:
        done = asyncio.run(_erase(path, field, value))
    except LogInUse as error:
        raise CommandError(f"{error}; stop the server, or let it call ErasePlayer") from error
    sys.stderr.write(f"ginrummy-server: matches changed: {done.match_count}\n")
    if done.unreadable:
        raise CommandError(f"these matches cannot be read: {', '.join(done.unreadable)}")
    return 0


async def _erase(path: Path, field: str, value: str) -> Erasure:
    log = await SqliteLog.open(path)
    try:
        done = await erase_person(log, field, value)
        await log.rebuild_file()
    finally:
        await log.close()
    return done


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--external-id", metavar="ID", help="who, as the backend names him")
    who.add_argument("--display-name", metavar="NAME", help="who, as he was shown")


ERASE = Command(
    "erase",
    "takes a person's name out of every match, for good",
    run_erase,
    options=("data-dir",),
    add_arguments=_add_arguments,
    epilog=EPILOG,
)
