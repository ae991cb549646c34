"""Cameras while they run: the newest frame is kept, drops are counted, a loss heals by itself."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable

from scorer.errors import KibitzError
from vision.camera import Fault, Image, Session, decode_jpeg
from vision.frame import Frame, SourceState, SourceStatus
from vision.slot import JITTER_S, NewestSlot

Clock = Callable[[], float]

STALE_S = 1.5  # a camera that gave nothing for so long is lost
CONNECT_FIRST_S = 5.0  # a person waits: be patient
_CONNECT_AGAIN_S = 1.0  # nobody waits for one try: ask often, so that a return shows within two seconds
_BACKOFF_S = (0.1, 0.2, 0.4, 0.8)
_SETTLED_S = 2.0  # a connection that lived for so long starts the back-off anew


class _Live:
    """The newest-frame side of every camera: slot, counters and state; what fills it is the subclass's business."""

    live = True

    def __init__(self, kind: str, name: str, clock: Clock) -> None:
        self.kind = kind
        self.name = name
        self._clock = clock
        self.origin_s = clock()  # the clock's time at t_ms = 0
        self._slot: NewestSlot[Frame] = NewestSlot(JITTER_S)
        self._lock = threading.Lock()
        self._frames = 0
        self._losses = 0
        self._torn = 0
        self._torn_before = 0  # when the last frame came
        self._ended = False
        self._fault: Fault | None = None
        self._last_s: float | None = None  # arrival of the last frame
        self._last_t_ms = -math.inf
        self._times: deque[float] = deque(maxlen=31)
        self._size: tuple[int, int] | None = None

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        return self._slot.take(timeout_s)

    def _publish(self, image: Image, captured_s: float) -> None:
        with self._lock:
            t_ms = (captured_s - self.origin_s) * 1000
            if t_ms <= self._last_t_ms:
                t_ms = self._last_t_ms + 0.001  # time stamps never stand still, whatever a driver says
            index, self._frames = self._frames, self._frames + 1
            self._last_t_ms = t_ms
            now = self._clock()
            if self._fault is None and self._last_s is not None and now - self._last_s > STALE_S:
                self._losses += 1  # it went away and came back without a word
                self._times.clear()
            self._last_s = now
            self._torn_before = self._counts()[0]
            self._times.append(t_ms)
            self._size = (image.shape[1], image.shape[0])
            self._fault = None
        self._slot.put(Frame(index, t_ms, image))

    def _counts(self) -> tuple[int, int]:
        """Pictures that were torn, and whole ones that were overtaken before they reached the slot."""
        return self._torn, 0

    def _lose(self, fault: Fault) -> None:
        with self._lock:
            if self._fault is None:
                self._losses += 1
                self._times.clear()
            self._fault = fault

    def status(self) -> SourceStatus:
        with self._lock:
            fault = self._fault
            torn, skipped = self._counts()
            since = self.origin_s + CONNECT_FIRST_S if self._last_s is None else self._last_s
            losses = self._losses
            if fault is None and self._clock() - since > STALE_S:
                # The reader thread may hang in a driver: the clock says what it cannot.
                losses += 1
                if torn > self._torn_before:
                    fault = Fault("torn", "sends only cut-off pictures: bring it nearer to the router, or choose smaller pictures")
                else:
                    fault = Fault("stalled", "has stopped sending: check its power and the network")
            if self._ended:
                state = SourceState.ENDED
            elif fault is not None:
                state = SourceState.LOST
            else:
                state = SourceState.OPENING if self._last_s is None else SourceState.LIVE
            span = self._times[-1] - self._times[0] if len(self._times) > 1 else 0.0
            lost = state is SourceState.LOST and fault is not None
            return SourceStatus(
                self.kind, self.name, state, self._frames + skipped, self._slot.dropped + skipped, torn, losses,
                round((len(self._times) - 1) * 1000 / span, 1) if span > 0 and state is SourceState.LIVE else None, self._size,
                fault.code if lost and fault else None, f"{self.name} {fault.words}" if lost and fault else None,
            )  # fmt: skip

    def close(self) -> None:
        with self._lock:
            self._ended = True
        self._slot.close()


class LiveSource(_Live):
    """A camera: its own thread reads as fast as frames come, and connects again, with back-off, whenever the camera goes away."""

    def __init__(self, session: Session, *, clock: Clock = time.monotonic, connect_s: float = CONNECT_FIRST_S) -> None:
        """Waits for the first connection. Raises KibitzError with the fault's code where there is none."""
        super().__init__(session.kind, session.name, clock)
        self._session = session
        self._stop = threading.Event()
        try:
            session.open(connect_s, STALE_S)
        except Fault as fault:
            session.close()
            raise KibitzError(fault.code, f"{session.name} {fault.words}", source=session.name) from fault
        self._thread = threading.Thread(target=self._work, name=f"source {session.name}", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        tries = 0
        opened = True
        try:
            while not self._stop.is_set():
                since = self._clock()
                try:
                    if not opened:
                        self._session.open(_CONNECT_AGAIN_S, STALE_S)
                    while not self._stop.is_set():
                        image, captured_s = self._session.next()
                        self._publish(image, captured_s)
                        if tries and self._clock() - since > _SETTLED_S:
                            tries = 0
                except Fault as fault:
                    self._lose(fault)
                except Exception as error:  # a driver's own fault must not end the evening
                    self._lose(Fault("fault", f"failed ({' '.join(str(error).split())[:120] or type(error).__name__}): trying again"))
                finally:
                    self._session.close()
                    opened = False
                self._stop.wait(_BACKOFF_S[min(tries, len(_BACKOFF_S) - 1)])
                tries += 1
        finally:
            self._session.close()

    def _counts(self) -> tuple[int, int]:
        return self._session.torn, self._session.skipped

    def close(self) -> None:
        super().close()
        self._stop.set()
        self._session.wake()
        self._thread.join(2 * STALE_S)


class PhoneSource(_Live):
    """A camera whose pictures are handed in from outside, e.g. by a phone's browser: `push` one JPEG after another."""

    def __init__(self, name: str = "phone", *, clock: Clock = time.monotonic) -> None:
        super().__init__("phone", name, clock)

    def push(self, jpeg: bytes) -> bool:
        """Takes one picture; False where it is torn (it is counted, and the frame before it stays the newest)."""
        image = decode_jpeg(jpeg) if jpeg.rstrip(b"\0")[-2:] == b"\xff\xd9" or jpeg[:2] != b"\xff\xd8" else None
        if image is None:
            with self._lock:
                self._torn += 1
            return False
        self._publish(image, self._clock())
        return True

    def lost(self) -> None:
        """The phone hung up; the next `push` brings it back."""
        self._lose(Fault("closed", "has hung up: open its page again"))
