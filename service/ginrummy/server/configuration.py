"""One configuration: flags before environment variables, before a TOML file, before defaults."""

import difflib
import stat
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ginrummy.server.options import BY_KEY, OPTIONS, PREFIX, Environment, Option
from ginrummy.server.settings import Settings, SettingsError, settings_of

CONFIG_VARIABLE = f"{PREFIX}CONFIG"
CLIENT_VARIABLES = frozenset(
    f"{PREFIX}{name}"
    for name in (
        *("SERVER", "STATE_DIR", "API_KEY", "API_KEY_FILE"),
        *("TLS", "TLS_CA", "TLS_CLIENT_CERT", "TLS_CLIENT_KEY"),
    )
)
"""What the command line for players reads; whoever uses both has them here too."""
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Value:
    """What an option is, and where that was said."""

    value: Any
    origin: str
    """A flag, a variable, a file with its key, or "default"."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """Every option with its origin."""

    values: Mapping[str, Value]
    """By key."""
    warnings: tuple[str, ...] = ()

    def settings(self) -> Settings:
        """What they come to. Raises SettingsError."""
        return settings_of({key: value.value for key, value in self.values.items()})

    def as_toml(self) -> str:
        """All that is in force, to be read by people and by `--config`."""
        found, topic = "", ""
        for option in OPTIONS:
            if option.topic != topic:
                found += f"{'' if not topic else chr(10)}# {option.topic}\n"
                topic = option.topic
            found += _toml_line(option, self.values[option.key]) + "\n"
        return found


def _toml_line(option: Option, value: Value) -> str:
    if value.value is None:
        return f"# {option.name} is not set"
    # A file's name may hold anything, and must not begin a line of its own.
    origin = "".join(letter if letter.isprintable() else "?" for letter in value.origin)
    line = f"{option.name} = {option.kind.toml(value.value)}  # {origin}"
    # A masked value is none: whoever reads this file needs the secret from elsewhere.
    return f"# {line}" if option.is_secret else line


def read_configuration(
    flags: Mapping[str, Any], environment: Environment, file: str | None = None
) -> Configuration:
    """All options. `flags` by key, None where none was given; `file` as --config names it.

    Raises SettingsError with a line for each wrong value.
    """
    problems: list[str] = []
    path = file or environment.get(CONFIG_VARIABLE)
    in_file = _read_file(Path(path), problems) if path else {}
    values: dict[str, Value] = {}
    for option in OPTIONS:
        given, origin = _given(option, flags, environment, in_file)
        if origin == DEFAULT:
            values[option.key] = Value(option.default(environment), DEFAULT)
            continue
        try:
            values[option.key] = Value(option.kind.read(given), origin)
        except ValueError as error:
            problems.append(f"{origin}: {error}{_shown(option, given)}")
    if problems:
        raise SettingsError("\n".join(problems))
    return Configuration(values, (*_unknown_variables(environment), *_exposed(path, in_file)))


def _given(
    option: Option,
    flags: Mapping[str, Any],
    environment: Environment,
    in_file: Mapping[str, tuple[Any, str]],
) -> tuple[Any, str]:
    """The value of the option as it was given first, and where."""
    flag = flags.get(option.key)
    if flag is not None:
        return flag, option.flag
    if text := environment.get(option.variable):
        return text, option.variable
    return in_file.get(option.key, (None, DEFAULT))


def _shown(option: Option, given: Any) -> str:
    if option.is_secret:
        return ""
    if isinstance(given, dict | list):
        return f", not {'a table' if isinstance(given, dict) else 'an array'}"
    return f", not {given!r}"


def _read_file(path: Path, problems: list[str]) -> dict[str, tuple[Any, str]]:
    """What the file says, by key, each with its place; what is wrong in it goes to `problems`."""
    try:
        with path.open("rb") as file:
            table = tomllib.load(file)
    except OSError as error:
        problems.append(f"--config {path}: {(error.strerror or str(error)).lower()}")
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        problems.append(f"--config {path}: not TOML: {error}")
        return {}
    found: dict[str, tuple[Any, str]] = {}
    for name, value in table.items():
        key = name.replace("-", "_")
        origin = f"{path}: {name}"
        if key not in BY_KEY:
            problems.append(f"{path}: there is no option {name!r}{_nearest(name)}")
        elif key in found:
            problems.append(f"{origin}: is set twice, also as {found[key][1]}")
        else:
            found[key] = (value, origin)
    return found


def _nearest(name: str) -> str:
    names = [option.name for option in OPTIONS]
    near = difflib.get_close_matches(name.replace("_", "-").lower(), names, 1)
    return f"; do you mean {near[0]!r}?" if near else "; see `ginrummy-server config`"


def _exposed(path: str | None, in_file: Mapping[str, tuple[Any, str]]) -> Iterable[str]:
    """A line for a file that holds secrets and can be read by everybody on the machine."""
    holds_secret = any(option.is_secret and option.key in in_file for option in OPTIONS)
    if path and holds_secret and Path(path).stat().st_mode & stat.S_IROTH:
        yield f"--config {path}: holds secrets, and other users may read it; chmod o-rwx"


def _unknown_variables(environment: Environment) -> Iterable[str]:
    """A line for each variable that seems meant for the server and is no option. No value is
    shown, as it may be a secret."""
    known = {option.variable for option in OPTIONS} | CLIENT_VARIABLES | {CONFIG_VARIABLE}
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in known:
            hint = _nearest(name.removeprefix(PREFIX)) if name.isprintable() else ""
            yield f"{name!r} in the environment is no option{hint}"
