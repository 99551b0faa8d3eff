"""What one viewer may know."""

from ginrummy.engine import wire
from ginrummy.server.convert.events import match_result_to_wire
from ginrummy.server.convert.seats import seat_to_wire
from ginrummy.server.convert.times import timestamp_to_wire
from ginrummy.tables.views import TableView
from ginrummy.v1 import view_pb2 as pb


def view_to_bytes(view: TableView) -> bytes:
    """A serialised View: the whole of what the viewer may know."""
    state = view.state
    table = pb.View(
        match=f"matches/{state.match_id}",
        sequence=state.head,
        viewer_seat=view.viewer,
        server_time=timestamp_to_wire(view.now_us),
        to_act=state.to_act,
        deadline=timestamp_to_wire(state.deadline_us),
        seats=_seats(view),
        hints_allowed=state.setup["hints"],
    )
    if state.game is not None:
        return wire.match_view(
            table.SerializeToString(),
            state.game,
            view.viewer,
            state.setup["hints"],
            view.last_action,
        )
    table.phase = pb.PHASE_WAITING
    if state.result is not None:
        table.phase = pb.PHASE_MATCH_OVER
        table.result.CopyFrom(match_result_to_wire(state.result))
        table.sheets.extend(table.result.sheets)
    return table.SerializeToString()


def view_to_wire(view: TableView) -> pb.View:
    """The same as a message."""
    return pb.View.FromString(view_to_bytes(view))


def _seats(view: TableView) -> list[pb.SeatStatus]:
    return [
        pb.SeatStatus(
            number=i + 1,
            occupant=seat_to_wire(i + 1, occupant),
            connected=view.connected[i],
            claimable_time=timestamp_to_wire(view.claimable_us[i]),
        )
        for i, occupant in enumerate(view.state.occupants)
    ]
