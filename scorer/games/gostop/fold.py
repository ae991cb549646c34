"""The fold of a deal: the state after each event of its log, whatever it says. What the table did has happened."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...errors import InputError
from ...events import Event
from .pack import MONTH, N_MONTH_CARDS, indices
from .payout import Award, carried, chongtong_awards, ppuk_award, sale_payers, sell_award
from .state import (
    CHONGTONG,
    NAGARI,
    STOPPED,
    THREE_PPUK,
    VOID,
    Begun,
    Debt,
    State,
    add,
    next_player,
    outstanding,
    put,
    twin,
)
from .turns import BOMB, DEAL, FLIP_ONLY, JA_PPUK, JJOK, JOKER, PLAY, PPUK, STACK, SWEEP, TTADAK, stacked


def apply(state: State, event: Event) -> State:
    """The state after the event; one that makes no sense leaves it as it is."""
    if event.kind == "sell":
        return _sell(state, event)
    fold = _FOLDS.get(event.kind)
    if fold is None:
        return state
    player = state.players.index(event.player) if event.player in state.players else -1
    if player < 0 and event.kind not in _NOBODY:
        return state
    try:
        cards = state.house.pack.mask(event.cards)
    except InputError:
        return state
    return fold(state, player, cards, event)


def without(state: State, cards: int, caps: bool = True) -> State:
    """The cards taken from wherever they lie open."""
    if not cards & state.seen:
        return state
    stacks = tuple((m, held & ~cards, maker, made) for m, held, maker, made in state.stacks)
    loose = 0
    for m, held, _, _ in stacks:        # what is left of a stack that was split lies loose
        if held.bit_count() < 3 or not held & MONTH[m]:
            loose |= held
    stacks = tuple(s for s in stacks if s[1].bit_count() >= 3 and s[1] & MONTH[s[0]])
    return replace(state, floor=state.floor & ~cards | loose, stacks=stacks,
                   caps=tuple(c & ~cards for c in state.caps) if caps else state.caps)


def _deal(state: State, player: int, cards: int, event: Event) -> State:
    if state.dealt or state.end:
        return state
    house = state.house
    try:
        jokers = house.pack.mask(event.arg("jokers", ()), cards)
    except (InputError, TypeError):
        jokers = 0
    total = len(house.pack.names)
    state = without(state, cards | jokers)       # an event put in before the deal may have moved them
    floor, stacks = stacked(cards)
    dealer = player if player >= 0 else state.dealer
    hands = _hand_counts(state, event.arg("hands")) or _full_hands(state)
    return replace(state, dealt=True, floor=floor, stacks=stacks, hands=hands, caps=add(state.caps, state.dealer, jokers), turn=dealer,
                   stock=max(0, total - sum(hands) - (cards | jokers).bit_count()))


def _play(state: State, player: int, cards: int, event: Event) -> State:
    if not cards:
        return state
    state = _begin(state, player, JOKER if cards >> N_MONTH_CARDS else PLAY, cards)
    state = without(state, cards)
    hands = put(state.hands, player, max(0, state.hands[player] - cards.bit_count()))
    state = replace(state, floor=state.floor | cards, hands=hands, shown=put(state.shown, player, state.shown[player] & ~cards))
    if state.begun and state.begun.kind == PLAY and not state.stock:
        state = _turn_over(replace(state, begun=replace(state.begun, due=0)))
    return state


def _begin(state: State, player: int, kind: str, cards: int) -> State:
    """A new turn starts. Someone who could have stopped and played on has been passed over (`go` is logged by the referee)."""
    if state.begun and not state.begun.over and not (state.begun.kind == JOKER and not state.house.substitute):
        state = _turn_over(state)
    due = 2 if kind == JOKER and state.house.substitute else 0 if kind == JOKER else 1
    floor, stacks = stacked(state.floor, state.stacks)
    begun = Begun(player, floor, stacks, state.caps, kind, cards, due=due, last=state.turns_left <= 1)
    return replace(state, floor=floor, stacks=stacks, begun=begun, undecided=-1, turn=player,
                   debts=(), overdue=(*state.overdue, *outstanding(state)))


def _flip(state: State, player: int, cards: int, event: Event) -> State:
    if not cards:
        return state
    begun = state.begun
    if begun is None or begun.over or begun.player != player:
        state = _begin(state, player, FLIP_ONLY, 0)
        state = replace(state, credits=put(state.credits, player, max(0, state.credits[player] - 1)))
        begun = state.begun
    assert begun is not None
    state = without(state, cards)
    flips = (*begun.flips, *indices(cards))
    due = begun.due - (0 if cards >> N_MONTH_CARDS else 1)
    stock = max(0, state.stock - cards.bit_count())
    shown = tuple(held & ~cards | (twin(cards) & state.unseen if held & cards else 0) for held in state.shown)
    state = replace(state, floor=state.floor | cards, stock=stock, shown=shown, begun=replace(begun, flips=flips, due=due))
    return _turn_over(state) if due <= 0 or not stock else state


def _turn_over(state: State) -> State:
    """The last card of a turn lies: the turn counts, and the next player who still has one is on."""
    begun = state.begun
    if begun is None or begun.over:
        return state
    me = begun.player
    state = replace(state, begun=replace(begun, over=True), turns=add(state.turns, me), undecided=me)
    return replace(state, turn=next_player(state, me))


def _capture(state: State, player: int, cards: int, event: Event) -> State:
    state = without(state, cards)
    return replace(state, caps=put(state.caps, player, state.caps[player] | cards), untaken=tuple(u & ~cards for u in state.untaken))


def _left_lying(state: State, player: int, cards: int, event: Event) -> State:
    """A capture that its owner forgot: it stays on the floor, and may still be fetched."""
    return replace(state, untaken=put(state.untaken, player, state.untaken[player] | cards))


def _wrongly(state: State, player: int, cards: int, event: Event) -> State:
    giver = event.arg("from")
    g = state.players.index(giver) if giver in state.players else -1
    return replace(state, wrongly=(*state.wrongly, (player, cards, g)))


def _handed_back(state: State, player: int, cards: int, event: Event) -> State:
    """What was taken wrongly lies again where it came from."""
    giver = event.arg("from")
    state = without(state, cards)
    if giver in state.players:
        g = state.players.index(giver)
        state = replace(state, caps=put(state.caps, g, state.caps[g] | cards))
    else:
        state = replace(state, floor=state.floor | cards)
    return replace(state, wrongly=tuple(w for w in state.wrongly if not w[1] & cards))


def _overdue(state: State, player: int, cards: int, event: Event) -> State:
    """Play went on before the junk was handed over to the player: flagged once."""
    return replace(state, debts=(), overdue=(*state.overdue, *outstanding(state)))


def _steal(state: State, player: int, cards: int, event: Event) -> State:
    giver = event.arg("from")
    if giver not in state.players:
        return state
    g = state.players.index(giver)
    unknown = 0
    if cards & ~state.caps[g]:              # handed over out of a pile that was never spread
        unknown = min(state.hidden[g], (cards & ~state.caps[g]).bit_count())
    state = replace(without(state, cards), hidden=add(state.hidden, g, -unknown))
    state = replace(state, caps=put(state.caps, player, state.caps[player] | cards))
    given = [state.house.worth(1 << i) for i in indices(cards)]
    debts = paid_off(state.debts, g, player, given)
    return replace(state, debts=debts, overdue=paid_off(state.overdue, g, player, given))


def paid_off(debts: tuple[Debt, ...], giver: int, taker: int, given: list[int]) -> tuple[Debt, ...]:
    """What is still owed once cards of these worths were handed over; they are taken off `given` as they are counted."""
    left: list[Debt] = []
    for debt in debts:
        count = debt.count
        if (debt.giver, debt.taker) == (giver, taker):
            while count > 0 and given:
                worth = given.pop(0)
                count -= worth if debt.by_worth else 1
        if count > 0:
            left.append(replace(debt, count=count))
    return tuple(left)


def owe(state: State, taker: int, count: int, by_worth: bool = False) -> State:
    """Every opponent owes junk, as far as it has any."""
    if count <= 0:
        return state
    debts = state.debts
    if not state.house.moments_add:      # only the dearest moment of a turn counts
        most = max((d.count for d in debts if d.taker == taker), default=0)
        if count <= most:
            return state
        debts = tuple(d for d in debts if d.taker != taker)
    return replace(state, debts=(*debts, *(Debt(p, taker, count, by_worth) for p in range(state.n) if p != taker)))


def _ppuk(state: State, player: int, cards: int, event: Event) -> State:
    if not cards & ((1 << N_MONTH_CARDS) - 1):
        return state
    house = state.house
    state = without(_told(state, PPUK), cards)
    low = cards & -cards
    month = (low.bit_length() - 1) >> 2
    number = state.turns[player]
    state = replace(state, stacks=(*state.stacks, (month, cards, player, number)), ppuks=add(state.ppuks, player))
    awards = state.awards
    if state.streak[player] == number - 1:
        state = replace(state, streak=put(state.streak, player, number))
        award = ppuk_award(house, player, number)
        awards = (*awards, award) if award else awards
    if state.ppuks[player] == 3 and house.three_ppuk:
        awards = (*awards, Award("three-ppuk", player, carried(house, house.three_ppuk, state.nagari)))
        state = replace(state, end=THREE_PPUK, winner=player)
    return replace(state, awards=awards)


def _told(state: State, kind: str) -> State:
    return replace(state, begun=replace(state.begun, told=(*state.begun.told, kind))) if state.begun else state


def _moment(state: State, player: int, cards: int, event: Event) -> State:
    """Markers of a turn: what they bring is owed until it is handed over."""
    house, kind = state.house, event.kind
    state = _told(state, kind)
    quiet = bool(state.begun and state.begun.last and house.last_turn_exception)
    if kind == BOMB:
        played = state.begun.hand.bit_count() if state.begun else 3
        if played == 2:
            state = replace(state, small_bombs=add(state.small_bombs, player), credits=add(state.credits, player, min(1, house.bomb_skips)))
        else:
            state = replace(state, bombs=add(state.bombs, player), credits=add(state.credits, player, house.bomb_skips))
        if state.turn == player and state.begun and state.begun.over:
            state = replace(state, turn=next_player(state, player))
        return owe(state, player, house.bomb_steal)
    if kind == JOKER:
        if state.begun and state.begun.hand & cards and state.begun.kind == JOKER and not house.substitute:
            drawn = 1 if state.stock else 0
            state = replace(state, stock=state.stock - drawn, hands=add(state.hands, player, drawn))
        return owe(state, player, house.joker_steal * max(1, cards.bit_count()))
    if kind == TTADAK and state.turns[player] == 1 and house.first_ttadak:
        state = replace(state, awards=(*state.awards, Award("first-ttadak", player, house.first_ttadak)))
    if kind in (STACK, JA_PPUK):
        buried = (cards >> N_MONTH_CARDS).bit_count()
        if quiet and not house.last_turn_stack:
            return state
        if kind == JA_PPUK:
            state = owe(state, player, house.jappuk_steal, house.jappuk_by_worth)
        else:
            deal = any(cards & held and maker == DEAL for _, held, maker, _ in (state.begun.stacks if state.begun else state.stacks))
            count = house.deal_stack_steal if deal else house.stack_steal
            state = owe(state, player, min(count, house.last_turn_stack) if quiet else count)
        return owe(state, player, house.joker_steal * buried)
    return owe(state, player, {JJOK: house.jjok_steal, TTADAK: house.ttadak_steal, SWEEP: house.sweep_steal}[kind])


def _shake(state: State, player: int, cards: int, event: Event) -> State:
    if cards & state.shown[player]:
        return state
    return replace(state, shown=put(state.shown, player, state.shown[player] | cards), shakes=add(state.shakes, player))


def _chongtong(state: State, player: int, cards: int, event: Event) -> State:
    if player in state.fours or state.kept[player] > 1:
        return state
    if event.arg("play_on") and state.house.chongtong_play_on > 1:
        return replace(state, kept=put(state.kept, player, state.house.chongtong_play_on),
                       shown=put(state.shown, player, state.shown[player] | cards))
    fours = (*state.fours, player)
    awards = chongtong_awards(state.house, fours, state.n, state.nagari)
    several = len(fours) > 1
    end = NAGARI if several and state.house.several_chongtong == "nagari" else CHONGTONG
    rest = tuple(a for a in state.awards if a.label != "chongtong")
    return replace(state, fours=fours, end=end, winner=-1 if several else player, awards=(*rest, *awards), settled=False)


def _go(state: State, player: int, cards: int, event: Event) -> State:
    first = state.first_caller if state.first_caller >= 0 else player
    return replace(state, goes=add(state.goes, player), go_score=put(state.go_score, player, state.best(player)), undecided=-1,
                   first_caller=first, last_caller=player)


def _stop(state: State, player: int, cards: int, event: Event) -> State:
    if state.end:
        return state
    pushed = bool(event.arg("push")) and bool(state.house.push)
    return replace(state, end=STOPPED, winner=player, undecided=-1, pushed=pushed)


def _nagari(state: State, player: int, cards: int, event: Event) -> State:
    return replace(state, end=NAGARI, winner=-1, undecided=-1, settled=not state.awards)


def _void(state: State, player: int, cards: int, event: Event) -> State:
    house = state.house
    if state.end:
        return state
    if house.quad_floor == "dealer-wins":
        award = Award("quad-floor", state.dealer, carried(house, house.quad_floor_award, state.nagari))
        return replace(state, end=VOID, winner=state.dealer, awards=(*state.awards, award))
    return replace(state, end=NAGARI if house.quad_floor == "nagari" else VOID)


def _settle(state: State, player: int, cards: int, event: Event) -> State:
    return replace(state, settled=True)


def _unknown(state: State, player: int, cards: int, event: Event) -> State:
    n = event.arg("n", 1)
    return replace(state, hidden=put(state.hidden, player, min(24, max(0, state.hidden[player] + n)))) if isinstance(n, int) else state


def _cup(state: State, player: int, cards: int, event: Event) -> State:
    """The cup was moved among its owner's junk, or back: it can be given away there."""
    return replace(state, as_junk=state.as_junk | cards if event.arg("junk") else state.as_junk & ~cards)


def _sell(state: State, event: Event) -> State:
    """Someone who does not play is paid for the brights in its hand."""
    brights, seller = event.arg("brights", 0), event.player
    if not isinstance(brights, int) or seller is None or seller in (*state.players, *state.sellers):
        return state
    number = state.n + len(state.sellers)
    payers = sale_payers(state.house, state.n, number, state.dealer)
    award = sell_award(state.house, number, payers, brights, None, bool(event.arg("triple")))
    return replace(state, sellers=(*state.sellers, seller), awards=(*state.awards, award) if award else state.awards)


def _adopt(state: State, player: int, cards: int, event: Event) -> State:
    """The table is taken as true: floor, captures, and whose turn it is."""
    house = state.house
    table = event.arg("table")
    if not isinstance(table, dict):
        return state
    try:
        floor = house.pack.mask(table.get("floor", ()))
        taken, caps = floor, []
        for p in state.players:
            held = house.pack.mask(table.get("captures", {}).get(p, ()), taken)
            taken |= held
            caps.append(held)
    except (InputError, TypeError, AttributeError):
        return state
    known = tuple(s for s in state.stacks if s[1] & floor == s[1])
    piled = 0
    for s in known:
        piled |= s[1]
    floor, stacks = stacked(floor & ~piled, known)
    turn = table.get("turn")
    hands = _hand_counts(state, table.get("hands"))
    if hands is None:
        hands = state.hands if state.dealt else _full_hands(state)
    stock = max(0, len(house.pack.names) - taken.bit_count() - sum(hands) - sum(state.hidden))
    return replace(state, dealt=True, floor=floor, stacks=stacks, caps=tuple(caps), hands=hands, stock=stock, debts=(),
                   overdue=(), untaken=(0,) * state.n, begun=None, undecided=-1,
                   turn=state.players.index(turn) if turn in state.players else state.turn)


def _full_hands(state: State) -> tuple[int, ...]:
    return (int(state.house.hand_two if state.n == 2 else state.house.hand_three),) * state.n


def _hand_counts(state: State, value: Any) -> tuple[int, ...] | None:
    """Hand sizes that an event gives, where they are sound."""
    if isinstance(value, tuple) and len(value) == state.n and all(isinstance(h, int) and 0 <= h <= 20 for h in value):
        return value
    return None


_Fold = Callable[[State, int, int, Event], State]
_FOLDS: dict[str, _Fold] = {
    "deal": _deal, "play": _play, "flip": _flip, "capture": _capture, "steal": _steal, PPUK: _ppuk, BOMB: _moment, JOKER: _moment,
    JJOK: _moment, TTADAK: _moment, SWEEP: _moment, STACK: _moment, JA_PPUK: _moment, "shake": _shake, "chongtong": _chongtong,
    "go": _go, "stop": _stop, "nagari": _nagari, "deal-void": _void, "settle": _settle, "unknown-junk": _unknown, "cup": _cup,
    "overdue": _overdue, "left-lying": _left_lying,
    "wrongly-taken": _wrongly, "handed-back": _handed_back,
    "turn-over": lambda state, player, cards, event: _turn_over(state), "adopt": _adopt,
}
_NOBODY = ("deal", "nagari", "deal-void", "settle", "adopt", "overdue")
