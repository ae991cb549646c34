"""Cameras by cable and by RTSP address, through OpenCV; what a camera connection must offer; which cameras there are."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit, urlunsplit

import cv2
import numpy as np
import numpy.typing as npt

from scorer.errors import KibitzError

Image = npt.NDArray[np.uint8]  # (H, W, 3), blue, green, red

_DEVICES = Path("/sys/class/video4linux")
_TRUSTED_AGE_S = 1.0  # a driver's time stamp older than this is on another clock


class Fault(Exception):
    """A camera that is not there or went away: a code, and words that follow its name (`does not answer: check …`)."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words)
        self.code = code
        self.words = words


class Session(Protocol):
    """One connection to a camera, opened again and again by `vision.source.LiveSource`."""

    kind: str
    name: str
    torn: int  # pictures cut off so far
    skipped: int  # whole pictures overtaken by a newer one so far

    def open(self, connect_s: float, stall_s: float) -> None:
        """Connects, giving up after about `connect_s`; later waits give up after `stall_s`. Raises Fault."""

    def next(self) -> tuple[Image, float]:
        """Waits for the next picture; returns it with the clock's time of its capture, in seconds. Raises Fault."""

    def wake(self) -> None:
        """Ends a waiting `next` from another thread, where that can be done."""

    def close(self) -> None:
        """Lets go of the camera; `open` may follow."""


@dataclass(frozen=True, slots=True)
class CameraInfo:
    """A camera on this machine: the number that `--source` takes, and the name its driver gives."""

    index: int
    name: str


def decode_jpeg(data: bytes) -> Image | None:
    """(H, W, 3) BGR, or None where the bytes are no whole picture."""
    if not data:
        return None
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, np.uint8)


def list_cameras(devices: Path = _DEVICES) -> tuple[CameraInfo, ...]:
    """The cameras of this machine. Linux asks the kernel; elsewhere the first four numbers are tried."""
    if sys.platform == "linux":
        found = []
        for folder in devices.glob("video*"):
            try:
                if (folder / "index").read_text().strip() == "0":  # the others are a camera's metadata nodes
                    found.append(CameraInfo(int(folder.name[5:]), (folder / "name").read_text().strip()))
            except (OSError, ValueError):
                continue
        return tuple(sorted(found, key=lambda camera: camera.index))
    found = []
    for index in range(4):
        capture = cv2.VideoCapture(index)
        if capture.isOpened():
            found.append(CameraInfo(index, f"camera {index}"))
        capture.release()
    return tuple(found)


class UsbCamera:
    """A camera on this machine by its number. Asks for MJPEG at `size` and, where given, `fps`; takes what the camera gives."""

    kind = "usb"

    def __init__(
        self,
        index: int,
        *,
        clock: Callable[[], float],
        size: tuple[int, int] = (1280, 720),
        fps: float | None = None,
        capture: Callable[..., Any] = cv2.VideoCapture,
        devices: Path = _DEVICES,
    ) -> None:
        self.name = f"camera {index}"
        self.torn = 0
        self.skipped = 0
        self._index = index
        self._clock = clock
        self._size = size
        self._fps = fps
        self._new_capture = capture
        self._devices = devices
        self._capture: Any = None
        self._device_name = ""

    def open(self, connect_s: float, stall_s: float) -> None:
        cameras = list_cameras(self._devices) if sys.platform == "linux" else ()
        index = self._where_now(cameras)
        backend = {"linux": cv2.CAP_V4L2, "darwin": cv2.CAP_AVFOUNDATION, "win32": cv2.CAP_DSHOW}.get(sys.platform, cv2.CAP_ANY)
        capture = self._new_capture(index, backend)
        if not capture.isOpened():
            capture.release()
            raise self._why_not(index, cameras)
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))  # raw pictures would not fit through USB 2 at this size
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, self._size[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self._size[1])
        if self._fps:
            capture.set(cv2.CAP_PROP_FPS, self._fps)
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self._device_name = next((camera.name for camera in cameras if camera.index == index), "")
        self._capture = capture

    def _where_now(self, cameras: tuple[CameraInfo, ...]) -> int:
        """A camera that was pulled and put back may come back under another number: look for its name."""
        if not self._device_name or any(c.index == self._index and c.name == self._device_name for c in cameras):
            return self._index
        return next((c.index for c in cameras if c.name == self._device_name), self._index)

    def _why_not(self, index: int, cameras: tuple[CameraInfo, ...]) -> Fault:
        node = Path(f"/dev/video{index}")
        if sys.platform == "linux" and node.exists():
            try:
                node.open("rb").close()
            except PermissionError:
                return Fault("camera-forbidden", "may not be opened by you: run `sudo usermod -aG video $USER` and log in again")
            except OSError:
                pass
            return Fault("camera-busy", "gives no picture: close the other program that uses it, or plug it in again")
        found = ", ".join(f"{c.index} ({c.name})" for c in cameras) or "none"
        return Fault("camera-missing", f"is not there (found: {found}): plug it in, or give a video, an address or `--source demo`")

    def next(self) -> tuple[Image, float]:
        if self._capture is None:
            raise Fault("closed", "is not open")
        while True:
            if not self._capture.grab():
                raise Fault("unplugged", "has gone: plug it in again")
            now = self._clock()
            stamp = float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000  # Video4Linux: the capture, on the monotonic clock
            ok, image = self._capture.retrieve()
            if ok and image is not None:
                return image, stamp if sys.platform == "linux" and 0 <= now - stamp < _TRUSTED_AGE_S else now
            self.torn += 1

    def wake(self) -> None:
        """OpenCV offers no way to interrupt a read; it gives up by itself."""

    def close(self) -> None:
        if self._capture is not None:
            self._capture.release()
            self._capture = None


class StreamClock:
    """Puts a camera's own time stamps on our clock, so that the network's jitter does not count as motion in time.

    The frame that was least delayed tells the two clocks' difference; it may creep up again by `creep`, since clocks drift apart.
    """

    def __init__(self, creep: float = 0.0005) -> None:
        self._creep = creep
        self._offset = math.inf
        self._last = -math.inf

    def to_clock(self, stamp_s: float, arrival_s: float) -> float:
        """The capture's time on the clock that told `arrival_s`; never later than the arrival."""
        if not math.isfinite(stamp_s) or stamp_s <= self._last:
            self._offset, self._last = math.inf, -math.inf  # no stamps, or the stream began anew
            if not math.isfinite(stamp_s):
                return arrival_s
        elif math.isfinite(self._last):
            self._offset += self._creep * (stamp_s - self._last)
        self._last = stamp_s
        self._offset = min(self._offset, arrival_s - stamp_s)
        return stamp_s + self._offset


class RtspCamera:
    """A camera by its rtsp:// address, through OpenCV's FFmpeg."""

    kind = "rtsp"

    def __init__(self, address: str, *, clock: Callable[[], float], capture: Callable[..., Any] = cv2.VideoCapture) -> None:
        """Raises KibitzError `address-bad`."""
        try:
            parts = urlsplit(address)
            host, _ = parts.hostname, parts.port
        except ValueError:
            host = None
        if not host or any(c.isspace() for c in address):
            raise KibitzError("address-bad", f"{address} is not an address: write it as rtsp://192.168.1.5:554/stream", address=address)
        self.name = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
        self.torn = 0
        self.skipped = 0
        self._address = address
        self._clock = clock
        self._new_capture = capture
        self._capture: Any = None
        self._stamps = StreamClock()

    def open(self, connect_s: float, stall_s: float) -> None:
        limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, int(connect_s * 1000), cv2.CAP_PROP_READ_TIMEOUT_MSEC, int(stall_s * 1000)]
        capture = self._new_capture(self._address, cv2.CAP_FFMPEG, limits)
        if not capture.isOpened():
            capture.release()
            raise Fault("unreachable", "gives no video: check the address, the password in it, and that the camera is on")
        self._capture = capture
        self._stamps = StreamClock()

    def next(self) -> tuple[Image, float]:
        if self._capture is None:
            raise Fault("closed", "is not open")
        ok, image = self._capture.read()
        if not ok or image is None:
            raise Fault("closed", "has stopped sending: check its power and the network")
        return image, self._stamps.to_clock(float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000, self._clock())

    def wake(self) -> None:
        """FFmpeg gives up by itself after the read limit."""

    def close(self) -> None:
        if self._capture is not None:
            self._capture.release()
            self._capture = None
