"""Bytes that are no calls, and connections that only cost: others play on as if nothing were."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from random import Random

import pytest

from .frames import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    HEADERS,
    PING,
    PREFACE,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    Wire,
    call,
    field,
    frame,
    hello,
    message,
    request_fields,
    settings,
)
from .server import FAR_S, Server

Attack = Callable[[int], Awaitable[bytes]]
INVALID_ARGUMENT = b"grpc-status\x013"
SECRETS = (b"Traceback", b'File "', b"Error(", b"ginrummy/", b"site-packages")


async def spoken(port: int, *parts: bytes) -> bytes:
    """What the server says to these bytes."""
    async with await Wire.open(port) as wire:
        await wire.send(*parts)
        return await wire.read(0.1)


async def random_bytes(port: int) -> bytes:
    random = Random(1)
    said = b""
    for length in (1, 9, 24, 1000, 100_000):
        said += await spoken(port, random.randbytes(length))
        said += await spoken(port, PREFACE, random.randbytes(length))
        said += await spoken(port, hello(), random.randbytes(length))
    return said


async def a_tls_hello(port: int) -> bytes:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        tls.do_handshake()
    return await spoken(port, outgoing.read())


async def http_1(port: int) -> bytes:
    get = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
    post = b"POST / HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n" + bytes(100_000)
    return await spoken(port, get) + await spoken(port, post)


async def truncated_frames(port: int) -> bytes:
    """A whole call cut off after each of its first bytes, and hung up."""
    whole = hello() + call("GetMatch") + frame(DATA, END_STREAM, 1, message(b"\x0a\x03abc"))
    said = b""
    for length in range(0, len(whole), 3):
        async with await Wire.open(port) as wire:
            await wire.send(whole[:length])
            wire.finish()
            said += await wire.read(0.02)
    return said


async def frames_out_of_place(port: int) -> bytes:
    strange = (
        frame(DATA, 0, 0, b"x"),
        frame(DATA, 0, 77, b"x"),
        frame(HEADERS, END_HEADERS, 2, request_fields("GetMatch")),
        frame(HEADERS, END_HEADERS, 1, b"\xff\xff\xff\xff\xff\xff"),
        frame(CONTINUATION, END_HEADERS, 1, b""),
        frame(SETTINGS, 0, 0, b"123"),
        frame(SETTINGS, 0, 1, b""),
        settings({4: 0xFFFFFFFF}),
        settings({5: 1}),
        frame(WINDOW_UPDATE, 0, 0, bytes(4)),
        frame(WINDOW_UPDATE, 0, 0, (0x7FFFFFFF).to_bytes(4)) * 2,
        frame(PING, 0, 0, b"short"),
        frame(RST_STREAM, 0, 0, bytes(4)),
        (1 << 23).to_bytes(3) + bytes((DATA, 0)) + (1).to_bytes(4) + bytes(1000),
        frame(200, 255, 9, b"no such frame"),
    )
    said = b""
    for odd in strange:
        said += await spoken(port, hello(), call("GetMatch"), odd)
    return said


async def messages_cut_short(port: int) -> bytes:
    """Calls whose message is not as long as it says, or compressed as nobody can."""
    said = b""
    for body in (
        b"",
        b"\x00",
        b"\x00\xff\xff\xff\xff",
        b"\x00\x00\x00\x00\x09short",
        message(b"") * 3,
        message(b"abc", compressed=True),
        b"\x07" + message(b"")[1:],
    ):
        last = frame(DATA, END_STREAM, 1, body)
        said += await spoken(port, hello(), call("GetMatch"), last)
        said += await spoken(port, hello(), call("GetMatch", 1, ("grpc-encoding", "x")), last)
    return said


async def huge_headers(port: int) -> bytes:
    big = field("authorization", b"Bearer " + b"A" * 200_000)
    said = b""
    async with await Wire.open(port) as wire:
        await wire.send(hello(), frame(HEADERS, 0, 1, request_fields("GetMatch")))
        for begin in range(0, len(big), 16_000):
            await wire.send(frame(CONTINUATION, 0, 1, big[begin : begin + 16_000]))
        said += await wire.read()
    async with await Wire.open(port) as wire:
        # Headers without end.
        await wire.send(hello(), frame(HEADERS, 0, 1, request_fields("GetMatch")))
        for number in range(2000):
            more = frame(CONTINUATION, 0, 1, field(f"x-{number}", "y" * 4000))
            if not await wire.send(more):
                break
        said += await wire.read()
    return said


async def resets_without_end(port: int) -> bytes:
    """Calls that are cancelled as they begin."""
    async with await Wire.open(port) as wire:
        await wire.send(hello())
        for number in range(5000):
            stream = 2 * number + 1
            reset = frame(RST_STREAM, 0, stream, (8).to_bytes(4))
            if not await wire.send(call("WatchMatch", stream), reset):
                break
        return await wire.read()


async def pings_and_settings_without_end(port: int) -> bytes:
    said = b""
    for odd in (frame(PING, 0, 0, bytes(8)), settings({4: 1000}), frame(DATA, 0, 1, b"")):
        async with await Wire.open(port) as wire:
            await wire.send(hello(), call("GetMatch"))
            for _ in range(100):
                if not await wire.send(odd * 100):
                    break
            said += await wire.read()
    return said


ATTACKS: tuple[Attack, ...] = (
    random_bytes,
    a_tls_hello,
    http_1,
    truncated_frames,
    frames_out_of_place,
    messages_cut_short,
    huge_headers,
    resets_without_end,
    pings_and_settings_without_end,
)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
async def test_bytes_that_are_no_calls_disturb_nobody(server: Server, attack: Attack) -> None:
    async with server.unharmed():
        said = await attack(server.port)
    for secret in SECRETS:
        assert secret not in said


@pytest.mark.parametrize(("connections", "calls"), [(1, 5000), (250, 20)])
@pytest.mark.parametrize("method", ["GetMatch", "Play"])
async def test_calls_that_are_never_finished_end_with_their_connection(
    server: Server, connections: int, calls: int, method: str
) -> None:
    async with server.unharmed():
        wires = [await Wire.open(server.port) for _ in range(connections)]
        for wire in wires:
            begun = (call(method, 2 * number + 1) for number in range(calls))
            assert await wire.send(hello(), *begun)
        async with server.desk() as desk:
            await desk.new_players()
        for wire in wires:
            wire.close()


async def test_thousands_of_connections_are_taken_and_given_back(server: Server) -> None:
    async with server.unharmed():
        wires = [await Wire.open(server.port) for _ in range(2000)]
        for wire in wires[::2]:
            assert await wire.send(hello())
        async with server.desk() as desk:
            await desk.new_players()
        for wire in wires:
            wire.close()


async def test_who_does_not_go_on_is_sent_away(server: Server) -> None:
    async with server.unharmed():
        silent = [await Wire.open(server.port) for _ in range(200)]
        half_said = [await Wire.open(server.port) for _ in range(200)]
        for wire in half_said:
            await wire.send(PREFACE[:10])
        waiting = [await Wire.open(server.port) for _ in range(3)]
        for wire, method in zip(waiting, ("GetMatch", "WatchMatch", "Play"), strict=True):
            await wire.send(hello(), call(method))
        async with asyncio.timeout(FAR_S):
            for wire in silent + half_said:
                await wire.read(FAR_S)
            for wire in waiting:
                while INVALID_ARGUMENT not in await wire.read(1):
                    pass
        for wire in silent + half_said + waiting:
            wire.close()


@pytest.mark.parametrize("method", ["GetMatch", "WatchMatch", "Play"])
async def test_a_call_that_ends_without_a_request_is_answered(server: Server, method: str) -> None:
    async with server.unharmed(), await Wire.open(server.port) as wire:
        await wire.send(hello(), call(method), frame(DATA, END_STREAM, 1))
        async with asyncio.timeout(FAR_S):
            while INVALID_ARGUMENT not in await wire.read(1):
                pass
