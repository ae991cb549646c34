"""What the rules allow, for events that a person says or a simulation makes: the only legality code of the live game."""
from __future__ import annotations

from ...errors import InputError
from ...events import Event, make
from ...game import Problem, problem
from .deal import turn_events
from .declarations import layout_size
from .fold import apply
from .pack import BRIDGE, CUP, MONTH, N_MONTH_CARDS, indices
from .referee import in_a_hand, overpaid
from .state import NAGARI, Begun, State, due_cards, may_stop, outstanding
from .turns import BOMB, JA_PPUK, JJOK, JOKER, PLAY, PPUK, STACK, SWEEP, TTADAK, Turn, branches

MOMENTS = (PPUK, BOMB, JOKER, JJOK, TTADAK, SWEEP, STACK, JA_PPUK)
_FREE = ("overdue", "left-lying", "turn-over", "wrongly-taken", "handed-back", "adopt")
_PLAIN = (1 << N_MONTH_CARDS) - 1


def check(state: State, event: Event) -> Problem | None:
    """None where the rules allow the event now, else why not. Never raises."""
    kind = event.kind
    if kind in _FREE:
        return None
    if kind == "sell":
        return _check_sell(state, event)
    test = _TESTS.get(kind)
    if test is None:
        return problem("unknown-event", event=kind[:64])
    player = state.players.index(event.player) if event.player in state.players else -1
    if player < 0 and kind not in ("deal", "nagari", "deal-void", "settle"):
        return problem("no-such-player", player=str(event.player)[:64])
    try:
        cards = state.house.pack.mask(event.cards)
    except InputError as e:
        return problem("unknown-card", event.cards, why=e.code)
    if state.end and kind not in ("settle", "chongtong", "nagari"):
        return problem("deal-over")
    if not state.dealt and kind not in ("deal", "unknown-junk"):
        return problem("not-dealt")
    return test(state, player, cards, event)


def in_progress(state: State) -> Begun | None:
    """The turn whose last card does not lie yet, or None."""
    begun = state.begun
    if begun is None or begun.over or (begun.kind == JOKER and not state.house.substitute):
        return None
    return begun


def pending(state: State) -> list[list[Event]]:
    """What the turn just played still brings, for every choice that is open: moments, capture, steals; [] where nothing is."""
    begun = state.begun
    drawn = begun is not None and begun.kind == JOKER and not state.house.substitute
    if begun is None or state.end or not (begun.over or drawn):
        return []
    out: list[list[Event]] = []
    me = begun.player
    taken = state.caps[me] & ~begun.caps[me] & ~_others(begun.caps, me)
    for turn in turns_of(state, begun):
        if taken & ~turn.gained:
            continue
        rest = _rest(state, begun, turn)
        if rest and rest not in out:
            out.append(rest)
        if not rest:
            return []
    return out


def _others(caps: tuple[int, ...], me: int) -> int:
    out = 0
    for p, held in enumerate(caps):
        if p != me:
            out |= held
    return out


def turns_of(state: State, begun: Begun) -> list[Turn]:
    """The turn that has begun, under every choice that the player has."""
    kind = BOMB if begun.kind == PLAY and begun.hand.bit_count() > 1 else begun.kind
    number = state.turns[begun.player] + (0 if begun.over else 1)
    return list(branches(state.house, begun.floor, begun.stacks, begun.player, begun.caps, kind, begun.hand, begun.flips, begun.last,
                         state.as_junk, number))


def _rest(state: State, begun: Begun, turn: Turn) -> list[Event]:
    told, out = list(begun.told), []
    for event in turn_events(state.house, state.players, begun.player, "", 0, turn):
        if event.kind in told:
            told.remove(event.kind)
        elif event.kind in MOMENTS:
            out.append(event)
        elif event.kind == "capture":
            left = turn.gained & state.on_floor & ~state.untaken[begun.player]
            if left:
                out.append(make("capture", event.player, state.house.pack.cards(left)))
    if out:
        after = state
        for event in out:
            after = apply(after, event)
    else:
        after = state
    if begun.player not in [d.taker for d in after.debts]:
        return out
    for giver, cards in enumerate(due_cards(after, outstanding(after))):
        if cards:
            out.append(make("steal", state.players[begun.player], state.house.pack.cards(cards), from_=state.players[giver]))
    return out


# tests by kind -----------------------------------------------------------------------------------------------------


def _deal(state: State, player: int, cards: int, event: Event) -> Problem | None:
    if state.dealt:
        return problem("already-dealt")
    if len(event.cards) != layout_size(state):
        return problem("wrong-count", event.cards, n=len(event.cards), due=layout_size(state))
    return problem("illegal-play", event.cards) if cards & ~_PLAIN else None


def _play(state: State, player: int, cards: int, event: Event) -> Problem | None:
    pack = state.house.pack
    if in_progress(state):
        return problem("two-plays", event.cards)
    if player != state.turn:
        return problem("out-of-turn", event.cards, turn=state.players[state.turn])
    left = _left_undone(state)
    if left:
        return left
    gone = cards & ~state.unseen
    if gone or not cards:
        return problem("illegal-play", pack.cards(gone), why="card-lies-open")
    if any(cards & shown for p, shown in enumerate(state.shown) if p != player):
        return problem("illegal-play", event.cards, why="card-was-shown")
    if cards.bit_count() > state.hands[player]:
        return problem("illegal-play", event.cards, why="hand-empty")
    if cards.bit_count() > 1 and not may_bomb(state, player, cards):
        return problem("two-plays", event.cards)
    return None


def may_bomb(state: State, player: int, cards: int) -> bool:
    """The cards, all of one month, may be played together."""
    month = next((m for m in MONTH if cards & m == cards), 0)
    lying = (state.floor & month).bit_count()
    if cards.bit_count() == 3 and lying == 1:
        return bool(state.house.bomb_shown) or not cards & state.shown[player]
    return cards.bit_count() == 2 and lying == 2 and state.house.small_bomb != "off"


def _left_undone(state: State) -> Problem | None:
    """What the turn before still has to do."""
    rest = pending(state)
    for events in rest:
        for event in events:
            if event.kind == "capture":
                return problem("pair-not-taken", event.cards, player=event.player)
    if outstanding(state):
        return problem("junk-not-given", state.house.pack.cards(sum(due_cards(state, outstanding(state)))))
    return None


def _flip(state: State, player: int, cards: int, event: Event) -> Problem | None:
    begun = in_progress(state)
    if len(event.cards) != 1 or cards & ~state.unseen:
        return problem("illegal-play", event.cards, why="card-lies-open")
    if not state.stock:
        return problem("illegal-play", event.cards, why="stock-empty")
    if in_a_hand(state, cards):
        return problem("illegal-play", event.cards, why="card-was-shown")
    if begun is not None:
        return None if begun.player == player else problem("out-of-turn", event.cards, turn=state.players[begun.player])
    if player != state.turn:
        return problem("out-of-turn", event.cards, turn=state.players[state.turn])
    if not state.credits[player]:
        return problem("illegal-play", event.cards, why="must-play-from-hand")
    return _left_undone(state)


def _moment(state: State, player: int, cards: int, event: Event) -> Problem | None:
    for rest in pending(state):
        for e in rest:
            if e.kind == event.kind and e.player == event.player and (not event.cards or e.cards == state.house.pack.cards(cards)):
                return None
    return problem("illegal-play", event.cards, event=event.kind)


def _capture(state: State, player: int, cards: int, event: Event) -> Problem | None:
    if state.untaken[player] and cards == state.untaken[player] & state.on_floor:
        return None
    begun = state.begun
    if cards & ~state.on_floor or not cards:
        return problem("illegal-play", state.house.pack.cards(cards & ~state.on_floor), why="not-in-centre")
    if begun is None or begun.player != player or in_progress(state):
        return problem("out-of-turn", event.cards, turn=state.players[state.turn])
    best = None
    for turn in turns_of(state, begun):
        left = turn.gained & state.on_floor
        if cards == left:
            return None
        if not cards & ~turn.gained:
            best = problem("pair-not-taken", state.house.pack.cards(left & ~cards))
    split = any(cards & s[1] and s[1] & ~cards for s in state.stacks)
    return problem("stack-split", event.cards) if split else best or problem("wrong-month", event.cards)


def _steal(state: State, player: int, cards: int, event: Event) -> Problem | None:
    giver = event.arg("from")
    if giver not in state.players or giver == event.player:
        return problem("no-such-player", player=str(giver)[:64])
    g = state.players.index(giver)
    loose = cards & ~state.caps[g]
    if loose.bit_count() > state.hidden[g] or loose & state.seen or not cards:
        return problem("illegal-play", state.house.pack.cards(loose), why="not-the-givers")
    debts = tuple(d for d in (*state.debts, *state.overdue) if (d.giver, d.taker) == (g, player))
    much = overpaid(state.house, cards, due_cards(state, debts)[g] | loose)
    return problem("junk-too-many", state.house.pack.cards(much)) if much or not debts else None


def _shake(state: State, player: int, cards: int, event: Event) -> Problem | None:
    month = next((m for m in MONTH if cards & m == cards), 0)
    if cards.bit_count() != 3 or not month or cards & ~state.unseen or cards & state.shown[player] or state.hands[player] < 3:
        return problem("illegal-play", event.cards, why="no-triple")
    if in_progress(state) or (player != state.turn and any(state.turns)):
        return problem("out-of-turn", event.cards, turn=state.players[state.turn])
    if state.house.shake_when == "on-play" and state.on_floor & month:
        return problem("illegal-play", event.cards, why="fourth-in-centre")
    return None


def _chongtong(state: State, player: int, cards: int, event: Event) -> Problem | None:
    if state.turns[player] or player in state.fours or (state.end and not state.fours):
        return problem("illegal-play", event.cards, why="too-late")
    if event.cards and (not any(m == cards for m in MONTH) or cards & state.seen):
        return problem("illegal-play", event.cards, why="no-four")
    if event.arg("play_on") and state.house.chongtong_play_on < 2:
        return problem("illegal-play", event.cards, why="must-be-shown")
    return None


def _call(state: State, player: int, cards: int, event: Event) -> Problem | None:
    """Go or stop: at the end of one's own turn, at the target, above the score at the last go."""
    total = state.best(player)
    if total < state.target:
        return problem("stop-below-target", total=total, target=state.target)
    if not may_stop(state, player):
        return problem("go-without-gain", total=total, at_go=state.go_score[player])
    if state.undecided != player or in_progress(state):
        return problem("out-of-turn", turn=state.players[state.turn])
    if event.kind == "go" and not (state.hands[player] or state.credits[player]):
        return problem("illegal-play", why="no-turn-left")
    if event.arg("push") and not state.house.push:
        return problem("illegal-play", why="rule-off")
    return None


def _ends(state: State, player: int, cards: int, event: Event) -> Problem | None:
    if event.kind == "settle":
        return None if state.end and not state.settled else problem("illegal-play", event="settle")
    four = any((state.floor & m).bit_count() == 4 for m in MONTH) and not any(state.turns)
    if event.kind == "deal-void":
        return None if four or event.arg("abandoned") else problem("illegal-play", event="deal-void")
    if state.end:
        return None if state.end == NAGARI and not state.settled else problem("deal-over")
    if four and state.house.quad_floor == "nagari":
        return None
    return problem("illegal-play", event="nagari", why="cards-left") if state.turns_left or in_progress(state) else None


def _hidden(state: State, player: int, cards: int, event: Event) -> Problem | None:
    n = event.arg("n", 1)
    if not isinstance(n, int) or isinstance(n, bool) or not 0 <= state.hidden[player] + n <= min(24, state.unseen.bit_count()):
        return problem("wrong-count", n=n if isinstance(n, int) else None)
    return None


def _cup(state: State, player: int, cards: int, event: Event) -> Problem | None:
    if not cards or cards & ~(CUP | BRIDGE) & ~state.house.flexible or cards & ~state.caps[player] or cards & ~state.house.flexible:
        return problem("illegal-play", event.cards, why="no-such-choice")
    rest = state.house.junk_count(state.caps[player])
    return problem("illegal-play", event.cards, why="no-other-junk") if state.house.sake_cup_alone and not rest else None


def _check_sell(state: State, event: Event) -> Problem | None:
    brights = event.arg("brights", 0)
    if not state.house.sell:
        return problem("illegal-play", why="rule-off")
    if event.player is None or event.player in (*state.players, *state.sellers):
        return problem("no-such-player", player=str(event.player)[:64])
    if not isinstance(brights, int) or isinstance(brights, bool) or not 0 <= brights <= 10:
        return problem("wrong-count", n=brights if isinstance(brights, int) else None)
    return problem("deal-over") if state.end else None


_TESTS = {"deal": _deal, "play": _play, "flip": _flip, "capture": _capture, "steal": _steal, "shake": _shake, "chongtong": _chongtong,
          "go": _call, "stop": _call, "nagari": _ends, "deal-void": _ends, "settle": _ends, "unknown-junk": _hidden, "cup": _cup,
          **dict.fromkeys(MOMENTS, _moment)}


# every legal next event ---------------------------------------------------------------------------------------------


def legal(state: State) -> tuple[Event, ...]:
    """Every legal next event. Hands are secret: any unseen card may be played, or turned from the stock."""
    if state.end or not state.dealt:
        return ()
    names, begun = state.house.pack.names, in_progress(state)
    shown = 0
    for held in state.shown:
        shown |= held
    if begun is not None:
        player = state.players[begun.player]
        return tuple(make("flip", player, (names[i],), "human") for i in indices(state.unseen & ~shown)) if state.stock else ()
    rest = pending(state)
    if rest:
        return tuple(dict.fromkeys(events[0] for events in rest))
    if state.to_decide >= 0:
        p = state.to_decide
        calls = ("stop", "go") if state.hands[p] or state.credits[p] else ("stop",)
        return tuple(make(kind, state.players[p], (), "human") for kind in calls)
    return tuple(e for e in _openings(state, shown) if check(state, e) is None)


def _openings(state: State, shown: int) -> list[Event]:
    me, pack = state.turn, state.house.pack
    player, own = state.players[me], state.unseen & (~shown | state.shown[me])
    free = state.hands[me] - state.shown[me].bit_count()      # cards of the hand that nobody has seen
    if free <= 0:
        own &= state.shown[me]
    out = [make("play", player, (pack.names[i],), "human") for i in indices(own)] if state.hands[me] else []
    for month in MONTH:
        held = own & month
        n = held.bit_count()
        if (held & ~state.shown[me]).bit_count() > free:
            continue
        if n == 3:
            out += [make("play", player, pack.cards(held), "human"), make("shake", player, pack.cards(held), "human")]
        elif n == 2:
            out.append(make("play", player, pack.cards(held), "human"))
    if state.credits[me] and state.stock:
        out += [make("flip", player, (pack.names[i],), "human") for i in indices(state.unseen & ~shown)]
    return out
