"""`ginrummy-server`: the program."""

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Sequence

# grpc's core has its own lines for what is reported in ours.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

from ginrummy.log import EventLog, LogUnavailable, MemoryLog, SqliteLog
from ginrummy.server.catalog_service import SERVER_VERSION
from ginrummy.server.serving import CannotListenError, Serving
from ginrummy.server.settings import Settings, read_settings

FILE_NAME = "matches.sqlite3"

lines = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serves until told to stop; the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    settings = read_settings(given, os.environ)
    logging.basicConfig(
        level=settings.log_level.upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    try:
        _run(settings)
    except (LogUnavailable, CannotListenError, OSError) as error:
        sys.stderr.write(f"ginrummy-server: {error}\n")
        return 1
    return 0


def _run(settings: Settings) -> None:
    if sys.platform == "win32":
        asyncio.run(serve(settings))
    else:
        import uvloop

        uvloop.run(serve(settings))


async def serve(settings: Settings) -> None:
    """Serves until SIGINT or SIGTERM, then stops cleanly."""
    told_to_stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, told_to_stop.set)
    log = await open_log(settings)
    serving = Serving(log, seeds_allowed=settings.seeds_allowed)
    try:
        port = await serving.start(settings.host, settings.port)
    except CannotListenError:
        await log.close()
        raise
    announce(settings, port)
    await told_to_stop.wait()
    lines.info("stopping")
    await serving.stop(settings.grace_s)
    lines.info("stopped")


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


def announce(settings: Settings, port: int) -> None:
    """Tells, on standard output, that the server is ready and where."""
    address = f"[{settings.host}]:{port}" if ":" in settings.host else f"{settings.host}:{port}"
    if settings.ready_json:
        ready = {"address": address, "port": port, "pid": os.getpid(), "version": SERVER_VERSION}
        line = json.dumps(ready)
    else:
        line = f"ginrummy-server {SERVER_VERSION} listens on {address}"
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
