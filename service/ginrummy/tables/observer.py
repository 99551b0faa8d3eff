"""What happens at the tables without anybody's call, for whoever counts it."""


class Observer:
    """Is told and does nothing."""

    def bot_moved(self, think_s: float) -> None:
        """A bot has played an action, which it chose in `think_s`."""

    def timed_out(self) -> None:
        """The engine has acted for a seat whose time ran out."""

    def expired(self) -> None:
        """A match in which nothing happened for too long has been aborted."""

    def forgotten(self) -> None:
        """An ended match has been kept for long enough, and is no more."""


NOBODY = Observer()
