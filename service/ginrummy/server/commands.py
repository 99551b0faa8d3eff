"""The commands of `ginrummy-server`: how one is described, found among the others, and run."""

import argparse
import difflib
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from ginrummy.log import LogUnavailable
from ginrummy.server.catalog_service import SERVER_VERSION
from ginrummy.server.configuration import CONFIG_VARIABLE, Configuration, read_configuration
from ginrummy.server.kinds import Switch
from ginrummy.server.options import OPTIONS, Option
from ginrummy.server.settings import SettingsError

PROGRAM = "ginrummy-server"
USUAL_COMMAND = "serve"
FAILURE, USAGE = 1, 2


class CommandError(Exception):
    """The command cannot do what was asked; the message says why, in one line."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command."""

    name: str
    text: str
    """What it does, in half a line."""
    run: Callable[[Configuration, argparse.Namespace], int]
    """Does it; the exit code. May raise CommandError, SettingsError, LogUnavailable, OSError."""
    options: Collection[str] | None = None
    """The names of the options that it takes as flags; None: all. The environment and the file may
    always hold all of them, so that one file serves every command. Where there are none, nothing
    is read."""
    add_arguments: Callable[[argparse.ArgumentParser], None] = lambda parser: None
    """Adds what it takes beside the options."""
    epilog: str = ""
    """Examples."""


def _formatter(prog: str) -> argparse.HelpFormatter:
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=32)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, without a usage of many."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{PROGRAM}: {message}\n{PROGRAM}: see `{self.prog} --help`\n")


def run_command(
    commands: Sequence[Command], arguments: Sequence[str], environment: Mapping[str, str]
) -> int:
    """Runs the command that the arguments name, else the usual one; the exit code."""
    by_name = {command.name: command for command in commands}
    name, rest = USUAL_COMMAND, list(arguments)
    if rest and not rest[0].startswith("-"):
        name = rest.pop(0)
    if name not in by_name:
        near = difflib.get_close_matches(name, by_name, 1)
        hint = f"; do you mean {near[0]!r}?" if near else f"; there are {', '.join(by_name)}"
        sys.stderr.write(f"{PROGRAM}: there is no command {name!r}{hint}\n")
        return USAGE
    command = by_name[name]
    given = _parsed(command, commands, rest, environment)
    try:
        if command.options == ():
            return command.run(read_configuration({}, {}), given)
        configuration = read_configuration(vars(given), environment, given.config)
        return command.run(configuration, given)
    except SettingsError as error:
        for line in str(error).splitlines():
            sys.stderr.write(f"{PROGRAM}: {line}\n")
        return USAGE
    except BrokenPipeError:
        # Whoever read the output has gone; nothing is left to say, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except (CommandError, LogUnavailable, OSError) as error:
        sys.stderr.write(f"{PROGRAM}: {error}\n")
        return FAILURE


def _parsed(
    command: Command,
    commands: Sequence[Command],
    arguments: Sequence[str],
    environment: Mapping[str, str],
) -> argparse.Namespace:
    parser = _parser(command, commands, environment)
    given, unknown = parser.parse_known_args(arguments)
    if unknown:
        _refuse(unknown, parser, commands)
    return given


def _refuse(
    unknown: Sequence[str], parser: argparse.ArgumentParser, commands: Sequence[Command]
) -> NoReturn:
    first = unknown[0].partition("=")[0]
    if first in {other.name for other in commands}:
        parser.error(f"a command stands first: {PROGRAM} {first} …")
    flags = [flag for action in parser._actions for flag in action.option_strings]
    near = difflib.get_close_matches(first, flags, 1)
    hint = f"; do you mean {near[0]}?" if near and first.startswith("-") else ""
    parser.error(f"there is no {'option' if first.startswith('-') else 'argument'} {first}{hint}")


def _parser(
    command: Command, commands: Sequence[Command], environment: Mapping[str, str]
) -> argparse.ArgumentParser:
    is_usual = command.name == USUAL_COMMAND
    text = command.text[0].upper() + command.text[1:] + "."
    if is_usual:
        width = max(len(other.name) for other in commands) + 2
        listed = "".join(f"  {other.name:{width}}{other.text}\n" for other in commands)
        text += f"\n\ncommands (each has its own --help; {USUAL_COMMAND} is usual):\n{listed}"
    parser = _Parser(
        prog=PROGRAM if is_usual else f"{PROGRAM} {command.name}",
        usage="%(prog)s [COMMAND] [OPTION]…" if is_usual else None,
        description=text,
        epilog=command.epilog,
        formatter_class=_formatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {SERVER_VERSION}")
    if command.options != ():
        parser.add_argument("--config", metavar="FILE", help=f"options as TOML ({CONFIG_VARIABLE})")
    command.add_arguments(parser)
    groups: dict[str, argparse._ArgumentGroup] = {}
    for option in OPTIONS:
        if command.options is None or option.name in command.options:
            if option.topic not in groups:
                groups[option.topic] = parser.add_argument_group(option.topic)
            _add_option(groups[option.topic], option, environment)
    return parser


def _add_option(
    group: argparse._ArgumentGroup, option: Option, environment: Mapping[str, str]
) -> None:
    if option.is_secret:
        return
    default = option.default(environment)
    if isinstance(option.kind, Switch):
        usual = "yes" if default else "no"
        attributes: dict[str, Any] = {"action": argparse.BooleanOptionalAction}
    else:
        usual = "unset" if default is None else str(default).removesuffix(".0")
        attributes = {"metavar": option.kind.metavar}
    text = f"{option.text} ({usual})".replace("%", "%%")
    group.add_argument(option.flag, help=text, default=None, **attributes)
