"""What a person may say or tap: each command appends events or is refused with a problem, and then appends nothing.

| command | does |
|---|---|
| undo {seq?} | takes the last turn or correction back, or that of number `seq` |
| redo | takes the last undo back |
| amend {seq, cards?, player?, kind?, none?, nobody?, drop?, …} | gives a live event, of this deal or a past one, other content |
| amend {after, insert: {event, player, cards, …}} | adds an event that was missed, after the turn of event `after` |
| correct {card or track, to} | in this deal that card was misread all along |
| unknown-junk {player, n} | `n` more captured junk cards were never seen (negative: fewer) |
| answer {question, key} | answers an open question |
| dismiss {seq} | takes a flag away |
| pause, resume | stops and starts taking turns from the camera |
| resync {use: "table" or "log"} | ends "out of sync" by believing the one or the other |
| next-deal {players?, dealer?, options?, abandon?} | closes the deal and opens the next |
| note {player?, name?, …} | is kept in the log; `name` names a player |

Any other command is the game's; with "force" true what the rules refuse is taken as what happened all the same, and flagged.
Every command may carry `t_ms`, and `id` and `token`, which are not looked at here.
"""
from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from . import cards as card_names
from .errors import InputError, KibitzError, did_you_mean
from .evening import Evening, begin, fold, followers, seating, step
from .events import CORRECTIONS, Event, given_args, make
from .frozen import FrozenDict
from .game import Problem, problem

if TYPE_CHECKING:
    from .match import Match

_MAX_COMMAND = 20_000      # characters of a command's JSON
_ENVELOPE = ("command", "id", "t_ms", "player", "cards", "token")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command did: the events it appended, or the problem that refused it (and nothing was appended)."""

    events: tuple[Event, ...] = ()
    problem: Problem | None = None

    @property
    def ok(self) -> bool:
        """True where the command was taken."""
        return self.problem is None


def run(match: Match, command: Mapping[str, Any]) -> Outcome:
    """Carry a command out (see the module's table). Never raises, whatever the command holds."""
    why = _unfit(match, command)
    if why:
        return Outcome(problem=why)
    t_ms = command.get("t_ms")
    if t_ms is None:
        t_ms = match.t_ms
    own = OWN.get(command["command"])
    if own is None:
        return _game(match, command, t_ms)
    result = own(match, command, t_ms)
    return Outcome(problem=result) if isinstance(result, Problem) else Outcome(result)


def flag_event(why: Problem, player: str | None, source: str) -> Event:
    """The ``flag`` that records a problem."""
    return make("flag", player, why.cards, source, problem=why.code, args=dict(why.args))


def _unfit(match: Match, command: Any) -> Problem | None:
    if not isinstance(command, Mapping) or not isinstance(command.get("command"), str):
        return problem("bad-command")
    try:
        if len(json.dumps(command, default=_refuse)) > _MAX_COMMAND:
            return problem("too-long")
    except (TypeError, ValueError, RecursionError):
        return problem("bad-command")
    t_ms, player, cards = command.get("t_ms"), command.get("player"), command.get("cards")
    if t_ms is not None and (not isinstance(t_ms, int) or isinstance(t_ms, bool) or not 0 <= t_ms < 2**53):
        return problem("bad-command", key="t_ms")
    if player is not None and player not in match.log.evening.seats:
        return problem("no-such-player", player=str(player)[:64])
    if cards is not None and not (isinstance(cards, list | tuple) and all(isinstance(c, str) and len(c) <= 64 for c in cards)):
        return problem("bad-command", key="cards")
    return None


def _game(match: Match, command: Mapping[str, Any], t_ms: int) -> Outcome:
    """A command of the game. One that the log does not allow yet, or one that is said when a turn is done, may speak of a turn that the
    camera still waits with: where it is right after that turn, both are logged."""
    name = command["command"]
    if match.game.commands and name not in match.game.commands:
        return Outcome(problem=problem("unknown-command", command=name[:64],
                                       mend=did_you_mean(name, (*match.game.commands, *OWN))))
    batch = _batch(match, match.log.evening, command)
    if isinstance(batch, Problem) or name in match.game.after_turn:
        reading = match.due()
        after = followers(match.game, fold(match.game, match.log.evening, reading.explanation.events))[1] if reading else None
        later = _batch(match, after, {**command, "force": None}) if after else batch
        if reading is not None and not isinstance(later, Problem):
            return Outcome((*match.take(reading, match.t_ms), *(match.append(later, t_ms) if later else ())))
    return Outcome(problem=batch) if isinstance(batch, Problem) else Outcome(match.append(batch, t_ms) if batch else ())


def _batch(match: Match, evening: Evening, command: Mapping[str, Any]) -> list[Event] | Problem:
    """The events of a command in that state of things, or why not; with "force" what is refused is taken, and flagged."""
    proposed = match.game.command(evening.state, {k: v for k, v in command.items() if k != "force"})
    if isinstance(proposed, Problem):
        return proposed
    flags = []
    for event in proposed:
        if event.player is not None and event.player not in evening.seats:      # named within the command's args
            return problem("no-such-player", player=str(event.player)[:64])
        why = match.game.check(evening.state, event)
        if why and command.get("force") is not True:
            return why
        if why:
            flags.append(flag_event(why, event.player, "human"))
        evening = step(match.game, evening, event)
    return [*proposed, *flags]


def _undo(match: Match, command: Mapping[str, Any], t_ms: int) -> tuple[Event, ...] | Problem:
    roots, seq = match.log.roots(), command.get("seq")
    if seq is None:
        if not roots:
            return problem("nothing-to-undo")
        seq = roots[-1]
    elif seq not in roots and (match.log.find(seq) is None or seq == 1):
        return problem("no-such-event", seq=seq if isinstance(seq, int) else None)
    if roots and seq == roots[-1]:
        return match.log.correct(make("undo", source="human", ref=seq), t_ms)
    return match.log.correct(make("undo", source="human", ref=seq, chosen=True), t_ms)


def _redo(match: Match, command: Mapping[str, Any], t_ms: int) -> tuple[Event, ...] | Problem:
    undone = match.log.redoable()
    return problem("nothing-to-redo") if undone is None else match.log.correct(make("redo", source="human", ref=undone), t_ms)


def _amend(match: Match, command: Mapping[str, Any], t_ms: int) -> tuple[Event, ...] | Problem:
    if "insert" in command:
        return _insert(match, command, t_ms)
    event = match.log.find(command.get("seq"))
    if event is None:
        return problem("no-such-event")
    kind = command.get("kind", event.kind)
    if not isinstance(kind, str) or not 0 < len(kind) <= 64 or not kind.isprintable():
        return problem("bad-command", key="kind")
    if kind != event.kind and (kind in (*CORRECTIONS, "start", "next-deal") or event.kind in ("start", "next-deal")):
        return problem("bad-command", key="kind")
    try:
        args = given_args(command, *_ENVELOPE, "insert", "card", "to")
        amend = Event("amend", command.get("player"), tuple(command.get("cards") or ()), "human", args, ref=event.seq)
        if event.kind == "start":
            begin(match.game, replace(event, args=FrozenDict({**event.args, **amend.args})))
    except (TypeError, KibitzError) as e:
        return problem("bad-setup", why=str(e)[:200])
    return match.log.correct(amend, t_ms)


def _insert(match: Match, command: Mapping[str, Any], t_ms: int) -> tuple[Event, ...] | Problem:
    after = match.log.find(command.get("after"))
    if after is None:
        return problem("no-such-event")
    try:
        event = Event.from_dict({**command["insert"], "source": "human"})
    except (InputError, TypeError):
        return problem("bad-command", key="insert")
    if event.kind in (*CORRECTIONS, "start") or (event.player is not None and event.player not in match.log.evening.seats):
        return problem("bad-command", key="insert")
    root = after.cause or after.seq
    last = [e for e in match.log.live if e.seq == root or e.cause == root][-1]
    return match.log.correct(make("amend", None, (), "human", ref=last.seq, insert=event.to_dict()), t_ms)


def _correct(match: Match, command: Mapping[str, Any], t_ms: int) -> tuple[Event, ...] | Problem:
    track, old, new = command.get("track"), command.get("card"), command.get("to")
    if not isinstance(new, str) or not _is_card(match, new):
        return problem("unknown-card", card=str(new)[:64])
    seen = match.watch.latest.track(track) if match.watch.latest and isinstance(track, int) else None
    if old is None and seen is not None:
        old = match.watch.taken.get(seen.track, seen.card)
    if not isinstance(old, str):
        return problem("no-such-track" if track is not None else "bad-command")
    if seen is not None:
        match.watch.given[seen.track] = match.watch.taken[seen.track] = new
    if old == new:
        return ()
    added = match.misread(old, new, t_ms, "human", seen.track if seen else None)
    if not added and seen is None:
        return problem("card-not-in-play", (old,))
    return added


def _is_card(match: Match, name: str) -> bool:
    if name in match.game.copies(match.log.evening.state):
        return True
    return card_names.is_card(name) and card_names.info(name).deck in (match.game.deck, "any")


def _unknown_junk(match: Match, command: Mapping[str, Any], t_ms: int) -> tuple[Event, ...] | Problem:
    n = command.get("n", 1)
    if not isinstance(n, int) or isinstance(n, bool) or not -24 <= n <= 24 or not n or command.get("player") is None:
        return problem("bad-command", key="n")
    event = make("unknown-junk", command["player"], (), "human", n=n)
    return match.game.check(match.log.evening.state, event) or match.append([event], t_ms)


def _answer(match: Match, command: Mapping[str, Any], t_ms: int) -> tuple[Event, ...] | Problem:
    w, key = match.watch, command.get("key")
    if w.asked and command.get("question") == w.asked.id:
        chosen = next((r for i, r in enumerate(w.asked.readings) if str(i) == key), None)
        if chosen is None:
            return problem("no-such-answer")
        w.questions += 1
        return match.take(chosen, t_ms, human=True)
    for name, question in match.questions():
        if name == command.get("question"):
            option = next((o for o in question.options if o.key == key), None)
            if option is None:
                return problem("no-such-answer")
            w.questions += 1
            batch = [replace(e, source="human") for e in option.events]
            return match.append(batch, t_ms) if batch else ()
    return problem("stale-question")


def _dismiss(match: Match, command: Mapping[str, Any], t_ms: int) -> tuple[Event, ...] | Problem:
    flag = next((f for f in match.log.evening.flags if f.seq == command.get("seq")), None)
    return match.log.correct(make("undo", source="human", ref=flag.seq, chosen=True), t_ms) if flag else problem("no-such-event")


def _pause(match: Match, command: Mapping[str, Any], t_ms: int) -> tuple[Event, ...]:
    match.paused = True
    return ()


def _resume(match: Match, command: Mapping[str, Any], t_ms: int) -> tuple[Event, ...]:
    match.paused = False
    return ()


def _resync(match: Match, command: Mapping[str, Any], t_ms: int) -> tuple[Event, ...] | Problem:
    w, use = match.watch, command.get("use")
    if w.latest is None:
        return problem("no-table")
    if use == "log":
        wrong = w.wrong or match.game.expected(match.log.evening.state, w.latest)
        w.take(w.latest, match.seq + 1)
        w.excused = wrong
        return ()
    if use != "table":
        return problem("bad-command", key="use")
    batch = [replace(e, source="human") for e in match.game.adopt(match.log.evening.state, w.latest)]
    w.take(w.latest, match.seq + 1)
    return match.append(batch, t_ms) if batch else ()


def _next_deal(match: Match, command: Mapping[str, Any], t_ms: int) -> tuple[Event, ...] | Problem:
    result = match.game.result(match.log.evening.state)
    if result is None and command.get("abandon") is not True and not match.untouched:
        return problem("deal-not-over")
    args = {k: command[k] for k in ("players", "dealer", "options") if command.get(k) is not None}
    try:
        event = make("next-deal", source="human", **args)
        players, dealer, options = seating(match.log.evening, result, event)
        if "players" in args and players != event.args["players"]:
            return problem("bad-command", key="players")
        match.game.start(match.log.evening.rules, players, dealer, options)
    except (KibitzError, TypeError, ValueError, LookupError, AttributeError) as e:
        return problem("cannot-seat", why=str(e)[:200])
    match.watch.before = None
    return match.append([event], t_ms)


def _note(match: Match, command: Mapping[str, Any], t_ms: int) -> tuple[Event, ...] | Problem:
    note = Event("note", command.get("player"), tuple(command.get("cards") or ()), "human", given_args(command, *_ENVELOPE))
    return match.append([note], t_ms)


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is no JSON value")


_Own = Callable[["Match", Mapping[str, Any], int], "tuple[Event, ...] | Problem"]
OWN: Mapping[str, _Own] = MappingProxyType({
    "undo": _undo, "redo": _redo, "amend": _amend, "correct": _correct, "unknown-junk": _unknown_junk, "answer": _answer,
    "dismiss": _dismiss, "pause": _pause, "resume": _resume, "resync": _resync, "next-deal": _next_deal, "note": _note,
})
