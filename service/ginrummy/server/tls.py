"""TLS: the server's certificate, checked before it is used, and changed while the server runs."""

import logging
import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc

from ginrummy.server.reloading import UnusableFileError, read_text, warn_if_exposed
from ginrummy.server.settings import TlsFiles

CERT_OPTION, KEY_OPTION, CLIENT_CA_OPTION = "tls-cert", "tls-key", "tls-client-ca"
TURNS = 4
"""A handshake has fewer."""

lines = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pems:
    """What the files hold."""

    cert: bytes
    key: bytes
    client_ca: bytes | None

    def __repr__(self) -> str:
        return "<Pems>"


class Certificate:
    """The certificate that new connections are shown, and whose certificates they have to show.

    Connections that are open stay as they began.
    """

    what = "certificates"

    def __init__(self, tls: TlsFiles) -> None:
        """Raises UnusableFileError."""
        self._tls = tls
        self.files = tuple(path for path in (tls.cert, tls.key, tls.client_ca) if path)
        self.take(self.load())

    def load(self) -> Pems:
        """The files, which fit each other. Raises UnusableFileError."""
        tls = self._tls
        cert = read_text(CERT_OPTION, tls.cert).encode()
        key = read_text(KEY_OPTION, tls.key).encode()
        client_ca = None
        if tls.client_ca:
            client_ca = read_text(CLIENT_CA_OPTION, tls.client_ca).encode()
            _check_client_ca(tls.client_ca)
        served = _context_of(tls)
        _warn_if_not_valid(tls.cert, served)
        warn_if_exposed(KEY_OPTION, tls.key)
        return Pems(cert, key, client_ca)

    def take(self, pems: Pems) -> None:
        """Shows these to connections from now on."""
        self._pems = pems

    def credentials(self) -> grpc.ServerCredentials:
        """For the port; each handshake asks for what is in force."""
        credentials: grpc.ServerCredentials = grpc.dynamic_ssl_server_credentials(
            self._configuration(),
            self._configuration,
            require_client_authentication=self._tls.client_ca is not None,
        )
        return credentials

    def _configuration(self) -> grpc.ServerCertificateConfiguration:
        pems = self._pems
        return grpc.ssl_server_certificate_configuration([(pems.key, pems.cert)], pems.client_ca)


def _context_of(tls: TlsFiles) -> ssl.SSLContext:
    """A server's side with this certificate and key. Raises UnusableFileError."""
    _check_certificates(CERT_OPTION, tls.cert)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(tls.cert, tls.key, password=_no_password)
    except _EncryptedError:
        reason = "is encrypted; the server takes a key without a password"
        raise UnusableFileError(f"--{KEY_OPTION} {tls.key}: {reason}") from None
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            reason = f"is not the key of the certificate in --{CERT_OPTION} {tls.cert}"
        else:
            reason = "holds no private key in PEM"
        raise UnusableFileError(f"--{KEY_OPTION} {tls.key}: {reason}") from None
    except OSError as error:
        raise UnusableFileError(f"--{KEY_OPTION} {tls.key}: {error.strerror}") from None
    return context


class _EncryptedError(Exception):
    pass


def _no_password() -> str:
    raise _EncryptedError


def _check_certificates(option: str, path: Path) -> None:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except OSError:
        reason = "holds no certificate in PEM, or one that is damaged"
        raise UnusableFileError(f"--{option} {path}: {reason}") from None


def _check_client_ca(path: Path) -> None:
    _check_certificates(CLIENT_CA_OPTION, path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(path)
    if not context.cert_store_stats()["x509_ca"]:
        reason = "holds no certificate of an authority; clients' own certificates sign nothing"
        raise UnusableFileError(f"--{CLIENT_CA_OPTION} {path}: {reason}")


def _warn_if_not_valid(path: Path, served: ssl.SSLContext) -> None:
    """A warning for a certificate that clients refuse because of its time.

    Python tells that of a connection only: this one is within the program.
    """
    anyone = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anyone.check_hostname = False
    anyone.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    anyone.load_verify_locations(path)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = anyone.wrap_bio(to_client, to_server)
    server = served.wrap_bio(to_server, to_client, server_side=True)
    try:
        for _ in range(TURNS):
            for side in (client, server):
                try:
                    side.do_handshake()
                except ssl.SSLWantReadError:
                    continue
    except ssl.SSLCertVerificationError as error:
        lines.warning("--%s %s: %s", CERT_OPTION, path, error.verify_message)
    except ssl.SSLError as error:
        lines.warning("--%s %s: no client can use it: %s", CERT_OPTION, path, error.reason)
