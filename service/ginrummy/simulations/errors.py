"""What a simulation is refused for. Whoever calls turns these into answers of his own."""

# ruff: noqa: N818 - these are named after what is wrong, as callers read them.


class Refused(Exception):
    """Anything that simulations say no to. Nothing has changed."""


class NoSuchSimulation(Refused):
    """None of this name is known, or it is kept no more."""


class OtherRequest(Refused):
    """The request id has begun a simulation of another kind."""


class TooMany(Refused):
    """So many have not ended: of this caller, or of all."""

    def __init__(self, most: int, *, of_caller: bool) -> None:
        super().__init__(most)
        self.most = most
        self.of_caller = of_caller


class Closing(Refused):
    """The server is about to stop. What is not finished goes on when it is there again."""


class StoreTrouble(Refused):
    """The file cannot take or give anything now; the message says why."""
