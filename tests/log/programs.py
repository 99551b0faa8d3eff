"""Programs that tests start as processes of their own: python -m tests.log.NAME ARGUMENTS."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def start(name: str, *arguments: object) -> subprocess.Popen[str]:
    """Starts the program. Its output is read from `stdout`; its complaints go where ours go."""
    return subprocess.Popen(
        [sys.executable, "-m", f"tests.log.{name}", *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
        stdout=subprocess.PIPE,
        text=True,
    )
