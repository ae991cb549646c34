"""The production WSGI server: cheroot, a thread for each connection in use, written to directly.

An event stream and a video each hold a thread for as long as a page is open, so there are enough for fifty pages, and a
write that a slow phone does not take blocks that phone's thread only, and ends after `SLOW_S`.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cheroot import wsgi
from cheroot.ssl.builtin import BuiltinSSLAdapter

from scorer.errors import KibitzError

THREADS = 160
SLOW_S = 15


class Server:
    """Binds at once (so a busy port is known before anything else starts), serves until `stop`."""

    def __init__(
        self, app: Callable[..., Any], host: str, port: int, *, threads: int = THREADS, certificate: tuple[Path, Path] | None = None
    ) -> None:
        self._server = wsgi.Server((host, port), app, numthreads=threads, server_name="kibitz", timeout=SLOW_S, request_queue_size=128)
        self._server.shutdown_timeout = 2
        self._server.nodelay = True
        if certificate is not None:
            self._server.ssl_adapter = BuiltinSSLAdapter(str(certificate[0]), str(certificate[1]))
        try:
            self._server.prepare()
        except OSError as error:
            raise _in_words(error, host, port) from error
        self.port: int = self._server.bind_addr[1]

    def serve(self) -> None:
        """Blocks until another thread calls `stop`, or Ctrl-C."""
        self._server.serve()

    def stop(self) -> None:
        self._server.stop()


def _in_words(error: OSError, host: str, port: int) -> KibitzError:
    text = str(error)
    if error.errno == errno.EADDRINUSE or "in use" in text or taken(host, port):
        return KibitzError(
            "port-busy",
            f"port {port} is in use (perhaps Kibitz already runs: open http://127.0.0.1:{port}): choose another with --port",
            port=port,
        )
    if error.errno == errno.EACCES or "ermission" in text:
        return KibitzError("port-forbidden", f"port {port} may not be opened by this user: choose one above 1023 with --port", port=port)
    return KibitzError("port-unusable", f"port {port} cannot be opened ({text}): choose another with --port", port=port)


def taken(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(0.3)
        return probe.connect_ex(("127.0.0.1" if host in ("", "0.0.0.0") else host, port)) == 0
