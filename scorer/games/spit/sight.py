"""What the camera sees at a table of Spit, as events: layouts, spits, plays, races, slaps.

Called on every table state: nobody waits for the hands to leave the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...events import Event, make
from ...frozen import freeze
from ...game import Explanation, Option, Problem, Question, problem
from ...table import Seen, TableState, Zone
from ..evidence import clearness, news, shows
from .fold import apply
from .layout import layout
from .middle import HELD_MS, PILES, Arrival, arrivals, at, contested, counts, find, known, pile_rules, race_event, slap_rules
from .piles import fits
from .referee import check
from .ruling import Reader, land, lies, race_question, refusal
from .state import SpitState, next_step
from .touch import Touch, slap

PATIENCE_MS = 900
"""A card that can hardly lie where it is read is believed once it has been read so for this long."""

AT_ONCE_MS = 30
"""Two spits closer together than this have no order."""
BENEATH_MS = 1200
"""A card lies unseen under another for no longer than this before that one came."""
TOGETHER_MS = 700
"""Two who spit at once are seen within so long."""
LOST_MS = 1500
"""A stock card that is seen nowhere for so long was played and covered."""
CARRIED_MS, AWAY_MS = 3000, 700
"""A card that was carried to a pile and back was away no longer than this; it is missed so long after its hand set out."""


def observe(state: SpitState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
    """Readings of what changed since the last look."""
    if after.lost or state.winner is not None:
        return ()
    if state.phase == "layout":
        return _layout(state, after)
    if state.phase == "slap":
        return _slap(state, before, after)
    return _cards(state, before, after)


def stock_tops(table: TableState, player: str) -> dict[int, Seen]:
    """The open card of each of the player's stock places, by index; face-down tops and empty places are left out."""
    found = {}
    for zone in table.zones_of("stock-pile", player):
        cards = [s for s in table.cards_in(zone.name) if shows(s)]
        if cards:
            found[zone.index] = cards[-1]
    return found


def _layout(state: SpitState, after: TableState) -> tuple[Explanation, ...]:
    """A new layout lies there: as many open cards as the players' numbers of cards ask for, and the middle is cleared."""
    if not after.stable or (state.layouts and any(shows(s) for s in after.by_kind("spit-pile"))):
        return ()
    counts: list[int] = []
    seen: list[Seen] = []
    for player, n, stocks in zip(state.players, state.owned, state.stocks, strict=True):
        row = [s for _, s in sorted(stock_tops(after, player).items())]
        old = {s.top for s in stocks if s.top}
        if len(row) != len(layout(n, state.rules.stock_piles).stock_piles) or (old and old == {s.card for s in row}):
            return ()  # not all dealt yet, or still the old layout
        counts.append(len(row))
        seen += row
    names = [s.card for s in seen]
    if len(set(names)) != len(names):
        return ()
    return (Explanation((make("layout", None, names, margin=clearness(seen), counts=counts),)),)


def _cards(state: SpitState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
    reader = Reader(state, check, apply)
    _taken_back(reader, before, after)
    came = arrivals(state.piles, before, after, state.rules.race_window_ms)
    opened = _opened(state, before, after, {a.card for a in came})
    spits = [a for a in came if state.source(a.card) is None and len(state.due) > 1]
    if len(spits) == 1 and after.t_ms - spits[0].since < TOGETHER_MS:
        return ()  # both spit at once: the other one's card is about to show
    owners = {name: p for p, name in state.own}
    landed = {a.card: _when(state, a, owners) for a in came}
    spat = [landed[a.card] for a in spits]
    at_once = len(spat) > 1 and max(spat) - min(spat) < AT_ONCE_MS

    def turn(item: Arrival | Opened) -> tuple[float, float]:
        """By time; a place shows its next card after the one that lay there has gone; of two who spit at once the left one is told first."""
        if isinstance(item, Arrival):
            return (min(spat), PILES.index(item.pile)) if at_once and item in spits else (landed[item.card], item.seen.order)
        top = state.stocks[state.seat(item.player)][item.index].top
        return max(item.t_ms, landed.get(top or "", 0)), item.seen.order

    items: list[Arrival | Opened] = [*came, *opened]
    for item in sorted(items, key=turn):
        if isinstance(item, Arrival):
            first, wait = _beneath(reader.now, item, after)
            wait = wait or (not item.seen.sure and after.t_ms - item.since < PATIENCE_MS)
            if wait or (first is None and after.t_ms - item.since < PATIENCE_MS and _odd(reader.now, item, after)):
                return ()
            _arrive(reader, item, after)
        elif reader.now.phase in ("spit", "play"):
            _open(reader, item, after)
    _withdrawn(reader, before, after, state.refused)
    _lost(reader, after)
    return reader.explanations()


def _when(state: SpitState, arrival: Arrival, owners: Mapping[str, str]) -> float:
    """When a card came, by the touch of whoever it must be from."""
    source = state.source(arrival.card)
    last = find(state.piles, arrival.pile)
    hand = arrival.toucher(state.players, last.last if last is not None else None, state.rules.race_window_ms)
    return arrival.by(source[0] if source is not None else owners.get(arrival.pile) or hand or "").t_ms if source or state.due or hand else arrival.t_ms


def _fitting(state: SpitState, arrival: Arrival) -> bool:
    """Does the card fit what lies there, or what lay there before a rival's card came?"""
    pile = find(state.piles, arrival.pile)
    if pile is None or pile.top is None:
        return False
    tops = [pile.top] if pile.last is None else [pile.top, pile.last.before]
    return any(fits(top, arrival.card, pile_rules(state.rules)) for top in tops)


def _all_there(state: SpitState, arrival: Arrival, after: TableState) -> bool:
    """Is the arrived card surely read, and does every other open stock card lie in plain view? Then none can lie beneath it."""
    lying = {s.card for s in after.seen if s.lies and s.visible}
    tops = [s.top for row in state.stocks for s in row if s.top and s.top != arrival.card]
    return arrival.seen.sure and all(top in lying for top in tops)


def _odd(state: SpitState, arrival: Arrival, after: TableState) -> bool:
    """Is it hard to believe that this very card came to lie there? It still lies in its stock place, or it lay nowhere while somebody
    could have played: a misread card is soon read better."""
    source = state.source(arrival.card)
    if source is not None:
        shown = stock_tops(after, source[0]).get(source[1])
        return (shown is not None and shown.card == arrival.card) or not (_fitting(state, arrival) or _all_there(state, arrival, after))
    if arrival.seen.sure and _fitting(state, arrival) and any(s.down and not s.up for row in state.stocks for s in row):
        return False  # turned and played at once
    return not state.due and next_step(state) == "continue"


@dataclass(frozen=True, slots=True)
class Opened:
    """A stock place that shows another card than before."""

    player: str
    index: int
    seen: Seen
    t_ms: int


def _opened(state: SpitState, before: TableState, after: TableState, arriving: set[str]) -> list[Opened]:
    found = []
    for player in state.players:
        if _hides(state, after, player):
            continue  # it may have laid the card that was turned before
        stocks = state.stocks[state.seat(player)]
        old = stock_tops(before, player)
        for index, seen in stock_tops(after, player).items():
            if index >= len(stocks) or seen.card == stocks[index].top or seen.card in known(state.piles):
                continue
            there = old.get(index)
            if there is not None and there.track == seen.track and stocks[index].up:
                continue  # the same card read anew: an amendment's business
            top = stocks[index].top
            if top and top not in arriving and not _moved(state, after, player, index) and not _went(after, top, seen):
                continue  # the card that lay here is still on its way
            came = [c.t_ms for c in after.changes if c.track == seen.track and c.to_zone == seen.zone and c.kind in ("appear", "move", "turn")]
            found.append(Opened(player, index, seen, max(came, default=after.t_ms)))
    return found


def _hides(state: SpitState, after: TableState, player: str) -> bool:
    """Did the player's hand come down on a pile that cannot be seen since, or on which the rival's card came to lie after it?"""
    for pile in state.piles:
        spent = pile.spent(player)
        hand = max((c.t_ms for c in after.changes if c.kind in ("touch", "reach") and c.player == player and c.to_zone == pile.name
                    and spent < c.t_ms and after.t_ms - c.t_ms < HELD_MS), default=0)
        top = open_card(after, after.zone(pile.name))
        if hand and top is not None and (not top.visible or (pile.last is not None and pile.last.player != player and hand < pile.last.t_ms)):
            return True
    return False


def _went(after: TableState, card: str, seen: Seen) -> bool:
    """Where a stock card lay another one lies open (`seen`), and has for a while: did the card go, though nobody saw where to?"""
    since = max([c.t_ms for c in after.changes if c.track == seen.track and c.kind in ("appear", "move", "turn")], default=after.t_ms)
    return seen.sure and after.t_ms - since >= PATIENCE_MS and not any(s.card == card and s.lies for s in after.seen)


def _moved(state: SpitState, after: TableState, player: str, index: int) -> bool:
    """Does the card that lay open in this place lie open in another place of the same player?"""
    top = state.stocks[state.seat(player)][index].top
    return any(s.card == top and i != index for i, s in stock_tops(after, player).items())


def _lies_nowhere(state: SpitState, after: TableState, card: str) -> bool:
    """Is the card seen nowhere, long after it left its place? Then it lies below others where only a pile can hide it."""
    if any(s.card == card and s.state != "gone" for s in after.seen):
        return False
    left = [c.t_ms for c in after.changes if c.card == card and c.kind == "leave"]
    return bool(left) and after.t_ms - left[-1] > LOST_MS


def _lost(reader: Reader, after: TableState) -> None:
    """Stock cards that are gone from their places and lie nowhere: played, and covered before anybody saw them lie."""
    for player in reader.now.players:
        tops = stock_tops(after, player)
        for index, stock in enumerate(reader.now.stocks[reader.now.seat(player)]):
            if stock.top and index not in tops and _lies_nowhere(reader.now, after, stock.top):
                _play_unseen(reader, after, player, index)


def _play_unseen(reader: Reader, after: TableState, player: str, index: int) -> None:
    """Log the play of a stock card that nobody saw lie: on the pile that its owner's hand came to, else on the only one that it fits."""
    now: SpitState = reader.now
    card = str(now.stocks[now.seat(player)][index].top)
    fitting = [p for p in now.piles if p.top and fits(p.top, card, pile_rules(now.rules))]
    left = max([c.t_ms for c in after.changes if c.card == card and c.kind == "leave"], default=after.t_ms)
    hands = {c.to_zone: c for c in after.changes if c.kind in ("touch", "reach") and c.player == player and abs(c.t_ms - left) < 1500}
    touched = [p for p in fitting if p.name in hands and hands[p.name].t_ms > p.spent(player)]
    chosen = touched or fitting
    if now.phase == "play" and len(chosen) == 1:
        hand = hands.get(chosen[0].name)
        reader.log(at(make("play", player, (card,), "auto", margin=0.0, pile=chosen[0].name, index=index), hand.t_ms if hand else left))


def _open(reader: Reader, opened: Opened, after: TableState) -> None:
    """A card turned up, or moved to an empty space, or both before anybody looked."""
    now: SpitState = reader.now
    lay = now.stocks[now.seat(opened.player)][opened.index].top
    if lay and lay != opened.seen.card and not _moved(now, after, opened.player, opened.index):
        _play_unseen(reader, after, opened.player, opened.index)
        now = reader.now
    card, margin = (opened.seen.card,), clearness((opened.seen,))
    source = now.source(opened.seen.card)
    stocks = now.stocks[now.seat(opened.player)]
    if source is not None and source[0] == opened.player:
        steps = [make("move", opened.player, card, margin=margin, index=opened.index)]
    elif stocks[opened.index].count:
        steps = [make("turn-up", opened.player, card, margin=margin, index=opened.index)]
    else:
        blind = [i for i, s in enumerate(stocks) if s.down and not s.up]
        steps = [make("turn-up", opened.player, card, margin=margin, index=i) for i in blind[:1]]
        steps += [make("move", opened.player, card, index=opened.index)]
    for event in steps:
        if check(reader.now, event) is not None:
            return
        reader.log(at(event, opened.t_ms))


def _arrive(reader: Reader, arrival: Arrival, after: TableState) -> None:
    """A card landed on a spit pile: a spit card, or a play of whoever's stock shows it."""
    now = reader.now
    source = now.source(arrival.card)
    if source is not None:
        first, _ = _beneath(now, arrival, after)
        if first is not None:
            reader.log(first)
        land(reader, arrival, source[0], source[1], after)
        return
    pile = find(now.piles, arrival.pile)
    last, window = pile.last if pile is not None else None, now.rules.race_window_ms
    blind = [p for p, row in zip(now.players, now.stocks, strict=True) if any(s.down and not s.up for s in row)]
    fitting = _fitting(now, arrival)
    hand = arrival.toucher(blind, last, window)
    wrongly = hand is not None and next_step(now) == "continue"  # somebody else may play, so it is no spit card
    if not now.due and blind and (fitting or wrongly or not any(now.spit_cards)):
        who = hand or blind[0]
        land(reader, arrival, who, None, after)  # turned and played before anybody saw it lie open
        return
    if not any(now.spit_cards):
        return
    if not now.due and now.phase == "play":
        reader.log(make("stall"))
        now = reader.now
    able = now.due or tuple(p for p, n in zip(now.players, now.spit_cards, strict=True) if n)
    owner = {name: p for p, name in now.own}.get(arrival.pile)
    usual = owner or now.players[PILES.index(arrival.pile)]
    both = owner in able and len(able) > 1  # each spits on the own pile, whoever's sleeve was seen there
    who = usual if both else arrival.toucher(able, last, window) or (usual if usual in able else able[0])
    reader.log(at(make("spit", who, (arrival.card,), margin=clearness((arrival.seen,)), pile=arrival.pile), arrival.by(who).t_ms))


def _beneath(now: SpitState, arrival: Arrival, after: TableState) -> tuple[Event | None, bool]:
    """A card of the rival's that lies under an arrived one, and was first: the rival's hand came down there before, and a card of the
    rival's that would have fitted is gone from its place, or hidden. (The play, or whether it is too early to say)."""
    source, pile = now.source(arrival.card), find(now.piles, arrival.pile)
    if source is None or pile is None or pile.top is None:
        return None, False
    player, rival = source[0], now.other(source[0])
    touch = arrival.by(player)
    hands = [c for c in arrival.touches if c.player == rival and touch.t_ms - BENEATH_MS <= c.t_ms < touch.t_ms]
    if not hands:
        return _between(now, arrival, after), False
    tops = stock_tops(after, rival)
    lying = {s.card for s in after.seen if s.lies and s.visible}
    fitting = [(i, s.top) for i, s in enumerate(now.stocks[now.seat(rival)]) if s.top and fits(pile.top, s.top, pile_rules(now.rules))]
    gone = [(i, c) for i, c in fitting if c not in lying and (i not in tops or tops[i].card != c)]
    hidden = gone or [(i, c) for i, c in fitting if c not in lying]
    if len(gone) == 1 or (len(hidden) == 1 and after.t_ms - touch.t_ms >= PATIENCE_MS):
        index, card = hidden[0]
        known_to = {"index": index} if hands[-1].sigma_ms is None else {"index": index, "sigma_ms": hands[-1].sigma_ms}
        return at(make("play", rival, (card,), "auto", margin=0.0, pile=pile.name, **known_to), hands[-1].t_ms), False
    return None, bool(hidden) and after.t_ms - touch.t_ms < PATIENCE_MS


def _between(now: SpitState, arrival: Arrival, after: TableState) -> Event | None:
    """The play of a card without which the arrived one would not fit: the only one that is gone from its place, lies nowhere, and fits
    between them."""
    pile, rules = find(now.piles, arrival.pile), pile_rules(now.rules)
    if pile is None or pile.top is None or fits(pile.top, arrival.card, rules):
        return None
    lying = {s.card for s in after.seen if s.lies and s.visible}
    gone = []
    for player in now.players:
        tops = stock_tops(after, player)
        gone += [(player, i, s.top) for i, s in enumerate(now.stocks[now.seat(player)])
                 if s.top and s.top != arrival.card and s.top not in lying and (i not in tops or tops[i].card != s.top)
                 and fits(pile.top, s.top, rules) and fits(s.top, arrival.card, rules)]
    if len(gone) != 1:
        return None
    player, index, card = gone[0]
    left = [c.t_ms for c in after.changes if c.card == card and c.kind == "leave"]
    touch = arrival.by(arrival.card and (now.source(arrival.card) or ("",))[0]).t_ms
    return at(make("play", player, (card,), "auto", margin=0.0, pile=pile.name, index=index), min([touch - 1, *left[-1:]]))


def _taken_back(reader: Reader, before: TableState, after: TableState) -> None:
    """Cards that went back to their stock: the players settled a race themselves, or somebody broke the touch-move rule."""
    now = reader.now
    home = {s.card: p for p in now.players for s in stock_tops(after, p).values()}
    if now.contest is not None:
        pile = now.contest.pile
        for card in (now.contest.second, now.contest.first):
            if home.get(card.card) == card.player and not lies(after, card.card, pile):
                first = card is now.contest.first
                contest = now.contest
                reader.log(refusal(card.player, card.card, pile, "beaten", after.t_ms))
                if first:
                    reader.log(at(make("play", contest.second.player, (contest.second.card,), pile=pile), contest.second.t_ms))
                return
    for middle in now.piles:
        last = middle.last
        if last is None or not after.stable or middle.top != last.card or lies(after, last.card, middle.name):
            continue
        if home.get(last.card) == last.player and lies(before, last.card, middle.name):
            broken = problem("taken-back", (last.card,), pile=middle.name, player=last.player)
            reader.log(refusal(last.player, last.card, middle.name, "taken-back", after.t_ms), broken)


def _withdrawn(reader: Reader, before: TableState, after: TableState, refused: tuple[str, str, str] | None) -> None:
    """Stock cards that were carried to a pile and back, under the hand all the while: their owners saw themselves that they came too late,
    or that the card does not fit. One that would fit was only thought about."""
    changes = news(before, after)
    stocks = {z.name: (z.player, z.index) for z in after.zones_of("stock-pile")}
    for back in changes:
        if back.kind not in ("appear", "move") or back.to_zone not in stocks:
            continue
        player, index = stocks[back.to_zone]
        now: SpitState = reader.now
        if player not in now.players or now.source(back.card) != (player, index):
            continue
        own = [c for c in after.changes if c.track == back.track and c.n < back.n]
        stayed = bool(own) and own[-1].to_zone in PILES and refused != (player, back.card, own[-1].to_zone)  # seen there, not yet ruled on
        if not own or not (stayed or (own[-1].kind == "leave" and own[-1].from_zone == back.to_zone)) or back.t_ms - own[-1].t_ms > CARRIED_MS:
            continue
        left = own[-1].t_ms
        for pile in now.piles:
            hands = [c for c in after.changes if c.kind in ("touch", "reach") and c.to_zone == pile.name and c.player == player
                     and left - AWAY_MS <= c.t_ms <= back.t_ms and c.t_ms > pile.spent(player)]
            if hands:
                touch = Touch(player, hands[-1].t_ms, back.card, pile.name, hands[-1].sigma_ms)
                rival = contested(now.piles, touch, now.rules)
                if rival is not None and player in rival[1].refused:
                    reader.log(race_event(pile.name, rival[1], (rival[0].card, back.card), touch.t_ms))
                    reader.log(refusal(player, back.card, pile.name, "beaten", touch.t_ms))
                elif rival is None and pile.top and not fits(pile.top, back.card, pile_rules(now.rules)):
                    reader.log(refusal(player, back.card, pile.name, "does-not-fit", touch.t_ms))
                break


def _slap(state: SpitState, before: TableState, after: TableState) -> tuple[Explanation, ...]:
    """The first touch of each player after the layout was over; a lone hand is waited out."""
    if state.undecided:
        return _dealt_on(state, after)
    if len(state.piles) < 2:
        return ()
    names = {pile.name for pile in state.piles}
    hands = [
        Touch(str(c.player), c.t_ms, pile=c.to_zone, sigma_ms=c.sigma_ms)
        for c in news(before, after)
        if c.kind == "touch" and c.to_zone in names and c.player in state.players and c.t_ms > state.clock_ms
    ]
    chooser = state.emptied_by if state.rules.winner_chooses else None
    if chooser is not None:
        hands = [h for h in hands if h.player == chooser]
    if not hands:
        return ()
    lone = len({h.player for h in hands}) == 1
    if lone and chooser is None and after.t_ms - hands[0].t_ms < state.rules.slap_wait_ms:
        return ()
    event = slap_event(state, hands)
    if lone and chooser is None and state.other(hands[0].player) in after.hands:
        # the other one's hand is over the table too, and nobody saw when it came down: a ruling would only guess
        event = replace(event, args=freeze({**event.args, "verdict": "too-close", "gets": {}, "by": "unseen-hand"}))
    return (Explanation((event,), label="slap"),)


def _dealt_on(state: SpitState, after: TableState) -> tuple[Explanation, ...]:
    """The players settled the slap without a word to the camera and dealt anew: the earlier touch is taken to have won."""
    if not state.likely or not after.stable or any(shows(s) for s in after.by_kind("spit-pile")):
        return ()
    event = make("slap", None, (), "auto", margin=0.0, pile=state.likely[0][1], verdict="decided", gets=dict(state.likely), by="dealt-on")
    dealt = apply(state, event)
    rows = [len(stock_tops(after, p)) for p in state.players]
    old = {s.top for row in state.stocks for s in row if s.top}
    anew = {s.card for p in state.players for s in stock_tops(after, p).values()}
    if rows != [len(layout(n, state.rules.stock_piles).stock_piles) for n in dealt.owned] or not anew - old:
        return ()
    return (Explanation((event,), label="slap"),)


def slap_event(
    state: SpitState, hands: list[Touch], under: str | None = None, choice: str | None = None, source: str = "camera"
) -> Event:
    """The ruling on these hands, as the log keeps it."""
    ruling = slap(counts(state.piles), hands, slap_rules(state.rules), players=state.players, under=under, emptied_by=state.emptied_by,
                  choice=choice)
    pile = hands[0].pile if hands else choice
    touches = [{"player": h.player, "pile": h.pile, "t_ms": round(h.t_ms, 1), "sigma_ms": h.sigma_ms} for h in hands]
    event = make("slap", None, (), source, pile=pile, order=ruling.order, gap_ms=ruling.gap_ms, sigma_ms=ruling.sigma_ms,
                 verdict="too-close" if ruling.verdict == "too-close" else "decided", gets=dict(ruling.gets), by=ruling.by, touches=touches)
    return at(event, hands[0].t_ms if hands else 0)


def questions(state: SpitState) -> tuple[Question, ...]:
    """What no camera can settle: a race or slap too close, a single pile that nobody has won."""
    if state.contest is not None:
        return (race_question(state.contest, state.rules),)
    if state.phase == "slap" and (state.undecided or (len(state.piles) == 1 and state.emptied_by is None)):
        return (Question("slap-order" if state.undecided else "who-takes", None, tuple(share_options(state))),)
    return ()


def share_options(state: SpitState) -> list[Option]:
    """Either way of sharing out the piles."""
    names = [pile.name for pile in state.piles]
    out = []
    for player in state.players:
        gets: Mapping[str, str] = {player: names[0], state.other(player): names[1]} if len(names) == 2 else {player: names[0]}
        event = make("slap" if len(names) == 2 else "gather", None, (), "human", pile=names[0], verdict="decided", gets=gets, by="asked")
        out.append(Option(f"{player}:{names[0]}", "takes-pile", (), (event,)))
    return out


def expected(state: SpitState, after: TableState) -> tuple[Problem, ...]:
    """Spit piles whose open card is not the log's (a card refused or contested may still lie there)."""
    if not after.stable or after.lost or state.phase not in ("spit", "play"):
        return ()
    out = []
    for pile in state.piles:
        top = open_card(after, after.zone(pile.name))
        excused = {state.refused[1] if state.refused else None, state.contest.second.card if state.contest else None}
        if top is not None and top.sure and top.card != pile.top and top.card not in excused:
            out.append(problem("pile-differs", (top.card,), pile=pile.name, table=top.card, log=pile.top))
    return tuple(out)


def open_card(table: TableState, zone: Zone | None) -> Seen | None:
    """The card that lies open on top in a zone."""
    cards = [s for s in table.cards_in(zone.name) if shows(s)] if zone is not None else []
    return cards[-1] if cards else None


def adopt(state: SpitState, table: TableState) -> tuple[Event, ...]:
    """Take the table as it lies."""
    if state.phase not in ("spit", "play"):
        return ()
    tops = {p.name: s.card for p in state.piles if (s := open_card(table, table.zone(p.name))) is not None}
    stocks = {}
    for player, row in zip(state.players, state.stocks, strict=True):
        seen = stock_tops(table, player)
        stocks[player] = [seen[i].card if i in seen else "" for i in range(len(row))]
    event = make("resync", source="human", piles=tops, stocks=stocks)
    return (event,) if apply(state, event) != state else ()
