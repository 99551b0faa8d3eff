"""Ports for servers that have to be found at the same place again."""

import socket
from random import SystemRandom

LOWEST, HIGHEST = 20_000, 30_000
"""Below those that the system gives to connections and to servers on port 0."""


def free_port() -> int:
    """A port where nobody listens now, and where nobody happens to listen later."""
    while True:
        port = SystemRandom().randint(LOWEST, HIGHEST)
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:
            continue
