"""A table as one viewer sees it."""

from dataclasses import dataclass

from ginrummy.tables.state import Place, TableState
from ginrummy.tables.table import Table


@dataclass(frozen=True, slots=True)
class TableView:
    """What `viewer` (1, 2, or 0 for a spectator) may know now. `state` itself is not for him."""

    state: TableState
    viewer: int
    now_us: int
    connected: tuple[bool, bool]
    claimable_us: tuple[int | None, int | None]
    """By seat - 1: when its absence lets the other one claim the match."""
    last_action: Place | None
    """Of the action that the viewer is shown as the latest; the game tells what of it shows."""


def view_of(table: Table, viewer: int) -> TableView:
    """The table as `viewer` sees it now."""
    state = table.state
    return TableView(
        state=state,
        viewer=viewer,
        now_us=table.now_us(),
        connected=(table.audience.is_connected(1), table.audience.is_connected(2)),
        claimable_us=(table.audience.claimable_us(1), table.audience.claimable_us(2)),
        last_action=_last_action(state, viewer),
    )


def _last_action(state: TableState, viewer: int) -> Place | None:
    """The opponent's last action; for a spectator the latest of either seat."""
    if viewer:
        return state.last_actions[2 - viewer]
    done = [action for action in state.last_actions if action is not None]
    return max(done, key=lambda action: action.sequence, default=None)
