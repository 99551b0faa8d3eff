"""The options: where each value comes from, what is refused and how, and what `config` prints."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ginrummy.server.configuration import Configuration, read_configuration
from ginrummy.server.options import OPTIONS
from ginrummy.server.settings import Settings, SettingsError, settings_of

from .programs import run_to_end

KEY = "a-key-that-nobody-may-see"


def read(
    flags: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    file: Path | None = None,
) -> Configuration:
    return read_configuration(flags or {}, environment or {}, str(file) if file else None)


def problem(**given: Any) -> str:
    with pytest.raises(SettingsError) as refused:
        read(**given)
    return str(refused.value)


def toml(folder: Path, text: str) -> Path:
    file = folder / "options.toml"
    file.write_text(text)
    return file


def test_defaults_are_the_same_in_the_table_and_in_the_settings() -> None:
    values = {option.key: option.default({}) for option in OPTIONS}
    assert settings_of(values | {"in_memory": True}) == Settings()


def test_a_flag_goes_before_a_variable_before_the_file_before_the_default(tmp_path: Path) -> None:
    file = toml(tmp_path, "port = 1\nmax-listings = 1\nmax_followers = 1\n")
    environment = {"GINRUMMY_PORT": "2", "GINRUMMY_MAX_LISTINGS": "2"}
    found = read({"port": "3"}, environment, file)
    assert [found.values[key].value for key in ("port", "max_listings", "max_followers")] == [
        *(3, 2, 1)
    ]
    assert [found.values[key].origin for key in ("port", "max_listings", "max_followers")] == [
        *("--port", "GINRUMMY_MAX_LISTINGS", f"{file}: max_followers")
    ]
    assert found.values["max_spectators"].origin == "default"


def test_a_switch_can_be_turned_off_over_a_variable_and_a_file(tmp_path: Path) -> None:
    file = toml(tmp_path, "allow-seeds = true")
    assert read(file=file).settings().seeds_allowed
    assert not read({}, {"GINRUMMY_ALLOW_SEEDS": "Off"}, file).settings().seeds_allowed
    assert not read({"allow_seeds": False}, {"GINRUMMY_ALLOW_SEEDS": "1"}).settings().seeds_allowed


def test_an_empty_variable_is_none(tmp_path: Path) -> None:
    assert read({}, {"GINRUMMY_PORT": ""}, toml(tmp_path, "port = 7")).settings().port == 7


def test_the_file_can_be_named_by_a_variable(tmp_path: Path) -> None:
    file = toml(tmp_path, "port = 7")
    assert read({}, {"GINRUMMY_CONFIG": str(file)}).settings().port == 7


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("PORT", "abc", "is 0 to 65535, not 'abc'"),
        ("PORT", "70000", "is 0 to 65535, not '70000'"),
        ("PORT", "1.5", "is 0 to 65535, not '1.5'"),
        ("MAX_LISTINGS", "0", "is 1 to 10000000, not '0'"),
        ("GRACE_S", "nan", "is 0 to 3600, not 'nan'"),
        ("HOST", "a\nb", "is one line of text, not 'a\\nb'"),
        ("LOG_LEVEL", "loud", "is one of debug, info, warning, error, not 'loud'"),
        ("ALLOW_SEEDS", "ja", "is one of 1, true, yes, on, 0, false, no, off, not 'ja'"),
        ("IN_MEMORY", "2", "is one of 1, true, yes, on, 0, false, no, off, not '2'"),
    ],
)
def test_a_wrong_variable_is_named_with_what_is_allowed(
    variable: str, value: str, said: str
) -> None:
    name = f"GINRUMMY_{variable}"
    assert problem(environment={name: value}) == f"{name}: {said}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("port = 70000", "{file}: port: is 0 to 65535, not 70000"),
        ("port = true", "{file}: port: is 0 to 65535, not True"),
        ("host = 5", "{file}: host: is one line of text, not 5"),
        ("allow_seeds = 1", "{file}: allow_seeds: is one of 1, true,"),
        ("port = [1]", "{file}: port: is 0 to 65535, not an array"),
        ("prot = 1", "{file}: there is no option 'prot'; do you mean 'port'?"),
        ("max_listing = 1", "{file}: there is no option 'max_listing'; do you mean 'max-listings'"),
        ("[limits]\nport = 1", "{file}: there is no option 'limits'"),
        ("data-dir = 'a'\ndata_dir = 'a'", "{file}: data_dir: is set twice, also as {file}: data-"),
        ("port = ", "--config {file}: not TOML: Invalid value (at end of document)"),
    ],
)
def test_what_is_wrong_in_the_file_is_named_with_the_file_and_the_key(
    tmp_path: Path, text: str, said: str
) -> None:
    file = toml(tmp_path, text)
    assert problem(file=file).startswith(said.format(file=file))


def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    assert problem(file=missing) == f"--config {missing}: no such file or directory"
    assert problem(file=tmp_path) == f"--config {tmp_path}: is a directory"


def test_everything_wrong_is_told_at_once() -> None:
    told = problem(flags={"port": "x"}, environment={"GINRUMMY_GRACE_S": "y"})
    assert told.splitlines() == [
        "--port: is 0 to 65535, not 'x'",
        "GINRUMMY_GRACE_S: is 0 to 3600, not 'y'",
    ]


def test_half_of_a_certificate_is_refused() -> None:
    with pytest.raises(SettingsError, match="--tls-cert and --tls-key"):
        read({"tls_cert": "a"}).settings()
    with pytest.raises(SettingsError, match="--tls-cert and --tls-key"):
        read({"tls_client_ca": "a"}).settings()


def test_an_unknown_variable_is_warned_of_without_its_value() -> None:
    environment = {"GINRUMMY_API_KEYZ": KEY, "GINRUMMY_SERVER": "localhost:1", "OTHER": "1"}
    (warning,) = read({}, environment).warnings
    assert warning == (
        "'GINRUMMY_API_KEYZ' in the environment is no option; do you mean 'api-keys'?"
    )


@pytest.mark.parametrize(
    "given",
    [
        KEY,
        f"shop={KEY} {KEY}",
        f"shop={KEY},,",
        f"shop={KEY},shop={KEY}x",
        f"a shop={KEY}",
        "shop=short",
        f"shop={KEY}\nport",
    ],
)
def test_a_wrong_secret_is_refused_without_being_shown(tmp_path: Path, given: str) -> None:
    for told in (
        problem(environment={"GINRUMMY_API_KEYS": given}),
        problem(file=toml(tmp_path, f"api-keys = {json.dumps(given)}")),
        problem(file=toml(tmp_path, f"api-keys = [{json.dumps(given)}]")),
    ):
        assert "NAME=KEY" in told or "'shop' twice" in told
        assert KEY not in told
        assert "short" not in told


def test_a_secret_is_kept_as_its_hash_and_shown_masked() -> None:
    found = read({}, {"GINRUMMY_API_KEYS": f"shop={KEY}"})
    assert KEY not in repr(found) + repr(found.settings()) + found.as_toml()
    assert '# api-keys = "***"  # GINRUMMY_API_KEYS\n' in found.as_toml()


def test_a_file_of_secrets_that_everybody_can_read_is_warned_of(tmp_path: Path) -> None:
    file = toml(tmp_path, f"api-keys = 'shop={KEY}'")
    file.chmod(0o644)
    (warning,) = read(file=file).warnings
    assert warning == (f"--config {file}: holds secrets, and other users may read it; chmod o-rwx")
    file.chmod(0o640)
    assert read(file=file).warnings == ()
    file.write_text("port = 7")
    file.chmod(0o644)
    assert read(file=file).warnings == ()


def test_what_config_prints_comes_to_the_same_when_it_is_read(tmp_path: Path) -> None:
    environment = {
        "GINRUMMY_DATA_DIR": 'a "folder" \\ of mine ё',
        "GINRUMMY_METRICS_PORT": "0",
        "GINRUMMY_RETENTION_S": "0.25",
        "GINRUMMY_LOG_FORMAT": "JSON",
        "GINRUMMY_INSECURE": "on",
    }
    first = read({"require_deadlines": False}, environment)
    again = read({}, {}, toml(tmp_path, first.as_toml()))
    assert again.settings() == first.settings()
    assert set(tomllib.loads(first.as_toml())) == {
        option.name for option in OPTIONS if first.values[option.key].value is not None
    }


def test_the_name_of_a_file_forges_no_line_of_what_config_prints(tmp_path: Path) -> None:
    file = tmp_path / "a\nport = 1"
    file.write_text("host = 'here'")
    assert tomllib.loads(read(file=file).as_toml())["port"] == 50051


async def test_config_prints_what_is_in_force_and_where_it_was_set() -> None:
    code, out, err = await run_to_end("config", "--port", "7", "--no-require-deadlines")
    assert (code, err) == (0, "")
    found = tomllib.loads(out)
    assert (found["port"], found["require-deadlines"]) == (7, False)
    assert "port = 7  # --port\n" in out
    assert 'host = "127.0.0.1"  # default\n' in out
    code, _, err = await run_to_end("config", "--port", "x")
    assert (code, err) == (2, "ginrummy-server: --port: is 0 to 65535, not 'x'\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--prot", "1"), "there is no option --prot; do you mean --port?"),
        (("confg",), "there is no command 'confg'; do you mean 'config'?"),
        (("--port", "1", "config"), "a command stands first: ginrummy-server config …"),
        (("serve", "here"), "there is no argument here"),
        (("--port",), "argument --port: expected one argument"),
        (("--api-keys", f"shop={KEY}"), "there is no option --api-keys; do you mean --api-keys-f"),
    ],
)
async def test_a_word_that_is_not_known_is_named_with_the_nearest(
    arguments: tuple[str, ...], said: str
) -> None:
    code, _, err = await run_to_end(*arguments)
    assert code == 2
    assert err.startswith(f"ginrummy-server: {said}")
    assert KEY not in err


async def test_the_help_names_every_option_and_command() -> None:
    code, out, _ = await run_to_end("--help")
    assert code == 0
    for option in OPTIONS:
        assert option.variable in out if option.is_secret else option.flag in out
    assert "\n  config " in out
