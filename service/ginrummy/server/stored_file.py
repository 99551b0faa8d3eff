"""Where the match log is, for the commands that work on its file beside the server."""

from pathlib import Path

from ginrummy.server.commands import CommandError
from ginrummy.server.settings import Settings

FILE_NAME = "matches.sqlite3"


def stored_file(settings: Settings) -> Path:
    """The file of the match log, which is there. Raises CommandError."""
    if settings.data_dir is None:
        raise CommandError("matches that are kept in memory only are in no file; see --data-dir")
    path = settings.data_dir / FILE_NAME
    if not path.is_file():
        raise CommandError(f"--data-dir {settings.data_dir}: there is no {FILE_NAME}")
    return path
