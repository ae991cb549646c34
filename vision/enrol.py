"""Learning a user's own deck from photographs of it laid out.

Every card found is read with what all decks of its kind have in common; then each card of the deck is given its one place in the
photographs by joint assignment, so that what is plain elsewhere settles what is doubtful. Once a person has looked at the names,
views of the cards are made (covered, in other light) and a discriminant is fitted to them.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.cards import BACK, MAX_BONUS, is_card, merged, sorted_cards, standard_deck
from scorer.cards import kind as kind_of
from scorer.errors import KibitzError
from vision.assign import assign
from vision.detect import Detections, join
from vision.discriminant import confusion, fit, unit
from vision.files import user_folder
from vision.identify import CROP_H, CROP_W, NOT_A_CARD, Deck, Identifier, cut_crops
from vision.layout import as_detections, cards_apart
from vision.read import Image, Reader, load_picture
from vision.views import Crops, views

KINDS = ("hwatu", "french")
USUAL_BONUS = {"joker-2": 2, "joker-3": 3}
DOUBTFUL = 0.5  # confidence below which a person should look at a name
NAMELESS = 9.5  # nats: dearer than any name, so a place is left without one only where there are more places than cards
STRAY = 0.97  # from so sure a "no card of this kind" a place is left out
WHOLE_DECK = 0.6  # of a deck's cards in one photograph: from there each photograph is of the whole deck
SMALL_PX = 40.0  # short side of a card below which its print is lost
CLEAR = 0.6  # visible share of the views by which cards are told apart
TWINS = 0.945  # cosine of two whole cards from which their prints are the same: in the photograph only their light differs
BACKS = ((35, 30, 185), (30, 22, 120), (30, 28, 30), (150, 70, 40))  # BGR of hwatu backs, which are plain: red, dark red, black, blue
HARD = 0.6  # share of a card's clear views that must be read right
FAST, THOROUGH = 24, 160  # views of each card
BATCH = 192

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}")
_BONUS = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")

Progress = Callable[[float], bool]


@dataclass(frozen=True)
class Place:
    """A card in a photograph: its name ("" where none could be given), how sure, which photograph and where (quad (4, 2) px),
    and the likeliest names."""

    card: str
    confidence: float
    photo: int
    quad: NDArray[np.float32]
    others: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What is to be said of the places found: cards of the deck not among them, names to look at, cards too small to be read
    later, cards named more often than the deck has them, and how many places have no name."""

    missing: tuple[str, ...]
    doubtful: tuple[str, ...]
    small: tuple[str, ...]
    twice: tuple[str, ...]
    nameless: int


@dataclass(frozen=True)
class Enrolment:
    """What was learned: the deck, and what it does not tell apart: groups of look-alikes, and cards hard to read."""

    deck: Deck
    twins: tuple[tuple[str, ...], ...]
    hard: tuple[str, ...]


def check_bonus(kind: str, worth: Mapping[str, int]) -> dict[str, int]:
    """Bonus cards of a hwatu deck with the junk that each counts as. Raises KibitzError `bonus-bad`."""
    if worth and kind != "hwatu":
        raise KibitzError("bonus-bad", "only hwatu decks have bonus cards: leave them out")
    if len(worth) > MAX_BONUS:
        raise KibitzError("bonus-bad", f"{len(worth)} bonus cards are named: a deck has at most {MAX_BONUS}", most=MAX_BONUS)
    for card, junk in worth.items():
        if not _BONUS.fullmatch(card) or len(card) > 24 or (is_card(card) and kind_of(card) != "joker"):
            raise KibitzError("bonus-bad", f"{card!r} cannot name a bonus card: use small letters, digits and hyphens", card=card)
        if not isinstance(junk, int) or isinstance(junk, bool) or not 0 <= junk <= 9:
            raise KibitzError("bonus-bad", f"the bonus card {card} counts as {junk!r} junk: give a whole number from 0 to 9", card=card)
    return dict(worth)


def slots_of(kind: str, worth: Mapping[str, int]) -> list[str]:
    """Every card of the deck, as often as the deck has it. Raises KibitzError `deck-kind`."""
    if kind not in KINDS:
        raise KibitzError("deck-kind", f"a {kind} deck cannot be enrolled: name {' or '.join(KINDS)}", deck=kind)
    deck = standard_deck(kind, worth) if kind == "hwatu" else standard_deck(kind, 2)
    return [card for card, n in deck.copies for _ in range(n)]


def find(reader: Reader, photos: Sequence[Image], kind: str, worth: Mapping[str, int] = USUAL_BONUS) -> tuple[Place, ...]:
    """The cards in photographs (BGR) of a deck laid out face up, named. Raises KibitzError `enrol-nothing` where there is none."""
    slots = slots_of(kind, worth if kind == "hwatu" else {})
    size_mm = standard_deck(kind).size_mm
    found = [cards_apart(reader.on_table, photo, size_mm) for photo in photos]
    if not sum(len(d) for d in found):
        raise KibitzError(
            "enrol-nothing", "no whole card is seen in the photograph: lay the cards apart, face up, in even light, and take it from above"
        )
    identifier = reader.identifier(kind)
    p = np.concatenate([_read(identifier, photo, d) for photo, d in zip(photos, found, strict=True)])
    cards = list(identifier.deck.cards)
    other = p[:, cards.index(NOT_A_CARD)] if NOT_A_CARD in cards else np.zeros(len(p), np.float32)
    keep = np.flatnonzero(other < STRAY)  # what lies in a row is most likely a card, however odd its print
    where = np.repeat(np.arange(len(photos)), [len(d) for d in found])
    everything = join(found)
    if len(keep) < 0.5 * len(slots):  # a deck unlike all others: what lies in rows is a card, whatever it shows
        keep = np.arange(len(everything))
    quad, p, where = everything.quad[keep], p[keep], where[keep]
    likely = np.stack([_likelihood(p, cards, slot) for slot in slots], 1)
    got = np.full(len(quad), -1)
    for group in _groups(where, len(slots)):
        got[group] = assign(-np.log(np.maximum(likely[group], 1e-4)).astype(np.float64), NAMELESS)
    places = []
    for k in range(len(quad)):
        ranked = [(cards[i], round(float(p[k, i]), 4)) for i in np.argsort(-p[k])[:4] if cards[i] != NOT_A_CARD]
        name, sure = (slots[got[k]], float(likely[k, got[k]])) if got[k] >= 0 else ("", 0.0)
        places.append(Place(name, round(sure, 4), int(where[k]), quad[k], tuple(ranked[:3])))
    return tuple(places)


def _read(identifier: Identifier, photo: Image, found: Detections) -> NDArray[np.float32]:
    """Probabilities (N, M) of the cards of all decks, each card looked at both ways up."""
    crops = cut_crops(photo, found)
    there, back = (identifier.probabilities(identifier.embed(c)[0]) for c in (crops, np.ascontiguousarray(crops[:, :, ::-1, ::-1])))
    both = np.sqrt(there * back)
    return np.asarray(both / np.maximum(both.sum(1, keepdims=True), 1e-9), np.float32)


def _likelihood(p: NDArray[np.float32], cards: list[str], slot: str) -> NDArray[np.float32]:
    """How well each place (N,) suits a card of the deck: a bonus card of the user's own naming may look like any joker."""
    if merged(slot) in cards:
        return p[:, cards.index(merged(slot))]
    jokers = [i for i, c in enumerate(cards) if c.startswith("joker")]
    return p[:, jokers].max(1) if jokers else np.zeros(len(p), np.float32)


def _groups(where: NDArray[np.intp], cards: int) -> list[NDArray[np.intp]]:
    """Places among which every card lies once: each photograph that shows most of the deck, and the others together."""
    count = np.bincount(where)
    whole = [i for i in range(len(count)) if count[i] >= WHOLE_DECK * cards]
    return [np.flatnonzero(where == i) for i in whole] + [g for g in [np.flatnonzero(~np.isin(where, whole))] if len(g)]


def verdict(places: Iterable[Place], kind: str, worth: Mapping[str, int] = USUAL_BONUS) -> Verdict:
    """What to say of places: bonus cards that are not there are not missed, since many decks have none."""
    slots = slots_of(kind, worth if kind == "hwatu" else {})
    places = tuple(places)
    named = [q for q in places if q.card]
    held = {q.card for q in named}
    bonus = set(worth) | {s for s in slots if s.startswith("joker")}
    once = [(q.card, q.photo) for q in named]
    side = {id(q): min(np.linalg.norm(q.quad[1] - q.quad[0]), np.linalg.norm(q.quad[3] - q.quad[0])) for q in named}
    return Verdict(
        missing=tuple(s for s in dict.fromkeys(slots) if s not in held and s not in bonus),
        doubtful=tuple(q.card for q in named if q.confidence < DOUBTFUL),
        small=tuple(dict.fromkeys(q.card for q in named if side[id(q)] < SMALL_PX)),
        twice=tuple(dict.fromkeys(c for c, photo in once if once.count((c, photo)) > slots.count(c))),
        nameless=sum(not q.card for q in places),
    )


def learn(
    reader: Reader, photos: Sequence[Image], places: Sequence[Place], name: str, kind: str, worth: Mapping[str, int] | None = None,
    each: int = FAST, progress: Progress | None = None,
) -> Enrolment:  # fmt: skip
    """Learn a deck from named places; those without a name are left out. The same places give the same deck.

    each: views to make of every card; progress: called with the share that is done, and may return False to stop at what was
    learned so far. Raises KibitzError `enrol-few` where fewer than two cards have names, `deck-name`, `bonus-bad`.
    """
    check_name(name)
    worth = check_bonus(kind, worth or {})
    named = [q for q in places if q.card]
    labels = list(dict.fromkeys(q.card for q in named))
    slots = set(slots_of(kind, worth))
    for label in labels:
        if label not in slots:
            raise KibitzError("enrol-card", f"{label!r} is no card of this deck: choose another name, or add it as a bonus card", card=label)
    if len(labels) < 2:
        raise KibitzError("enrol-few", "fewer than two cards have names: name what lies in the photograph")
    identifier = reader.identifier(kind)
    crops = np.concatenate([cut_crops(photos[q.photo], as_detections(q.quad[None])) for q in named])
    there, ends = identifier.embed(crops)
    whole = unit(there + identifier.embed(np.ascontiguousarray(crops[:, :, ::-1, ::-1]))[0])
    if kind != "french":
        turned = ends > 0
        crops[turned] = crops[turned][:, :, ::-1, ::-1]
    card = np.array([labels.index(q.card) for q in named])
    backs = _backs(kind)
    crops, card = np.concatenate([crops, backs]), np.concatenate([card, len(labels) + np.arange(len(backs))])
    vectors, of, visible = _embedded(identifier, crops, card, each, progress)
    general = identifier.deck
    bonus = {c for c in labels if c in worth or c.startswith("joker")}
    keep = [i for i, n in enumerate(general.names) if not is_card(n) or n == "back" or (n.startswith("joker") and not bonus)]
    rivals = general.vectors[keep]
    found = fit(vectors, of, rivals)
    clear = visible > CLEAR
    every = len(labels) + len(backs)
    mixed = confusion(found, vectors[clear], of[clear]) if len(np.unique(of[clear])) == every else np.eye(every)
    twins = _alike([q.card for q in named], whole)
    alike = {c for group in twins for c in group}
    hard = tuple(c for i, c in enumerate(labels) if mixed[i, i] < HARD and c not in alike and _fellows(labels, mixed, i) < HARD)
    names = (*(merged(c) for c in labels), *[BACK] * len(backs), *(general.names[i] for i in keep))
    rows = np.concatenate([found.means, found.place(rivals)])
    deck = Deck(name, kind, names, rows, found.scale, found.transform, tuple((c, worth[c]) for c in worth if c in labels), twins, identifier.net.sha256)
    return Enrolment(deck, twins, hard)


def _backs(kind: str) -> Crops:
    """Crops (N, 4, 144, 96) of backs as the deck may have them: its photograph shows faces only."""
    crops = np.full((len(BACKS) if kind == "hwatu" else 0, 4, CROP_H, CROP_W), 255, np.uint8)
    for crop, colour in zip(crops, BACKS, strict=False):
        crop[:3] = np.array(colour, np.uint8)[:, None, None]
    return crops


def _embedded(
    identifier: Identifier, crops: Crops, card: NDArray[np.intp], each: int, progress: Progress | None
) -> tuple[NDArray[np.float32], NDArray[np.intp], NDArray[np.float32]]:
    """Vectors (M, D) of made views, the card that each shows, and the share that shows."""
    rng = np.random.default_rng(1)
    count = np.bincount(card)
    # Whole rounds, so that stopping early leaves every card with as many views; several pictures of a card share its views.
    rounds = [np.array([rng.choice(np.flatnonzero(card == c)) for c in range(len(count))]) for _ in range(max(each, 4))]
    step = max(4, BATCH // len(count))
    vectors, of, visible = [], [], []
    for i in range(0, len(rounds), step):
        which = np.concatenate(rounds[i:i + step])
        made, share = views(rng, crops, which)
        vectors.append(identifier.embed(made)[0])
        of.append(card[which])
        visible.append(share)
        if progress is not None and not progress(min(1.0, (i + step) / len(rounds))):
            break
    return np.concatenate(vectors), np.concatenate(of), np.concatenate(visible)


def _fellows(labels: list[str], mixed: NDArray[np.float64], i: int) -> float:
    """The share of a card's views read as it or as a card that scores the same."""
    return float(sum(mixed[i, j] for j, c in enumerate(labels) if merged(c) == merged(labels[i])))


def _alike(cards: list[str], whole: NDArray[np.float32]) -> tuple[tuple[str, ...], ...]:
    """Groups of cards (N vectors, one a place) with the same print, other than plain junk of one month."""
    cosine = whole @ whole.T
    group = {card: card for card in cards}
    for i in range(len(cards)):
        for j in range(i):
            if merged(cards[i]) != merged(cards[j]) and cosine[i, j] > TWINS:
                gone, kept = group[cards[i]], group[cards[j]]
                group = {c: kept if g == gone else g for c, g in group.items()}
    sets = [tuple(sorted_cards(c for c, g in group.items() if g == k)) for k in dict.fromkeys(group.values())]
    return tuple(s for s in sets if len(s) > 1)


def check_name(name: str) -> None:
    """Raises KibitzError `deck-name` where a name cannot be a file's."""
    if not _NAME.fullmatch(name) or name.endswith((" ", ".")):
        raise KibitzError("deck-name", f"{name!r} cannot name a deck: use letters, digits, spaces, dots and hyphens, at most 40", name=name)


def save(deck: Deck, folder: Path | None = None) -> Path:
    """Write a deck under the user's folder, whole or not at all. Raises KibitzError `deck-name`."""
    check_name(deck.name)
    path = (folder or user_folder("decks")) / f"{deck.name}.npz"
    about = json.dumps({"worth": dict(deck.worth), "twins": deck.twins, "network": deck.network})
    arrays: dict[str, Any] = {
        "kind": deck.kind, "names": np.array(deck.names), "vectors": deck.vectors.astype(np.float16), "scale": deck.scale, "about": about,
    }  # fmt: skip
    if deck.transform is not None:
        arrays["transform"] = deck.transform.astype(np.float32)
    tmp = path.with_suffix(".tmp")
    try:
        with open(tmp, "wb") as f:
            np.savez_compressed(f, **arrays)
        tmp.replace(path)
    except OSError as error:
        tmp.unlink(missing_ok=True)
        raise KibitzError("deck-unwritable", f"the deck cannot be kept in {path} ({error.strerror}): free the disk", path=str(path)) from error
    return path


def named_by_hand(places: Sequence[Place], names: Mapping[int, str]) -> tuple[Place, ...]:
    """Places with the names that a person gave to some by their number: sure, and taken from the place that had them before."""
    given = set(names.values()) - {""}
    out = []
    for k, q in enumerate(places):
        if k in names:
            out.append(replace(q, card=names[k], confidence=1.0))
        elif q.card in given and any(names[j] == q.card and places[j].photo == q.photo for j in names):
            out.append(replace(q, card="", confidence=0.0))
        else:
            out.append(q)
    return tuple(out)


def _bonus_of(words: Sequence[str]) -> dict[str, int]:
    """`NAME=JUNK` words of the command line. Raises KibitzError `bonus-bad`."""
    worth: dict[str, int] = {}
    for word in words:
        card, _, junk = word.partition("=")
        if not junk.isdigit():
            raise KibitzError("bonus-bad", f"{word!r} names no bonus card: write NAME=JUNK, e.g. joker-2=2")
        worth[card] = int(junk)
    return worth


def main(args: argparse.Namespace) -> int:
    """`kibitz enrol`: find, name, learn, save, and say what is missing, doubtful and alike."""
    cv2.setNumThreads(1)
    check_name(args.name)
    worth = _bonus_of(args.bonus) if args.bonus else (USUAL_BONUS if args.deck == "hwatu" else {})
    check_bonus(args.deck, worth)
    photos = [load_picture(Path(f)) for f in args.photos]
    start = time.perf_counter()
    reader = Reader()
    places = find(reader, photos, args.deck, worth)
    said = verdict(places, args.deck, worth)
    e = learn(reader, photos, places, args.name, args.deck, worth, THOROUGH if args.thorough else FAST)
    path = save(e.deck)
    seconds = time.perf_counter() - start
    if args.json:
        cards = [
            {"card": q.card, "confidence": round(q.confidence, 3), "photo": args.photos[q.photo], "quad": np.round(q.quad, 1).tolist()}
            for q in places
        ]
        summary = {
            "name": args.name, "deck": args.deck, "file": path.name, "seconds": round(seconds, 1), "missing": said.missing,
            "doubtful": said.doubtful, "small": said.small, "nameless": said.nameless, "twins": e.twins, "hard": e.hard,
            "bonus": dict(e.deck.worth), "cards": cards,
        }  # fmt: skip
        print(json.dumps(summary, ensure_ascii=False))
        return 0
    print(f"{args.name}: {sum(bool(q.card) for q in places)} cards learned in {seconds:.0f} s, kept in {path}")
    told = [
        ("not found", said.missing), ("doubtful, look at them", said.doubtful), ("small in the photograph, go nearer", said.small),
        ("hard to read", e.hard), *(("look alike", group) for group in e.twins),
        ("bonus cards", tuple(f"{c} (counts as {n} junk)" for c, n in e.deck.worth)),
    ]  # fmt: skip
    for words, said_of in told:
        if said_of:
            print(f"  {words}: {', '.join(said_of)}")
    if said.nameless:
        print(f"  cards without a name: {said.nameless} (name them on the page /enrol of `kibitz run`)")
    return 0
