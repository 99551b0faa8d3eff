"""Events and results.

What the engine tells, the engine's side makes into messages; here are the table's own events.
"""

from typing import Any, cast

from ginrummy.engine import wire
from ginrummy.engine.types import Event, MatchResult
from ginrummy.server.convert.seats import seat_to_wire
from ginrummy.server.convert.times import timestamp_to_wire
from ginrummy.tables.events import TABLE_EVENTS, Recorded
from ginrummy.v1 import events_pb2 as pb
from ginrummy.v1 import match_pb2


def event_to_bytes(recorded: Recorded) -> bytes:
    """A serialised MatchEvent with what its viewer may see of it, as it was projected before."""
    if recorded.event["type"] in TABLE_EVENTS:
        return _table_event(recorded).SerializeToString()
    return wire.match_event(
        cast(Event, recorded.event),
        recorded.sequence,
        recorded.time_us,
        recorded.to_act,
        recorded.deadline_us,
    )


def _table_event(recorded: Recorded) -> pb.MatchEvent:
    event = cast(dict[str, Any], recorded.event)
    shown = pb.MatchEvent(
        sequence=recorded.sequence,
        time=timestamp_to_wire(recorded.time_us),
        seat=event.get("seat", 0),
        to_act=recorded.to_act,
        deadline=timestamp_to_wire(recorded.deadline_us),
    )
    match event["type"]:
        case "match_created":
            shown.match_created.SetInParent()
        case "seat_taken":
            shown.seat_taken.occupant.CopyFrom(seat_to_wire(event["seat"], event["occupant"]))
        case "clock_extended":
            shown.clock_extended.SetInParent()
    return shown


def match_result_to_wire(result: MatchResult) -> match_pb2.MatchResult:
    """How a match ended, with the seed: as the event of its end tells it."""
    ended = wire.match_event({"type": "match_ended", **result}, 0, 0)
    return pb.MatchEvent.FromString(ended).match_ended
