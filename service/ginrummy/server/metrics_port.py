"""The port where metrics are shown: few asked at once, and nobody for long.

prometheus-client's own server gives each connection a thread for as long as it likes.
"""

import contextlib
import io
import socket
import threading
import time
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer

MOST_CONNECTIONS = 16
"""Whoever comes beside them is hung up on."""
LONGEST_ANSWER_S = 5.0
"""From the connection to the last byte of the answer, however busily either side speaks."""
LOOK_S = 0.5


class _Asking(WSGIRequestHandler):
    """One connection."""

    timeout = LONGEST_ANSWER_S

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name in the library
        """Nothing that is asked goes into the log."""

    def get_stderr(self) -> Any:
        """The library would write tracebacks."""
        return io.StringIO()


class MetricsServer(ThreadingWSGIServer):
    """Answers over HTTP, in threads."""

    request_queue_size = 64

    def __init__(self, host: str, port: int, registry: CollectorRegistry) -> None:
        """Listens. Raises OSError."""
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        self.address_family, *_, address = found[0]
        self._begun_s: dict[socket.socket, float] = {}
        self._begun = threading.Lock()
        super().__init__((str(address[0]), int(address[1])), _Asking)
        self.set_app(make_wsgi_app(registry))

    def start(self) -> None:
        """Answers from now on."""
        threading.Thread(
            target=self.serve_forever, args=(LOOK_S,), name="metrics", daemon=True
        ).start()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Takes a connection, if there is room."""
        with self._begun:
            has_room = len(self._begun_s) < MOST_CONNECTIONS
            if has_room:
                self._begun_s[request] = time.monotonic()
        if has_room:
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def shutdown_request(self, request: Any) -> None:
        """Hangs up."""
        with self._begun:
            self._begun_s.pop(request, None)
            super().shutdown_request(request)

    def service_actions(self) -> None:
        """Hangs up on those who take too long; their threads end by it."""
        late_s = time.monotonic() - LONGEST_ANSWER_S
        with self._begun:
            for request, begun_s in self._begun_s.items():
                if begun_s < late_s:
                    with contextlib.suppress(OSError):
                        request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Who hangs up, or is hung up on, is no trouble; the library would write a traceback."""
