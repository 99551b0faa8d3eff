"""Where a match stood when a watcher came, and what of its past he is therefore shown.

It is settled once, when he comes: a hand that is scored while he catches up stays for him as it was
played.
"""

from dataclasses import dataclass

from ginrummy.tables.state import TableState


@dataclass(frozen=True, slots=True)
class Arrival:
    """Events up to `head` had happened. Those up to `opened_until` show everything.

    Except the dead hands among them, while the match had not ended.
    """

    head: int
    opened_until: int
    had_ended: bool


def arrival_of(viewer: int, state: TableState) -> Arrival:
    """The arrival of somebody who comes now. A seat sees the past as it saw it happen."""
    had_ended = state.result is not None
    opened_until = 0
    if viewer == 0 and state.setup["spectators"] == "delayed_full":
        opened_until = state.head if had_ended else max(state.hand_start - 1, 0)
    return Arrival(state.head, opened_until, had_ended)
