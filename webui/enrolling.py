"""A deck being enrolled through the pages: the photograph, what was found in it, and learning in a thread of its own.

The names are the page's: it sends back every card with its name when the deck is to be learned.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from scorer.cards import MAX_BONUS
from scorer.errors import KibitzError
from vision.enrol import FAST, KINDS, THOROUGH, USUAL_BONUS, Place, check_bonus, check_name, find, learn, save, verdict
from vision.files import user_folder
from vision.identify import Deck, load_prototypes
from vision.read import Reader

LONGEST_PX = 2600  # a larger photograph is made smaller: cards of a whole deck are large enough in it
MOST_PIXELS = 60_000_000  # a small file can hold a picture that fills the memory
MOST_CARDS = 120

Image = npt.NDArray[np.uint8]


class Enrolling:
    """One photograph at a time; a new one replaces it. Safe to call from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._looking = threading.Lock()
        self._reader: Reader | None = None
        self._photo: Image | None = None
        self._found: dict[str, Any] = {}
        self._work: dict[str, Any] = {"phase": "empty"}
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    def state(self) -> Mapping[str, Any]:
        """What the page is drawn from: the photograph's cards, how far learning is, and the decks that are kept."""
        with self._lock:
            return {**self._found, **self._work, "decks": decks()}

    def close(self) -> None:
        """Stop learning."""
        self._stop.set()
        thread = self._thread
        if thread is not None:
            thread.join(5.0)

    def photo(self) -> bytes | None:
        """The photograph as JPEG, as the quads are for."""
        image = self._photo
        if image is None:
            return None
        return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 88])[1])

    def take(self, jpeg: bytes, kind: str) -> Mapping[str, Any]:
        """Look at a photograph in a file. Raises KibitzError `picture-broken`, `enrol-nothing`, `enrol-busy`."""
        if not 64 * 64 <= pixels(jpeg) <= MOST_PIXELS:
            raise KibitzError("picture-broken", "that is no picture that can be read: choose a JPEG or PNG photograph")
        data = np.frombuffer(jpeg, np.uint8)
        image = cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None  # turned as the phone was held
        if image is None or min(image.shape[:2]) < 64:
            raise KibitzError("picture-broken", "that is no picture that can be read: choose a JPEG or PNG photograph")
        return self.look(image.astype(np.uint8, copy=False), kind)

    def look(self, image: Image, kind: str) -> Mapping[str, Any]:
        """Find and name the cards of a picture (H, W, 3) BGR. Raises KibitzError."""
        if kind not in KINDS:
            raise KibitzError("deck-kind", f"a {kind} deck cannot be enrolled: choose {' or '.join(KINDS)}")
        if self._busy() or not self._looking.acquire(blocking=False):
            raise KibitzError("enrol-busy", "a deck is being learned: wait until it is done")
        try:
            k = LONGEST_PX / max(image.shape[:2])
            if k < 1:
                image = cv2.resize(image, None, fx=k, fy=k, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
            places = find(self._load(), [image], kind)
            said = verdict(places, kind)
            found = {
                "photo": secrets.token_hex(6), "kind": kind, "size": [image.shape[1], image.shape[0]], "small": list(said.small),
                "bonus": dict(USUAL_BONUS) if kind == "hwatu" else {}, "most_bonus": MAX_BONUS if kind == "hwatu" else 0,
                "cards": [
                    {"card": q.card, "confidence": round(q.confidence, 3), "others": [list(o) for o in q.others],
                     "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in q.quad]}
                    for q in places
                ],
            }  # fmt: skip
            with self._lock:
                self._photo, self._found, self._work = image, found, {"phase": "found"}
        finally:
            self._looking.release()
        return self.state()

    def learn(self, wish: Mapping[str, Any]) -> Mapping[str, Any]:
        """Begin to learn {photo, name, bonus, thorough, cards: [{card, quad}]}. Raises KibitzError where it cannot be."""
        name, worth, places = self._understood(wish)
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                raise KibitzError("enrol-busy", "a deck is being learned: wait until it is done")
            if self._photo is None or wish.get("photo") != self._found.get("photo"):
                raise KibitzError("enrol-stale", "another photograph was taken meanwhile: look at its cards first")
            image, kind = self._photo, str(self._found["kind"])
            check_bonus(kind, worth)
            each = THOROUGH if wish.get("thorough") is True else FAST
            self._stop.clear()
            self._work = {"phase": "learning", "share": 0.0, "name": name}
            self._thread = threading.Thread(target=self._learn, args=(image, places, name, kind, worth, each), name="enrol", daemon=True)
            self._thread.start()
        return self.state()

    # -- inside ----------------------------------------------------------------------------------------------------------

    def _learn(self, image: Image, places: list[Place], name: str, kind: str, worth: Mapping[str, int], each: int) -> None:
        def progress(share: float) -> bool:
            with self._lock:
                self._work = {**self._work, "share": round(share, 3)}
            return not self._stop.is_set()

        done: dict[str, Any]
        try:
            got = learn(self._load(), [image], places, name, kind, worth, each, progress)
            if self._stop.is_set():
                return
            save(got.deck)
            done = {
                "phase": "done", "name": name, "learned": len({q.card for q in places if q.card}), "twins": [list(t) for t in got.twins],
                "hard": list(got.hard), "thorough": each == THOROUGH,
            }  # fmt: skip
        except KibitzError as error:
            done = {"phase": "failed", "name": name, "problem": {"code": error.code, "args": {"message": error.message}, "cards": []}}
        except Exception:  # a fault of ours must not leave the page waiting for ever
            done = {"phase": "failed", "name": name, "problem": {"code": "enrol-fault", "args": {}, "cards": []}}
        with self._lock:
            self._work = done

    def _understood(self, wish: Mapping[str, Any]) -> tuple[str, dict[str, int], list[Place]]:
        name, bonus, cards = wish.get("name"), wish.get("bonus", {}), wish.get("cards")
        if not isinstance(name, str):
            raise KibitzError("deck-name", "the deck has no name: give it one")
        check_name(name.strip())
        if not isinstance(bonus, dict) or not isinstance(cards, list) or not 1 <= len(cards) <= MOST_CARDS:
            raise KibitzError("bad-command", f"cards must be a list of 1 to {MOST_CARDS}, bonus an object: send them again")
        places = []
        for item in cards:
            card, quad = (item.get("card"), item.get("quad")) if isinstance(item, dict) else (None, None)
            if not isinstance(card, str) or len(card) > 40 or not _is_quad(quad):
                raise KibitzError("bad-command", "each card needs a name and four corners: send them again")
            places.append(Place(card, 1.0, 0, np.array(quad, np.float32)))
        return name.strip(), bonus, places

    def _load(self) -> Reader:
        if self._reader is None:
            self._reader = Reader()
        return self._reader

    def _busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()


def _is_quad(quad: object) -> bool:
    """Four corners [x, y] of something with an area, clockwise."""
    if not isinstance(quad, list) or len(quad) != 4:
        return False
    if not all(isinstance(p, list) and len(p) == 2 and all(isinstance(v, int | float) and not isinstance(v, bool) and abs(v) < 1e5 for v in p) for p in quad):
        return False
    points = np.array(quad, np.float32)
    return bool(cv2.isContourConvex(points) and cv2.contourArea(points, oriented=True) > 16)


def pixels(data: bytes) -> int:
    """How many pixels a JPEG or PNG says that it has; 0 where it is neither."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        return int.from_bytes(data[16:20], "big") * int.from_bytes(data[20:24], "big")
    at = 2
    while data[:2] == b"\xff\xd8" and at + 9 <= len(data) and data[at] == 0xFF:
        kind, length = data[at + 1], int.from_bytes(data[at + 2:at + 4], "big")
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):  # a frame's header: height, then width
            return int.from_bytes(data[at + 5:at + 7], "big") * int.from_bytes(data[at + 7:at + 9], "big")
        at += 2 + length
    return 0


def decks() -> list[dict[str, Any]]:
    """The decks that were enrolled on this machine, by name; a file that cannot be read is left out."""
    found = []
    for path in sorted(user_folder("decks").glob("*.npz")):
        try:
            deck: Deck = load_prototypes(path)
        except KibitzError:
            continue
        found.append({"name": deck.name, "kind": deck.kind, "bonus": dict(deck.worth), "twins": [list(t) for t in deck.twins]})
    return found
