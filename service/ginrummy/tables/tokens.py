"""Tokens: who holds one speaks for a seat, or governs the match. Only hashes of them are kept."""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import NamedTuple

HOST = "host"
"""The role that governs a match; seats have the roles "1" and "2"."""

ROLES = (HOST, "1", "2")
"""The roles that open something. Marks are kept among the hashes too; they open nothing."""

MARK = bytes(32)
"""What is kept for a mark: no token has this hash."""


def renewed(role: str) -> str:
    """The mark of a role to which the host has given a new token."""
    return f"{role} renewed"


class Holder(NamedTuple):
    """Whoever asks by a token: its role, and its hash, for as long as that is the role's."""

    role: str
    digest: bytes

    @property
    def seat(self) -> int | None:
        """The seat that he speaks for; None for the host."""
        return None if self.role == HOST else int(self.role)

    def holds(self, hashes: Mapping[str, bytes]) -> bool:
        """Whether the token still works."""
        return hashes.get(self.role) == self.digest


def new_token(match_id: str) -> str:
    """A fresh token: 256 random bits, after the match that it is for."""
    return f"{match_id}.{secrets.token_urlsafe(32)}"


def match_of(token: str) -> str:
    """The match that a token says it is for."""
    return token.partition(".")[0]


def digest(token: str) -> bytes:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).digest()


def holder_of(token: str, hashes: Mapping[str, bytes]) -> Holder | None:
    """Who holds `token`, by these hashes; takes the same time whatever role it has."""
    found = None
    given = digest(token)
    for role, known in hashes.items():
        if hmac.compare_digest(given, known) and role in ROLES:
            found = role
    return None if found is None else Holder(found, given)
