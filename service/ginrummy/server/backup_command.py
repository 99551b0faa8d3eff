"""`backup`: copies the match log as of one moment, while the server goes on."""

import argparse
import os
import sys
from pathlib import Path

from ginrummy.log import StoredLog
from ginrummy.server.commands import Command, CommandError
from ginrummy.server.configuration import Configuration
from ginrummy.server.stored_file import FILE_NAME, stored_file

EPILOG = f"""\
The copy is a match log of its own, of one file: put it as {FILE_NAME} into an empty folder, and a
server serves its matches. It holds every card and every name; only its owner can read it.

example:
  ginrummy-server backup --data-dir /data /backups/$(date +%F).sqlite3
"""


def run_backup(configuration: Configuration, given: argparse.Namespace) -> int:
    """Makes the copy."""
    source, target = stored_file(configuration.settings()), Path(given.file)
    if target.exists():
        if target.is_dir():
            raise CommandError(f"{target} is a folder; a file is needed")
        if os.path.realpath(target) == os.path.realpath(source):
            raise CommandError(f"{target} is the match log itself")
        if not given.force:
            raise CommandError(f"{target} exists; --force replaces it")
    with StoredLog(source) as stored:
        stored.copy_to(target)
    sys.stderr.write(f"ginrummy-server: {target} has {target.stat().st_size} bytes\n")
    return 0


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="where the copy goes")
    parser.add_argument("--force", action="store_true", help="replace a file that is there")


BACKUP = Command(
    "backup",
    "copies the match log while a server uses it",
    run_backup,
    options=("data-dir",),
    add_arguments=_add_arguments,
    epilog=EPILOG,
)
