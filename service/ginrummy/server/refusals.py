"""What the server itself refuses, beside what a table does."""

from collections.abc import Iterable

from ginrummy.tables.errors import Refused


class BadField(Refused):
    """A field of the request is missing, malformed, out of range or contradicts another."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.path = path
        self.problem = problem


class BadCard(BadField):
    """A field of the request should hold a card and does not."""


class RulesetNotFound(Refused):
    """No ruleset has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no ruleset {name!r}; see ListRulesets")


class BotNotFound(Refused):
    """No bot has this name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"there is no bot {name!r}; see ListBots")
        self.name = name
        self.known = tuple(known)


class HintsOff(Refused):
    """The match gives no hints to anybody."""

    def __init__(self) -> None:
        super().__init__("the match gives no hints")


class SimulationNotFound(Refused):
    """No simulation has this name, or it is kept no more."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no simulation {name!r}")


class BadToken(Refused):
    """There is no token, or it is not, or no longer, known."""


class BadKey(Refused):
    """The call needs an API key, and has none that is known."""


class SlowConsumer(Refused):
    """The stream was not read for too long."""

    def __init__(self) -> None:
        super().__init__("the stream was not read fast enough; resume with after_sequence")


class MessageTooLarge(Refused):
    """The request has more bytes than any request needs."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(f"the request has {size} bytes; at most {limit} are allowed")
        self.size = size
        self.limit = limit


class DeadlineRequired(Refused):
    """A call that changes something came without a deadline.

    A caller who would wait for ever does not retry either, and cannot tell a lost answer from a
    slow one.
    """

    def __init__(self) -> None:
        super().__init__(
            "a call that changes something needs a deadline, such as timeout=5 in Python"
            " or grpcurl -max-time 5"
        )
