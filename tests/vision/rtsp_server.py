"""A tiny RTSP camera on loopback: JPEG over RTP (RFC 2435) inside the RTSP connection (RFC 2326, 10.12)."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time

from tests.vision.mjpeg_server import picture

SDP = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=table\r\nt=0 0\r\nm=video 0 RTP/AVP 26\r\na=control:track0\r\n"


def packets(jpeg: bytes, sequence: int, stamp: int, width: int, height: int) -> list[bytes]:
    """One picture as RTP packets; quantisation tables go with the first."""
    tables = b""
    at = 2
    while jpeg[at + 1] != 0xDA:
        length = struct.unpack(">H", jpeg[at + 2 : at + 4])[0]
        if jpeg[at + 1] == 0xDB:
            segment = jpeg[at + 4 : at + 2 + length]
            tables += b"".join(segment[n + 1 : n + 65] for n in range(0, len(segment), 65))
        at += 2 + length
    scan = jpeg[at + 2 + struct.unpack(">H", jpeg[at + 2 : at + 4])[0] : -2]
    out = []
    for offset in range(0, len(scan), 1200):
        piece = scan[offset : offset + 1200]
        last = offset + 1200 >= len(scan)
        rtp = struct.pack(">BBHII", 0x80, 26 | (0x80 if last else 0), (sequence + len(out)) & 0xFFFF, stamp, 7)
        head = struct.pack(">II", offset, 1 << 24 | 255 << 16 | width // 8 << 8 | height // 8)
        quantisation = struct.pack(">BBH", 0, 0, len(tables)) + tables if offset == 0 else b""
        out.append(rtp + head + quantisation + piece)
    return out


class RtspServer:
    """Serves any path at 25 pictures a second; `stop` closes everything, `start` comes back on the same port."""

    def __init__(self) -> None:
        self.port = 0
        self.silent = False
        self._listener: socket.socket | None = None
        self._open: list[socket.socket] = []
        self.start()

    @property
    def address(self) -> str:
        return f"rtsp://127.0.0.1:{self.port}/table"

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
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                self._open.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            data = b""
            while True:
                while b"\r\n\r\n" not in data:
                    got = connection.recv(4096)
                    if not got:
                        return
                    data += got
                head, _, data = data.partition(b"\r\n\r\n")
                lines = head.decode().split("\r\n")
                method = lines[0].split()[0]
                number = next(line for line in lines if line.lower().startswith("cseq")).split(":")[1].strip()
                extra, body = "", ""
                if method == "OPTIONS":
                    extra = "Public: DESCRIBE, SETUP, PLAY, TEARDOWN\r\n"
                elif method == "DESCRIBE":
                    extra, body = f"Content-Type: application/sdp\r\nContent-Base: {self.address}/\r\nContent-Length: {len(SDP)}\r\n", SDP
                elif method == "SETUP":
                    extra = "Session: 1\r\nTransport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n"
                elif method == "PLAY":
                    extra = "Session: 1\r\n"
                connection.sendall(f"RTSP/1.0 200 OK\r\nCSeq: {number}\r\n{extra}\r\n{body}".encode())
                if method == "PLAY":
                    self._stream(connection)

    def _stream(self, connection: socket.socket) -> None:
        sequence = n = 0
        while True:
            if not self.silent:
                for packet in packets(picture(n), sequence, n * 3600, 160, 120):
                    connection.sendall(b"$\0" + struct.pack(">H", len(packet)) + packet)
                    sequence += 1
                n += 1
            time.sleep(0.04)
