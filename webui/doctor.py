"""`kibitz doctor`: what is wrong on this machine, and the mend. Each check gives one line and never raises."""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import shutil
import socket
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from scorer.errors import KibitzError
from webui import libraries

State = Literal["good", "note", "wrong"]
_SIGNS = {"good": "ok", "note": "note", "wrong": "WRONG"}
_NEEDED_MB = 500
_FIRST_FRAME_S = 5.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: `what` was looked at, how it is, and the `mend` ("" when good). A note hinders nobody."""

    what: str
    state: State
    words: str
    mend: str = ""


def examine(port: int, source: str | None = None) -> Iterator[Finding]:
    """Every check in turn, cheapest first."""
    checks: list[Callable[[], Iterator[Finding]]] = [_python, _libraries]
    if not libraries.missing():
        checks += [_video, _models, _data, _folder, lambda: _port(port), _network, lambda: _cameras(source)]
    for check in checks:
        try:
            yield from check()
        except KibitzError as error:
            yield Finding(error.code, "wrong", *_split(error.message))


def _split(line: str) -> tuple[str, str]:
    """A KibitzError's line → what is wrong, the mend."""
    for mark in ("; ", ": "):
        what, found, mend = line.rpartition(mark)
        if found:
            return what, mend
    return line, ""


def _python() -> Iterator[Finding]:
    words = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    if sys.version_info >= (3, 11):  # noqa: UP036  (whoever runs it from a checkout may have an older one)
        yield Finding("python", "good", words)
    else:
        yield Finding("python", "wrong", words, "install Python 3.11 or newer")


def _libraries() -> Iterator[Finding]:
    lacking = libraries.missing()
    for line in lacking:
        yield Finding("libraries", "wrong", *_split(line))
    if not lacking:
        from importlib import metadata

        versions = []
        for name in ("numpy", "opencv-python", "opencv-python-headless", "onnxruntime", "flask", "cheroot", "cryptography"):
            try:
                versions.append(f"{name} {metadata.version(name)}")
            except metadata.PackageNotFoundError:
                continue
        yield Finding("libraries", "good", ", ".join(versions))


def _video() -> Iterator[Finding]:
    import cv2

    backends = {cv2.videoio_registry.getBackendName(b) for b in cv2.videoio_registry.getBackends()}
    if "FFMPEG" in backends:
        yield Finding("video", "good", "OpenCV reads video files and rtsp:// addresses (FFmpeg inside)")
    else:
        yield Finding("video", "wrong", "this OpenCV has no FFmpeg", "pip install --force-reinstall opencv-python")


def _models() -> Iterator[Finding]:
    from vision.files import shipped

    folder = shipped("models")
    cards = sorted(folder.glob("*.toml"))
    mend = "install Kibitz again"
    found = 0
    for card in cards:
        model = card.with_suffix(".onnx")
        try:
            stated = tomllib.loads(card.read_text(encoding="utf-8")).get("sha256")
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            yield Finding("models", "wrong", f"{card.name} cannot be read ({' '.join(str(error).split())})", mend)
            continue
        if stated is None:
            continue
        found += 1
        if not model.is_file():
            yield Finding("models", "wrong", f"{model.name} is missing", mend)
        elif model.stat().st_size == 0:
            yield Finding("models", "wrong", f"{model.name} is empty (0 bytes)", mend)
        elif hashlib.sha256(model.read_bytes()).hexdigest() != stated:
            yield Finding("models", "wrong", f"{model.name} is not the file its card names (sha256 differs)", mend)
        else:
            yield Finding("models", "good", f"{model.name} {model.stat().st_size / 1e6:.1f} MB, sha256 {str(stated)[:12]}…")
    if not found:
        yield Finding("models", "wrong", f"there is no model in {folder}", mend)


def _data() -> Iterator[Finding]:
    from vision.files import shipped

    for parts in (("datasets", "decks"), ("datasets", "clips", "demo", "clip.mp4"), ("scorer", "rules")):
        shipped(*parts)
    yield Finding("data", "good", "drawn decks, rulesets and the demo clip are there")


def _folder() -> Iterator[Finding]:
    from vision.files import user_folder

    folder = user_folder()
    probe = folder / ".doctor"
    try:
        probe.write_bytes(b"x")
        probe.unlink()
    except OSError as error:
        yield Finding("folder", "wrong", f"{folder} cannot be written ({error.strerror})", "free it, or name another one in KIBITZ_HOME")
        return
    free_mb = shutil.disk_usage(folder).free / 1e6
    if free_mb < _NEEDED_MB:
        yield Finding("folder", "wrong", f"{folder} has {free_mb:.0f} MB left", f"free {_NEEDED_MB} MB, or name another one in KIBITZ_HOME")
    else:
        yield Finding("folder", "good", f"{folder}, {free_mb / 1000:.0f} GB free")


def _port(port: int) -> Iterator[Finding]:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError:
            yield Finding("port", "wrong", f"port {port} may not be used by you", "choose one above 1023 with --port")
        except OSError:
            other = port + 1 if port < 65535 else port - 1
            mend = f"stop that program, or `kibitz run --port {other}`"
            yield Finding("port", "wrong", f"port {port} is in use (by another Kibitz?)", mend)
        else:
            yield Finding("port", "good", f"{port} is free")


def _network() -> Iterator[Finding]:
    from webui import lan

    addresses = lan.addresses()
    if addresses:
        yield Finding("network", "good", f"phones reach this machine at {', '.join(addresses[:3])} (with --lan)")
    else:
        yield Finding("network", "note", "no network: the page opens on this machine only", "join the Wi-Fi that the phones use")


def _cameras(source: str | None) -> Iterator[Finding]:
    from vision.source import list_cameras

    cameras = list_cameras()
    if not cameras and source is None:
        yield Finding("camera", "note", "none is plugged in: `kibitz run` plays the bundled clip", "plug a camera in, or use a phone's")
    for spec in [source] if source is not None else [str(camera.index) for camera in cameras]:
        yield _try_source(spec, next((camera.name for camera in cameras if str(camera.index) == spec), spec))


def _try_source(spec: str, name: str) -> Finding:
    """Opens a source, takes pictures for a moment and looks at their health."""
    from vision.health import Health, measure
    from vision.source import open_source

    label = f"camera {spec}" if spec.isdecimal() else "source"
    try:
        source = open_source(spec, connect_s=_FIRST_FRAME_S)
    except KibitzError as error:
        return Finding(label, "wrong", *_split(error.message))
    try:
        frame = source.read(_FIRST_FRAME_S)
        for _ in range(10):  # the first pictures of many cameras are dark
            frame = source.read(0.3) or frame
        status = source.status()
    finally:
        source.close()
    if frame is None:
        return Finding(label, "wrong", f"{name} opens but gives no picture", "close other programs that use it, or plug it in again")
    height, width = frame.image.shape[:2]
    words = f"{name}: {width} × {height}" + (f", {status.fps:.0f} pictures a second" if status.fps else "")
    mends = {
        "dark": "more light on the table",
        "bright": "less light, or move the lamp",
        "glare": "move the lamp to the side",
        "blur": "clean the lens, or hold the camera still",
    }
    found = [code for code in Health().update(measure(frame.image)) if code in mends]
    if found:
        return Finding(label, "note", f"{words}; picture: {', '.join(found)}", "; ".join(mends[code] for code in found))
    return Finding(label, "good", words)


def main(args: argparse.Namespace) -> int:
    """Prints the findings; 1 where something is wrong that hinders play."""
    findings = []
    for finding in examine(args.port, args.source):
        findings.append(finding)
        if not args.json:
            mend = f"\n{'':19}→ {finding.mend}" if finding.mend else ""
            print(f"{_SIGNS[finding.state]:5}  {finding.what:10}  {finding.words}{mend}", flush=True)
    if args.json:
        print(json.dumps([asdict(finding) for finding in findings], ensure_ascii=False))
    return 1 if any(finding.state == "wrong" for finding in findings) else 0
