"""Frozen events and the log's one resolution: undo, redo and amend are appended, one backward pass gives what lives.

A turn is one *root* event and the events that it caused: `cause` of every follower is the root's `seq` (never a
follower's), so undoing the root undoes the whole turn. References (`ref`, `cause`) point backwards only; a root and its
followers stand together, and a correction caused by another one refers to what was before that.

Corrections:
* ``undo``  ref → an event (with all that it caused), or an ``amend``; ``redo`` ref → an ``undo``; either may be undone. Arg
  ``chosen``: a person picked that event out, it was not the last thing done.
* ``amend`` ref → an event: its `cards`, `player`, or args are replaced by those given here; with args ``card`` and ``to``:
  from `ref` up to the amend itself that card was misread, every mention of ``card`` means ``to`` (and the other way
  round where ``swap`` is true); with args ``insert``: the event given as an object belongs right after `ref` (as part of
  the turn of root ``into``).
"""
from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .errors import InputError
from .frozen import EMPTY, FrozenDict, freeze, thaw

SOURCES = ("camera", "auto", "human")
CORRECTIONS = ("undo", "redo", "amend")
RIVAL = "instead"          # arg: the name that an unsure card might have had as well
FIELDS = ("seq", "event", "t_ms", "player", "cards", "source", "margin", "ref", "cause")


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the log.

    seq     1, 2, 3, … without a gap; 0 while it is only a proposal
    t_ms    time of the source's frame (or of the command, on the same clock)
    kind    an event name of the game, or start, next-deal, undo, redo, amend, flag, note
    player  who, or None
    cards   card names, in the order that matters
    source  camera (seen), auto (concluded), human (said or tapped)
    margin  how clear the evidence was, 0 to 1; None where that has no meaning
    ref     seq that this event is about (undo, redo, amend, flag)
    cause   seq of the root event of the same turn; None for a root
    args    everything else, frozen JSON: pile, from, problem, order, verdict, …
    """

    kind: str
    player: str | None = None
    cards: tuple[str, ...] = ()
    source: str = "camera"
    args: FrozenDict = EMPTY
    seq: int = 0
    t_ms: int = 0
    margin: float | None = None
    ref: int | None = None
    cause: int | None = None

    def arg(self, key: str, default: Any = None) -> Any:
        """One of the args, or `default`."""
        return self.args.get(key, default)

    def to_dict(self) -> dict[str, Any]:
        """JSON form of the contract: fields by name (`kind` as "event"), args beside them; what is absent is left out."""
        out: dict[str, Any] = {"seq": self.seq, "event": self.kind, "t_ms": self.t_ms, "player": self.player,
                               "cards": list(self.cards), "source": self.source}
        for name in ("margin", "ref", "cause"):
            if getattr(self, name) is not None:
                out[name] = getattr(self, name)
        for key, value in self.args.items():
            if key not in FIELDS:            # an arg never takes a field's place: the line must read back as this event
                out[key] = thaw(value)
        return out

    def to_json(self) -> str:
        """One line of JSON, the same for equal events."""
        line = json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        try:
            line.encode()
        except UnicodeEncodeError:           # half a character from somewhere: kept, but escaped
            line = json.dumps(self.to_dict(), separators=(",", ":"), sort_keys=True)
        return line

    @staticmethod
    def from_dict(data: Any, where: str = "event") -> Event:
        """Read `to_dict`'s form. Raises InputError `bad-event` naming `where` and the key."""
        def bad(what: str) -> InputError:
            return InputError("bad-event", what, where, "mend or leave out that line")

        if not isinstance(data, Mapping):
            raise bad("an event must be an object")
        kind, player, source = data.get("event"), data.get("player"), data.get("source", "camera")
        if not isinstance(kind, str) or not kind or len(kind) > 64 or not kind.isprintable():
            raise bad(f"key 'event' is {kind!r}, not an event's name")
        if player is not None and (not isinstance(player, str) or len(player) > 64 or not player.isprintable()):
            raise bad(f"key 'player' is {player!r}, not a player's id")
        if source not in SOURCES:
            raise bad(f"key 'source' is {source!r}, not camera, auto or human")
        cards = data.get("cards", [])
        if not isinstance(cards, list | tuple) or any(not isinstance(c, str) for c in cards):
            raise bad(f"key 'cards' is {cards!r}, not a list of card names")
        whole: dict[str, int | None] = {}
        for key, least in (("seq", 0), ("t_ms", 0), ("ref", 1), ("cause", 1)):
            value = data.get(key, 0 if least == 0 else None)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or not least <= value < 2**53):
                raise bad(f"key {key!r} is {value!r}, not a whole number")
            whole[key] = value
        margin = data.get("margin")
        if margin is not None and (not isinstance(margin, int | float) or isinstance(margin, bool) or not 0 <= margin <= 1):
            raise bad(f"key 'margin' is {margin!r}, not a number from 0 to 1")
        try:
            args = freeze({k: v for k, v in data.items() if k not in FIELDS})
        except (TypeError, RecursionError):
            raise bad("holds a value that is no JSON") from None
        return Event(kind, player, tuple(cards), source, args, seq=whole["seq"] or 0, t_ms=whole["t_ms"] or 0,
                     margin=margin, ref=whole["ref"], cause=whole["cause"])


def make(kind: str, player: str | None = None, cards: Iterable[str] = (), source: str = "camera", *,
         margin: float | None = None, ref: int | None = None, **args: Any) -> Event:
    """A proposed event (seq 0): what games return. `args` are frozen; write ``from_`` for the arg "from" and ``dir_`` for "dir"."""
    return Event(kind, player, tuple(cards), source,
                 FrozenDict({k.rstrip("_"): freeze(v) for k, v in args.items()}) if args else EMPTY, margin=margin, ref=ref)


def given_args(given: Mapping[str, Any], *leave: str) -> FrozenDict:
    """What came in from outside as args: all but an event's own fields and the keys to `leave` out. TypeError for what is no JSON."""
    args = freeze({k: v for k, v in given.items() if k not in FIELDS and k not in leave})
    assert isinstance(args, FrozenDict)
    return args


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a log comes to: the live events in order, and the seqs of the live undos and redos, and of the live amends."""

    events: tuple[Event, ...]
    undos: tuple[int, ...] = ()
    amends: tuple[int, ...] = ()


def effective(log: Sequence[Event]) -> tuple[Event, ...]:
    """The live events in order, corrections resolved in one backward pass; undo, redo and amend are not among them.

    An event inserted by an amend carries the amend's seq. References to what is not there are without effect.
    """
    return resolve(log).events


def resolve(log: Sequence[Event]) -> Resolved:
    """`effective` with the live corrections."""
    dead: set[int] = set()
    replaced: dict[int, Event] = {}              # seq → the newest live amend of its content
    inserted: dict[int, list[Event]] = {}        # seq → events to follow it, newest first
    renames: list[_Rename] = []                  # newest first
    out: list[Event] = []
    undos: list[int] = []
    amends: list[int] = []

    def emit(event: Event) -> None:
        # `out` is built backwards: what was inserted after the event goes first, turns of their own before the rest of its turn
        extras = inserted.pop(event.seq, [])
        for extra in sorted(extras, key=lambda e: e.cause is not None) if len(extras) > 1 else extras:
            if extra.cause not in dead:
                emit(extra)
        if event.seq not in dead and (event.cause is None or event.cause not in dead):
            out.append(_renamed(event, renames))

    for event in reversed(log):
        if renames:                              # a rename reaches back to its ref and no further
            renames = [r for r in renames if event.seq >= r.since]
        if event.seq in dead or (event.cause is not None and event.cause in dead):
            if event.kind not in CORRECTIONS:
                emit(event)
            continue
        if event.kind in ("undo", "redo"):
            undos.append(event.seq)
            if event.ref is not None and event.ref < event.seq:
                dead.add(event.ref)
            continue
        if event.seq in replaced and "insert" not in event.args:
            event = _amended(event, replaced.pop(event.seq))
        if event.kind == "amend":
            amends.append(event.seq)
            _note_amend(event, replaced, inserted, renames)
            continue
        emit(event)
    out.reverse()
    return Resolved(tuple(out), tuple(reversed(undos)), tuple(reversed(amends)))


@dataclass(frozen=True, slots=True)
class _Rename:
    seq: int
    since: int
    names: FrozenDict


def _note_amend(amend: Event, replaced: dict[int, Event], inserted: dict[int, list[Event]], renames: list[_Rename]) -> None:
    if amend.ref is None or amend.ref >= amend.seq:
        return
    if "insert" in amend.args:
        try:
            extra = Event.from_dict(amend.args["insert"])
        except InputError:
            return
        extra = replace(extra, seq=amend.seq, t_ms=extra.t_ms or amend.t_ms, ref=None, cause=amend.arg("into"))
        if amend.seq in replaced:
            extra = _amended(extra, replaced.pop(amend.seq))
        if extra.kind not in CORRECTIONS:
            inserted.setdefault(amend.ref, []).append(extra)
    elif "card" in amend.args:
        old, new = amend.args["card"], amend.arg("to", "")
        renames.append(_Rename(amend.seq, amend.ref, FrozenDict({old: new, new: old} if amend.arg("swap") else {old: new})))
    else:
        replaced.setdefault(amend.ref, amend)    # the newest one counts


def _amended(event: Event, amend: Event) -> Event:
    """`event` with the content that `amend` gives. Args of the amend: `kind`, `nobody` (no player), `none` (no cards), `drop`
    (names of args to take out); every other one is set."""
    dropped = amend.arg("drop")
    dropped = dropped if isinstance(dropped, tuple) else ()
    kind = amend.arg("kind")
    args = {k: v for k, v in event.args.items() if k not in dropped}
    args.update((k, v) for k, v in amend.args.items() if k not in ("kind", "nobody", "none", "drop"))
    return replace(event, kind=kind if isinstance(kind, str) and kind else event.kind, player=None if amend.arg("nobody") else amend.player or event.player,
                   cards=() if amend.arg("none") else amend.cards or event.cards, args=FrozenDict(args) if args else EMPTY,
                   source=event.source if event.kind == "amend" else amend.source)


def _renamed(event: Event, renames: list[_Rename]) -> Event:
    for rename in reversed(renames):             # oldest correction first: later ones speak about its result
        if rename.seq > event.seq and any(names_card(event, c) for c in rename.names):
            args = {k: v if k == RIVAL else _renamed_value(v, rename.names) for k, v in event.args.items()}
            event = replace(event, cards=tuple(rename.names.get(c, c) for c in event.cards), args=FrozenDict(args) if args else EMPTY)
    return event


def _renamed_value(value: Any, names: FrozenDict) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, tuple):
        return tuple(_renamed_value(v, names) for v in value)
    return FrozenDict({k: _renamed_value(v, names) for k, v in value.items()}) if isinstance(value, FrozenDict) else value


def names_card(event: Event, card: str) -> bool:
    """True where the event's cards or args name the card; what it might have been instead is not in the game for that."""
    return card in event.cards or (bool(event.args) and any(_holds(v, card) for k, v in event.args.items() if k != RIVAL))


def _holds(value: Any, card: str) -> bool:
    if isinstance(value, FrozenDict):
        return any(_holds(v, card) for v in value.values())
    return any(_holds(v, card) for v in value) if isinstance(value, tuple) else value == card
