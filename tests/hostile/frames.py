"""HTTP/2 by hand: frames that no library would send, and a connection that reads when told to."""

import asyncio
import gzip
import socket
from typing import Self

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 8, 9
END_STREAM, END_HEADERS = 0x1, 0x4
INITIAL_WINDOW_SIZE = 4
SERVICE = "/ginrummy.v1.MatchService"


def frame(kind: int, flags: int = 0, stream: int = 0, payload: bytes = b"") -> bytes:
    head = len(payload).to_bytes(3) + bytes((kind, flags)) + stream.to_bytes(4)
    return head + payload


def settings(values: dict[int, int] | None = None) -> bytes:
    pairs = (values or {}).items()
    return frame(
        SETTINGS, payload=b"".join(key.to_bytes(2) + value.to_bytes(4) for key, value in pairs)
    )


def hello(values: dict[int, int] | None = None) -> bytes:
    """What every connection begins with."""
    return PREFACE + settings(values)


def _length(number: int) -> bytes:
    """An integer with a prefix of seven bits (RFC 7541, 5.1)."""
    if number < 127:
        return bytes((number,))
    rest, coded = number - 127, b"\x7f"
    while rest >= 128:
        coded += bytes((rest % 128 + 128,))
        rest //= 128
    return coded + bytes((rest,))


def field(name: str, value: str | bytes) -> bytes:
    """One header, neither indexed nor compressed."""
    raw = value.encode() if isinstance(value, str) else value
    return b"\x00" + _length(len(name)) + name.encode() + _length(len(raw)) + raw


def request_fields(method: str, *more: tuple[str, str | bytes]) -> bytes:
    """The headers of a call of MatchService, or of the path `method`."""
    fields = (
        (":method", "POST"),
        (":scheme", "http"),
        (":path", method if method.startswith("/") else f"{SERVICE}/{method}"),
        (":authority", "localhost"),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
        *more,
    )
    return b"".join(field(name, value) for name, value in fields)


def call(
    method: str, stream: int = 1, *more: tuple[str, str | bytes], flags: int = END_HEADERS
) -> bytes:
    """The beginning of a call: its headers, without a message."""
    return frame(HEADERS, flags, stream, request_fields(method, *more))


def message(payload: bytes, *, compressed: bool = False) -> bytes:
    """A message as gRPC frames it."""
    return bytes((compressed,)) + len(payload).to_bytes(4) + payload


def packed(payload: bytes) -> bytes:
    return gzip.compress(payload, compresslevel=9)


class Wire:
    """A connection whose bytes are read only when somebody asks for them."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._loop = asyncio.get_running_loop()

    @classmethod
    async def open(cls, port: int, receive_buffer: int = 0) -> Self:
        connecting = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        connecting.setblocking(False)
        if receive_buffer:
            connecting.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        await asyncio.get_running_loop().sock_connect(connecting, ("127.0.0.1", port))
        return cls(connecting)

    async def send(self, *parts: bytes) -> bool:
        """Whether the other side was still there for all of it, and took it in time."""
        try:
            async with asyncio.timeout(20):
                await self._loop.sock_sendall(self._socket, b"".join(parts))
        except (OSError, TimeoutError):
            return False
        return True

    async def read(self, within_s: float = 0.5) -> bytes:
        """What comes until nothing has come for so long, or the other side hangs up."""
        got = b""
        try:
            while part := await asyncio.wait_for(
                self._loop.sock_recv(self._socket, 1 << 16), within_s
            ):
                got += part
        except (OSError, TimeoutError):
            pass
        return got

    def finish(self) -> None:
        """Tells the other side that nothing more comes."""
        self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._socket.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
