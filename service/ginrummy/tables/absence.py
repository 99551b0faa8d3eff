"""How long the players of a match have been away, and when that lets the other one claim it.

A player is away while no stream of his seat's token is open; a bot never is. This is kept in memory
alone: after a restart absence counts anew, from when the match is first touched.
"""

from ginrummy.tables.state import TableState


class Absence:
    """Since when the streams of each seat have been closed, as far as this server has seen it."""

    def __init__(self, now_us: int) -> None:
        self._since_us = [now_us, now_us]

    def begin(self, seat: int, now_us: int) -> None:
        """The last stream of a seat has been closed."""
        self._since_us[seat - 1] = now_us

    def claimable_us(self, state: TableState, seat: int) -> int | None:
        """When the absence of `seat`, which is away, lets the other one claim the match, if ever.

        Nobody is away from a match before its deal.
        """
        if not can_be_claimed(state):
            return None
        away_us = max(self._since_us[seat - 1], state.dealt_us)
        return away_us + state.setup["clock"].get("absence_grace_us", 0)


def can_be_claimed(state: TableState) -> bool:
    """Whether an absence can decide the match as it stands. A bot claims nothing."""
    is_running = state.game is not None and state.result is None
    has_bot = any(occupant["kind"] == "bot" for occupant in state.occupants)
    return is_running and not has_bot and state.setup["clock"].get("absence_grace_us", 0) > 0
