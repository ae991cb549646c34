"""Sources against real files and a real camera server on loopback."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest

from scorer.errors import KibitzError
from tests.vision.mjpeg_server import MjpegServer, number_of, picture, plain_answer
from vision.slot import NewestSlot
from vision.source import Frame, PhoneSource, Source, SourceState, SourceStatus, frames, open_source, read_picture


@pytest.fixture
def server() -> Iterator[MjpegServer]:
    served = MjpegServer()
    yield served
    served.stop()


@pytest.fixture
def opened() -> Iterator[Callable[..., Source]]:
    """`open_source` whose sources are closed at the end."""
    sources: list[Source] = []

    def opening(spec: object, **options: object) -> Source:
        sources.append(open_source(str(spec), **options))  # type: ignore[arg-type]
        return sources[-1]

    yield opening
    for source in sources:
        source.close()


def until(source: Source, wanted: SourceState, limit_s: float = 4.0) -> tuple[float, SourceStatus]:
    """Reads on until the state is the wanted one; the seconds that took."""
    begin = time.monotonic()
    while time.monotonic() - begin < limit_s:
        source.read(0.02)
        if source.status().state is wanted:
            return time.monotonic() - begin, source.status()
    raise AssertionError(f"not {wanted} within {limit_s} s: {source.status()}")


def write_clip(path: Path, count: int = 12, fps: float = 25.0) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), fps, (160, 120))
    for n in range(count):
        writer.write(np.full((120, 160, 3), 10 + n * 10, np.uint8))
    writer.release()
    return path


# ---------------------------------------------------------------- cameras


def test_camera_keeps_the_newest_frame_and_counts_the_rest(server: MjpegServer, opened: Callable[..., Source]) -> None:
    source = opened(server.address)
    first = source.read(2.0)
    assert first is not None
    assert first.image.shape == (120, 160, 3)
    time.sleep(0.5)  # a slow reader
    later = source.read(2.0)
    assert later is not None
    behind = server.sent - 1 - later.index
    assert behind <= 3, "the frame is an old one"
    assert number_of(later.image) == later.index % 24
    status = source.status()
    assert status.dropped >= later.index - first.index - 2 > 5
    assert status.frames >= later.index + 1
    assert status.state is SourceState.LIVE
    assert later.t_ms - first.t_ms == pytest.approx(500, abs=200)


PATIENCE = [
    # arrivals in ms, patience in ms, what is taken, how many were dropped
    ((0, 33, 66), 0, [2], 2),
    ((0, 33, 66), 50, [1, 2], 1),
    ((0, 10, 20, 30), 50, [0, 1, 2, 3], 0),
    ((0, 16, 33, 50, 66, 83), 50, [3, 4, 5], 3),
]


@pytest.mark.parametrize(("arrivals", "patience", "taken", "dropped"), PATIENCE)
def test_a_slot_keeps_what_came_shortly_before_the_newest(arrivals: tuple[int, ...], patience: int, taken: list[int], dropped: int) -> None:
    now = [0.0]
    slot: NewestSlot[int] = NewestSlot(patience / 1000, lambda: now[0])
    for n, at in enumerate(arrivals):
        now[0] = at / 1000
        slot.put(n)
    assert [slot.take(0) for _ in range(len(taken) + 1)] == [*taken, None]
    assert slot.dropped == dropped


def test_camera_times_rise(server: MjpegServer, opened: Callable[..., Source]) -> None:
    source = opened(server.address)
    got: list[Frame] = []
    for frame in frames(source):
        got.append(frame)
        if len(got) == 15:
            break
    assert all(a.t_ms < b.t_ms and a.index < b.index for a, b in pairwise(got))
    assert 0 < (source.status().fps or 0) < 38  # a busy machine may send fewer than the 30 it means to, never more


def test_stall_shows_within_two_seconds_and_heals(server: MjpegServer, opened: Callable[..., Source]) -> None:
    source = opened(server.address)
    until(source, SourceState.LIVE)
    server.mode = "stall"
    seconds, status = until(source, SourceState.LOST)
    assert seconds < 2.0
    assert status.problem == "stalled"
    assert status.losses == 1
    server.mode = "live"
    seconds, status = until(source, SourceState.LIVE)
    assert seconds < 2.0
    assert status.problem is None


def test_close_and_return_of_the_camera(server: MjpegServer, opened: Callable[..., Source]) -> None:
    source = opened(server.address)
    until(source, SourceState.LIVE)
    server.stop()
    seconds, status = until(source, SourceState.LOST)
    assert seconds < 2.0
    assert status.words is not None
    assert status.words.startswith(source.status().name)
    until(source, SourceState.LOST)
    time.sleep(1.5)  # long enough for the back-off to have grown to its longest
    server.start()
    seconds, _ = until(source, SourceState.LIVE)
    assert seconds < 2.0
    frame = source.read(1.0)
    assert frame is not None


def test_torn_pictures_are_dropped_and_counted(server: MjpegServer, opened: Callable[..., Source]) -> None:
    server.mode = "half"
    source = opened(server.address)
    seen = []
    for frame in frames(source):
        seen.append(number_of(frame.image))
        if len(seen) == 12:
            break
    assert all(n % 2 == 0 for n in seen), "a torn picture was handed over"
    assert source.status().torn >= 8
    assert source.status().state is SourceState.LIVE


def test_nothing_but_torn_pictures_is_a_loss_with_its_own_words(server: MjpegServer, opened: Callable[..., Source]) -> None:
    source = opened(server.address)
    until(source, SourceState.LIVE)
    server.mode = "torn"
    seconds, status = until(source, SourceState.LOST)
    assert seconds < 2.0
    assert status.problem == "torn"
    server.mode = "live"
    until(source, SourceState.LIVE)


def test_camera_that_sends_one_picture_a_request(server: MjpegServer, opened: Callable[..., Source]) -> None:
    asked = iter(range(1000))
    server.answer = lambda connection, head: plain_answer("200 OK", "image/jpeg", picture(next(asked)))(connection, head)
    source = opened(server.address)
    got = [frame for frame, _ in zip(frames(source), range(4), strict=False)]
    assert [number_of(f.image) for f in got] == [f.index for f in got]
    assert got[-1].t_ms - got[0].t_ms > 250, "asked more often than ten times a second"


def test_redirect_and_password(server: MjpegServer, opened: Callable[..., Source]) -> None:
    heads: list[str] = []

    def answer(connection: object, head: str) -> bool:
        heads.append(head)
        if head.startswith("GET /old"):
            return plain_answer("302 Found", "text/plain", b"", "Location: /video")(connection, head)  # type: ignore[arg-type]
        return False

    server.answer = answer  # type: ignore[assignment]
    source = opened(f"http://aunt:s%3Acret@127.0.0.1:{server.port}/old")
    assert source.read(2.0) is not None
    assert "Authorization: Basic YXVudDpzOmNyZXQ=" in heads[0]
    assert "s:cret" not in source.status().name
    assert "s%3Acret" not in source.status().name


def test_closing_ends_at_once(server: MjpegServer) -> None:
    source = open_source(server.address)
    until(source, SourceState.LIVE)
    server.mode = "stall"
    begin = time.monotonic()
    source.close()
    assert time.monotonic() - begin < 0.5
    while source.read(0.0) is not None:
        pass
    assert source.status().state is SourceState.ENDED
    assert list(frames(source)) == []


ANSWERS = [
    ("401 Unauthorized", "text/plain", "password", "http://NAME:PASSWORD@"),
    ("404 Not Found", "text/html", "not-found", "path"),
    ("500 Oops", "text/plain", "address-refused", "500"),
    ("200 OK", "text/html", "web-page", "/video"),
    ("200 OK", "video/mp4", "not-mjpeg", "MJPEG"),
]


@pytest.mark.parametrize(("status", "kind", "code", "word"), ANSWERS)
def test_answers_that_are_no_video(server: MjpegServer, status: str, kind: str, code: str, word: str) -> None:
    server.answer = plain_answer(status, kind, b"hello")
    with pytest.raises(KibitzError) as caught:
        open_source(server.address)
    assert caught.value.code == code
    assert word in caught.value.message


def test_phone_pushes_pictures() -> None:
    now = [100.0]
    phone = PhoneSource(clock=lambda: now[0])
    assert phone.status().state is SourceState.OPENING
    assert phone.push(picture(3))
    frame = phone.read(0)
    assert frame is not None
    assert number_of(frame.image) == 3
    now[0] += 0.1
    assert not phone.push(picture(4)[:-40])
    assert phone.status().state is SourceState.LIVE
    assert phone.status().torn == 1
    now[0] += 1.6
    assert phone.status().state is SourceState.LOST
    assert phone.push(picture(5))
    assert phone.status().state is SourceState.LIVE
    phone.lost()
    assert phone.status().problem == "closed"


# ---------------------------------------------------------------- files


def test_clip_gives_every_frame_with_its_time(tmp_path: Path, opened: Callable[..., Source]) -> None:
    source = opened(write_clip(tmp_path / "clip.mp4"))
    got = []
    for frame in frames(source):
        time.sleep(0.005)  # a slow reader loses nothing
        got.append(frame)
    assert [f.index for f in got] == list(range(12))
    assert [f.t_ms for f in got] == pytest.approx([n * 40.0 for n in range(12)], abs=0.5)
    assert [round((float(f.image.mean()) - 10) / 10) for f in got] == list(range(12))
    status = source.status()
    assert (status.state, status.dropped, status.fps) == (SourceState.ENDED, 0, 25.0)
    assert source.read() is None


def test_clip_without_time_stamps_uses_its_rate(tmp_path: Path, opened: Callable[..., Source]) -> None:
    raw = tmp_path / "raw.mjpeg"
    raw.write_bytes(b"".join(picture(n) for n in range(8)))
    got = list(frames(opened(raw)))
    assert [number_of(f.image) for f in got] == list(range(8))
    steps = {round(b.t_ms - a.t_ms, 3) for a, b in pairwise(got)}
    assert got[0].t_ms == 0
    assert len(steps) == 1
    assert 1 < steps.pop() < 200


def test_paced_clip_takes_its_own_time(tmp_path: Path, opened: Callable[..., Source]) -> None:
    source = opened(write_clip(tmp_path / "clip.mp4"), paced=True)
    begin = time.monotonic()
    got = list(frames(source))
    assert len(got) == 12
    assert time.monotonic() - begin == pytest.approx(0.44, abs=0.2)


def test_paced_clip_goes_on_calmly_after_a_pause(tmp_path: Path, opened: Callable[..., Source]) -> None:
    source = opened(write_clip(tmp_path / "clip.mp4"), paced=True)
    for _ in range(3):
        source.read()
    time.sleep(0.6)
    begin = time.monotonic()
    assert len(list(frames(source))) == 9
    assert time.monotonic() - begin > 0.2, "it hurried to catch up"


def test_pictures_stand_long_enough_to_settle(tmp_path: Path, opened: Callable[..., Source]) -> None:
    for name, n in (("p10.jpg", 10), ("p2.jpg", 2), ("p1.jpg", 1)):
        (tmp_path / name).write_bytes(picture(n))
    (tmp_path / "p3.jpg").write_bytes(picture(3)[:-40])
    (tmp_path / "notes.txt").write_text("no picture")
    source = opened(tmp_path, hold_ms=300)
    got = list(frames(source))
    assert [number_of(f.image) for f in got] == [1, 1, 1, 2, 2, 2, 10, 10, 10]
    assert [f.t_ms for f in got] == [n * 100.0 for n in range(9)]
    assert source.status().torn == 1


def test_pictures_as_stored_and_upright(tmp_path: Path) -> None:
    # A JPEG with an Exif rotation mark (orientation 6: turn it right by 90°).
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    jpeg = picture(1)
    marked = tmp_path / "marked.jpg"
    marked.write_bytes(jpeg[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + jpeg[2:])
    assert read_picture(marked).shape == (120, 160, 3)
    assert read_picture(marked, as_stored=False).shape == (160, 120, 3)


# ---------------------------------------------------------------- what is wrong, in one line


def unusable(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "empty.jpg").touch()
    (tmp_path / "torn.jpg").write_bytes(picture(1)[:200])
    (tmp_path / "cut.mp4").write_bytes(write_clip(tmp_path / "whole.mp4").read_bytes()[:900])
    (tmp_path / "text.txt").write_text("hello")
    (tmp_path / "phone.heic").write_bytes(b"\0\0\0\x18ftypheic" + bytes(40))
    (tmp_path / "void").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "a.jpg").write_bytes(picture(1)[:200])
    (tmp_path / "broken" / "b.jpg").touch()
    return {path.name: str(path) for path in tmp_path.iterdir()}


UNUSABLE = [
    ("empty.mp4", "video-unreadable", "is empty"),
    ("empty.jpg", "picture-unreadable", "is empty"),
    ("torn.jpg", "picture-unreadable", "copy it again"),
    ("cut.mp4", "video-unreadable", "MP4"),
    ("text.txt", "video-unreadable", "video"),
    ("phone.heic", "picture-unreadable", "Most Compatible"),
    ("void", "no-pictures", "JPEG"),
    ("broken", "picture-unreadable", "none of the 2"),
    ("nowhere.mp4", "source-missing", "demo"),
    ("99", "camera-missing", "plug it in"),
    ("http://", "address-bad", "http://192.168"),
    ("http://127.0.0.1:1/video", "refused", "start the camera app"),
    ("http://127.0.0.1:99999/video", "address-bad", "http://192.168"),
    ("rtsp://", "address-bad", "rtsp://192.168"),
    ("rtsp://127.0.0.1:1/x", "unreachable", "check the address"),
    ("ftp://here/x", "address-bad", "rtsp://"),
    ("", "source-missing", "demo"),
    ("0" * 500, "source-missing", "demo"),
    ("/" + "a" * 300, "source-missing", "demo"),
    ("~nobody-of-that-name/clip.mp4", "source-missing", "demo"),
    ("clip\x00.mp4", "source-missing", "demo"),
]


@pytest.mark.parametrize(("spec", "code", "word"), UNUSABLE)
def test_unusable_sources_say_what_to_do(tmp_path: Path, spec: str, code: str, word: str) -> None:
    spec = unusable(tmp_path).get(spec, spec)
    with pytest.raises(KibitzError) as caught:
        open_source(spec, connect_s=1.0)
    assert caught.value.code == code
    assert word in caught.value.message
    assert "\n" not in caught.value.message
