"""The real server as a user without rights: python -m tests.faults.other_user_server OPTIONS.

Rights mean nothing to root, under which containers often run tests; root becomes nobody first.
"""

import encodings.idna  # noqa: F401 - nobody may not be able to read what comes later
import os
import sys

import uvloop  # noqa: F401

from ginrummy.server import app

NOBODY = 65534

if __name__ == "__main__":
    if os.geteuid() == 0:
        os.seteuid(NOBODY)
    raise SystemExit(app.main(sys.argv[1:]))
