"""Cameras by cable (a scripted driver stands in for one) and by RTSP (a real server on loopback)."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from scorer.errors import KibitzError
from tests.vision.mjpeg_server import number_of
from tests.vision.rtsp_server import RtspServer
from vision.camera import CameraInfo, Fault, StreamClock, UsbCamera, list_cameras
from vision.live import LiveSource
from vision.source import Source, SourceState, open_source


class Driver:
    """What a driver does: `script` holds a picture's number, `torn`, or `gone`, one for each grab of one opening."""

    def __init__(self, openings: list[list[object]], clock: list[float], stamps: bool = True) -> None:
        self.openings = openings
        self.clock = clock
        self.stamps = stamps
        self.asked: list[int] = []
        self.settings: dict[int, float] = {}

    def __call__(self, index: int, backend: int) -> Driver:
        self.asked.append(index)
        self.script = list(self.openings.pop(0)) if self.openings else None
        return self

    def isOpened(self) -> bool:
        return self.script is not None

    def set(self, key: int, value: float) -> None:
        self.settings[key] = value

    def get(self, key: int) -> float:
        return (self.clock[0] - 0.02) * 1000 if self.stamps and key == cv2.CAP_PROP_POS_MSEC else -1.0

    def grab(self) -> bool:
        self.clock[0] += 0.04
        self.now = self.script.pop(0) if self.script else "gone"
        return self.now != "gone"

    def retrieve(self) -> tuple[bool, np.ndarray | None]:
        return (False, None) if self.now == "torn" else (True, np.full((9, 16, 3), self.now, np.uint8))

    def release(self) -> None:
        pass


def devices(root: Path, names: dict[int, str]) -> Path:
    """A kernel's list of cameras; each has a metadata node behind it, as real ones do."""
    for old in root.glob("video*"):
        for file in old.iterdir():
            file.unlink()
        old.rmdir()
    for index, name in names.items():
        for node, kind in ((index, "0"), (index + 1, "1")):
            (root / f"video{node}").mkdir()
            (root / f"video{node}" / "index").write_text(kind + "\n")
            (root / f"video{node}" / "name").write_text(name + "\n")
    return root


linux = pytest.mark.skipif("sys.platform != 'linux'", reason="Video4Linux")


@linux
def test_cameras_are_listed_without_their_metadata_nodes(tmp_path: Path) -> None:
    assert list_cameras(devices(tmp_path, {10: "Phone", 0: "Webcam"})) == (CameraInfo(0, "Webcam"), CameraInfo(10, "Phone"))
    assert list_cameras(tmp_path / "nowhere") == ()


@linux
def test_camera_asks_for_what_fits_and_trusts_the_drivers_time(tmp_path: Path) -> None:
    clock = [50.0]
    driver = Driver([[1, "torn", 2]], clock)
    camera = UsbCamera(0, clock=lambda: clock[0], size=(1920, 1080), fps=60, capture=driver, devices=devices(tmp_path, {0: "Webcam"}))
    camera.open(1, 1)
    assert driver.settings[cv2.CAP_PROP_FRAME_WIDTH] == 1920
    assert driver.settings[cv2.CAP_PROP_FPS] == 60
    image, at = camera.next()
    assert (image[0, 0, 0], at) == (1, pytest.approx(50.02))
    image, at = camera.next()
    assert (image[0, 0, 0], at, camera.torn) == (2, pytest.approx(50.10), 1)
    driver.stamps = False
    driver.script = [3]
    assert camera.next()[1] == pytest.approx(clock[0])
    with pytest.raises(Fault) as gone:
        camera.next()
    assert gone.value.code == "unplugged"


@linux
def test_camera_that_comes_back_under_another_number_is_found(tmp_path: Path) -> None:
    clock = [50.0]
    driver = Driver([[1], [2], [3]], clock)
    camera = UsbCamera(2, clock=lambda: clock[0], capture=driver, devices=devices(tmp_path, {2: "Webcam"}))
    camera.open(1, 1)
    camera.close()
    devices(tmp_path, {0: "Laptop", 4: "Webcam"})
    camera.open(1, 1)
    camera.close()
    devices(tmp_path, {0: "Laptop"})
    camera.open(1, 1)
    assert driver.asked == [2, 4, 2]


def test_pulled_camera_heals_by_itself(tmp_path: Path) -> None:
    driver = Driver([[1, 2, 3], [4] * 5000], [50.0], stamps=False)
    real = time.monotonic
    source = LiveSource(UsbCamera(0, clock=real, capture=driver, devices=tmp_path))
    begin = real()
    seen: set[int] = set()
    while 4 not in seen and real() - begin < 3:
        frame = source.read(0.1)
        if frame is not None:
            seen.add(int(frame.image[0, 0, 0]))
    assert 4 in seen
    status = source.status()
    assert (status.losses, status.kind) == (1, "usb")
    source.close()


ASKED = [
    ("3", (3, (1280, 720), None)),
    ("0@60", (0, (1280, 720), 60.0)),
    ("1@1920x1080", (1, (1920, 1080), None)),
    ("0@640x480@120", (0, (640, 480), 120.0)),
]


@pytest.mark.parametrize(("spec", "asked"), ASKED)
def test_size_and_rate_can_be_asked_for(monkeypatch: pytest.MonkeyPatch, spec: str, asked: tuple[object, ...]) -> None:
    seen: list[object] = []

    class Camera(UsbCamera):
        def open(self, connect_s: float, stall_s: float) -> None:
            seen.extend((self._index, self._size, self._fps))
            raise Fault("camera-missing", "is not there")

    monkeypatch.setattr("vision.source.UsbCamera", Camera)
    with pytest.raises(KibitzError):
        open_source(spec)
    assert tuple(seen) == asked


def test_missing_camera_names_those_that_are_there(tmp_path: Path) -> None:
    camera = UsbCamera(97, clock=time.monotonic, capture=Driver([], [0.0]), devices=devices(tmp_path, {0: "Webcam"}))
    with pytest.raises(KibitzError) as caught:
        LiveSource(camera)
    assert caught.value.code == "camera-missing"
    assert caught.value.message.startswith("camera 97 is not there")


def until(source: Source, wanted: SourceState, limit_s: float = 5.0) -> float:
    begin = time.monotonic()
    while time.monotonic() - begin < limit_s:
        source.read(0.02)
        if source.status().state is wanted:
            return time.monotonic() - begin
    raise AssertionError(f"not {wanted} within {limit_s} s: {source.status()}")


@pytest.fixture
def rtsp() -> Iterator[tuple[RtspServer, Source]]:
    server = RtspServer()
    source = open_source(server.address)
    yield server, source
    source.close()
    server.stop()


def test_rtsp_camera_stalls_closes_and_comes_back(rtsp: tuple[RtspServer, Source]) -> None:
    server, source = rtsp
    until(source, SourceState.LIVE)
    frame = source.read(2)
    assert frame is not None
    assert 0 <= number_of(frame.image) < 24
    server.silent = True
    assert until(source, SourceState.LOST) < 2.0
    server.silent = False
    assert until(source, SourceState.LIVE) < 2.0
    server.stop()
    assert until(source, SourceState.LOST) < 2.0
    server.start()
    assert until(source, SourceState.LIVE) < 2.0
    assert source.status().losses == 2


def test_stream_clock_takes_the_jitter_out() -> None:
    rng = random.Random(5)
    clock = StreamClock()
    errors = []
    for n in range(300):
        taken = 1000 + n / 30
        error = clock.to_clock(n / 30, taken + 0.02 + rng.expovariate(1 / 0.03)) - taken
        errors.append(error)
    assert max(errors[30:]) < 0.03, "jitter of 30 ms is left in the times"
    assert min(errors) >= 0.02
    assert clock.to_clock(float("nan"), 7.0) == 7.0
    assert clock.to_clock(0.0, 2000.0) == 2000.0  # the stream began anew
