"""From a settled table to what goes into the log: turns, what was made good late, declarations, and the referee's rulings.

Nothing is concluded from a table that may still become a legal turn. A wrong turn is ruled on once play has gone on, or once
the table has lain still for `SETTLED_MS`; it is then recorded as it was played, with its flag.

A flag's player is the one whose turn it was. Its cards: junk-not-given, the junk due; junk-too-many, what was too much;
pair-not-taken, the cards of that capture; wrong-month and stack-split, the cards wrongly taken (or left of the stack);
two-plays and out-of-turn, the cards played; flip-missing, none.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...events import make
from ...game import Explanation, problem
from .declarations import deal, declared, fresh_deal, swept
from .differences import SETTLED_MS, moved, taken
from .fold import apply
from .pack import MONTH, N_MONTH_CARDS, SINGLES, indices
from .referee import (
    MAX_NEW,
    OUT_OF_ORDER,
    Candidate,
    candidates,
    late,
    mixed,
    new_cards,
    ruling,
    splits,
)
from .sight import Sight, relettered
from .state import State, due_cards, outstanding, twin
from .timing import dated, events
from .turns import FLIP_ONLY

GATHERING_MS = 2500      # a wrong turn is ruled on so late where its cards may still be gathered
MOST_SHARED = 6          # new cards up to which every way to share them out among turns is tried
UNSURE_MS = 1500
HIDDEN = 0.5             # cost of a card that must lie in a pile ...
NEVER_SEEN = 1.2         # ... and was never seen
TWIN_UNSEEN = 0.2        # ... and has the print of the card that it took: exactly upon it nobody can see it
TWINS = 0.3              # cost of a new junk card's being the twin that lay open, gathered
UNTOLD = 0.8             # cost of a card that lay open for a while and is in no turn
FAULT = 3.5              # a fault is believed where it explains so much better than the legal turn
DOUBTFUL = 1.0           # cost from which a single turn is held against two of them
GATHERED_MS = 600
AT_ONCE_MS = 400         # a card from the hand and one from the stock do not come within this time
_PLAIN = (1 << N_MONTH_CARDS) - 1


def read(state: State, sight: Sight) -> tuple[Explanation, ...]:
    """What the table adds to the log, best first; () where nothing is certain yet."""
    if state.end:
        return fresh_deal(state, sight)
    if not state.dealt:
        return deal(state, sight)
    told = declared(state, sight)
    if told:
        return told
    good = late(state, sight)
    if good:
        kind, player, cards, giver = good[0]
        when = max((sight.lies.get(i, 0) for i in indices(cards)), default=0)
        names = state.house.pack.cards(cards)
        event = (make(kind, state.players[player], names, from_=state.players[giver]) if giver >= 0 else
                 make(kind, state.players[player], names))
        return (Explanation((replace(event, t_ms=when),)),)
    new = new_cards(state, sight)
    if new:
        return _with_untold(state, sight, _turn(state, sight, new))
    return moved(state, sight) or swept(state, sight)


def _with_untold(state: State, sight: Sight, found: tuple[Explanation, ...]) -> tuple[Explanation, ...]:
    """Turns that leave out a card that the player who is on laid in the centre and that lay there for a while are dearer."""
    lay = [state.house.pack.names[i] for i in indices(sight.lay & state.unseen) if sight.by.get(i) == state.turn]
    if not lay:
        return found
    out = []
    for e in found:
        told = {c for event in e.events for c in event.cards}
        turn = any(event.kind in ("play", "flip") for event in e.events)
        out.append(replace(e, cost=e.cost + UNTOLD * sum(c not in told for c in lay)) if turn else e)
    return tuple(out)


# a turn ------------------------------------------------------------------------------------------------------------


def _turn(state: State, sight: Sight, new: int) -> tuple[Explanation, ...]:
    if new.bit_count() > MAX_NEW:
        return ()
    me = state.turn
    found = candidates(state, sight, me, new)
    done = [c for c in found if c.complete]
    if done or any(c.legal for c in found):
        first = _prelude(state)
        if first:
            return first if _believable(sight, new) else ()
        least = min(c.cost for c in found if c.legal)
        if least >= DOUBTFUL:      # the order of the cards speaks for the next player's being on
            better = _two_turns(state, sight, me, new)
            if better and (better[0].problem is None or least >= better[0].cost + FAULT):
                return better if _believable(sight, new) else ()
            if better == () and least >= FAULT:
                return ()
        if done:
            return _settled(state, sight, found, done)
        return ()
    if not _believable(sight, new):
        return ()
    for exchanged in relettered(state, sight):
        done = [c for c in candidates(state, exchanged, me, new_cards(state, exchanged)) if c.complete]
        if done and done[0].cost < DOUBTFUL:
            return _after_prelude(state, (Explanation(events(state, exchanged, done[0]), done[0].cost + TWINS, label="turn", cards=_told(state, done[0])),))
    others = sum(now & state.on_floor for p, now in enumerate(sight.caps) if p != me)
    if others and sight.lain(new) >= SETTLED_MS:           # somebody else took cards meanwhile: that is ruled on by itself
        done = [c for c in candidates(state, sight, me, new, others) if c.complete]
        if done and done[0].cost < DOUBTFUL:
            return _after_prelude(state, (Explanation(events(state, sight, done[0]), done[0].cost, label="turn", cards=_told(state, done[0])),))
    if all(sight.by.get(i) == me for i in indices(new)):
        two = _two_plays(state, sight, me, new)
        if two:
            return () if sight.lain(new) < _patience(two) else _after_prelude(state, two)
    both = _two_turns(state, sight, me, new)
    if both and both[0].problem is None:
        return _after_prelude(state, both)
    hidden = _with_hidden(state, sight, me, new)
    if hidden:
        return _after_prelude(state, hidden)
    other = _out_of_turn(state, sight, new)
    if other:
        return other
    if both is None and sight.lain(new | others) >= SETTLED_MS:
        both = _left_undone(state, sight, me, new, others)
    if both is not None:
        return _after_prelude(state, both)
    if sight.lain(new | taken(state, sight)) < SETTLED_MS:
        return ()
    two = _two_plays(state, sight, me, new)
    if two:
        return () if sight.lain(new) < _patience(two) else _after_prelude(state, two)
    if found:
        return _after_prelude(state, (_wrong(state, sight, min(found, key=lambda c: c.violation)),))
    return ()


def _with_hidden(state: State, sight: Sight, me: int, new: int) -> tuple[Explanation, ...]:
    """A card that went into the pile with the one it took, where it cannot be seen: one that lay on the floor for a moment, or
    else any of that month."""
    out = []
    passing = sight.glimpsed & state.unseen
    taken = sight.caps[me] & state.on_floor
    if not taken and sum(m & new for m in MONTH if not m & state.on_floor) == new:
        taken = sight.caps[me] & new & _PLAIN       # gathered with what was turned onto it: it had nothing else to take
    alone = [m for m in MONTH if taken & m and not (taken | new & sight.caps[me]) & m & ~(taken & -taken & m)]
    never = sum(m & state.unseen & ~new for m in alone) & ~passing if new & (new - 1) == 0 else 0
    if sight.lain(new | taken) < SETTLED_MS:
        never = 0                           # it may still be on its way, in the hand that gathers
    for card in indices(passing | never):
        cost = HIDDEN if passing >> card & 1 else TWIN_UNSEEN if twin(1 << card) & taken else NEVER_SEEN
        for c in candidates(state, sight, me, new | 1 << card):
            if c.complete and c.turn.gained >> card & 1 and c.turn.gained & taken:
                out.append(Explanation(events(state, sight, c), c.cost + cost, label="turn", cards=_told(state, c)))
        if passing >> card & 1 and not out:
            both = _two_turns(state, sight, me, new | 1 << card)
            if both and both[0].problem is None and state.house.pack.names[card] in [n for e in both[0].events for n in e.cards]:
                out.append(replace(both[0], cost=both[0].cost + cost))
    return tuple(sorted(out, key=lambda e: e.cost))


def _two_turns(state: State, sight: Sight, me: int, new: int) -> tuple[Explanation, ...] | None:
    """This turn where the next player has begun as well; None where the cards cannot be shared out so, () where that is to be
    waited for."""
    verdicts = _shared_out(state, sight, me, new, False)
    if not any(v.problem is None for v, _ in verdicts) and new.bit_count() <= MOST_SHARED:
        verdicts += [v for v in _shared_out(state, sight, me, new, True) if v[0].problem is None and v[0].cost < OUT_OF_ORDER]
    if not verdicts:
        return None
    verdict, rest = min(verdicts, key=lambda v: (v[0].problem is not None, v[0].cost))
    if verdict.problem is not None and sight.lain(rest) < SETTLED_MS and rest & (rest - 1) == 0:
        return ()                            # a single card of the next player: let it lie a moment before ruling
    return (verdict,)


def _left_undone(state: State, sight: Sight, me: int, new: int, others: int) -> tuple[Explanation, ...] | None:
    """This turn with something left undone, where the next player has gathered with a card that lies hidden under the one it took:
    one that lay open for a moment, or the twin, which nobody can see there."""
    passing = sight.glimpsed & state.unseen
    twins = sum(twin(1 << i) & state.unseen & ~new for i in indices(others & SINGLES))
    out = [replace(v, cost=v.cost + mixed(sight, mine, rest) + (HIDDEN if passing >> card & 1 else TWIN_UNSEEN))
           for card in indices(passing | twins) if others for mine, rest in splits(state, sight, new, me)
           for v in _and_next(state, sight, me, mine, rest | 1 << card) if v.problem is not None]
    return (min(out, key=lambda v: v.cost),) if out else None


def _shared_out(state: State, sight: Sight, me: int, new: int, far: bool) -> list[tuple[Explanation, int]]:
    """Readings of this turn with the cards left to later ones, for each way to share out the new cards."""
    out = []
    for mine, rest in splits(state, sight, new, me, far):
        doubt = mixed(sight, mine, rest)
        if not far or doubt < OUT_OF_ORDER + DOUBTFUL:      # what comes dearer is not believed anyhow
            out += [(replace(v, cost=v.cost + doubt), rest) for v in _and_next(state, sight, me, mine, rest)]
    return out


def _believable(sight: Sight, new: int) -> bool:
    """The new cards have lain long enough, and under settled names, to conclude from them that play went on."""
    doubtful = new & sight.unsure
    return sight.lain(new) >= AT_ONCE_MS and (not doubtful or sight.lain(doubtful) >= UNSURE_MS)


def _prelude(state: State) -> tuple[Explanation, ...]:
    """The next player is on: what the last turn left open is settled first. Junk that was not handed over is flagged; who could
    have stopped and let the play go on has said go."""
    if outstanding(state):
        due = due_cards(state, outstanding(state))
        taker = state.debts[0].taker
        cards = state.house.pack.cards(sum(due))
        givers = [state.players[p] for p, held in enumerate(due) if held]
        event = make("overdue", state.players[taker], (), "auto")
        return (Explanation((event,), problem=problem("junk-not-given", cards, givers=givers)),)
    p = state.to_decide
    if p >= 0:
        return (Explanation((make("go", state.players[p], source="auto"),)),)
    return ()


def _after_prelude(state: State, verdict: tuple[Explanation, ...]) -> tuple[Explanation, ...]:
    """A verdict on this turn, what the last one left open coming first: that is no likelier than the verdict that speaks for it."""
    first = _prelude(state) if verdict else ()
    doubt = min((v.cost + (FAULT if v.problem else 0.0) for v in verdict), default=0.0)
    return tuple(replace(e, cost=e.cost + doubt) for e in first) or verdict


def _settled(state: State, sight: Sight, found: list[Candidate], done: list[Candidate]) -> tuple[Explanation, ...]:
    """The complete readings. A lone new card of a player who may skip the hand play could still be a card from the hand whose
    flip is to come: that is waited for."""
    best = min(done, key=lambda c: c.cost)
    if best.kind == FLIP_ONLY and best.cost > 0 and any(c.open and c.legal and c.cost < best.cost for c in found):
        return ()
    if not _patient(state, sight, best):
        return ()
    return tuple(Explanation(events(state, sight, c), c.cost, label="turn", cards=_told(state, c)) for c in done)


def _patient(state: State, sight: Sight, c: Candidate) -> bool:
    """A turn's cards have lain long enough to be believed: longer where a name is not settled, and where nothing was gathered
    and more may be on its way (a bomb's cards may show one after another)."""
    cards = c.hand
    for i in c.turn.flips:
        cards |= 1 << i
    gathered = c.turn.gained & sight.caps[c.player]
    doubtful = cards & sight.unsure
    if doubtful:                         # cards gathered with others of their month vouch for one another
        return sight.lain(doubtful) >= (GATHERED_MS if doubtful & gathered == doubtful else UNSURE_MS)
    plain = cards & _PLAIN
    times = [sight.came[i][1] for i in indices(plain) if i in sight.came]
    at_once = len(times) > 1 and max(times) - min(times) < AT_ONCE_MS
    month = next((m for m in MONTH if plain & m == plain), 0)
    if at_once and month and (plain | state.on_floor) & month != month and state.hands[c.player] >= 3:
        return sight.lain(plain) >= SETTLED_MS
    return not at_once or bool(gathered & _PLAIN) or sight.lain(plain) >= AT_ONCE_MS


def _told(state: State, c: Candidate) -> tuple[str, ...]:
    return state.house.pack.cards(c.hand) + tuple(state.house.pack.names[i] for i in c.turn.flips)


def _out_of_turn(state: State, sight: Sight, new: int) -> tuple[Explanation, ...]:
    """Another player's turn explains the table, and it captured into its own area."""
    for player in range(state.n):
        if player == state.turn:
            continue
        for c in candidates(state, sight, player, new):
            mine = c.turn.gained & sight.caps[player] or all(sight.by.get(i) == player for i in indices(new))
            if c.complete and mine:
                why = problem("out-of-turn", _told(state, c), turn=state.players[state.turn])
                return (Explanation(events(state, sight, c), c.cost, problem=why),)
    return ()


def _and_next(state: State, sight: Sight, me: int, mine: int, rest: int) -> tuple[Explanation, ...]:
    """The turn of `me` with the cards `mine`, the next player having begun with `rest`: whole, or with something left undone."""
    later = rest
    for player, now in enumerate(sight.caps):        # what the next player has taken meanwhile is its own turn's business
        if player != me:
            later |= now & ~state.caps[player]
    options = [c for c in candidates(state, sight, me, mine, later) if c.legal]
    for c in sorted(options, key=lambda c: (not c.complete, c.violation)):
        told = events(state, sight, c)
        if c.complete:
            verdict = Explanation(told, c.cost, label="turn", cards=_told(state, c))
        elif _fetched(c, later):
            continue
        else:
            code, cards = ruling(state, c)
            left = c.not_yet
            if c.open:
                told = (*told, make("turn-over", state.players[me], (), "auto"))
            if left:
                told = (*told, make("left-lying", state.players[me], state.house.pack.cards(left), "auto"))
            verdict = Explanation(told, c.cost, problem=problem(code, state.house.pack.cards(cards)))
        after = state
        for event in told:
            after = apply(after, event)
        follows = _may_follow(after, sight, rest)
        if follows is not None:
            return (replace(verdict, cost=c.cost + follows),)
    return ()


def _fetched(c: Candidate, later: int) -> bool:
    """Cards that this turn should have taken lie with somebody else by now."""
    return bool(c.turn.gained & later)


def _may_follow(state: State, sight: Sight, rest: int) -> float | None:
    """Cost of the rest of the new cards as a beginning of the next player's turn, or None where it is none."""
    if state.end:
        return None
    costs = [c.cost for c in candidates(state, sight, state.turn, rest) if c.legal]
    if costs or rest.bit_count() < 3:
        return min(costs, default=None)
    further = [v.cost for v, _ in _shared_out(state, sight, state.turn, rest, False) if v.problem is None]
    return min(further, default=None)


def _patience(verdict: Sequence[Explanation]) -> int:
    """How long the cards must have lain before it is ruled on: longer while some are still to be gathered."""
    return GATHERING_MS if any(e.kind == "left-lying" for v in verdict for e in v.events) else SETTLED_MS


def _two_plays(state: State, sight: Sight, me: int, new: int) -> tuple[Explanation, ...]:
    """Two hand cards and a flip, all into one player's area."""
    plain = sorted(indices(new & _PLAIN), key=lambda i: sight.came.get(i, (0, 0))[0])
    if len(plain) != 3 or new & ~_PLAIN:
        return ()
    for extra in (plain[1], plain[0], plain[2]):
        rest = new & ~(1 << extra)
        for c in candidates(state, sight, me, rest, 1 << extra):
            if c.astray or c.excess or c.open:
                continue
            pack = state.house.pack
            told = list(events(state, sight, c))
            told.insert(1, dated(make("play", state.players[me], pack.cards(1 << extra)), sight, 1 << extra))
            gained = sight.caps[me] & ~state.caps[me] & ~sum(c.stolen)
            told = [replace(e, cards=pack.cards(gained)) if e.kind == "capture" else e for e in told]
            if gained and not any(e.kind == "capture" for e in told):
                told.append(make("capture", state.players[me], pack.cards(gained)))
            if c.not_yet:
                told.append(make("left-lying", state.players[me], pack.cards(c.not_yet), "auto"))
            return (Explanation(tuple(told), c.cost, problem=problem("two-plays", pack.cards(1 << extra))),)
    return ()


def _wrong(state: State, sight: Sight, c: Candidate) -> Explanation:
    """The turn as it was played, with the ruling."""
    code, cards = ruling(state, c)
    pack = state.house.pack
    told = list(events(state, sight, c))
    if code == "stack-split" or c.extra:
        due = pack.cards(c.turn.gained)
    elif c.excess:
        due = pack.cards(sum(c.turn.stolen))
    else:
        due = ()
    if c.not_yet:
        told.append(make("left-lying", state.players[c.player], pack.cards(c.not_yet), "auto"))
    if c.extra:
        told.append(make("wrongly-taken", state.players[c.player], pack.cards(c.extra), "auto"))
    for giver, given in enumerate(c.stolen):
        if given & c.excess:
            told.append(make("wrongly-taken", state.players[c.player], pack.cards(given & c.excess), "auto", from_=state.players[giver]))
    if c.open:
        told.append(make("turn-over", state.players[c.player], (), "auto"))
    return Explanation(tuple(told), c.cost, problem=problem(code, pack.cards(cards), due=due))
