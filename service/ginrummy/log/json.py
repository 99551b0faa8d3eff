"""JSON as it is stored: a value and its text, each made once, and only if it is asked for.

What is stored is text. Whoever appends has it already, or makes it once for many entries; to take
it apart and put it together again would cost more than all else that the log does.
"""

from __future__ import annotations

import json
from typing import Any

from ginrummy.log.errors import LogDamaged

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_UNREAD = object()


class Json:
    """A JSON text and what it means. Treat both as read-only.

    >>> Json('{"kind": "pass"}').value
    {'kind': 'pass'}
    >>> Json.of({"kind": "pass"}).text
    '{"kind":"pass"}'
    >>> Json('{"kind": "pass"}') == Json.of({"kind": "pass"})
    True
    """

    __slots__ = ("_value", "text")

    def __init__(self, text: str) -> None:
        """From text that is known to be JSON; `read` is for what is not known."""
        self.text = text
        self._value: Any = _UNREAD

    @classmethod
    def of(cls, value: Any) -> Json:
        """Raises ValueError or TypeError for what is not JSON."""
        made = cls(to_json(value))
        made._value = value
        return made

    @classmethod
    def read(cls, text: str, where: str) -> Json:
        """From text that may be damaged. Raises LogDamaged, naming `where`."""
        made = cls(text)
        try:
            made._value = json.loads(text)
            if "\\ud" in text or "\\uD" in text:
                to_json(made._value)  # half of a surrogate pair is no character
        except (ValueError, RecursionError) as error:
            # The parser's own message could quote what is stored, cards included.
            raise LogDamaged(f"{where} is not JSON") from error
        return made

    @property
    def value(self) -> Any:
        """What the text says."""
        if self._value is _UNREAD:
            self._value = json.loads(self.text)
        return self._value

    def __eq__(self, other: object) -> bool:
        """Whether both say the same, in whatever words."""
        if not isinstance(other, Json):
            return NotImplemented
        return self.text == other.text or self.value == other.value

    __hash__ = None  # type: ignore[assignment] # as of what it means

    def __repr__(self) -> str:
        return f"Json({self.text!r})"


def empty() -> Json:
    """An object that says nothing."""
    return Json("{}")


def to_json(value: Any) -> str:
    """Compact JSON, readable in any SQL shell. Raises ValueError or TypeError for other things."""
    text = _ENCODER.encode(value)
    text.encode()  # a lone surrogate is refused here, not by the store
    return text


def read_object(text: str, where: str) -> Json:
    """A stored JSON object. Raises LogDamaged, naming `where`, if it is none."""
    read = Json.read(text, where)
    if not isinstance(read.value, dict):
        raise LogDamaged(f"{where} is not a JSON object")
    return read


def read_objects(text: str, where: str) -> Json:
    """A stored list of JSON objects. Raises LogDamaged, naming `where`, if it is none."""
    read = Json.read(text, where)
    if not isinstance(read.value, list) or not all(isinstance(item, dict) for item in read.value):
        raise LogDamaged(f"{where} is not a list of JSON objects")
    return read
