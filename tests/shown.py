"""Events as the server sends them, read back."""

from ginrummy.server.encoding import LISTED_EVENT, EventEncoder
from ginrummy.tables.events import Recorded
from ginrummy.v1.events_pb2 import MatchEvent
from ginrummy.v1.match_service_pb2 import ListMatchEventsResponse


def as_sent(recorded: Recorded) -> MatchEvent:
    """The message of an event, all of which may be seen."""
    sent = LISTED_EVENT + EventEncoder().event(recorded)
    return ListMatchEventsResponse.FromString(sent).events[0]
