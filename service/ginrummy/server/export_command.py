"""`export`: prints matches as lines of JSON, also while a server runs on the same file."""

import argparse
import sys
from collections.abc import Iterable

from ginrummy.log import Entry, LogDamaged, StoredLog, UnknownMatch, to_lines
from ginrummy.server.commands import Command, CommandError
from ginrummy.server.configuration import Configuration
from ginrummy.server.settings import SettingsError
from ginrummy.server.stored_file import stored_file

EPILOG = """\
Of each match comes a line that says what it is (its id, the schema and rules_version that it was
played by, how many entries it has), and then a line for each entry: a command and the events that
it caused.

What is printed hides nothing: of a match that still runs it holds the hands, the stock and the
seed, and of every match the players' names. Keep it as the log itself.

examples:
  ginrummy-server export matches/4f6cebb7dde094f0ab07c2431ca655ee > match.jsonl
  ginrummy-server export --all --data-dir /data | gzip > matches.jsonl.gz
"""


def run_export(configuration: Configuration, given: argparse.Namespace) -> int:
    """Prints the matches; fails if one of them cannot be."""
    if bool(given.matches) == given.all:
        raise SettingsError("export needs the matches to print, or --all")
    running = failed = 0
    with StoredLog(stored_file(configuration.settings())) as stored:
        wanted: Iterable[str] = given.matches or stored.match_ids()
        for name in wanted:
            match_id = name.removeprefix("matches/")
            try:
                entries = stored.entries(match_id)
            except (LogDamaged, UnknownMatch) as error:
                if given.all and isinstance(error, UnknownMatch):
                    continue  # forgotten meanwhile
                problem = f"there is no match {match_id!r}"
                if isinstance(error, LogDamaged):
                    problem = f"match {match_id} cannot be read: {error}"
                sys.stderr.write(f"ginrummy-server: {problem}\n")
                failed += 1
                continue
            for line in to_lines(entries):
                sys.stdout.buffer.write(line.encode() + b"\n")
            running += not has_ended(entries)
    sys.stdout.flush()
    if running:
        sys.stderr.write(
            f"ginrummy-server: matches that still go on: {running}; their hidden cards are in what"
            " was printed\n"
        )
    if failed:
        raise CommandError(f"matches that could not be printed: {failed}")
    return 0


def has_ended(entries: list[Entry]) -> bool:
    """Whether a match, of which these are all entries, is over."""
    return bool(entries[-1].events.value[-1].get("type") == "match_ended")


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("matches", metavar="MATCH", nargs="*", help="matches/ID, or ID")
    parser.add_argument("--all", action="store_true", help="every match")


EXPORT = Command(
    "export",
    "prints matches with all that was hidden, as lines of JSON",
    run_export,
    options=("data-dir",),
    add_arguments=_add_arguments,
    epilog=EPILOG,
)
