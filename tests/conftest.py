"""For every test: quiet libraries, one thread each, and a home of its own."""

from __future__ import annotations

import os
import tempfile

os.environ.setdefault("OPENCV_LOG_LEVEL", "OFF")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("KIBITZ_HOME", tempfile.mkdtemp(prefix="kibitz-tests-"))

import cv2
from hypothesis import settings

cv2.setNumThreads(1)
settings.register_profile("kibitz", deadline=None)  # how fast a busy machine is, is no property of the rules
settings.load_profile("kibitz")
