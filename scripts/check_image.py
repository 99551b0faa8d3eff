#!/usr/bin/env python3
"""Does the Dockerfile's steps without a container engine, and runs the result as a container.

The build's own command is taken from the Dockerfile and run on what `.dockerignore` lets in. The
result then runs as the image's user, in a root that is read-only but for /data and /tmp: without
API keys it must refuse, with one it must serve, become healthy, play a match, and stop in order.
Linux, as root: `make image-check`. The build tools and the Python are those of this machine.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOME = Path("/opt/ginrummy")
"""Where the image has its virtual environment."""
SHARED = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "etc")
LONGEST_S = 120
INSIDE = "GINRUMMY_IMAGE_CHECK"
KEY = "check=only-for-this-check-0123456789"


@dataclass
class Stage:
    """One stage of a Dockerfile, as far as it matters here."""

    base: str
    runs: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    """The last USER, WORKDIR, ENTRYPOINT …"""


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """Each instruction with its arguments, continued lines joined."""
    whole = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    for line in filter(None, map(str.strip, whole.splitlines())):
        name, _, rest = line.partition(" ")
        yield name.upper(), rest.strip()


def stages(text: str) -> list[Stage]:
    """The stages of a Dockerfile."""
    found: list[Stage] = []
    for name, rest in instructions(text):
        if name == "FROM":
            found.append(Stage(rest.split()[0]))
        elif name == "RUN":
            found[-1].runs.append(rest)
        elif name == "ENV":
            found[-1].environment |= dict(pair.split("=", 1) for pair in rest.split())
        else:
            found[-1].others[name] = rest
    return found


def words(json_array: str) -> list[str]:
    """What an instruction in exec form says."""
    return re.findall(r'"([^"]*)"', json_array)


def build(work: Path, build_stage: Stage) -> None:
    """Makes /opt/ginrummy as the build stage does, from the files that the image's build sees."""
    context = work / "src"
    context.mkdir()
    for pattern in (ROOT / ".dockerignore").read_text().split():
        if pattern.startswith("!"):
            source, target = ROOT / pattern[1:], context / pattern[1:]
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(
                    source, target, ignore=shutil.ignore_patterns("__pycache__", "*.so")
                )
            else:
                shutil.copy(source, target)
    tools = work / "tools"
    subprocess.run([sys.executable, "-m", "venv", str(tools)], check=True)
    # The stage's other commands install the compiler, which is this machine's own here.
    [command] = [run for run in build_stage.runs if "pip" in run]
    environment = os.environ | {
        "PATH": f"{tools}/bin:{os.environ['PATH']}",
        "CARGO_TARGET_DIR": str(ROOT / "target" / "image"),
    }
    subprocess.run(["/bin/sh", "-ec", command], cwd=context, env=environment, check=True)


def make_root(work: Path) -> Path:
    """A root with this machine's programs and the image's, of which only /data is to be written."""
    root = work / "root"
    root.mkdir()
    _mount("-t", "tmpfs", "-o", "mode=0755", "tmpfs", str(root))
    for source in (*(Path("/", name) for name in SHARED), Path(sys.base_prefix), HOME):
        target = root / source.relative_to("/")
        if source.is_symlink():
            target.symlink_to(source.readlink())
        elif source.is_dir() and not target.exists():
            target.mkdir(parents=True)
            _mount("--bind", str(source), str(target))
            _mount("-o", "remount,bind,ro", str(target))
    for name in ("data", "tmp", "dev", "proc"):
        (root / name).mkdir()
    _mount("--rbind", "/dev", str(root / "dev"))
    _mount("-t", "proc", "proc", str(root / "proc"))
    for name, mode in (("data", "mode=0700,uid=10001,gid=10001"), ("tmp", "mode=1777")):
        _mount("-t", "tmpfs", "-o", f"size=64m,{mode}", "tmpfs", str(root / name))
    _mount("-o", "remount,ro", str(root))
    return root


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True)


class Container:
    """What the last stage says how to run, in the root."""

    def __init__(self, root: Path, image: Stage) -> None:
        user, _, group = image.others["USER"].partition(":")
        self._prefix = [
            *("chroot", str(root), "setpriv", f"--reuid={user}", f"--regid={group}"),
            *("--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"),
            *("env", "-C", image.others["WORKDIR"]),
        ]
        path = f"{HOME}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        self._environment = image.environment | {"PATH": path, "GINRUMMY_PORT": "50951"}
        self._entry = words(image.others["ENTRYPOINT"])
        self._health = words(image.others["HEALTHCHECK"].partition("CMD")[2])
        self._stop = signal.Signals[image.others["STOPSIGNAL"]]

    def start(self, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self._prefix + self._entry,
            env=self._environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._prefix + list(command),
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
            check=False,
        )

    def check_refusal(self) -> None:
        """Open to all, and without keys: it does not start."""
        out, err = self.start().communicate(timeout=LONGEST_S)
        assert not out, out
        assert "no API keys are set" in err, err
        print(f"without keys: {err.strip()}")

    def check_life(self) -> None:
        """It starts, becomes healthy, plays, writes nowhere else, and stops in order."""
        server = self.start(GINRUMMY_API_KEYS=KEY)
        try:
            end = time.monotonic() + LONGEST_S
            while self.run(*self._health).returncode:
                assert server.poll() is None, server.communicate()
                assert time.monotonic() < end, "it did not become healthy"
            print("healthy")
            written = self.run("touch", f"{HOME}/x", "/etc/x", "/x")
            assert written.stderr.count("Read-only file system") == 3, written.stderr
            play_a_match()
            print("a match was played")
            server.send_signal(self._stop)
            server.communicate(timeout=LONGEST_S)
            assert server.returncode == 0, server.returncode
            print("stopped in order")
        finally:
            server.kill()
            server.wait()
        kept = self.run("ls", "/data").stdout.split()
        assert "matches.sqlite3" in kept, kept


def play_a_match() -> None:
    """With the command line of this tree, as any client outside does."""
    demo = [str(ROOT / ".venv/bin/ginrummy"), "demo", "--server", "127.0.0.1:50951"]
    environment = os.environ | {"GINRUMMY_API_KEY": KEY.partition("=")[2]}
    result = subprocess.run(
        demo, env=environment, capture_output=True, text=True, timeout=LONGEST_S, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


def main() -> int:
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    if os.geteuid() != 0:
        print("check_image: mounts need root", file=sys.stderr)
        return 1
    if INSIDE in os.environ:
        check()
        return 0
    if HOME.exists():
        print(f"check_image: {HOME} is in use", file=sys.stderr)
        return 1
    HOME.mkdir(parents=True)
    try:
        # All mounts are of a namespace of their own, and go with it.
        again = ["unshare", "--mount", "--propagation", "private", sys.executable, __file__]
        return subprocess.run(again, env=os.environ | {INSIDE: "1"}, check=False).returncode
    finally:
        HOME.rmdir()


def check() -> None:
    """Builds and runs, among mounts that nobody else sees."""
    _, build_stage, image = stages((ROOT / "Dockerfile").read_text())
    with tempfile.TemporaryDirectory(prefix="ginrummy-image-") as folder:
        work = Path(folder)
        _mount("-t", "tmpfs", "tmpfs", str(HOME))
        build(work, build_stage)
        container = Container(make_root(work), image)
        try:
            container.check_refusal()
            container.check_life()
        finally:
            subprocess.run(["umount", "--recursive", "--lazy", str(work / "root")], check=True)


if __name__ == "__main__":
    raise SystemExit(main())
