"""Tokens: who holds one speaks for a seat, or governs the match. Only hashes of them are kept."""

import hashlib
import hmac
import secrets
from collections.abc import Mapping

HOST = "host"
"""The role that governs a match; seats have the roles "1" and "2"."""


def new_token(match_id: str) -> str:
    """A fresh token: 256 random bits, after the match that it is for."""
    return f"{match_id}.{secrets.token_urlsafe(32)}"


def match_of(token: str) -> str:
    """The match that a token says it is for."""
    return token.partition(".")[0]


def digest(token: str) -> bytes:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).digest()


def role_of(token: str, hashes: Mapping[str, bytes]) -> str | None:
    """The role that `token` has among these hashes; takes the same time whichever it is."""
    found = None
    given = digest(token)
    for role, known in hashes.items():
        if hmac.compare_digest(given, known):
            found = role
    return found
