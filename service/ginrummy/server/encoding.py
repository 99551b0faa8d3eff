"""Messages put together from parts that are serialised already.

An event is serialised once, and its bytes are copied into every message that holds it: a message's
bytes are its fields' one after the other, each behind its tag and its length.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ginrummy.engine import Step, wire
from ginrummy.server.convert.events import event_to_bytes
from ginrummy.tables.events import Happened, Recorded, seen_live
from ginrummy.tables.ring import SeenByEach
from ginrummy.v1 import match_service_pb2 as pb

BYTES_FOLLOW = 2
"""The wire type of a field whose length is told."""


def tag_of(message: Any, field: str) -> bytes:
    """What stands before each message of this field."""
    return _varint(message.DESCRIPTOR.fields_by_name[field].number << 3 | BYTES_FOLLOW)


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


_LENGTHS = tuple(map(_varint, range(2048)))


def delimited(message: bytes) -> bytes:
    """A serialised message behind its length."""
    length = len(message)
    return (_LENGTHS[length] if length < len(_LENGTHS) else _varint(length)) + message


WATCH_EVENT = tag_of(pb.WatchMatchResponse, "events")
ACT_EVENT = tag_of(pb.ActResponse, "events")
ACT_VIEW = tag_of(pb.ActResponse, "view")
GOT_VIEW = tag_of(pb.GetViewResponse, "view")
SNAPSHOT = tag_of(pb.WatchMatchResponse, "snapshot")
LISTED_EVENT = tag_of(pb.ListMatchEventsResponse, "events")
PLAY_UPDATE = tag_of(pb.PlayResponse, "update")
PLAY_REPLY = tag_of(pb.PlayResponse, "replies")


def repeated(tag: bytes, messages: Sequence[bytes]) -> bytes:
    """A field that holds these delimited messages."""
    return tag + tag.join(messages) if messages else b""


class EventEncoder:
    """Makes of an event a delimited MatchEvent; see `tables.ring.Encoder`."""

    def event(self, recorded: Recorded) -> bytes:
        """One event, all of which may be seen."""
        return delimited(event_to_bytes(recorded))

    def happened(self, happened: Happened, knock_card_face_down: bool) -> SeenByEach:
        """The events of one command, as everybody saw them happen."""
        first, time_us, caused, to_act, deadline_us = happened
        if isinstance(caused, Step):
            return wire.match_events(caused, first, time_us, to_act, deadline_us)
        spectator, seat_1, seat_2 = (
            [
                self.event(replace(each, event=seen_live(each.event, n, knock_card_face_down)))
                for each in happened.each()
            ]
            for n in (0, 1, 2)
        )
        return spectator, seat_1, seat_2

    def pack(self, encoded: Sequence[bytes]) -> bytes:
        """A WatchMatchResponse with these events."""
        return repeated(WATCH_EVENT, encoded)
