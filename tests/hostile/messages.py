"""Messages of any type with any values in their fields, and bytes that are nearly messages."""

from collections.abc import Iterable
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

DEPTH = 5
INTEGERS = {
    FieldDescriptor.TYPE_INT32: st.integers(-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_INT64: st.integers(-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_UINT32: st.integers(0, 2**32 - 1),
    FieldDescriptor.TYPE_UINT64: st.integers(0, 2**64 - 1),
    FieldDescriptor.TYPE_FIXED64: st.integers(0, 2**64 - 1),
}
SMALL = st.integers(0, 8)


class Filling:
    """Fills messages, now and then with a value that means something where they are sent."""

    def __init__(self, known: Iterable[str]) -> None:
        """`known`: names, tokens and the like that the server knows."""
        self._texts = st.sampled_from(list(known)) | st.text(max_size=40)

    def message(self, descriptor: Descriptor, depth: int = DEPTH) -> st.SearchStrategy[Message]:
        return st.composite(self._fill)(descriptor, depth)

    def nearly(self, descriptor: Descriptor) -> st.SearchStrategy[bytes]:
        """The bytes of a message, of two in one, of one that was damaged, or any bytes."""
        whole = self.message(descriptor).map(lambda message: message.SerializeToString())
        twice = st.tuples(whole, whole).map(b"".join)
        return whole | whole | twice | st.tuples(whole, st.randoms()).map(_damaged) | st.binary()

    def _fill(self, draw: Any, descriptor: Descriptor, depth: int) -> Message:
        message: Any = GetMessageClass(descriptor)()
        for field in descriptor.fields:
            if not draw(st.booleans()) or (depth == 0 and field.message_type is not None):
                continue
            if field.message_type is not None and field.message_type.GetOptions().map_entry:
                self._fill_map(draw, field, getattr(message, field.name))
            elif field.is_repeated:
                for _ in range(draw(st.integers(1, 3))):
                    self._add(draw, field, getattr(message, field.name), depth)
            elif field.message_type is not None:
                part = draw(self.message(field.message_type, depth - 1))
                getattr(message, field.name).CopyFrom(part)
            else:
                setattr(message, field.name, draw(self._value(field)))
        return message  # type: ignore[no-any-return]

    def _fill_map(self, draw: Any, field: FieldDescriptor, entries: Any) -> None:
        key, value = (field.message_type.fields_by_name[name] for name in ("key", "value"))
        entries[draw(self._value(key))] = draw(self._value(value))

    def _add(self, draw: Any, field: FieldDescriptor, parts: Any, depth: int) -> None:
        if field.message_type is not None:
            parts.add().CopyFrom(draw(self.message(field.message_type, depth - 1)))
        else:
            parts.append(draw(self._value(field)))

    def _value(self, field: FieldDescriptor) -> st.SearchStrategy[Any]:
        if field.type == FieldDescriptor.TYPE_STRING:
            return self._texts
        if field.type == FieldDescriptor.TYPE_BYTES:
            return st.binary(max_size=40) | st.binary(min_size=32, max_size=32)
        if field.type == FieldDescriptor.TYPE_BOOL:
            return st.booleans()
        if field.enum_type is not None:
            known = st.sampled_from([value.number for value in field.enum_type.values])
            return known | known | st.integers(-(2**31), 2**31 - 1)
        return SMALL | INTEGERS[field.type]


def _damaged(given: tuple[bytes, Any]) -> bytes:
    whole, random = given
    raw = bytearray(whole)
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(raw) + 1)
        raw[at : at + random.randrange(3)] = random.randbytes(random.randrange(3))
    return bytes(raw)
