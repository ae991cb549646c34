"""Cutting JPEGs out of a stream: any pieces, any junk between, any picture cut off anywhere."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vision.mjpeg_server import picture
from vision.camera import decode_jpeg
from vision.mjpeg import JpegStream


def with_thumbnail(jpeg: bytes) -> bytes:
    """The picture with another whole JPEG inside its application data, as phones write it."""
    inside = b"Exif\0\0" + picture(0, (32, 24))
    return jpeg[:2] + b"\xff\xe1" + (len(inside) + 2).to_bytes(2, "big") + inside + jpeg[2:]


def progressive(number: int) -> bytes:
    image = np.full((64, 96, 3), 10 + number * 10, np.uint8)
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_PROGRESSIVE, 1, cv2.IMWRITE_JPEG_RST_INTERVAL, 4])[1].tobytes()


PICTURES = [picture(1, (64, 48)), picture(7, (200, 20)), with_thumbnail(picture(2, (64, 48))), progressive(3)]
HEAD = b"\r\n--frame\r\nContent-Type: image/jpeg\r\nContent-Length: 12345\r\n\r\n"

parts = st.lists(
    st.tuples(
        st.integers(0, len(PICTURES) - 1),
        st.one_of(st.none(), st.floats(0.02, 0.98)),  # None: whole; else cut off there
        st.sampled_from([HEAD, b"", b"\r\n", b"--frame--", bytes(3)]),
    ),
    max_size=6,
)


@settings(max_examples=150, deadline=None)
@given(parts, st.lists(st.integers(1, 3000), min_size=1, max_size=40), st.booleans())
def test_whole_pictures_come_out_whatever_lies_between(
    wanted: list[tuple[int, float | None, bytes]], sizes: list[int], named: bool
) -> None:
    data, whole, torn = b"", [], 0
    for which, cut, between in wanted:
        jpeg = PICTURES[which]
        if cut is None:
            data += between + jpeg
            whole.append(jpeg)
        else:
            # Behind the tables; the next test cuts anywhere.
            data += HEAD + jpeg[: max(round(len(jpeg) * cut), jpeg.rindex(b"\xff\xda") + 20)] + HEAD
            torn += 1
    stream = JpegStream(b"frame" if named else b"")
    got = []
    at = n = 0
    while at < len(data):
        size = sizes[n % len(sizes)]
        got += stream.feed(data[at : at + size])
        at += size
        n += 1
    stream.end()
    assert got == whole
    assert stream.torn == torn


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(PICTURES) - 1), st.floats(0.0, 1.0))
def test_a_cut_anywhere_costs_that_picture_only(which: int, cut: float) -> None:
    jpeg = PICTURES[which]
    stream = JpegStream(b"frame")
    end = min(round(len(jpeg) * cut), len(jpeg) - 1)
    got = stream.feed(jpeg[:end] + HEAD + PICTURES[0] + HEAD + PICTURES[1] + HEAD)
    assert got[-2:] == [PICTURES[0], PICTURES[1]]
    # A cut behind a thumbnail's end may leave the thumbnail; never half a picture.
    assert all(decode_jpeg(found) is not None for found in got)
    assert len(got) == 2 or which == 2
    assert stream.torn in ((0,) if end < 3 else (1, 2) if which == 2 else (1,))  # a cut thumbnail is a torn picture too


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_noise_gives_no_picture_and_no_exception(noise: bytes) -> None:
    stream = JpegStream()
    for jpeg in stream.feed(noise * 3):
        decode_jpeg(jpeg)
    stream.end()


def test_an_endless_picture_does_not_fill_the_memory() -> None:
    stream = JpegStream()
    start = PICTURES[0][: PICTURES[0].rindex(b"\xff\xda") + 20]
    for _ in range(80):
        assert stream.feed(start + bytes(1 << 20)) == []
        start = b""
    assert stream.torn >= 1
    assert len(stream._buffer) <= 33 << 20
    assert stream.feed(PICTURES[1]) == [PICTURES[1]]


@pytest.mark.parametrize("data", [b"", b"\xff", b"\xff\xd8\xff\xd9", bytes(100), b"<html>", PICTURES[0][:-2]])
def test_decoding_what_is_no_picture(data: bytes) -> None:
    assert decode_jpeg(data) is None
