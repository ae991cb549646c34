"""Whole deals: the logged events fold to the engine's state, the invariants hold, order of capture means nothing."""
from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.errors import InputError
from scorer.events import Event, make
from scorer.games.gostop import GAME, legality
from scorer.games.gostop.captures import add_up, tally
from scorer.games.gostop.deal import BOMB, FLIP_ONLY, GO, PUSH, SHAKE, STOP, Deal, full_pack
from scorer.games.gostop.house import House
from scorer.games.gostop.pack import ALL, MONTH, Pack, indices, pack_for
from scorer.games.gostop.payout import chips
from scorer.games.gostop.simulate import at_random, bench, cautious, evening, find_policy, invariants, play_deal, sensible
from scorer.games.gostop.state import State, outstanding
from scorer.match import Match

KINDS = (("classic", 2), ("classic", 3), ("international", 2), ("international", 3), ("korean-3p", 3), ("matgo-2p", 2))
HOUSE_VARIANTS: tuple[dict[str, Any], ...] = (
    {}, {"moments_add": False}, {"small_bomb": "double"}, {"joker_from_hand": "draw", "joker_buried": True, "joker_steal": 1},
    {"three_ppuk": 5, "first_ppuk": 5, "first_ttadak": 5, "jappuk_last_only": True}, {"last_turn_exception": True, "last_turn_stack": 0},
    {"push": True, "quad_floor": "dealer-wins", "several_chongtong": "nagari"}, {"bonus": {"a": 0, "b": 1, "c": 3, "d": 9}, "jokers": 4},
    {"go_caller_wins": True, "target": 20}, {"sake_cup": "best", "may_bridge": "best", "given": "giver-chooses"},
)


def compare(state: State, deal: Deal) -> None:
    """The folded state is the engine's."""
    assert state.floor == deal.floor
    assert sorted(s[:3] for s in state.stacks) == sorted(s[:3] for s in deal.stacks)
    assert state.caps == tuple(deal.caps)
    assert state.hands == tuple(h.bit_count() for h in deal.hands)
    assert state.stock == len(deal.stock) - deal.pos
    for name in ("credits", "goes", "bombs", "small_bombs", "ppuks", "turns", "shakes", "streak", "go_score"):
        assert getattr(state, name) == tuple(getattr(deal, name)), name
    assert (state.end, state.winner) == (deal.end, deal.winner)
    assert [(a.label, a.player, a.amount) for a in state.awards] == [(a.label, a.player, a.amount) for a in deal.awards]
    if not deal.end:
        assert (state.to_decide >= 0) == deal.to_decide
        assert (state.to_decide if deal.to_decide else state.turn) == deal.turn
        assert outstanding(state) == ()
        assert legality.pending(state) == []


def play(house: House, players: tuple[str, ...], dealer: int, rng: random.Random, go: float = 0.5) -> None:
    order = full_pack(house)
    rng.shuffle(order)
    deal = Deal(house, len(players), dealer)
    deal.deal(order)
    state: State = GAME.start(house.rules, players, players[dealer], {})
    state = replace(state, house=house)
    log: list[Event] = [*deal.opening(players)]
    if deal.end:
        log += deal.closing(players)
    elif deal.quads():
        log += deal.fours(players)
        deal.show_fours()
        log += deal.closing(players)
    done = 0

    def pick(options: int, stage: str) -> int:
        return rng.choice([1 << i for i in indices(options)])

    while True:
        for event in log[done:]:
            assert GAME.check(state, event) is None, (event, GAME.check(state, event))
            state = GAME.apply(state, event)
        done = len(log)
        compare(state, deal)
        invariants(deal)
        sheet = GAME.score(state)
        assert sum(sheet.net().values()) == 0
        GAME.view(state)
        if deal.end:
            break
        actions = deal.legal()
        calls = [a for a in actions if a[0] in (GO, STOP, PUSH)]
        if calls:
            goes = [a for a in calls if a[0] == GO]
            action = goes[0] if goes and rng.random() < go else rng.choice(calls)
        else:
            action = rng.choice(actions)
        deal.step(action, pick, log.extend, players)
    result = GAME.result(state)
    assert result is not None
    assert dict(result.payout) == chips(deal.payments(players))
    assert [sheet.net()[p] for p in players] == deal.paid()
    if result.winner is not None and deal.end != "deal-void":
        assert result.dealer == result.winner
    else:
        assert result.dealer == players[dealer]
    assert GAME.follow(state) == ()


@pytest.mark.parametrize(("ruleset", "players"), KINDS)
def test_log_folds_to_the_engines_state(ruleset: str, players: int) -> None:
    house = House(GAME.rules(ruleset))
    rng = random.Random(f"{ruleset}{players}")
    for n in range(40):
        play(house, ("A", "B", "C")[:players], n % players, rng)


@pytest.mark.parametrize("rules", HOUSE_VARIANTS, ids=lambda r: ",".join(r) or "plain")
def test_log_folds_under_house_variants(rules: dict[str, Any]) -> None:
    rng = random.Random(str(rules))
    for ruleset, players in (("classic", 2), ("korean-3p", 3)):
        house = House(GAME.rules(ruleset, rules))
        for n in range(12):
            play(house, ("A", "B", "C")[:players], n % players, rng, go=0.8)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), kind=st.sampled_from(KINDS), go=st.floats(0, 1))
def test_any_deal(seed: int, kind: tuple[str, int], go: float) -> None:
    play(House(GAME.rules(kind[0])), ("A", "B", "C")[:kind[1]], seed % kind[1], random.Random(seed), go)


# scores ---------------------------------------------------------------------------------------------------------------

SETS = st.integers(0, (1 << 50) - 1)


@settings(max_examples=300, deadline=None)
@given(mask=SETS, ruleset=st.sampled_from(["classic", "international", "korean-3p", "matgo-2p"]))
def test_terms_add_up_and_carry_their_cards(mask: int, ruleset: str) -> None:
    house = House(GAME.rules(ruleset))
    count = tally(house, mask)
    assert count.total == sum(t.amount for t in count.terms) == house.points(mask, count.as_junk) == house.best(mask)
    assert sum(count.points.values()) == 2 * count.total
    held = set(house.pack.cards(mask))
    for term in count.terms:
        assert set(term.cards) <= held
        assert term.amount > 0
    assert add_up(house, (mask, 0)) == (count.total, 0)


@settings(max_examples=100, deadline=None)
@given(mask=SETS, more=SETS)
def test_more_cards_never_score_less(mask: int, more: int) -> None:
    house = House(GAME.rules("classic"))
    rain = house.pack.mask(["12-bright"])
    assert house.best(mask | more) >= house.best(mask) - (1 if more & rain else 0)


@settings(max_examples=60, deadline=None)
@given(mask=SETS, seed=st.integers(0, 999))
def test_score_does_not_depend_on_the_order_of_capture(mask: int, seed: int) -> None:
    """glaures/forestshuffle#8: adding and removing a card left subtotals behind."""
    rng = random.Random(seed)
    house = House(GAME.rules("korean-3p"))
    cards = list(house.pack.cards(mask))
    sheets = []
    for _ in range(2):
        rng.shuffle(cards)
        state = GAME.start(house.rules, ("A", "B", "C"), "A", {})
        state = GAME.apply(state, make("deal", "A", ()))
        for card in cards:
            state = GAME.apply(state, make("capture", "B", (card,)))
        state = GAME.apply(GAME.apply(state, make("capture", "C", ("02-animal",))), make("capture", "B", ("02-animal",)))
        sheets.append(GAME.score(state).of("B"))
    assert sheets[0] == sheets[1]
    assert sheets[0].total == house.best(mask | house.pack.mask(["02-animal"]))


# the deal -------------------------------------------------------------------------------------------------------------


def ordered(first: list[str], house: House) -> list[int]:
    """A pack with these cards on top."""
    top = [house.pack.number[c] for c in first]
    return top + [i for i in full_pack(house) if i not in top]


@pytest.mark.parametrize(("players", "hands", "floor", "stock"), [(2, 10, 8, 22), (3, 7, 6, 23)])
def test_deal_scheme(players: int, hands: int, floor: int, stock: int) -> None:
    house = House(GAME.rules("classic"))
    deal = Deal(house, players, 1)
    order = list(reversed(full_pack(house)))        # jokers first: into the first hand
    deal.deal(order)
    assert [h.bit_count() for h in deal.hands] == [hands] * players
    assert len(order) - deal.pos == stock - deal.jokers_dealt.bit_count()
    lying = deal.floor | sum(s[1] for s in deal.stacks)
    assert lying.bit_count() == floor or deal.end
    first = (1 + 1) % players                        # right of the dealer
    packets = (5, 5) if players == 2 else (4, 3)
    at = 0
    mine = order[at:packets[0]]
    assert all(deal.hands[first] >> c & 1 for c in mine)
    assert deal.turn == deal.dealer == 1


def test_jokers_dealt_to_the_centre_go_to_the_dealer_until_none_lies_there() -> None:
    house = House(GAME.rules("classic"))
    deal = Deal(house, 2, 0)
    plain = [c for c in full_pack(house) if c < 48]
    order = [*plain[:10], 48, *plain[10:13], *plain[13:27], 49, *plain[27:]]     # the second joker replaces the first
    deal.deal(order)
    assert deal.caps[0] == (1 << 48) | (1 << 49)
    assert not deal.floor >> 48
    assert (deal.floor | sum(s[1] for s in deal.stacks)).bit_count() == 8
    opening = deal.opening(("A", "B"))[0]
    assert opening.arg("jokers") == ("joker-2", "joker-3")


def test_four_in_the_centre_void_the_deal_and_three_make_a_stack() -> None:
    house = House(GAME.rules("classic", {"jokers": 0}))
    plain = full_pack(house)
    rest = random.Random(1).sample(plain[4:], 44)
    deal = Deal(house, 2, 0)
    deal.deal([*rest[:10], *plain[:4], *rest[10:]])
    assert deal.end == "deal-void"
    assert deal.legal() == []
    assert deal.paid() == [0, 0]
    deal = Deal(house, 2, 0)
    deal.deal([*rest[:10], *plain[:3], rest[10], *rest[11:14], plain[3], *rest[14:]])
    assert (0, MONTH[0] & ~8, -1) in [s[:3] for s in deal.stacks]


def test_two_of_three_hold_four_of_a_month() -> None:
    house = House(GAME.rules("classic", {"jokers": 0}))
    deal = Deal(house, 3, 0)
    deal.hands = [MONTH[0], MONTH[1], MONTH[2] & (MONTH[2] - 1)]
    assert deal.quads() == [0, 1]
    deal.show_fours()
    assert deal.paid() == [5, 5, -10]
    assert [e.player for e in deal.fours(("A", "B", "C"))] == ["A", "B"]


def test_a_declined_four_in_hand_multiplies_and_the_dealer_starts() -> None:
    """cs470-2020f-team36/go-stop-python commit 067cb29: after a declined four-in-hand the wrong player began."""
    rules = GAME.rules("matgo-2p", {"chongtong_play_on": 4})
    state = GAME.start(rules, ("A", "B"), "B", {})
    state = GAME.apply(state, make("deal", "B", ("01-ribbon", "02-junk-a", "03-ribbon", "04-junk-a", "06-junk-a", "08-bright", "09-junk-a",
                                                 "10-junk-a")))
    four = make("chongtong", "A", ("05-animal", "05-ribbon", "05-junk-a", "05-junk-b"), play_on=True)
    assert GAME.check(state, four) is None
    state = GAME.apply(state, four)
    assert state.end == ""
    assert state.players[state.turn] == "B"
    assert state.claim(0).kept == 4
    state = GAME.apply(state, make("capture", "A", ("02-animal", "04-animal", "08-animal")))
    pay = next(p for p in GAME.score(state).payments if p.payer == "B")
    assert ("chongtong-kept", 15) in [(t.label, t.amount) for t in pay.terms]


def test_two_triples_two_declarations() -> None:
    """tscz/gostop#3: only the first of two triples could be declared."""
    house = House(GAME.rules("classic"))
    deal = Deal(house, 2, 0)
    deal.hands = [MONTH[1] & ~(1 << 4) | MONTH[6] & ~(1 << 24), MONTH[0]]
    deal.stock, deal.pos = list(range(44, 48)), 0
    shakes = [a for a in deal.legal() if a[0] == SHAKE]
    assert len(shakes) == 2
    for action in shakes:
        deal.step(action)
    assert deal.shakes[0] == 2
    assert [a for a in deal.legal() if a[0] == SHAKE] == []


def test_bomb_and_the_skipped_plays() -> None:
    house = House(GAME.rules("classic"))
    deal = Deal(house, 2, 0)
    deal.hands = [MONTH[4] & ~(1 << 16), MONTH[0]]
    deal.floor = 1 << 16 | 1 << 20
    deal.stock, deal.pos = [24, 25, 28, 29, 32, 33, 36], 0
    bombs = [a for a in deal.legal() if a[0] == BOMB]
    assert len(bombs) == 1
    deal.step(bombs[0])
    assert deal.credits == [2, 0]
    assert deal.caps[0] == MONTH[4]
    deal.turn = 0
    assert deal.legal() == [(FLIP_ONLY, 0)]
    deal.step((FLIP_ONLY, 0))
    assert deal.credits == [1, 0]
    shown = Deal(house, 2, 0)
    shown.hands = [MONTH[4] & ~(1 << 16), MONTH[0]]
    shown.floor = 1 << 16
    shown.step((SHAKE, shown.hands[0]))
    assert not [a for a in shown.legal() if a[0] == BOMB], "a declared triple cannot be bombed under the sheet (A-11)"


def test_only_stop_is_left_when_the_cards_have_run_out() -> None:
    """nightsky30/koikoi#43: continue was offered with no cards left."""
    house = House(GAME.rules("classic"))
    deal = Deal(house, 2, 0)
    deal.to_decide = True
    deal.hands = [0, MONTH[0]]
    assert deal.legal() == [(STOP, 0)]


def test_copies_are_independent() -> None:
    house = House(GAME.rules("classic"))
    deal = Deal(house, 2, 0)
    deal.deal(full_pack(house))
    before = deal.copy()
    if not deal.end:
        deal.step(deal.legal()[0])
        assert deal.hands != before.hands
    assert before.copy().hands == before.hands


# pack -----------------------------------------------------------------------------------------------------------------


def test_pack() -> None:
    pack = Pack((("joker-2", 2), ("joker-2", 2), ("joker-3", 3)))
    two = pack.mask(["joker-2", "joker-2"])
    assert two == 0b11 << 48
    assert pack.bonus_worth[two >> 48] == 4
    assert pack.mask(["03-junk", "03-junk-a"]) == pack.mask(["03-junk-a", "03-junk-b"])
    assert pack.all == ALL | 0b111 << 48
    for cards, code in ((["03-junk"] * 3, "card-twice"), (["joker-3"] * 2, "card-twice"), (["13-bright"], "unknown-card")):
        with pytest.raises(InputError) as e:
            pack.mask(cards)
        assert e.value.code == code
    with pytest.raises(InputError, match="at most 5"):
        Pack(tuple((f"x{i}", 1) for i in range(6)))
    assert pack_for(["joker-5", "01-junk", "tiger"], {"tiger": 4}).bonus == (("joker-5", 5), ("tiger", 4))


# simulated evenings -----------------------------------------------------------------------------------------------------


def test_evenings() -> None:
    told = evening("korean-3p", 3, 30, "sensible", seed=7)
    assert told == evening("korean-3p", 3, 30, "sensible", seed=7)
    assert sum(told["ends"].values()) == 30
    assert sum(told["chips"]) == 0
    assert evening("classic", 2, 30, "random")["games"] == 30
    with pytest.raises(InputError, match="seat 3"):
        evening("korean-3p", 2)
    with pytest.raises(InputError, match="seat 2 or 3"):
        evening("classic", 4)
    with pytest.raises(InputError, match="no policy"):
        find_policy("psychic")


def test_policies_play_better_than_chance() -> None:
    house = House(GAME.rules("classic"))
    rng = random.Random(3)
    won = sum(play_deal(house, 2, i % 2, rng, [cautious, at_random]).paid()[0] > 0 for i in range(200))
    assert won > 125
    assert sensible is not cautious


def test_bench_counts_by_the_callers_clock() -> None:
    ticks = iter(range(10_000))
    told = bench(lambda: next(ticks) * 0.01, 0.05)
    assert set(told) == {"tables_per_s", "playouts_per_s"}
    assert all(v > 0 for v in told.values())


def test_invariants_notice_a_lost_and_a_doubled_card() -> None:
    house = House(GAME.rules("classic"))
    deal = Deal(house, 2, 0)
    deal.deal(random.Random(2).sample(full_pack(house), 50))
    invariants(deal)
    kept = deal.hands[0]
    deal.hands[0] &= deal.hands[0] - 1
    with pytest.raises(AssertionError, match="lost"):
        invariants(deal)
    deal.hands[0] = kept
    deal.caps[1] |= kept & -kept
    with pytest.raises(AssertionError, match="two places"):
        invariants(deal)


# an evening in a match ----------------------------------------------------------------------------------------------------


def run(match: Match, house: House, dealer: int, rng: random.Random) -> Deal:
    """Log a simulated deal into the match."""
    players = match.evening.players
    deal = None
    while deal is None:
        order = full_pack(house)
        rng.shuffle(order)
        fresh = Deal(house, len(players), dealer, match.evening.state.nagari)
        fresh.deal(order)
        deal = None if fresh.end or fresh.quads() else fresh
    match.append(deal.opening(players), 1)
    while not deal.end:
        told: list[Event] = []
        deal.step(rng.choice(deal.legal()), log=told.extend, players=players)
        batch = [e for e in told if e.kind not in ("settle", "nagari")]
        if batch:
            match.append(batch, match.t_ms + 1)
    return deal


def test_an_evening_with_carry_dealer_and_running_totals() -> None:
    rng = random.Random(11)
    match = Match("gostop", "international", ("A", "B", "C"), "A", overrides={"target": 6})
    running = [0, 0, 0]
    dealer, streak = 0, 0
    for n in range(8):
        house = match.evening.state.house
        assert (match.evening.dealer, match.evening.state.nagari) == ("ABC"[dealer], streak)
        deal = run(match, house, dealer, rng)
        running = [a + b for a, b in zip(running, deal.paid(), strict=True)]
        shot = match.snapshot()
        assert [p["running"] for p in shot["players"]] == running
        assert shot["result"]["winner"] == ("ABC"[deal.winner] if deal.winner >= 0 else None)
        streak = streak + 1 if deal.end == "nagari" else 0
        dealer = deal.winner if deal.winner >= 0 else dealer
        assert match.command({"command": "next-deal"}).ok, n
    assert Match.resume(match.events).snapshot()["players"] == match.snapshot()["players"]


def test_undo_of_every_turn_comes_back_to_the_start() -> None:
    match = Match("gostop", "classic", ("A", "B"), "A")
    states = [match.evening.state]
    house = match.evening.state.house
    rng = random.Random(4)
    run(match, house, 0, rng)
    turns = len(match.log.roots())
    for _ in range(turns):
        assert match.command({"command": "undo"}).ok
    assert match.evening.state == states[0]
    for _ in range(turns):
        assert match.command({"command": "redo"}).ok
    assert match.evening.state.end
    assert match.log.refold().state == match.evening.state
