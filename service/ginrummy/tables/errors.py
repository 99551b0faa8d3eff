"""What a table can refuse, each with its numbers.

Whoever calls a table turns these into answers of his own; none of them names a card that the
caller did not send.
"""

# ruff: noqa: N818 - these are named after what is wrong, as callers read them.

from collections.abc import Mapping
from typing import Any


class Refused(Exception):
    """Anything a table says no to. The match is as it was."""


class IllegalAction(Refused):
    """The engine's rule that forbids the action, with the rule's numbers."""

    def __init__(self, kind: str, fields: Mapping[str, Any], message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.fields = dict(fields)


class NotYourTurn(Refused):
    """The other seat has to act."""

    def __init__(self, to_act: int) -> None:
        super().__init__(f"it is seat {to_act}'s turn")
        self.to_act = to_act


class StaleSequence(Refused):
    """The action was decided on an older, or never seen, state of the match."""

    def __init__(self, expected: int, actual: int) -> None:
        super().__init__(f"the match stands at {actual}, not at {expected}")
        self.expected = expected
        self.actual = actual


class MatchOver(Refused):
    """Nothing more happens in this match."""

    def __init__(self) -> None:
        super().__init__("the match is over")


class MatchNotOver(Refused):
    """What is asked for has to wait until the match has ended."""

    def __init__(self) -> None:
        super().__init__("the match has not ended yet")


class NotClaimable(Refused):
    """The opponent's absence gives the match to nobody now; from `claimable_us` on it may."""

    def __init__(self, problem: str, claimable_us: int | None = None) -> None:
        super().__init__(f"the match cannot be claimed: {problem}")
        self.claimable_us = claimable_us


class NoOpenSeat(Refused):
    """Nobody can sit down there."""

    def __init__(self, seat: int | None) -> None:
        super().__init__("no seat is open" if seat is None else f"seat {seat} is taken")


class RequestIdReused(Refused):
    """The request_id was used for something else before."""

    def __init__(self, request_id: str) -> None:
        super().__init__(f"request_id {request_id} belongs to another request")


class SequenceAhead(Refused):
    """Events after a number that the match has not reached are asked for."""

    def __init__(self, after: int, head: int) -> None:
        super().__init__(f"the match stands at {head}, before {after}")
        self.head = head


class MatchNotFound(Refused):
    """No such match is known here."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"there is no match {match_id}")


class WrongSeat(Refused):
    """The caller is known, but may not do this."""


class TokenReplaced(Refused):
    """The token has been good, and a newer one of its role has taken its place."""

    def __init__(self) -> None:
        super().__init__("the token has been replaced by a newer one")


class TokenWithheld(Refused):
    """A join is repeated, and its seat's token is no longer for whoever knows its request_id."""


class SeedsNotAllowed(Refused):
    """Known deals between two people need the server's permission."""

    def __init__(self) -> None:
        super().__init__("this server does not let people choose the deals of a match between them")


class LimitReached(Refused):
    """Too many do this at once: `most` may; `limit` names what of."""

    def __init__(self, limit: str, most: int, retry_s: float = 1.0) -> None:
        super().__init__(
            f"{limit.replace('_', ' ')}: at most {most} are allowed;"
            f" try again in {max(retry_s, 0.001):.3g} s"
        )
        self.limit = limit
        self.most = most
        self.retry_s = retry_s
        """When there may be room again."""


class Draining(Refused):
    """The tables are about to close."""

    def __init__(self) -> None:
        super().__init__("the server is about to stop")


class StoreUnavailable(Refused):
    """The log cannot take or give entries now. Whether this command was stored is not known yet."""

    def __init__(self) -> None:
        super().__init__("nothing can be stored now; try again with the same request_id")


class MatchUnreadable(Refused):
    """What is stored of this match disagrees with its own replay; it is set aside."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"match {match_id} cannot be read and is set aside")
