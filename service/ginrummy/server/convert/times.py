"""Points in time and lengths of it; inside they are microseconds."""

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from ginrummy.server.refusals import BadField

SECOND_US = 1_000_000


def timestamp_to_wire(time_us: int | None) -> Timestamp | None:
    """A point in time; None stays unset."""
    if time_us is None:
        return None
    return Timestamp(seconds=time_us // SECOND_US, nanos=time_us % SECOND_US * 1000)


def time_in_words(time_us: int) -> str:
    """A point in time as RFC 3339 writes it."""
    return Timestamp(seconds=time_us // SECOND_US, nanos=time_us % SECOND_US * 1000).ToJsonString()


def duration_to_wire(length_us: int) -> Duration:
    """A length of time."""
    return Duration(seconds=length_us // SECOND_US, nanos=length_us % SECOND_US * 1000)


def duration_from_wire(length: Duration, path: str, most_s: int) -> int:
    """Microseconds, from zero to `most_s` seconds. Raises BadField."""
    if not -(10**9) < length.nanos < 10**9 or length.seconds * length.nanos < 0:
        raise BadField(path, "is not a duration")
    length_us = length.seconds * SECOND_US + length.nanos // 1000
    if length_us < 0 or length.nanos < 0:
        raise BadField(path, "is negative")
    if not length_us and length.nanos:
        raise BadField(path, "is shorter than a microsecond, and not zero")
    if length_us > most_s * SECOND_US:
        raise BadField(path, f"is longer than {most_s} s")
    return length_us
