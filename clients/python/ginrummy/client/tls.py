"""TLS to a server: whom the client trusts, and the certificate that it shows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import grpc


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls:
    """The files of a connection with TLS, in PEM. They are read when the client is made."""

    root_ca: str | Path | None = None
    """Who signs the server's certificate; None: the authorities that gRPC brings along."""
    client_cert: str | Path | None = None
    """To show to a server that asks for one."""
    client_key: str | Path | None = None
    """The private key of `client_cert`."""

    def __post_init__(self) -> None:
        if (self.client_cert is None) != (self.client_key is None):
            raise ValueError("client_cert and client_key go together")

    def credentials(self) -> grpc.ChannelCredentials:
        """For a channel. Raises OSError when a file cannot be read."""
        return grpc.ssl_channel_credentials(
            _read(self.root_ca), _read(self.client_key), _read(self.client_cert)
        )


def _read(path: str | Path | None) -> bytes | None:
    return None if path is None else Path(path).read_bytes()
