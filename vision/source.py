"""Where frames come from: a camera keeps the newest frame and counts what it drops, a file waits and gives every frame.

`open_source("0")`, `open_source("http://…")`, `open_source("rtsp://…")`, `open_source("clip.mp4")`, `open_source("photos/")` and
`open_source("demo")` all give a Source. Time is the source's own: the moment of capture for a camera, the container's time stamp
for a clip. The reader thread of a camera is the only place that waits for hardware.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

import cv2

from scorer.errors import KibitzError
from vision.camera import CameraInfo, RtspCamera, UsbCamera, list_cameras
from vision.files import shipped
from vision.frame import Frame, Source, SourceState, SourceStatus, frames
from vision.live import CONNECT_FIRST_S, Clock, LiveSource, PhoneSource
from vision.mjpeg import HttpCamera
from vision.recorded import ClipSource, PictureSource, read_picture

__all__ = [
    "CameraInfo", "ClipSource", "Frame", "LiveSource", "PhoneSource", "PictureSource", "Source", "SourceState", "SourceStatus",
    "default_source", "demo_clip", "frames", "list_cameras", "open_source", "pictures_in", "read_picture",
]  # fmt: skip

_PICTURE_SUFFIXES = frozenset((".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".heic", ".heif", ".avif"))
_CLIP_SUFFIXES = frozenset((".mp4", ".m4v", ".mov", ".webm", ".mkv", ".avi", ".mjpeg", ".mjpg", ".ts", ".h264", ".gif"))

_CAMERA = re.compile(r"(\d{1,3})(?:@(\d{2,5})x(\d{2,5}))?(?:@(\d{1,3}))?")


def is_picture(path: Path) -> bool:
    """Whether it is one picture: by its name's ending, else by how it begins (a raw .mjpeg begins like a picture)."""
    ending = path.suffix.lower()
    if ending in _PICTURE_SUFFIXES or ending in _CLIP_SUFFIXES:
        return ending in _PICTURE_SUFFIXES
    try:
        return bool(cv2.haveImageReader(str(path)))
    except cv2.error:
        return False


def demo_clip() -> Path:
    """The bundled clip; `table.json`, `commands.jsonl` and `truth.jsonl` lie beside it. Raises KibitzError `file-missing`."""
    return shipped("datasets", "clips", "demo", "clip.mp4")


def default_source() -> str:
    """What `kibitz run` takes when nothing is asked for: the first camera of this machine, else the bundled clip."""
    cameras = list_cameras()
    return str(cameras[0].index) if cameras else "demo"


def open_source(
    spec: str,
    *,
    paced: bool = False,
    hold_ms: float = 2000.0,
    size: tuple[int, int] = (1280, 720),
    fps: float | None = None,
    connect_s: float = CONNECT_FIRST_S,
    clock: Clock = time.monotonic,
) -> Source:
    """A source by its words: a camera's number, an http(s):// or rtsp:// address, a file, a folder of pictures, or `demo`.

    `0@60` asks the first camera for 60 pictures a second, `0@1920x1080@30` for that size too.
    `paced`: files are handed over at their own speed (a page is watching) instead of as fast as they are read. `hold_ms`: how long
    each picture stands. `size`, `fps`: asked of a USB camera. Raises KibitzError: one line with the mend.
    """
    text = spec.strip()
    camera = _CAMERA.fullmatch(text)
    if camera:
        number, width, height, rate = camera.groups()
        size = (int(width), int(height)) if width else size
        usb = UsbCamera(int(number), clock=clock, size=size, fps=float(rate) if rate else fps)
        return LiveSource(usb, clock=clock, connect_s=connect_s)
    scheme = text.partition("://")[0].lower() if "://" in text else ""
    if scheme in ("http", "https"):
        return LiveSource(HttpCamera(text, clock=clock), clock=clock, connect_s=connect_s)
    if scheme in ("rtsp", "rtsps"):
        return LiveSource(RtspCamera(text, clock=clock), clock=clock, connect_s=connect_s)
    if scheme:
        raise KibitzError("address-bad", f"{text}: {scheme}:// is not known: give http:// or rtsp://", source=text)
    if text == "demo":
        return ClipSource(demo_clip(), name="demo", paced=paced, clock=clock)
    try:
        path = Path(text).expanduser()
        folder, file = bool(text) and path.is_dir(), bool(text) and path.is_file()
    except (OSError, RuntimeError):  # a name longer than any file's, a home that nobody has
        folder = file = False
    if folder:
        return PictureSource(pictures_in(path), name=str(path), hold_ms=hold_ms, paced=paced, clock=clock)
    if not file:
        raise KibitzError(
            "source-missing",
            f"there is no source {text[:120]!r}: give a camera's number, an http:// or rtsp:// address, a file, a folder of pictures, or demo",
            source=text,
        )
    if is_picture(path):
        return PictureSource((path,), name=str(path), hold_ms=hold_ms, paced=paced, clock=clock)
    return ClipSource(path, paced=paced, clock=clock)


def pictures_in(folder: Path) -> tuple[Path, ...]:
    """The pictures directly in a folder, in the order a person counts (2 before 10). Raises KibitzError `no-pictures`."""
    found = [p for p in folder.iterdir() if p.is_file() and not p.name.startswith(".") and p.suffix.lower() in _PICTURE_SUFFIXES]
    if not found:
        raise KibitzError("no-pictures", f"there is no picture in {folder}: put JPEG or PNG files there", path=str(folder))
    return tuple(sorted(found, key=lambda p: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", p.name.lower())]))
