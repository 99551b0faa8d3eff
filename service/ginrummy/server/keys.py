"""API keys: who may create, list and follow matches. Only their hashes are kept, in memory too."""

import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ginrummy.server.edge import Context

KEY_HEADER = "x-api-key"
SHORTEST_KEY, LONGEST_KEY = 16, 512
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
KEY = re.compile(rf"[!-+\--~]{{{SHORTEST_KEY},{LONGEST_KEY}}}")
"""Printable, without spaces and commas."""
NAME_RULE = "letters, digits, '.', '_' and '-', at most 63, the first a letter or a digit"
KEY_RULE = f"{SHORTEST_KEY} to {LONGEST_KEY} printable characters without spaces and commas"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key by its name and its SHA-256."""

    name: str
    digest: bytes = field(repr=False)


def digest_of(key: str) -> bytes:
    """What is kept of a key. A plain hash will do, since keys are long and random."""
    return hashlib.sha256(key.encode()).digest()


def checked_names(keys: Iterable[ApiKey]) -> tuple[ApiKey, ...]:
    """The keys, each name once. Raises ValueError."""
    found: dict[str, ApiKey] = {}
    for key in keys:
        if found.setdefault(key.name, key) is not key:
            raise ValueError(f"names {key.name!r} twice")
    return tuple(found.values())


def keys_from_text(text: str) -> tuple[ApiKey, ...]:
    """Keys written NAME=KEY,NAME=KEY. Raises ValueError, in which no key is shown."""
    return checked_names(
        _key_from_pair(number, pair) for number, pair in enumerate(text.split(","), 1)
    )


def _key_from_pair(number: int, pair: str) -> ApiKey:
    name, equals, key = pair.strip().partition("=")
    if not equals:
        raise ValueError(f"is NAME=KEY,NAME=KEY…, and its part {number} has no '='")
    if not NAME.fullmatch(name):
        raise ValueError(f"is NAME=KEY,NAME=KEY…; the name in its part {number} is {NAME_RULE}")
    if not KEY.fullmatch(key):
        raise ValueError(f"is NAME=KEY,NAME=KEY…; the key of {name!r} is {KEY_RULE}")
    return ApiKey(name, digest_of(key))


class KeyRing:
    """The keys in force. Without any, everybody may do everything."""

    def __init__(self, keys: Sequence[ApiKey] = ()) -> None:
        self._keys = tuple(keys)

    def name_of(self, key: str) -> str | None:
        """Whose key it is. Takes the same time whichever key matches, and if none does."""
        digest = digest_of(key)
        found: str | None = None
        for known in self._keys:
            if hmac.compare_digest(known.digest, digest):
                found = known.name
        return found


def key_of_call(context: Context) -> str | None:
    """The API key that the call carries; None without one."""
    for name, value in context.invocation_metadata() or ():
        if name == KEY_HEADER:
            return str(value)
    return None


def peer_of_call(context: Context) -> str:
    """The address that the call comes from, without its port."""
    peer = context.peer()
    scheme, _, address = peer.partition(":")
    if scheme not in ("ipv4", "ipv6"):
        return scheme
    host = address.rpartition(":")[0]
    return host.replace("%5B", "").replace("%5D", "").strip("[]")


def caller_of_call(context: Context, ring: KeyRing) -> str:
    """Who is calling, for limits: the name of his API key, else his address without the port."""
    key = key_of_call(context)
    name = None if key is None else ring.name_of(key)
    return peer_of_call(context) if name is None else f"key:{name}"
