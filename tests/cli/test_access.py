"""How a named server is reached: TLS and API keys, from files and the environment."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ..server.certificates import make, put
from .programs import run

KEY = "a-key-of-the-lobby-01"


@dataclass(frozen=True)
class Guarded:
    """A server that asks for a key and for a certificate."""

    address: str
    flags: tuple[str, ...]
    """What reaches it, without the key."""


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder = tmp_path_factory.mktemp("guarded")
    authority = make("authority")
    files = {"ca": put(folder / "ca.crt", authority.cert_pem)}
    for name in ("server", "client"):
        made = make(name, authority)
        files[f"{name}-cert"] = put(folder / f"{name}.crt", made.cert_pem)
        files[f"{name}-key"] = put(folder / f"{name}.key", made.key_pem())
    options = f"""
        api-keys = "lobby={KEY}"
        tls-cert = "{files["server-cert"]}"
        tls-key = "{files["server-key"]}"
        tls-client-ca = "{files["ca"]}"
    """
    config = put(folder / "options.toml", options.encode())
    program = Path(sys.executable).parent / "ginrummy-server"
    running = subprocess.Popen(
        [program, "--config", config, "--port", "0", "--in-memory", "--ready-json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert running.stdout is not None
    port = json.loads(running.stdout.readline())["port"]
    flags = [f"--tls-ca={files['ca']}"]
    flags += [f"--tls-client-{what}={files[f'client-{what}']}" for what in ("cert", "key")]
    yield Guarded(f"localhost:{port}", tuple(flags))
    running.terminate()
    running.wait(60)
    running.stdout.close()


def test_a_guarded_server_is_reached_with_certificates_and_a_key(
    guarded: Guarded, tmp_path: Path
) -> None:
    key = tmp_path / "lobby.key"
    key.write_text(f"{KEY}\n")
    at = ("list", "--server", guarded.address, *guarded.flags)
    done = run(*at, "--api-key-file", str(key), state=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    done = run(*at, state=tmp_path, GINRUMMY_API_KEY=KEY)
    assert (done.returncode, done.stderr) == (0, "")


def test_everything_can_be_set_in_the_environment(guarded: Guarded, tmp_path: Path) -> None:
    ca, cert, key = (flag.partition("=")[2] for flag in guarded.flags)
    done = run(
        "list",
        state=tmp_path,
        GINRUMMY_SERVER=guarded.address,
        GINRUMMY_TLS_CA=ca,
        GINRUMMY_TLS_CLIENT_CERT=cert,
        GINRUMMY_TLS_CLIENT_KEY=key,
        GINRUMMY_API_KEY=KEY,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_missing_or_wrong_key_is_told_with_where_to_set_it(
    guarded: Guarded, tmp_path: Path
) -> None:
    at = ("list", "--server", guarded.address, *guarded.flags)
    for done in (run(*at, state=tmp_path), run(*at, state=tmp_path, GINRUMMY_API_KEY="other")):
        assert done.returncode == 1
        assert "--api-key-file FILE, or GINRUMMY_API_KEY" in done.stderr
        assert "other" not in done.stderr


def test_a_guarded_server_is_not_reached_without_a_certificate(
    guarded: Guarded, tmp_path: Path
) -> None:
    for flags in ((), guarded.flags[:1]):
        done = run("rules", "--server", guarded.address, *flags, state=tmp_path)
        assert done.returncode == 1
        assert f"No server answers at {guarded.address}" in done.stderr


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--tls-ca", "{missing}"), "--tls-ca {missing}: No such file or directory."),
        (("--api-key-file", "{missing}"), "--api-key-file {missing}: No such file"),
        (("--api-key-file", "{empty}"), "--api-key-file {empty}: one line with the key is needed."),
        (("--tls-client-key", "{empty}"), "--tls-client-cert and --tls-client-key go together."),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, flags: tuple[str, str], said: str) -> None:
    places = {"missing": tmp_path / "missing", "empty": tmp_path / "empty"}
    places["empty"].touch()
    filled = [flag.format(**places) for flag in flags]
    done = run("list", "--server", "localhost:1", *filled, state=tmp_path)
    assert done.returncode == 2
    assert said.format(**places) in done.stderr


def test_a_private_server_is_shown_no_key(tmp_path: Path) -> None:
    done = run("rules", state=tmp_path, GINRUMMY_TLS_CA="", GINRUMMY_API_KEY=KEY)
    assert (done.returncode, done.stderr) == (0, "")
