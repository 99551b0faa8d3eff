"""Keys, from the bytes that a terminal sends."""

from __future__ import annotations

import codecs

_SEQUENCES = {
    "[A": "up",
    "[B": "down",
    "[C": "right",
    "[D": "left",
    "OA": "up",
    "OB": "down",
    "OC": "right",
    "OD": "left",
    "[H": "home",
    "[F": "end",
    "OH": "home",
    "OF": "end",
    "[1~": "home",
    "[4~": "end",
    "[3~": "delete",
}
_CONTROLS = {
    "\r": "enter",
    "\n": "enter",
    " ": "space",
    "\t": "right",
    "\x7f": "delete",
    "\b": "delete",
    "\x04": "q",
}
# A Russian keyboard sends й where a Latin one sends q: the place of the key counts.
_LATIN = dict(zip("йцукенгшщзфывапролдячсмитьё", "qwertyuiopasdfghjklzxcvbnm`", strict=True))


class KeyReader:
    """Turns chunks of bytes into names of keys: `left`, `enter`, `escape`, or a lower-case sign."""

    def __init__(self) -> None:
        # A letter of two bytes may arrive in two chunks.
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="ignore")

    def feed(self, chunk: bytes) -> list[str]:
        """The keys of a chunk.

        >>> KeyReader().feed(b"\\x1b[D\\rK")
        ['left', 'enter', 'k']
        """
        text = self._decoder.decode(chunk)
        keys = []
        while text:
            key, used = _first_key(text)
            text = text[used:]
            if key:
                keys.append(key)
        return keys


def _first_key(text: str) -> tuple[str, int]:
    """The first key and how many signs it took; an unknown escape sequence is no key."""
    if text[0] == "\x1b":
        if len(text) == 1 or text[1] not in "[O":
            return "escape", 1
        end = next((i for i in range(2, len(text)) if "@" <= text[i] <= "~"), len(text) - 1)
        return _SEQUENCES.get(text[1 : end + 1], ""), end + 1
    sign = text[0]
    if sign in _CONTROLS:
        return _CONTROLS[sign], 1
    sign = sign.lower()
    return (_LATIN.get(sign, sign) if sign.isprintable() else ""), 1
