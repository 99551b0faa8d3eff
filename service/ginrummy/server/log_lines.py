"""The lines of the log: one for each record, as text or as JSON, in UTC.

What a value holds never begins a line of its own. Of an error only its kind and the calls that led
to it are told, as its message could quote cards of a running hand.
"""

import asyncio
import json
import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ginrummy.tables.about import about
from ginrummy.tables.faults import describe

FIELDS = ("call", "match", "seat", "request_id", "key", "fault")
"""What a line may be about, in this order."""


GRPC_FAILED = "an error within gRPC"
"""What a line of gRPC's own says, whatever it wanted to say."""


def is_of_grpc(record: logging.LogRecord) -> bool:
    """Whether gRPC itself made it, which quotes what callers send: metadata, paths, messages."""
    return record.name == "grpc" or record.name.startswith("grpc.")


def may_be_written(record: logging.LogRecord) -> bool:
    """Of gRPC's own lines only those of a fault, and none of text that a caller has spoilt.

    There is one of them for each metadata value that is no UTF-8, before any limit is looked at.
    """
    if not is_of_grpc(record):
        return True
    error = record.exc_info[1] if record.exc_info else None
    return error is not None and not isinstance(error, UnicodeError)


def fields_of(record: logging.LogRecord) -> dict[str, str]:
    """What the record is about: what it says itself, and what has been noted of the work."""
    noted = about()
    found = {name: getattr(record, name, noted.get(name)) for name in FIELDS}
    return {name: str(value) for name, value in found.items() if value is not None}


def time_of(record: logging.LogRecord) -> str:
    """When it was made, in UTC to the millisecond."""
    time = datetime.fromtimestamp(record.created, UTC)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def message_of(record: logging.LogRecord) -> str:
    """What it says, with the kind and the place of its error."""
    message = GRPC_FAILED if is_of_grpc(record) else record.getMessage()
    error = record.exc_info[1] if record.exc_info else None
    return message if error is None else f"{message}: {describe(error)}"


class TextLines(logging.Formatter):
    """For people: time, level, place, message, and what it is about as name=value."""

    def format(self, record: logging.LogRecord) -> str:
        words = [time_of(record), record.levelname, f"{record.name}:", message_of(record)]
        words += [f"{name}={value}" for name, value in fields_of(record).items()]
        return printable(" ".join(words))


class JsonLines(logging.Formatter):
    """For programs: an object with time, level, logger and message, and what it is about."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": time_of(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": message_of(record),
        }
        return json.dumps(line | fields_of(record))


def printable(text: str) -> str:
    """The text on one line, with what cannot be shown as escapes."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def write_lines(level: str, form: str) -> None:
    """Lets this program write log lines of this level and above to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    handler.addFilter(may_be_written)
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    logging.captureWarnings(True)


def tell_of_lost_errors(loop: asyncio.AbstractEventLoop) -> None:
    """Has the loop tell of errors that nobody waits for without quoting them."""
    lines = logging.getLogger(__name__)

    def tell(_: asyncio.AbstractEventLoop, happened: Mapping[str, Any]) -> None:
        error = happened.get("exception")
        said = str(happened.get("message", "an error in the event loop"))
        lines.error("%s", said if error is None else f"{said}: {describe(error)}")

    loop.set_exception_handler(tell)
