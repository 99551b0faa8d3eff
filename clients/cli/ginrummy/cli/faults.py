"""What went wrong, in the reader's words."""

from __future__ import annotations

from ginrummy.cli.faces import Faces, typed_card
from ginrummy.cli.private_server import NoServerProgramError, ServerStartError
from ginrummy.cli.words import Words
from ginrummy.client import GinRummyError


class CommandError(Exception):
    """The command cannot go on. `message` names a message of the catalog."""

    def __init__(self, message: str, **values: str | int) -> None:
        super().__init__(message)
        self.message = message
        self.values = values


class CommandLineError(CommandError):
    """What was typed on the command line cannot be done."""


def explained(error: Exception, words: Words, faces: Faces | None = None) -> str:
    """One line for a person; the server's own English where the catalog has no words for it."""
    if isinstance(error, CommandError):
        return words(error.message, **error.values)
    if isinstance(error, NoServerProgramError):
        return words("no-server-program")
    if isinstance(error, ServerStartError):
        return words("server-did-not-start", why=str(error) or "?")
    if isinstance(error, GinRummyError):
        return _from_server(error, words, faces or Faces())
    return str(error)


def _from_server(error: GinRummyError, words: Words, faces: Faces) -> str:
    values: dict[str, str | int] = dict(error.metadata)
    card = typed_card(str(values.get("card", "")).removeprefix("CARD_"))
    if card is not None:
        values["card"] = faces.text(card)
    for name in (values.get("rule"), error.reason):
        message = f"error-{str(name or '').lower().replace('_', '-')}"
        if words.knows(message):
            try:
                return words(message, **values)
            except LookupError:
                # The server left out a number; its own message will do.
                break
    return str(error)
