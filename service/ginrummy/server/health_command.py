"""`ginrummy-server health`: whether a server serves, as its standard health service tells.

For container engines and orchestrators, which run a command where they cannot ask by gRPC and TLS.
"""

import argparse
import socket
import ssl
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc  # type: ignore[import-untyped]

from ginrummy.server.commands import Command, CommandError
from ginrummy.server.configuration import Configuration
from ginrummy.server.settings import Settings

USUAL_TIMEOUT_S = 4.0
ALL_ADDRESSES = {"0.0.0.0": "127.0.0.1", "*": "127.0.0.1", "::": "::1", "": "127.0.0.1"}
"""Where to find a server that listens on every address."""
EXAMPLES = """\
examples:
  ginrummy-server health                           the server of the same settings
  ginrummy-server health --address 10.0.0.7:50051
  ginrummy-server health --client-cert tls.crt --client-key tls.key    where clients need one
"""


@dataclass(frozen=True, slots=True)
class _Place:
    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class _Shown:
    """The certificate that the asker shows, where servers ask for one."""

    cert: Path
    key: Path


def run_health(configuration: Configuration, given: argparse.Namespace) -> int:
    """Asks the server; 0 when it serves. Raises CommandError when it does not, or is not there."""
    settings = configuration.settings()
    place = _place(settings, given.address)
    options: list[tuple[str, str]] = []
    try:
        if settings.security.tls is None:
            channel = grpc.insecure_channel(str(place))
        else:
            shown = _shown(settings, given)
            certificate, name = _certificate_of(place, shown, given.timeout_s)
            credentials = grpc.ssl_channel_credentials(
                certificate.encode(),
                shown.key.read_bytes() if shown else None,
                shown.cert.read_bytes() if shown else None,
            )
            options = [("grpc.ssl_target_name_override", name)]
            channel = grpc.secure_channel(str(place), credentials, options)
    except ssl.SSLError as error:
        raise CommandError(f"no TLS with {place}: {error.reason or error}") from error
    except OSError as error:
        raise CommandError(f"no answer from {place}: {error.strerror or error}") from error
    with channel:
        _check(channel, place, given)
    sys.stdout.write("serving\n")
    return 0


def _check(channel: grpc.Channel, place: _Place, given: argparse.Namespace) -> None:
    request = health_pb2.HealthCheckRequest(service=given.service)
    try:
        answer = health_pb2_grpc.HealthStub(channel).Check(request, timeout=given.timeout_s)
    except grpc.RpcError as error:
        if not isinstance(error, grpc.Call):
            raise
        if error.code() is grpc.StatusCode.NOT_FOUND:
            raise CommandError(f"{place} has no service {given.service!r}") from error
        reason = (error.details() or "").rpartition(": ")[2]
        raise CommandError(f"no answer from {place}: {error.code().name} {reason}") from error
    if answer.status != health_pb2.HealthCheckResponse.SERVING:
        raise CommandError(f"{place} does not serve now: it starts, or is about to stop")


def _place(settings: Settings, address: str | None) -> _Place:
    if address is None:
        if settings.port == 0:
            raise CommandError("the server has chosen its port itself; name it with --address")
        return _Place(ALL_ADDRESSES.get(settings.host, settings.host), settings.port)
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise CommandError(f"--address is HOST:PORT, not {address!r}")
    return _Place(host.removeprefix("[").removesuffix("]"), int(port))


def _shown(settings: Settings, given: argparse.Namespace) -> _Shown | None:
    """The named certificate, else the server's own, where it asks for one at all."""
    if bool(given.client_cert) != bool(given.client_key):
        raise CommandError("--client-cert and --client-key go together")
    if given.client_cert:
        return _Shown(given.client_cert, given.client_key)
    tls = settings.security.tls
    return _Shown(tls.cert, tls.key) if tls and tls.client_ca else None


def _certificate_of(place: _Place, shown: _Shown | None, timeout_s: float) -> tuple[str, str]:
    """The certificate that the server shows, and one of the names in it.

    It is taken as it comes: nothing secret is said to the server, and whether it serves is no
    question of its name.
    """
    anyone = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anyone.check_hostname = False
    anyone.verify_mode = ssl.CERT_NONE
    pem = ssl.DER_cert_to_PEM_cert(_handshake(anyone, place, shown, timeout_s).binary)
    # Python takes a certificate apart only when it has been verified.
    itself = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    itself.check_hostname = False
    itself.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    itself.load_verify_locations(cadata=pem)
    return pem, _handshake(itself, place, shown, timeout_s).name


@dataclass(frozen=True, slots=True)
class _Met:
    binary: bytes
    name: str


def _handshake(
    context: ssl.SSLContext, place: _Place, shown: _Shown | None, timeout_s: float
) -> _Met:
    context.set_alpn_protocols(["h2"])
    if shown is not None:
        context.load_cert_chain(shown.cert, shown.key)
    with (
        socket.create_connection((place.host, place.port), timeout_s) as plain,
        context.wrap_socket(plain) as secured,
    ):
        return _Met(
            secured.getpeercert(binary_form=True) or b"",
            _name_in(secured.getpeercert()) or place.host,
        )


def _name_in(certificate: Any) -> str | None:
    """A name that the certificate is good for; None where it has not been taken apart."""
    for _, name in (certificate or {}).get("subjectAltName", ()):
        return str(name).replace("*", "health")
    for parts in (certificate or {}).get("subject", ()):
        for kind, value in parts:
            if kind == "commonName":
                return str(value)
    return None


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--address", metavar="HOST:PORT", help="where (of the settings)")
    parser.add_argument("--service", metavar="NAME", default="", help="one service (all)")
    parser.add_argument(
        "--timeout-s",
        metavar="SECONDS",
        type=float,
        default=USUAL_TIMEOUT_S,
        help=f"that it may take to answer ({USUAL_TIMEOUT_S:g})",
    )
    parser.add_argument("--client-cert", metavar="FILE", type=Path, help="to show to the server")
    parser.add_argument("--client-key", metavar="FILE", type=Path, help="its private key")


HEALTH = Command(
    name="health",
    text="tells whether the server serves; exit code 0 or 1",
    run=run_health,
    options=("host", "port", "tls-cert", "tls-key", "tls-client-ca"),
    add_arguments=_add_arguments,
    epilog=EXAMPLES,
)
