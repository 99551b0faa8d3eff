"""Keys from bytes."""

import pytest

from ginrummy.cli.keys import KeyReader


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        (b"k", ["k"]),
        (b"K", ["k"]),
        (b"\x1b[D\x1b[C\x1b[A\x1b[B", ["left", "right", "up", "down"]),
        (b"\x1bOD", ["left"]),
        (b"\x1b", ["escape"]),
        (b"\x1bk", ["escape", "k"]),
        (b"\r \n", ["enter", "space", "enter"]),
        (b"\x1b[1;5Dx", ["x"]),
        (b"\x1b[200~", []),
        (b"\x00\x01", []),
        (b"\x04", ["q"]),
        ("лД".encode(), ["k", "l"]),
        ("ч".encode(), ["x"]),
    ],
)
def test_keys_are_read(sent: bytes, keys: list[str]) -> None:
    assert KeyReader().feed(sent) == keys


def test_a_letter_may_come_in_two_chunks() -> None:
    reader = KeyReader()
    first, second = "р".encode()[:1], "р".encode()[1:]
    assert reader.feed(first) + reader.feed(second) == ["h"]
