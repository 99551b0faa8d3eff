"""What went wrong, in the reader's words."""

from __future__ import annotations

import re

from ginrummy.cli.faces import Faces, typed_card
from ginrummy.cli.private_server import NoServerProgramError, ServerStartError
from ginrummy.cli.words import Words
from ginrummy.client import GinRummyError
from ginrummy.v1.rules_pb2 import Rules


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


_RANGE = re.compile(r"(\S+) is out of range: (\d+) to (\d+)$")
_NOT_OFFERED = re.compile(r".* is not offered by (\w+): ([\d, ]+) s$")
_SHORTEST = re.compile(r"is 0 for no clock, or at least (\d+) ms$")
_FLAGS = {
    "target": "--target",
    "turn_time": "--turn-time",
    "display_name": "--name",
    "seed": "--seed",
    "replay_of": "--replay",
    "matches_per_pairing": "--matches",
    "entrants": "--bots",
    "label": "--bots",
}
_TURN_TIME = "turn_time"


def _of_field(path: str, problem: str, words: Words) -> str:
    """What is wrong with a setting: by the option that sets it, and in the reader's words."""
    name = path.rpartition(".")[2]
    is_rule = name in Rules.DESCRIPTOR.fields_by_name
    if not is_rule and name not in _FLAGS:
        return f"{path}: {problem}"
    option = _FLAGS.get(name, f"--rule {name}=")
    label = words("manners-clock") if name == _TURN_TIME else name
    kind = "rule" if is_rule else "fault-of"
    what = words.or_plain(f"{kind}-{name}".replace("_", "-"), label)
    return words("field-fault", what=what, option=option, why=_why(name, problem, words))


def _why(name: str, problem: str, words: Words) -> str:
    if name == "target" and "is out of range" in problem:
        return words("fault-target", value=problem.split()[0])
    if found := _RANGE.match(problem):
        value, least, most = found.groups()
        return words("fault-range", value=value, least=least, most=most)
    if found := _NOT_OFFERED.match(problem):
        return words("fault-not-offered", ruleset=found.group(1), allowed=found.group(2))
    if found := _SHORTEST.match(problem):
        return words("fault-shortest-turn", least=f"{int(found.group(1)) / 1000:g}")
    return words.or_plain(f"fault-{name}".replace("_", "-"), problem)


def _from_server(error: GinRummyError, words: Words, faces: Faces) -> str:
    if error.field_violations:
        return "; ".join(_of_field(*violation, words) for violation in error.field_violations)
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
