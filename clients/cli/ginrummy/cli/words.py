"""Everything that the program says, in the reader's language.

The words are in `locale/*.ftl` (Project Fluent), and nowhere else. Fluent because a translator can
choose the form of a word by number there, which Russian needs, without a change in the program.
"""

from __future__ import annotations

import locale
import os
import shutil
import sys
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from fluent.runtime import FluentBundle, FluentResource

LANGUAGES = ("en", "ru")
PROGRAM = "ginrummy"


@cache
def program_name(called: str) -> str:
    """How the program is to be called: by its name, or by its path where PATH does not lead to it.

    >>> program_name("/nowhere/bin/ginrummy"), program_name("/nowhere/cli/__main__.py")
    ('/nowhere/bin/ginrummy', 'ginrummy')
    """
    path = Path(called)
    if path.name != PROGRAM or os.sep not in called:
        return PROGRAM
    found = shutil.which(PROGRAM)
    return PROGRAM if found and Path(found).resolve() == path.resolve() else called


def locale_language(environment: Mapping[str, str]) -> str:
    """The language of the locale, English when it is none of ours."""
    names = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next((name for name in names if name), None) or locale.getlocale()[0] or ""
    language = name[:2].lower()
    return language if language in LANGUAGES else "en"


def catalog_text(language: str) -> str:
    """The catalog as it was written."""
    return (files(__package__) / "locale" / f"{language}.ftl").read_text(encoding="utf-8")


class Words:
    """One language.

    >>> Words("en")("points", points=1), Words("ru")("points", points=3)
    ('1 point', '3 очка')
    """

    def __init__(self, language: str) -> None:
        self.language = language
        # Isolation marks would be control codes in plain output.
        self._bundle = FluentBundle([language], use_isolating=False)
        self._bundle.add_resource(FluentResource(catalog_text(language)))

    def __call__(self, message: str, /, **values: str | int) -> str:
        """Says a message. LookupError: the catalog lacks it, or one of its values is missing."""
        pattern = self._bundle.get_message(message).value
        if pattern is None:
            raise LookupError(message)
        known = {"program": program_name(sys.argv[0]), **values}
        text, faults = self._bundle.format_pattern(pattern, known)
        if faults:
            raise LookupError(f"{message}: {faults}")
        return str(text)

    def knows(self, message: str) -> bool:
        return self._bundle.has_message(message)

    def or_plain(self, message: str, plain: str, **values: str | int) -> str:
        """For names that a newer server may have added: the message, else the plain name."""
        return self(message, **values) if self.knows(message) else plain


@cache
def words_for(language: str) -> Words:
    """Catalogs are parsed once."""
    return Words(language)
