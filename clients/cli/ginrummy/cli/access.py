"""How a named server is reached: TLS, and the API key that it may ask for.

The key comes from a file or from the environment; others on the machine can read the arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ginrummy.cli.faults import CommandLineError
from ginrummy.client import Tls

FILES = ("tls-ca", "tls-client-cert", "tls-client-key", "api-key-file")
"""The options that name a file."""
KEY_VARIABLE = "GINRUMMY_API_KEY"


@dataclass(frozen=True)
class Access:
    """What is said and shown to a server besides the calls."""

    tls: Tls | None = None
    """None: in the clear."""
    api_key: str | None = field(default=None, repr=False)


OPEN = Access()


def access_of(wants_tls: bool, files: Mapping[str, str], environment: Mapping[str, str]) -> Access:
    """What the options come to; `files` by option. Raises CommandLineError."""
    cert, key = files["tls-client-cert"], files["tls-client-key"]
    if bool(cert) != bool(key):
        raise CommandLineError("client-cert-and-key")
    for option in FILES:
        if files[option]:
            _read(option, files[option])
    tls = None
    if wants_tls or files["tls-ca"] or cert:
        tls = Tls(root_ca=files["tls-ca"] or None, client_cert=cert or None, client_key=key or None)
    return Access(tls, _api_key(files["api-key-file"], environment))


def _api_key(file: str, environment: Mapping[str, str]) -> str | None:
    if not file:
        return environment.get(KEY_VARIABLE) or None
    key = _read("api-key-file", file).strip()
    if not key or not key.isprintable() or not key.isascii() or " " in key:
        raise CommandLineError("no-key-in-file", file=file)
    return key


def _read(option: str, file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError as error:
        why = error.strerror or str(error)
        raise CommandLineError("cannot-read-file", option=option, file=file, why=why) from None
    except UnicodeDecodeError:
        raise CommandLineError("no-text-file", option=option, file=file) from None
