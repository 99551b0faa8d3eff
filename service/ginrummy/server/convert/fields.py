"""Fields that many requests have."""

import re
import unicodedata

from ginrummy.server.refusals import BadField

MATCH_NAME = re.compile(r"matches/([A-Za-z0-9_-]{1,64})")
_HEX = "[0-9a-fA-F]"
UUID4 = re.compile(f"{_HEX}{{8}}-{_HEX}{{4}}-4{_HEX}{{3}}-[89abAB]{_HEX}{{3}}-{_HEX}{{12}}")

CONTROLS = frozenset({"Cc", "Zl", "Zp"})
"""Unicode's categories of control characters and of separators of lines and paragraphs."""
BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Fillers and the like, which Unicode counts as letters or symbols."""

USUAL_PAGE = 50
LONGEST_PAGE = 500


def match_id_from_wire(name: str, path: str) -> str:
    """The id in "matches/{id}". Raises BadField."""
    if not name:
        raise BadField(path, "is required")
    found = MATCH_NAME.fullmatch(name)
    if found is None:
        raise BadField(path, 'has the form "matches/{id}"')
    return found[1]


def request_id_from_wire(request_id: str, path: str = "request_id") -> str | None:
    """A UUID4, None if there is none. Raises BadField.

    Anything shorter could be guessed, and whoever repeats a request gets its tokens.
    """
    if not request_id:
        return None
    if UUID4.fullmatch(request_id) is None:
        raise BadField(path, "is a UUID4, such as 7c0f4a3e-3f0b-4c8e-9a55-0f5f5d8f6b1d")
    return request_id.lower()


def text_from_wire(text: str, path: str, longest: int) -> str:
    """A text of the caller's own, of one line. Raises BadField.

    NUL above all would end a text early for whoever compares or shows it.
    """
    if len(text) > longest:
        raise BadField(path, f"is longer than {longest} characters")
    if any(unicodedata.category(character) in CONTROLS for character in text):
        raise BadField(path, "holds control characters")
    return text


def shown_text_from_wire(text: str, path: str, longest: int) -> str:
    """A text for people; none at all, or one that can be seen. Raises BadField."""
    text_from_wire(text, path, longest)
    if not text.isprintable():
        raise BadField(path, "holds characters that cannot be shown")
    if text and all(_is_blank(character) for character in text):
        raise BadField(path, "shows as blank")
    return text


def _is_blank(character: str) -> bool:
    return character in BLANK_LETTERS or unicodedata.category(character) in ("Cf", "Zs", "Mn")


def page_size_from_wire(
    page_size: int, usual: int = USUAL_PAGE, longest: int = LONGEST_PAGE
) -> int:
    """How many to list. Raises BadField."""
    if not 0 <= page_size <= longest:
        raise BadField("page_size", f"is 0 to {longest}, not {page_size}")
    return page_size or usual


def seat_number_from_wire(seat: int, path: str) -> int:
    """1 or 2. Raises BadField."""
    if seat not in (1, 2):
        raise BadField(path, f"is 1 or 2, not {seat}")
    return seat
