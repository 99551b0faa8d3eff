"""OPERATIONS.md is true: its commands work, its tables are the program's, its client resumes."""

import contextlib
import doctest
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ginrummy.server.limits import LIMITS
from ginrummy.server.options import OPTIONS, Option

from .ports import free_port

ROOT = Path(__file__).resolve().parents[1]
OPERATIONS = (ROOT / "OPERATIONS.md").read_text()
PROGRAMS = Path(sys.executable).parent
LONGEST_S = 300
USUAL_PORTS = ("50051", "9464")
"""As the document has them; a test takes free ones in their place."""

ELSEWHERE = {
    'make serve ARGS="--data-dir data"': "Makefile",
    "make dist": "Makefile",
    "pip install dist/ginrummy_proto-*.whl dist/ginrummy_server-*.whl": "scripts/build_wheels.sh",
    'echo "GINRUMMY_API_KEYS=mygame=$(openssl rand -hex 32)" >.env': "tests/deploy/test_compose.py",
    "docker compose up --detach": "tests/deploy/test_compose.py",
    "docker compose --profile watch up --detach": "tests/deploy/test_compose.py",
    "docker build --tag ginrummy-server:0.1.0 .": "scripts/check_image.py",
    "docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges"
    " --stop-timeout 60 --env GINRUMMY_API_KEYS --volume ginrummy:/data"
    " --publish 127.0.0.1:50051:50051 ginrummy-server:0.1.0": "scripts/check_image.py",
    "kubectl create secret generic ginrummy-api-keys"
    " --from-file=api-keys": "tests/deploy/test_kubernetes.py",
    "kubectl apply --kustomize deploy/kubernetes": "tests/deploy/test_kubernetes.py",
    "docker compose exec server"
    " ginrummy-server backup /data/backup.sqlite3": "tests/server/test_stored_commands.py",
    "docker compose cp server:/data/backup.sqlite3 backup.sqlite3": "compose.yaml",
    "kubectl exec ginrummy-0 --"
    " ginrummy-server backup /data/backup.sqlite3": "tests/server/test_stored_commands.py",
    "kubectl cp ginrummy-0:/data/backup.sqlite3"
    " backup.sqlite3": "deploy/kubernetes/statefulset.yaml",
}
"""Every command that is not run here, with what checks it."""


@dataclass(frozen=True)
class Block:
    """A fenced block of the document."""

    kind: str
    text: str
    line: int


def blocks() -> Iterator[Block]:
    for found in re.finditer(r"^```(.+)\n((?:.*\n)*?)```$", OPERATIONS, re.MULTILINE):
        yield Block(found[1], found[2], OPERATIONS.count("\n", 0, found.start()) + 1)


BLOCKS = list(blocks())


def of_kind(kind: str) -> list[Block]:
    return [block for block in BLOCKS if block.kind == kind]


def test_every_block_is_of_a_kind_that_is_checked() -> None:
    assert {block.kind for block in BLOCKS} <= {"sh", "sh elsewhere", "text", "json"}
    assert OPERATIONS.count("```") == 2 * len(BLOCKS)


def test_only_these_commands_are_not_run() -> None:
    left_out = [line for block in of_kind("sh elsewhere") for line in block.text.splitlines()]
    assert left_out == list(ELSEWHERE)
    for line, checked_by in ELSEWHERE.items():
        assert (ROOT / checked_by).exists(), line


def test_every_target_of_make_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"(?:^|`)make ([a-z-]+)", OPERATIONS, re.MULTILINE)
    assert len(targets) > 5
    for target in targets:
        assert re.search(rf"^{target}:.*## ", makefile, re.MULTILINE), target


def run_all(script: str, folder: Path) -> str:
    """What the script prints, run with the programs of this environment and no settings."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("GINRUMMY_")
    }
    environment |= {
        "PATH": f"{PROGRAMS}:{environment['PATH']}",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
    }
    environment.pop("XDG_STATE_HOME", None)
    output = folder / "output.of.this.test"
    with output.open("w") as file:
        process = subprocess.Popen(
            ["bash", "-c", script],
            cwd=folder,
            env=environment,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(LONGEST_S)
        except subprocess.TimeoutExpired:
            code = -1
        finally:
            # What a failed command has left running.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    printed = output.read_text()
    logs = "".join(f"--- {path.name}\n{path.read_text()}" for path in folder.glob("*.log"))
    assert code == 0, f"exit code {code} after:\n{printed}\n{logs}"
    return printed


def test_every_command_does_what_the_document_says(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "deploy", tmp_path / "deploy")
    script = "set -euo pipefail\n"
    expected: dict[int, str] = {}
    shown = {id(block): after for block, after in itertools.pairwise(BLOCKS)}
    for block in of_kind("sh"):
        after = shown.get(id(block))
        expected[block.line] = after.text if after and after.kind == "text" else ""
        script += f"echo '@@ {block.line}'\n{block.text}"
    ports = [free_port() for _ in USUAL_PORTS]
    script = f"export GINRUMMY_PORT={ports[0]}\n{script}"
    for usual, free in zip(USUAL_PORTS, ports, strict=True):
        script = script.replace(usual, str(free))
        expected = {line: text.replace(usual, str(free)) for line, text in expected.items()}
    printed = run_all(script, tmp_path)
    told = dict(re.findall(r"^@@ (\d+)\n((?:(?!@@ ).*\n)*)", printed, re.MULTILINE))
    assert [int(line) for line in told] == list(expected)
    checker = doctest.OutputChecker()
    for line, text in expected.items():
        got = told[str(line)]
        same = checker.check_output(text, got, doctest.ELLIPSIS)
        assert same, f"line {line} says\n{text}\nand the program\n{got}"


def table_after(heading: str) -> list[str]:
    """The rows of the first table under the heading, without its head."""
    section = OPERATIONS.partition(f"\n{heading}\n")[2]
    table = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert table is not None, heading
    return table[0].splitlines()[2:]


def shown_default(option: Option) -> str:
    if callable(option.usual):
        return "the user's state folder"
    if isinstance(option.usual, bool):
        return "yes" if option.usual else "no"
    if option.usual is None:
        return "unset"
    return f"`{option.usual:.0f}`" if isinstance(option.usual, float) else f"`{option.usual}`"


def test_the_table_of_options_is_the_programs() -> None:
    rows = [f"| `{option.name}` | {shown_default(option)} | {option.text} |" for option in OPTIONS]
    assert table_after("## Configure") == rows, "\n".join(rows)


def test_the_table_of_limits_is_the_programs() -> None:
    rows = []
    for limit in LIMITS:
        most = f"{limit.most:,}" if limit.most else "unlimited"
        option = f"`{limit.option}`" if limit.option else ""
        name = f" `{limit.name}`" if limit.name else ""
        rows.append(f"| {limit.what} | {most} | {option} | {limit.reason}{name} |")
    assert table_after("## Limits") == rows, "\n".join(rows)


def test_links_within_the_document_lead_somewhere() -> None:
    headings = re.findall(r"^##+ (.*)$", OPERATIONS, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
    for anchor in re.findall(r"\]\(#([^)]+)\)", OPERATIONS):
        assert anchor in anchors, anchor
