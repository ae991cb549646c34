"""Answers to worked cases (kinds score, payout, eligible, event, turn), computed by the engine that referees live play."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import InputError, did_you_mean
from ...ruleset import load_rules
from .captures import tally
from .house import SCHEMA, House
from .pack import ALL, CUP, MONTH, N_MONTH_CARDS, indices, pack_for
from .payout import Award, Claim, carried, chips, chongtong_awards, common_factors, go_bonus, ppuk_award, sale_payers, sell_award, settle
from .turns import BOMB, DEAL, FLIP_ONLY, JOKER, PLAY, Pick, Stack, by_value, resolve


def judge(case: Mapping[str, Any]) -> dict[str, Any]:
    """The answer fields of one case (the forms are in the documentation of `kibitz judge`). Raises InputError."""
    kinds = {"score": _score, "payout": _payout, "eligible": _eligible, "event": _event, "turn": _turn}
    kind = case.get("kind")
    if kind not in kinds:
        raise InputError("bad-case", f"there is no kind {kind!r} of Go-Stop case", mend=did_you_mean(str(kind), kinds))
    return kinds[kind](_Case(case))


class _Case:
    """A case with its rules, its pack and the names that its cards were given."""

    def __init__(self, case: Mapping[str, Any]) -> None:
        self.case = case
        override = case.get("override") or {}
        bonus = override.get("bonus") if isinstance(override, Mapping) else None
        rules = load_rules("gostop", SCHEMA, _text(case, "ruleset", "classic"), override)
        worths = dict(rules.bonus) | (dict(bonus) if isinstance(bonus, Mapping) else {})
        self.house = House(rules, pack_for(_all_cards(case), worths))
        self.players = _names(case.get("players") or _owners(case))
        self.given: dict[int, str] = {}      # card (a bit) -> the name that the case gave it
        self.taken = 0

    def mask(self, cards: Any, key: str) -> int:
        """The set of named cards, each name remembered and no card taken twice."""
        out = 0
        if not isinstance(cards, list):
            raise InputError("bad-case", f"key {key!r} must be a list of cards")
        for name in cards:
            card = self.house.pack.mask([str(name)], self.taken)
            self.given[card] = str(name)
            self.taken |= card
            out |= card
        return out

    def names(self, mask: int) -> list[str]:
        """The cards of a set by the names that the case gave them."""
        return [self.given.get(1 << i, self.house.pack.names[i]) for i in indices(mask)]

    def captured(self, key: str = "captured") -> tuple[int, ...]:
        held = self.case.get(key, {} if key == "captured_before" else None)
        if not isinstance(held, Mapping):
            raise InputError("bad-case", f"key {key!r} must be an object of players and their cards")
        for player in held:
            if player not in self.players:
                raise InputError("bad-case", f"key {key!r} names {player!r}, who does not play", mend="list the player under 'players'")
        return tuple(self.mask(held.get(p, []), key) for p in self.players)

    def seated(self) -> None:
        """Two or three play; who else is at the table watches (RULES 1.2)."""
        if not 2 <= len(self.players) <= 3:
            raise InputError("bad-case", f"key 'players' has {len(self.players)} of them", mend="list the two or three who play")

    def player(self, name: Any, key: str) -> int:
        if name not in self.players:
            raise InputError("bad-case", f"key {key!r} is {name!r}, who does not play", mend="name one of " + ", ".join(self.players))
        return self.players.index(name)

    @property
    def cup(self) -> int | None:
        """How the case fixes the sake cup: None leaves it to the rules."""
        use = self.case.get("sake_cup")
        if use not in (None, "animal", "junk"):
            raise InputError("bad-case", f"key 'sake_cup' is {use!r}", mend="give animal or junk")
        return None if use is None else CUP if use == "junk" else 0

    @property
    def target(self) -> int:
        return _whole(self.case, "target", self.house.target_for(len(self.players)))

    @property
    def streak(self) -> int:
        return max(_whole(self.case, "nagari_streak", 0), int(_flag(self.case, "prev_nagari")))


def _score(c: _Case) -> dict[str, Any]:
    held = c.captured()[0]
    count = tally(c.house, held, c.cup)
    return {"points": count.points, "junk_count": count.junk_count}


def _eligible(c: _Case) -> dict[str, Any]:
    c.seated()
    held = c.captured()[c.player(c.case.get("winner"), "winner")]
    count = tally(c.house, held, c.cup)
    at_go = c.case.get("score_at_go")
    may = count.total >= c.target and (at_go is None or count.total > _whole(c.case, "score_at_go", 0))
    return {"points": count.points, "eligible": may}


def _payout(c: _Case) -> dict[str, Any]:
    c.seated()
    case, players = c.case, c.players
    winner = c.player(case.get("winner"), "winner")
    wallet = _counts(c, "wallet")
    goes = _counts(c, "losers_goes")
    if goes.get(winner):
        raise InputError("bad-case", f"key 'losers_goes' names {players[winner]!r}, who won", mend="give the winner's under 'goes'")
    goes[winner] = _whole(case, "goes", 0)
    caller = {key: c.player(case[key], key) if case.get(key) is not None else -1 for key in ("first_caller", "last_caller")}
    claim = Claim(
        caps=c.captured(), winner=winner, goes=tuple(goes.get(p, 0) for p in range(len(players))),
        first_caller=caller["first_caller"], last_caller=caller["last_caller"], shakes=_whole(case, "shakes", 0),
        bombs=_whole(case, "bombs", 0), small_bombs=_whole(case, "small_bombs", 0), nagari=c.streak,
        mission=_whole(case, "mission", 1), wallets=tuple(wallet.get(p) for p in range(len(players))) if wallet else None,
        as_junk=c.cup, target=c.target)
    result = settle(c.house, claim, players)
    return {"points": result.tally.points, "eligible": result.tally.total >= c.target, "junk_count": result.tally.junk_count,
            "payout": {players[p]: amount for p, amount in enumerate(result.amounts) if p != winner}}


def _event(c: _Case) -> dict[str, Any]:
    event = c.case.get("event")
    if not isinstance(event, Mapping):
        raise InputError("bad-case", "key 'event' must be an object with its kind")
    kind = event.get("kind")
    house, n = c.house, len(c.players)
    awards: list[Award] = []
    if kind == "chongtong":
        holders = [c.player(p, "players") for p in _names(event.get("players", [event.get("player")]))]
        awards += chongtong_awards(house, holders, n, c.streak)
    elif kind == "quad-floor":
        if house.quad_floor == "dealer-wins":
            awards.append(Award("quad-floor", _dealer(c), carried(house, house.quad_floor_award, c.streak)))
    elif kind == "nagari":
        awards += _improved(c, event)
    elif kind == "ppuk-streak":
        player, turns = c.player(event.get("player"), "player"), event.get("turns")
        if not isinstance(turns, list) or not 1 <= len(turns) <= 3 or not all(type(t) is int and t >= 1 for t in turns) or (
                turns != sorted(set(turns))):
            raise InputError("bad-case", f"key 'turns' is {turns!r}", mend="list one to three of the player's turns, from 1, in order")
        if turns == list(range(1, len(turns) + 1)) and (award := ppuk_award(house, player, len(turns))):
            awards.append(award)
        if len(turns) == 3:
            awards.append(_three_ppuk(c, player))
    elif kind == "three-ppuk":
        awards.append(_three_ppuk(c, c.player(event.get("player"), "player")))
    elif kind == "first-ttadak":
        awards.append(Award("first-ttadak", c.player(event.get("player"), "player"), house.first_ttadak))
    elif kind == "sell":
        awards += _sale(c, event)
    else:
        raise InputError("bad-case", f"there is no event {kind!r}", mend=did_you_mean(
            str(kind), ("chongtong", "quad-floor", "nagari", "ppuk-streak", "three-ppuk", "first-ttadak", "sell")))
    return {"payout": chips([pay for award in awards for pay in award.payments(_seats(c))])}


def _three_ppuk(c: _Case, player: int) -> Award:
    return Award("three-ppuk", player, carried(c.house, c.house.three_ppuk, c.streak))


def _improved(c: _Case, event: Mapping[str, Any]) -> list[Award]:
    """Cards run out on a go: only a caller who had improved is paid (H42), or the last caller where the house says so."""
    caller = event.get("go_by")
    if caller is None:
        return []
    c.player(caller, "go_by")
    at_go, at_end = _whole(event, "score_at_go", 0), _whole(event, "score_at_end", 0)
    if at_end <= at_go and not c.house.go_caller_wins:
        return []
    goes = _whole(event, "goes", 1)
    claim = Claim(caps=(0,) * len(c.players), winner=0, goes=(goes,), nagari=c.streak)
    amount = at_end + go_bonus(c.house, goes)[0]
    for _, factor, _, _ in common_factors(c.house, claim, 0):
        amount *= factor
    return [Award("score", c.player(caller, "go_by"), amount)]


def _sale(c: _Case, event: Mapping[str, Any]) -> list[Award]:
    seats = _seats(c)
    if event.get("player") not in seats:
        raise InputError("bad-case", f"key 'player' is {event.get('player')!r}, not a player's name")
    seller = seats.index(event["player"])
    payers = sale_payers(c.house, len(seats), seller, _dealer(c))
    if event.get("brights") is None:
        raise InputError("bad-case", "key 'brights' is missing", mend="give the number of brights that are sold")
    award = sell_award(c.house, seller, payers, _whole(event, "brights", 0), _whole(event, "unit", c.house.sell), _flag(event, "triple"))
    return [award] if award else []


def _seats(c: _Case) -> list[str]:
    """The players, and the one who sells where it is not listed among those who play."""
    event = c.case.get("event")
    name = event.get("player") if isinstance(event, Mapping) and event.get("kind") == "sell" else None
    return c.players + ([name] if isinstance(name, str) and name not in c.players else [])


def _dealer(c: _Case) -> int:
    """The first player deals unless the case says otherwise."""
    return c.player(c.case["dealer"], "dealer") if c.case.get("dealer") is not None else 0


def _turn(c: _Case) -> dict[str, Any]:
    c.seated()
    case, house, players = c.case, c.house, c.players
    me = c.player(case.get("turn"), "turn")
    floor = c.mask(case.get("floor"), "floor")
    stacks, listed = _stacks(c)
    _laid_out(floor, stacks)
    caps = c.captured("captured_before")
    action = case.get("action")
    if not isinstance(action, Mapping):
        raise InputError("bad-case", "key 'action' must be an object with its type")
    kind, hand = _action(c, action, floor)
    stock = case.get("stock")
    if not isinstance(stock, list):
        raise InputError("bad-case", "key 'stock' must be a list of cards")
    order = [c.mask([card], "stock").bit_length() - 1 for card in stock]
    pick = _picker(c, case.get("choose"), floor)
    cup = (c.cup or 0) if house.sake_cup == "best" or c.cup else 0
    turn = resolve(house, floor, stacks, me, caps, kind, hand, order, 0, pick, _flag(case, "last_turn"), cup, my_turn=1)
    played = [*indices(floor), *indices(hand), *turn.flips]
    after = []
    for pile in turn.stacks:
        month, cards, maker, _ = pile
        names = listed.get(cards) or [c.given[1 << i] for i in sorted(played, key=lambda i: i >= N_MONTH_CARDS) if cards >> i & 1]
        after.append({"month": month + 1, "cards": names, "made_by": None if maker == DEAL else players[maker]})
    return {
        "captured": c.names(turn.gained), "stolen": {players[p]: c.names(cards) for p, cards in enumerate(turn.stolen) if cards},
        "floor_after": c.names(turn.floor), "stacks_after": after, "events": [name for name, _ in turn.moments],
        "hand_added": c.names(turn.hand_added), "turn_continues": turn.continues,
    }


def _picker(c: _Case, choose: Any, floor: int) -> Pick:
    """The player's choice of floor cards, by where the card that takes one came from; the likeliest where none is told."""
    if not isinstance(choose, Mapping | None) or not set(choose or ()) <= {"hand", "stock"}:
        raise InputError("bad-case", f"key 'choose' is {choose!r}", mend='write {"hand": a card of the floor, "stock": another}')
    choose = {stage: name for stage, name in (choose or {}).items() if name is not None}
    lying = {c.given[1 << i] for i in indices(floor)}
    for stage, name in choose.items():
        if not isinstance(name, str) or name not in lying:
            raise InputError("bad-case", f"key 'choose' names {name!r} for the {stage}, which does not lie in the centre",
                             mend="name a card of 'floor'")

    def pick(options: int, stage: str) -> int:
        for name in (choose.get(stage), *choose.values()):
            for card in indices(options):
                if name is not None and c.given.get(1 << card) == name:
                    return 1 << card
        if stage in choose:
            raise InputError("bad-case", f"{choose[stage]!r} does not match the card from the {stage}",
                             mend="choose one of " + ", ".join(c.names(options)))
        return by_value(options)

    return pick


def _stacks(c: _Case) -> tuple[tuple[Stack, ...], dict[int, list[str]]]:
    out: list[Stack] = []
    listed: dict[int, list[str]] = {}
    piles = c.case.get("stacks", [])
    if not isinstance(piles, list):
        raise InputError("bad-case", "key 'stacks' must be a list of stacks")
    for pile in piles:
        if not isinstance(pile, Mapping):
            raise InputError("bad-case", "a stack must be an object with its month and cards")
        cards = c.mask(pile.get("cards"), "cards")
        plain = cards & ALL
        month = next((m for m, whole in enumerate(MONTH, 1) if plain and plain & ~whole == 0), None)
        if month is None or plain.bit_count() != 3 or pile.get("month", month) is True or pile.get("month", month) != month:
            raise InputError("bad-case", "a stack must hold three cards of its month", mend="bonus cards may lie beneath them")
        maker = DEAL if pile.get("made_by") is None else c.player(pile["made_by"], "made_by")
        out.append((month - 1, cards, maker, 0))
        listed[cards] = list(pile["cards"])
    return tuple(out), listed


def _laid_out(floor: int, stacks: tuple[Stack, ...]) -> None:
    """A centre that can lie there in a turn: no bonus card loose, no month whole (RULES 1.3)."""
    if floor & ~ALL:
        raise InputError("bad-case", "key 'floor' has a bonus card", mend="it goes to who turned it, or lies under a stack")
    lying = floor
    for _, cards, _, _ in stacks:
        lying |= cards
    for m, month in enumerate(MONTH, 1):
        if lying & month == month:
            raise InputError("bad-case", f"all four cards of month {m} lie in the centre", mend="one of them is yet to come")


def _action(c: _Case, action: Mapping[str, Any], floor: int) -> tuple[str, int]:
    kind = action.get("type")
    held = None if c.case.get("hand") is None else c.mask(c.case["hand"], "hand")
    if kind == FLIP_ONLY:
        return FLIP_ONLY, 0
    if kind in (PLAY, JOKER):
        name = action.get("card")
        card = c.mask([name], "card") if held is None else next((1 << i for i in indices(held) if c.given[1 << i] == name), 0)
        if not card:
            raise InputError("bad-case", f"{name!r} is not in the hand", mend="play one of the cards under 'hand'")
        if kind == JOKER and not card >> N_MONTH_CARDS:
            raise InputError("bad-case", f"{name!r} is no bonus card", mend="write the type play")
        return (JOKER if card >> N_MONTH_CARDS else PLAY), card
    if kind == BOMB:
        return BOMB, _bombed(c, action.get("month"), floor, held)
    raise InputError("bad-case", f"there is no action {kind!r}", mend=did_you_mean(str(kind), (PLAY, BOMB, JOKER, FLIP_ONLY)))


def _bombed(c: _Case, month: Any, floor: int, held: int | None) -> int:
    """The cards of a bomb: three of the hand on the fourth in the centre, or two on two where the house plays it so (H26)."""
    if type(month) is not int or not 1 <= month <= 12:
        raise InputError("bad-case", f"key 'month' is {month!r}", mend="give 1 to 12")
    lying = floor & MONTH[month - 1]
    cards = MONTH[month - 1] & (~lying if held is None else held)
    if held is None and cards & c.taken:
        cards = 0
    sizes = (cards.bit_count(), lying.bit_count())
    if sizes != (3, 1) and not (sizes == (2, 2) and c.house.small_bomb != "off"):
        raise InputError("bad-case", f"no bomb of month {month} can be played", mend="it takes three in the hand and the fourth in the centre")
    if held is None:
        c.taken |= cards
    return cards


def _all_cards(case: Mapping[str, Any]) -> list[str]:
    """Every card name of a case, to know which bonus cards are in play; what has not the form is refused where it is read."""
    lists: list[Any] = [case.get(key) for key in ("floor", "stock", "hand")]
    for key in ("captured", "captured_before"):
        held = case.get(key)
        lists += held.values() if isinstance(held, Mapping) else []
    stacks = case.get("stacks")
    lists += [pile.get("cards") for pile in stacks if isinstance(pile, Mapping)] if isinstance(stacks, list) else []
    action = case.get("action")
    if isinstance(action, Mapping) and case.get("hand") is None:
        lists.append([action.get("card")])
    return [card for cards in lists if isinstance(cards, list) for card in cards if isinstance(card, str)]


def _owners(case: Mapping[str, Any]) -> list[str]:
    """The players of a case that does not list them: those whose captures it gives."""
    held = case.get("captured")
    if not isinstance(held, Mapping) or not held:
        raise InputError("bad-case", "key 'players' is missing", mend="list the players' names")
    return list(held)


def _text(case: Mapping[str, Any], key: str, default: str) -> str:
    value = case.get(key, default)
    if not isinstance(value, str):
        raise InputError("bad-case", f"key {key!r} is {value!r}", mend="give a name")
    return value


def _names(value: Any) -> list[str]:
    if not isinstance(value, list) or not value or any(not isinstance(p, str) for p in value) or len(set(value)) < len(value):
        raise InputError("bad-case", f"key 'players' is {value!r}", mend="give a list of different names")
    return list(value)


def _whole(data: Mapping[str, Any], key: str, default: int) -> int:
    value = data.get(key)
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 1_000_000:
        raise InputError("bad-case", f"key {key!r} is {value!r}", mend="give a whole number")
    return value


def _flag(data: Mapping[str, Any], key: str) -> bool:
    value = data.get(key)
    if value is not None and not isinstance(value, bool):
        raise InputError("bad-case", f"key {key!r} is {value!r}", mend="give true or false")
    return bool(value)


def _counts(c: _Case, key: str) -> dict[int, int]:
    data = c.case.get(key) or {}
    if not isinstance(data, Mapping):
        raise InputError("bad-case", f"key {key!r} must be an object of players and numbers")
    return {c.player(p, key): _whole(data, p, 0) for p in data}
