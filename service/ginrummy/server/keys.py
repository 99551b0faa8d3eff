"""API keys: who may create, list and follow matches. Only their hashes are kept, in memory too."""

import hashlib
import hmac
import ipaddress
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

from ginrummy.server.edge import Context
from ginrummy.server.refusals import BadKey
from ginrummy.server.reloading import UnusableFileError, read_text, warn_if_exposed
from ginrummy.tables.about import note

KEY_HEADER = "x-api-key"
NETWORK_BITS = 64
"""Of an IPv6 address: the part that one site has."""
FILE_OPTION = "api-keys-file"
SHORTEST_KEY, LONGEST_KEY = 16, 512
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
KEY = re.compile(rf"[!-+\--~]{{{SHORTEST_KEY},{LONGEST_KEY}}}")
"""Printable, without spaces and commas."""
DIGEST = re.compile(r"[0-9a-fA-F]{64}")
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


def keys_from_file(path: Path) -> tuple[ApiKey, ...]:
    """Keys written NAME SHA256HEX, one a line. Raises UnusableFileError."""
    found: list[ApiKey] = []
    for number, line in enumerate(read_text(FILE_OPTION, path).splitlines(), 1):
        written = line.partition("#")[0].split()
        if not written:
            continue
        try:
            found.append(_key_from_words(written))
            checked_names(found)
        except ValueError as error:
            raise UnusableFileError(f"--{FILE_OPTION} {path}: line {number} {error}") from None
    warn_if_exposed(FILE_OPTION, path)
    return tuple(found)


def _key_from_words(words: Sequence[str]) -> ApiKey:
    if len(words) != 2 or not NAME.fullmatch(words[0]):
        raise ValueError(f"is not NAME SHA256HEX; the name is {NAME_RULE}")
    name, digest = words
    if not DIGEST.fullmatch(digest):
        raise ValueError("has no SHA-256 of 64 hexadecimal digits; see `ginrummy-server hash-key`")
    return ApiKey(name, bytes.fromhex(digest))


class KeyRing:
    """The keys in force, which may change while the server runs.

    Where none were ever set, everybody may do everything; where the last one was revoked, nobody.
    """

    what = "API keys"

    def __init__(self, keys: Sequence[ApiKey] = (), file: Path | None = None) -> None:
        """`file` has more of them. Raises UnusableFileError."""
        self._given = tuple(keys)
        self._file = file
        self.files = () if file is None else (file,)
        self._keys: tuple[ApiKey, ...] = ()
        self._holders: dict[Holder, None] = {}
        self.take(self.load())

    def load(self) -> tuple[ApiKey, ...]:
        """All keys, as they are set now. Raises UnusableFileError."""
        if self._file is None:
            return self._given
        try:
            return checked_names((*self._given, *keys_from_file(self._file)))
        except ValueError as error:
            raise UnusableFileError(f"--{FILE_OPTION} {self._file}: {error}") from error

    def take(self, keys: tuple[ApiKey, ...]) -> None:
        """Uses these from now on; whoever holds another is let go."""
        self._keys = keys
        for holder in tuple(self._holders):
            if self._known(holder.digest) is None:
                holder.let_go()

    def name_of(self, key: str) -> str | None:
        """Whose key it is."""
        known = self._known(digest_of(key))
        return None if known is None else known.name

    def _known(self, digest: bytes) -> ApiKey | None:
        """Takes the same time whichever key it is, and if it is none."""
        found: ApiKey | None = None
        for known in self._keys:
            if hmac.compare_digest(known.digest, digest):
                found = known
        return found

    @property
    def is_needed(self) -> bool:
        """Keys were set, even if the last one has been revoked."""
        return bool(self._given) or self._file is not None

    def check(self, context: Context) -> None:
        """Raises BadKey where a key is needed, and the call has none that is known."""
        self._digest_of_call(context)

    @contextmanager
    def holding(self, context: Context, let_go: Callable[[], None]) -> Iterator["Holder"]:
        """While a stream stays open by the call's key; `let_go` ends it. Raises BadKey."""
        holder = Holder(self._digest_of_call(context), let_go)
        if holder.digest:
            self._holders[holder] = None
        try:
            yield holder
        finally:
            self._holders.pop(holder, None)

    def _digest_of_call(self, context: Context) -> bytes:
        """Of the call's key; empty where none is needed. Raises BadKey."""
        if not self.is_needed:
            return b""
        key = key_of_call(context)
        if key is None:
            raise BadKey(f"this call needs an API key in its metadata, {KEY_HEADER!r}")
        known = self._known(digest_of(key))
        if known is None:
            raise BadKey(f"the API key in {KEY_HEADER!r} is not, or no longer, known")
        note(key=known.name)
        return known.digest


class Holder:
    """A stream that is open because of a key."""

    def __init__(self, digest: bytes, let_go: Callable[[], None]) -> None:
        self.digest = digest
        self._let_go = let_go
        self._is_let_go = False

    def let_go(self) -> None:
        """Ends it: its key is revoked."""
        self._is_let_go = True
        self._let_go()

    def check(self) -> None:
        """Raises BadKey once the key is revoked."""
        if self._is_let_go:
            raise BadKey("the API key is no longer known")


def key_of_call(context: Context) -> str | None:
    """The API key that the call carries; None without one."""
    for name, value in context.invocation_metadata() or ():
        if name == KEY_HEADER:
            return str(value)
    return None


def peer_of_call(context: Context) -> str:
    """Where the call comes from: an IPv4 address, or the network of an IPv6 one.

    Whoever has one IPv6 address usually has 2^64 of them, and would otherwise be as many callers.
    """
    return _place_of(context.peer().rpartition(":")[0])


@lru_cache(4096)
def _place_of(peer: str) -> str:
    """Of a peer without its port. Every call needs it, and taking an IPv6 address apart is slow."""
    scheme, _, address = peer.partition(":")
    if scheme not in ("ipv4", "ipv6"):
        return scheme
    host = unquote(address).strip("[]").partition("%")[0]
    if scheme == "ipv4":
        return host
    full = ipaddress.IPv6Address(host)
    if full.ipv4_mapped is not None:
        return str(full.ipv4_mapped)
    return str(ipaddress.IPv6Network((full, NETWORK_BITS), strict=False))


def caller_of_call(context: Context, ring: KeyRing) -> str:
    """Who is calling, for limits: the name of his API key, else where he calls from."""
    key = key_of_call(context) if ring.is_needed else None
    name = None if key is None else ring.name_of(key)
    return peer_of_call(context) if name is None else f"key:{name}"
