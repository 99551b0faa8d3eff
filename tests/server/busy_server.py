"""The real server, which takes itself for busy: python -m tests.server.busy_server OPTIONS."""

import sys

from ginrummy.server import app, turns

if __name__ == "__main__":
    turns.BUSY = -1.0
    turns.LOOK_S = 0.01
    raise SystemExit(app.main(sys.argv[1:]))
