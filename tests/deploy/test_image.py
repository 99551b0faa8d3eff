"""The Dockerfile: what the image holds, and as whom it runs."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from ginrummy.server.settings import Settings

from .reading import IMAGE_ENVIRONMENT, ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text()
FINAL = DOCKERFILE.rpartition("\nFROM ")[2]
BASES = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)


def test_the_linter_finds_nothing_to_say() -> None:
    linter = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    assert linter is not None
    result = subprocess.run(
        [linter, "--no-color", str(ROOT / "Dockerfile")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stdout) == (0, "")


def test_base_images_are_named_by_their_full_version() -> None:
    for base in BASES:
        assert re.fullmatch(r"(rust|python):\d+\.\d+\.\d+-slim-bookworm", base)


def test_it_is_built_with_the_lowest_rust_that_is_supported() -> None:
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text())
    lowest = cargo["workspace"]["package"]["rust-version"]
    assert f"rust:{lowest}.0-slim-bookworm" in BASES


def test_the_environment_is_built_by_the_python_that_runs_it() -> None:
    assert BASES[1] == BASES[2]
    assert f'base.name="docker.io/library/{BASES[2]}"' in FINAL


def test_its_version_is_the_servers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert f"ARG VERSION={project['version']}\n" in FINAL


def test_no_tools_are_left_in_it() -> None:
    assert not re.search(r"apt-get|cargo|pip install|\bgcc\b", FINAL)
    assert "pip uninstall --yes pip setuptools wheel" in FINAL


def test_it_runs_as_somebody_who_is_not_root() -> None:
    assert re.findall(r"^USER (.*)$", FINAL, re.MULTILINE) == ["10001:10001"]


def test_it_sets_only_what_differs_in_a_container() -> None:
    settings = dict(re.findall(r"\b(GINRUMMY_\w+)=(\S+)", FINAL))
    assert settings == IMAGE_ENVIRONMENT
    assert f"EXPOSE {Settings().port}\n" in FINAL


def test_matches_are_in_a_volume() -> None:
    assert f"VOLUME {IMAGE_ENVIRONMENT['GINRUMMY_DATA_DIR']}\n" in FINAL


def test_a_plain_stop_is_the_servers_own() -> None:
    assert "STOPSIGNAL SIGTERM\n" in FINAL
    assert 'ENTRYPOINT ["ginrummy-server"]' in FINAL


def test_all_that_it_is_built_from_is_there() -> None:
    let_in = re.findall(r"^!(.*)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    assert {"proto", "service", "constraints.txt"} <= set(let_in)
    for path in let_in:
        assert (ROOT / path).exists(), path
