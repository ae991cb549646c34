from __future__ import annotations

import threading
from collections.abc import Iterator

import cv2
import numpy as np

from webui.stream import Stream, View, blur_hidden


def picture(value: int = 90, width: int = 1280, height: int = 720) -> np.ndarray:
    rng = np.random.default_rng(value)
    return rng.integers(0, 255, (height, width, 3), dtype=np.uint8)


def parts(stream: Stream) -> Iterator[bytes]:
    found = stream.enter()
    assert found is not None
    return found


def test_a_part_is_a_jpeg_with_the_number_of_its_frame() -> None:
    stream = Stream(width=320)
    stream.show(View(7, 233.4, picture()))
    head, _, body = next(parts(stream)).partition(b"\r\n\r\n")
    fields = dict(line.split(": ") for line in head.decode().split("\r\n")[1:])
    assert fields["X-Frame"] == "7"
    assert fields["X-Size"] == "1280x720"
    assert int(fields["Content-Length"]) == len(body) - 2
    image = cv2.imdecode(np.frombuffer(body, np.uint8), cv2.IMREAD_COLOR)
    assert image.shape[:2] == (180, 320)


def test_two_viewers_share_one_encoding(monkeypatch: object) -> None:
    stream = Stream()
    count = 0
    encode = stream._encode

    def counted(*args: object) -> bytes:
        nonlocal count
        count += 1
        return encode(*args)  # type: ignore[arg-type]

    stream._encode = counted  # type: ignore[method-assign]
    stream.show(View(1, 0.0, picture()))
    a, b = parts(stream), parts(stream)
    assert next(a) == next(b)
    assert count == 1


def test_nobody_looks_nothing_is_encoded() -> None:
    stream = Stream()
    stream._encode = None  # type: ignore[assignment, method-assign]  # would raise if it were called
    for n in range(100):
        stream.show(View(n, n * 33.0, picture()[:8, :8]))
    assert stream.viewers == 0


def test_a_viewer_that_leaves_gives_its_place_back() -> None:
    stream = Stream(max_viewers=1)
    viewer = parts(stream)
    assert stream.enter() is None
    viewer.close()  # type: ignore[attr-defined]
    assert stream.viewers == 0
    assert stream.enter() is not None


def test_a_slow_viewer_gets_the_newest_frame() -> None:
    stream = Stream(fps=1000)
    viewer = parts(stream)
    for n in range(50):
        stream.show(View(n, 0.0, picture()[:16, :16]))
    assert b"X-Frame: 49\r\n" in next(viewer)


def test_close_ends_a_waiting_viewer() -> None:
    stream = Stream(fps=1000)
    stream.show(View(0, 0.0, picture()[:16, :16]))
    viewer = parts(stream)
    next(viewer)
    threading.Timer(0.05, stream.close).start()
    assert list(viewer) == []


def test_a_hand_cannot_be_read_from_the_picture() -> None:
    """A card's print (here: noise) inside the hidden quad is gone from the JPEG, and outside it is not."""
    image = picture()
    hidden = ((100.0, 100.0), (300.0, 100.0), (300.0, 400.0), (100.0, 400.0))
    blurred = blur_hidden(image, [hidden])
    inside, outside = blurred[110:390, 110:290], blurred[:, 400:]
    edges = np.abs(np.diff(inside.astype(int), axis=1)).mean()
    assert edges < 3
    assert np.array_equal(outside, image[:, 400:])
    assert image[200, 200].tolist() == picture()[200, 200].tolist()  # the frame itself is left alone
    stream = Stream(width=1280, quality=95)
    stream.show(View(0, 0.0, image, hidden=(hidden,)))
    found = stream.picture()
    assert found is not None
    decoded = cv2.imdecode(np.frombuffer(found[1], np.uint8), cv2.IMREAD_COLOR)
    assert np.abs(np.diff(decoded[110:390, 110:290].astype(int), axis=1)).mean() < 6
