"""A camera on loopback for the tests: real sockets, and every way in which such cameras misbehave."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable

import cv2
import numpy as np

BOUNDARY = b"frame"


def picture(number: int, size: tuple[int, int] = (160, 120)) -> bytes:
    """A JPEG whose mean brightness tells its number: 10, 20, … 240, 10, …"""
    image = np.full((size[1], size[0], 3), 10 + number % 24 * 10, np.uint8)
    cv2.putText(image, str(number), (10, 60), cv2.FONT_HERSHEY_SIMPLEX, 1, (255, 255, 255), 2)
    return cv2.imencode(".jpg", image)[1].tobytes()


def number_of(image: np.ndarray) -> int:
    """The number of a picture, modulo 24, from a corner that the text leaves free."""
    return round((float(image[100:118].mean()) - 10) / 10)


class MjpegServer:
    """Serves `/video` at `fps`. `mode`: live, stall (says nothing), torn (every picture cut off), half (every other one cut off).

    `stop()` closes every connection and the port, `start()` comes back on the same port.
    """

    def __init__(self, fps: float = 30.0) -> None:
        self.mode = "live"
        self.fps = fps
        self.sent = 0
        self.connections = 0
        self.answer: Callable[[socket.socket, str], bool] = lambda connection, path: False
        self._listener: socket.socket | None = None
        self._open: list[socket.socket] = []
        self.port = 0
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/video"

    def start(self) -> None:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen()
        self.port = listener.getsockname()[1]
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def stop(self) -> None:
        for thing in (self._listener, *self._open):
            if thing is not None:
                with contextlib.suppress(OSError):
                    thing.shutdown(socket.SHUT_RDWR)
                thing.close()
        self._listener, self._open = None, []

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            head = b""
            while b"\r\n\r\n" not in head:
                got = connection.recv(4096)
                if not got:
                    return
                head += got
            if self.answer(connection, head.decode("latin-1")):
                connection.close()
                return
            connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=" + BOUNDARY + b"\r\n\r\n")
            while True:
                if self.mode != "stall":
                    jpeg = picture(self.sent)
                    torn = self.mode == "torn" or (self.mode == "half" and self.sent % 2)
                    body = jpeg[: len(jpeg) * 2 // 3] if torn else jpeg
                    head = b"Content-Type: image/jpeg\r\nContent-Length: " + str(len(jpeg)).encode() + b"\r\n\r\n"
                    connection.sendall(b"--" + BOUNDARY + b"\r\n" + head + body + b"\r\n")
                    self.sent += 1
                time.sleep(1 / self.fps)
        except OSError:
            pass
        finally:
            connection.close()


def plain_answer(status: str, kind: str, body: bytes = b"", *headers: str) -> Callable[[socket.socket, str], bool]:
    """An answer that is no video."""

    def answer(connection: socket.socket, head: str) -> bool:
        lines = [f"HTTP/1.0 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers]
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        return True

    return answer
