"""`hash-key`: makes an API key, of which the server keeps the hash only."""

import argparse
import secrets
import sys

from ginrummy.server.commands import Command, CommandError
from ginrummy.server.configuration import Configuration
from ginrummy.server.keys import KEY_HEADER, NAME, NAME_RULE, digest_of

KEY_BYTES = 32
EPILOG = f"""\
The key goes to standard error, and is kept nowhere: give it to whoever may call, who sends it as
{KEY_HEADER}. Its line goes to standard output, for the file that --api-keys-file names. A running
server takes the new line when the file changes; without its line a key is revoked.

example:
  ginrummy-server hash-key lobby >> keys.txt 2> lobby.key
"""


def run_hash_key(_: Configuration, given: argparse.Namespace) -> int:
    """Prints a new key, and its line for the file."""
    if not NAME.fullmatch(given.name):
        raise CommandError(f"a key's name is {NAME_RULE}; not {given.name!r}")
    key = secrets.token_urlsafe(KEY_BYTES)
    words = f"the key of {given.name}, shown this once: " if sys.stderr.isatty() else ""
    sys.stderr.write(f"{words}{key}\n")
    sys.stdout.write(f"{given.name} {digest_of(key).hex()}\n")
    return 0


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help=f"whose key it is: {NAME_RULE}")


HASH_KEY = Command(
    "hash-key",
    "makes an API key and its line for the file of keys",
    run_hash_key,
    options=(),
    add_arguments=_add_arguments,
    epilog=EPILOG,
)
