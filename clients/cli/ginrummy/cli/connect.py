"""A client of the chosen server, or of a private one that runs as long as it is used."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from ginrummy.cli.access import OPEN, Access
from ginrummy.cli.faults import CommandError
from ginrummy.cli.private_server import private_server
from ginrummy.cli.state import SavedSeats
from ginrummy.client import GinRummyClient, GinRummyError, ServerUnavailable

PRIVATE = "private"
"""The folder of the private server."""
_READY_S = 3.0
"""For a server that can be reached, or cannot, at once."""
_SLOW_S = 10.0
_SLOW_PRIVATE_S = 30.0
"""More, for one that says nothing: it, or this program, stands still. A private one is there."""


@dataclass(frozen=True)
class Connected:
    client: GinRummyClient
    server: str
    """The address that was asked for; empty = a private server."""
    folder: str = ""
    """Of the private server, by name."""


@asynccontextmanager
async def connected(
    server: str,
    seats: SavedSeats,
    match: str = "",
    folder: str = "",
    *,
    access: Access = OPEN,
) -> AsyncIterator[Connected]:
    """The server at this address, or the private one of this folder or that keeps this match."""
    if server:
        async with _client(server, _SLOW_S, access) as client:
            yield Connected(client, server)
        return
    saved = seats.of_match(match) if match else None
    folder = folder or (saved.folder if saved else "") or PRIVATE
    async with private_server(seats.folder / folder) as address, _private(address) as client:
        yield Connected(client, "", folder)


@asynccontextmanager
async def throwaway(server: str, access: Access = OPEN) -> AsyncIterator[Connected]:
    """The server at this address, or one that leaves nothing behind."""
    if server:
        async with _client(server, _SLOW_S, access) as client:
            yield Connected(client, server)
        return
    with tempfile.TemporaryDirectory(prefix="ginrummy-") as folder:
        async with private_server(Path(folder)) as address, _private(address) as client:
            yield Connected(client, "")


@asynccontextmanager
async def _client(
    address: str, slow_s: float, access: Access = OPEN
) -> AsyncIterator[GinRummyClient]:
    async with GinRummyClient(address, tls=access.tls, api_key=access.api_key) as client:
        try:
            await _wait_ready(client, slow_s)
        except GinRummyError as error:
            raise CommandError("cannot-connect", server=address, why=_cause(error)) from None
        yield client


def _private(address: str) -> AbstractAsyncContextManager[GinRummyClient]:
    return _client(address, _SLOW_PRIVATE_S)


async def _wait_ready(client: GinRummyClient, slow_s: float) -> None:
    """A server that says nothing is given more time than one that cannot be reached."""
    try:
        await client.wait_ready(_READY_S)
    except ServerUnavailable as error:
        if error.code.name != "DEADLINE_EXCEEDED":
            raise
        await client.wait_ready(slow_s)


def _cause(error: GinRummyError) -> str:
    """What the transport says at the end of a long story: in brackets, where it is told in them."""
    story = str(error)
    told = story.removesuffix(")").partition(" (")[2]
    return (told or story).rpartition(": ")[2]
