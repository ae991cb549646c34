"""Pictures out of an HTTP MJPEG stream: a camera or a phone app that sends one JPEG after another over one connection.

The parser does not trust the server: lengths and boundaries are often wrong, so it walks each JPEG's own structure
(ISO/IEC 10918-1, annex B) from its start to its end marker. A picture that is cut off is dropped and counted, never decoded.
"""

from __future__ import annotations

import http.client
import re
import socket
import ssl
import time
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import SplitResult, unquote, urljoin, urlsplit, urlunsplit

from scorer.errors import KibitzError
from vision.camera import Fault, Image, decode_jpeg

_START = b"\xff\xd8\xff"
_AFTER_SCAN = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")  # the first marker that is neither stuffing nor a restart
_STANDALONE = frozenset((0x01, *range(0xD0, 0xD8)))
_TABLE_LIMIT = 20_000  # bytes; only application data and comments are ever longer
_PICTURE_LIMIT = 32 << 20  # bytes; a stream without an end marker must not fill the memory
_CHUNK = 1 << 16
_SINGLE_S = 0.1  # a camera that sends one picture a request is asked at most ten times a second


class JpegStream:
    """Cuts whole JPEGs out of bytes that arrive in pieces of any size; `torn` counts those that were cut off."""

    def __init__(self, boundary: bytes = b"") -> None:
        """`boundary`: the multipart boundary if the server named one, only used to notice cut-off pictures sooner."""
        self.torn = 0
        self._delimiter = b"--" + boundary.lstrip(b"-") if boundary.strip(b"-") else b""
        self._buffer = bytearray()
        self._inside = False  # the buffer begins with a start marker
        self._scanning = False  # the position is inside entropy-coded data
        self._at = 0
        self._segment = 2  # where the last segment's content began

    def feed(self, data: bytes) -> list[bytes]:
        """Takes the next bytes; returns the JPEGs that they completed, in order."""
        self._buffer += data
        whole: list[bytes] = []
        while self._step(whole):
            pass
        if len(self._buffer) > _PICTURE_LIMIT:
            self._tear(len(self._buffer))
        return whole

    def end(self) -> None:
        """The connection closed: what is still unfinished counts as torn."""
        if self._inside:
            self._tear(len(self._buffer))

    def _step(self, whole: list[bytes]) -> bool:
        """One marker further; False when more bytes are needed first."""
        buffer = self._buffer
        if not self._inside:
            start = buffer.find(_START)
            if start < 0:
                del buffer[:-2]  # a start marker may be split between two pieces
                return False
            del buffer[:start]
            self._inside, self._scanning, self._at, self._segment = True, False, 2, 2
        if self._scanning:
            found = _AFTER_SCAN.search(buffer, self._at)
            if not found:
                self._at = max(self._at, len(buffer) - 1)
                return False
            self._at, self._scanning = found.start(), False
        at = self._at
        if len(buffer) < at + 2:
            return False
        if buffer[at] != 0xFF:
            return self._tear(self._segment)
        kind = buffer[at + 1]
        if kind == 0xFF:  # fill byte
            self._at += 1
        elif kind == 0xD9:
            whole.append(bytes(buffer[: at + 2]))
            del buffer[: at + 2]
            self._inside = False
        elif kind in _STANDALONE:
            self._at += 2
        elif kind < 0xC0 or kind == 0xD8:
            return self._tear(at)
        else:
            return self._skip_segment(at, kind)
        return True

    def _skip_segment(self, at: int, kind: int) -> bool:
        buffer = self._buffer
        self._segment = at + 2
        if len(buffer) < at + 4:
            return False
        length = int.from_bytes(buffer[at + 2 : at + 4], "big")
        application = 0xE0 <= kind <= 0xEF or kind == 0xFE
        if length < 2 or (length > _TABLE_LIMIT and not application):
            return self._tear(self._segment)
        end = at + 2 + length
        if self._delimiter:
            cut = buffer.find(self._delimiter, at, end)
            if cut >= 0:
                return self._tear(cut)
        if len(buffer) < end:
            return False
        self._at, self._scanning = end, kind == 0xDA
        return True

    def _tear(self, resume: int) -> bool:
        """Gives the unfinished picture up; the search for the next goes on at `resume` (behind any thumbnail inside this one)."""
        self.torn += 1
        del self._buffer[: max(resume, 2)]
        self._inside = False
        return True


class HttpCamera:
    """A connection to an MJPEG (or single-JPEG) address; see `vision.camera.Session`.

    Only the standard library: every wait has a limit, so a stall, a torn picture or a closed connection is noticed at once.
    """

    kind = "mjpeg"

    def __init__(self, address: str, *, clock: Callable[[], float]) -> None:
        """Raises KibitzError `address-bad` where the address cannot be one of a camera."""
        try:
            parts = urlsplit(address)
            host, _ = parts.hostname, parts.port
        except ValueError as error:
            raise KibitzError("address-bad", f"{address}: {error}: write it as http://192.168.1.5:8080/video", address=address) from error
        if parts.scheme not in ("http", "https") or not host or any(c.isspace() for c in address):
            raise KibitzError("address-bad", f"{address} is not an address: write it as http://192.168.1.5:8080/video", address=address)
        self.name = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))  # never shows the password
        self.torn = 0
        self.skipped = 0
        self._address = parts
        self._clock = clock
        self._connection: http.client.HTTPConnection | None = None
        self._response: http.client.HTTPResponse | None = None
        self._socket: socket.socket | None = None
        self._asked_at = 0.0
        self._stall_s = 0.0
        self._stream: JpegStream | None = None  # None: one picture a request

    def open(self, connect_s: float, stall_s: float) -> None:
        """Connects and reads the answer's head. Raises Fault."""
        where = self._address
        for _ in range(4):
            response = self._ask(where, connect_s, stall_s)
            moved = response.headers.get("Location")
            if response.status not in (301, 302, 303, 307, 308) or not moved:
                break
            self.close()
            where = urlsplit(urljoin(urlunsplit(where), moved))
            if where.scheme not in ("http", "https") or not where.hostname:
                raise Fault("address-refused", f"sends on to {moved}, which is not a camera's address")
        self._check_answer(response)
        kind = response.headers.get_content_type()
        if kind.startswith("image/"):
            self._stream = None
        else:
            self._stream = JpegStream(str(response.headers.get_param("boundary") or "").encode("latin-1", "replace"))

    def _ask(self, where: SplitResult, connect_s: float, stall_s: float) -> http.client.HTTPResponse:
        host = where.hostname or ""
        self._asked_at, self._stall_s = self._clock(), stall_s
        if where.scheme == "https":
            # A camera in the house made its certificate itself; there is nobody who could vouch for it.
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            self._connection = http.client.HTTPSConnection(host, where.port, timeout=connect_s, context=context)
        else:
            self._connection = http.client.HTTPConnection(host, where.port, timeout=connect_s)
        headers = {"Accept": "multipart/x-mixed-replace, image/jpeg, */*", "User-Agent": "kibitz"}
        if where.username is not None:
            secret = f"{unquote(where.username)}:{unquote(where.password or '')}"
            headers["Authorization"] = "Basic " + b64encode(secret.encode()).decode()
        try:
            self._connection.connect()
            self._socket = self._connection.sock
            self._socket.settimeout(max(stall_s, connect_s))  # an app may start its camera only now
            self._connection.request("GET", urlunsplit(("", "", where.path or "/", where.query, "")), headers=headers)
            self._response = self._connection.getresponse()
            self._socket.settimeout(stall_s)
        except socket.gaierror as error:
            raise Fault("host-unknown", f"no device called {host} is found: check the address, and that both are on one network") from error
        except TimeoutError as error:
            raise Fault("unreachable", "does not answer: check that it is on, on the same network, and its app is streaming") from error
        except ConnectionRefusedError as error:
            raise Fault("refused", "refuses the connection: start the camera app there and check the port") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            said = " ".join(str(error).split()) or type(error).__name__
            raise Fault("unreachable", f"cannot be reached ({said}): check the address and the network") from error
        return self._response

    def _check_answer(self, response: http.client.HTTPResponse) -> None:
        kind = response.headers.get_content_type()
        if response.status == 401:
            raise Fault("password", "asks for a password: write it as http://NAME:PASSWORD@host:port/path")
        if response.status == 404:
            raise Fault("not-found", "has no such page: look the video's path up in the camera app (often /video or /mjpeg)")
        if response.status != 200:
            raise Fault("address-refused", f"answers {response.status} {response.reason}: check the address")
        if kind == "text/html":
            raise Fault("web-page", "is a web page, not a video: use the video's own address (often the same with /video behind it)")
        if not (kind.startswith(("multipart/", "image/")) or kind in ("application/octet-stream", "video/x-motion-jpeg", "video/mjpeg")):
            raise Fault("not-mjpeg", f"sends {kind}, not MJPEG: choose MJPEG in the camera app, or give its rtsp:// address")

    def next(self) -> tuple[Image, float]:
        """The newest whole picture and the clock's time at which its last byte came. Raises Fault."""
        while True:
            jpegs, at = self._take()
            for n, jpeg in enumerate(reversed(jpegs)):
                image = decode_jpeg(jpeg)
                if image is not None:
                    self.skipped += len(jpegs) - n - 1
                    return image, at
                self.torn += 1

    def _take(self) -> tuple[list[bytes], float]:
        response, stream = self._response, self._stream
        if response is None:
            raise Fault("closed", "is not open")
        try:
            if stream is None:
                return self._single(response)
            data = response.read1(_CHUNK)
        except TimeoutError as error:
            raise Fault("stalled", "has stopped sending") from error
        except (OSError, http.client.HTTPException) as error:
            raise Fault("closed", "broke the connection off") from error
        at = self._clock()
        before = stream.torn
        if not data:
            stream.end()
            self.torn += stream.torn - before
            raise Fault("closed", "closed the connection")
        jpegs = stream.feed(data)
        self.torn += stream.torn - before
        return jpegs, at

    def _single(self, response: http.client.HTTPResponse) -> tuple[list[bytes], float]:
        """One picture a request: reads it to the end, then asks for the next."""
        body = response.read(_PICTURE_LIMIT)
        at = self._clock()
        stream = JpegStream()
        jpegs = stream.feed(body)
        stream.end()
        self.torn += stream.torn
        self.close()
        time.sleep(max(0.0, self._asked_at + _SINGLE_S - self._clock()))
        self._check_answer(self._ask(self._address, self._stall_s, self._stall_s))
        return jpegs[-1:], at

    def wake(self) -> None:
        """Ends a waiting `next` from another thread."""
        with suppress(OSError, AttributeError):
            self._socket.shutdown(socket.SHUT_RDWR)  # type: ignore[union-attr]

    def close(self) -> None:
        """Ends the connection; `open` may be called again."""
        for thing in (self._response, self._connection):
            if thing is not None:
                with suppress(OSError):
                    thing.close()
        self._response = self._connection = self._socket = None
