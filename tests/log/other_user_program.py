"""Opens the log at PATH as a user without rights: python -m tests.log.other_user_program PATH.

Rights mean nothing to root, under which containers often run tests; root becomes nobody first.
Prints the error.
"""

import asyncio
import os
import sys

from ginrummy.log import LogUnavailable, SqliteLog


async def main(path: str) -> None:
    if os.geteuid() == 0:
        os.seteuid(65534)
    try:
        await SqliteLog.open(path)
    except LogUnavailable as error:
        print(type(error).__name__, error.reason)  # noqa: T201


asyncio.run(main(sys.argv[1]))
