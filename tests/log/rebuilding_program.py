"""Makes a file of SIZE bytes anew: python -m tests.log.rebuilding_program PATH SIZE.

Prints by how many bytes the most memory that it ever held grew meanwhile.
"""

import asyncio
import resource
import sys

from ginrummy.log import SqliteLog

from .samples import append

PAD_LEN = 1024 * 1024


def most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


async def main(path: str, size: str) -> None:
    log = await SqliteLog.open(path)
    for n in range(int(size) // PAD_LEN):
        await append(log, f"m{n}", command={"pad": "x" * PAD_LEN})
    before = most_memory()
    await log.rebuild_file()
    sys.stdout.write(f"{most_memory() - before}\n")
    await log.close()


asyncio.run(main(*sys.argv[1:]))
