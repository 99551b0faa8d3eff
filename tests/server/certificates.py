"""Certificates made on the spot: authorities, servers and clients of a test."""

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Made:
    """A certificate with its key."""

    certificate: x509.Certificate
    key: EllipticCurvePrivateKey

    @property
    def cert_pem(self) -> bytes:
        return self.certificate.public_bytes(Encoding.PEM)

    def key_pem(self, password: bytes = b"") -> bytes:
        encryption: KeySerializationEncryption = NoEncryption()
        if password:
            encryption = BestAvailableEncryption(password)
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)

    @property
    def serial(self) -> int:
        return self.certificate.serial_number


def make(name: str, issuer: Made | None = None, until: timedelta = DAY) -> Made:
    """A certificate that `issuer` has signed, good for this machine until then; without an issuer
    an authority's own."""
    key = generate_private_key(SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - 9 * DAY)
        .not_valid_after(now + until)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
    )
    return Made(builder.sign(issuer.key if issuer else key, SHA256()), key)


def put(path: Path, pem: bytes) -> Path:
    """Writes a file that takes the place of the one before in one step."""
    new = path.with_suffix(".new")
    new.write_bytes(pem)
    new.chmod(0o600)
    return new.rename(path)


def serial_shown_at(port: int) -> int:
    """The serial number of the certificate that a new connection is shown."""
    pem = ssl.get_server_certificate(("127.0.0.1", port), timeout=30)
    return x509.load_pem_x509_certificate(pem.encode()).serial_number
