"""`ginrummy-server`: the program."""

import argparse
import asyncio
import gc
import json
import logging
import os
import signal
import sys
from collections.abc import Sequence

# grpc's core has its own lines for what is reported in ours.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

from ginrummy.log import EventLog, LogUnavailable, MemoryLog, SqliteLog
from ginrummy.server.backup_command import BACKUP
from ginrummy.server.catalog_service import SERVER_VERSION
from ginrummy.server.commands import USUAL_COMMAND, Command, CommandError, run_command
from ginrummy.server.configuration import Configuration
from ginrummy.server.erase_command import ERASE
from ginrummy.server.export_command import EXPORT
from ginrummy.server.hash_key import HASH_KEY
from ginrummy.server.health_command import HEALTH
from ginrummy.server.log_lines import tell_of_lost_errors, write_lines
from ginrummy.server.loopback import check_reach
from ginrummy.server.reloading import UnusableFileError
from ginrummy.server.serving import (
    CannotKeepError,
    CannotListenError,
    CannotTraceError,
    Serving,
)
from ginrummy.server.settings import Settings
from ginrummy.server.stored_file import FILE_NAME as FILE_NAME
from ginrummy.server.turns import take_turns_when_busy

EXAMPLES = """\
examples:
  ginrummy-server                                  for this machine, matches in a file
  ginrummy-server --in-memory --port 0             for a try
  ginrummy-server hash-key lobby                   makes an API key, and its line for keys.txt
  ginrummy-server --host 0.0.0.0 --api-keys-file keys.txt --tls-cert tls.crt --tls-key tls.key
  GINRUMMY_DATA_DIR=/data ginrummy-server          options as variables
  ginrummy-server config > ginrummy.toml           all options, as they are now, as a file
  ginrummy-server --config ginrummy.toml           options from that file

Flags go before variables, variables before the file. A switch is turned off with --no-….
API keys themselves are set as GINRUMMY_API_KEYS=NAME=KEY,NAME=KEY, or api-keys in the file.
"""

lines = logging.getLogger(__name__)

MADE_BETWEEN = (10_000, 20, 10)
"""How much is made before garbage is looked for in it; each twentieth time in what was made before
too, and each tenth of those in everything. By itself Python goes through every stream and table
each second of play, though they are freed without that: with 4,000 streams nearly half the time."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; the exit code."""
    return run_command(COMMANDS, sys.argv[1:] if arguments is None else arguments, os.environ)


def run_serve(configuration: Configuration, _: argparse.Namespace) -> int:
    """Serves until told to stop."""
    settings = configuration.settings()
    write_lines(settings.log_level, settings.log_format)
    for warning in configuration.warnings:
        lines.warning("%s", warning)
    if sys.platform == "win32":
        asyncio.run(serve(settings))
    else:
        import uvloop

        uvloop.run(serve(settings))
    return 0


def run_config(configuration: Configuration, _: argparse.Namespace) -> int:
    """Prints all options in force."""
    configuration.settings()
    sys.stdout.write(configuration.as_toml())
    for warning in configuration.warnings:
        sys.stderr.write(f"ginrummy-server: {warning}\n")
    return 0


async def serve(settings: Settings) -> None:
    """Serves until SIGINT or SIGTERM, then stops cleanly."""
    tell_of_lost_errors(asyncio.get_running_loop())
    told_to_stop = asyncio.Event()
    # A closed terminal stops it too, unless there is something to read again.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, told_to_stop.set)
    warning = await asyncio.to_thread(check_reach, settings)
    if warning:
        lines.warning("%s", warning)
    log = await open_log(settings)
    try:
        serving = Serving(log, settings)
        await serving.start(settings.host, settings.port)
    except (
        CannotKeepError,
        CannotListenError,
        CannotTraceError,
        UnusableFileError,
    ) as error:
        await log.close()
        raise CommandError(str(error)) from error
    if settings.security.has_files:
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, serving.reload)
    look_for_garbage_rarely()
    turns = asyncio.create_task(take_turns_when_busy())
    announce(settings, serving)
    await told_to_stop.wait()
    turns.cancel()
    lines.info("stopping")
    await serving.stop(settings.grace_s)
    lines.info("stopped")


def look_for_garbage_rarely() -> None:
    """Once all is loaded: leaves out what stays anyway, and looks through the rest less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*MADE_BETWEEN)


async def open_log(settings: Settings) -> EventLog:
    """The match log that the settings name. Raises LogUnavailable."""
    if settings.data_dir is None:
        return MemoryLog()
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    except (FileExistsError, NotADirectoryError) as error:
        reason = f"--data-dir {settings.data_dir}: a folder is needed, and {error.filename} is none"
        raise LogUnavailable(reason) from error
    except OSError as error:
        raise LogUnavailable(f"--data-dir {settings.data_dir}: {error.strerror}") from error
    return await SqliteLog.open(settings.data_dir / FILE_NAME)


def announce(settings: Settings, serving: Serving) -> None:
    """Tells, on standard output, that the server is ready and where."""
    port, metrics_port = serving.port, serving.metrics_port
    address = f"[{settings.host}]:{port}" if ":" in settings.host else f"{settings.host}:{port}"
    if settings.ready_json:
        ready = {"address": address, "port": port, "pid": os.getpid(), "version": SERVER_VERSION}
        if metrics_port is not None:
            ready["metrics_port"] = metrics_port
        line = json.dumps(ready)
    else:
        line = f"ginrummy-server {SERVER_VERSION} listens on {address}"
        if metrics_port is not None:
            line += f", metrics on {settings.telemetry.metrics_host}:{metrics_port}"
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


COMMANDS = (
    Command(USUAL_COMMAND, "serves gin rummy over gRPC", run_serve, epilog=EXAMPLES),
    Command("config", "prints every option in force, and where it was set, as TOML", run_config),
    EXPORT,
    BACKUP,
    ERASE,
    HASH_KEY,
    HEALTH,
)
"""Each command that is more than serving has a module of its own, which describes it."""


if __name__ == "__main__":
    raise SystemExit(main())
