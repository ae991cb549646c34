"""Stop the Bus: ranking (all 22,100 hands), swaps, the call, the showdown, tokens; public bug reports as rows."""
from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise, permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_cases import cases, variants, wrong
from tabletop import Tabletop, bus_stage, bus_zones

from scorer.cards import FRENCH
from scorer.errors import InputError
from scorer.events import Event, make
from scorer.games.simulate import play_game, policy
from scorer.games.stopbus import GAME, audit, judge
from scorer.games.stopbus.hands import CLASSES, HandRules, classify, compare, first_dealer, lowest, rank_hand
from scorer.games.stopbus.state import BusState
from scorer.match import Match

SUITS = [dict(zip("cdhs", p, strict=True)) for p in permutations("cdhs")]
BRAG = HandRules("top", True)


@pytest.mark.parametrize("case", cases("cases-brag.jsonl"), ids=lambda c: c["id"])
def test_worked_cases(case: dict[str, Any]) -> None:
    """As given, with players exchanged, and in every order of the suits: suits never rank."""
    for other in variants(case, SUITS):
        assert wrong(other, judge) == {}


# -- the ranking, exhaustively --------------------------------------------------------------------------------------

KNOWN = {  # ruleset: hands of each class among the 22,100, and how many differ in strength
    "classic": ({"prial": 52, "running flush": 44, "run": 660, "flush": 1100, "pair": 3744, "high card": 16500}, 741),
    "brag_classic": ({"prial": 52, "running flush": 48, "run": 720, "flush": 1096, "pair": 3744, "high card": 16440}, 741),
    "schwimmen": ({"prial": 52, "running flush": 48, "run": 720, "flush": 1096, "pair": 3744, "high card": 16440}, 741),
}


def second_formula(hand: tuple[str, ...], brag: bool) -> int:
    """Strength worked out another way: class by counting, then the values as digits of a number."""
    values = sorted(("23456789TJQKA".index(c[0]) + 2 for c in hand), reverse=True)
    suits = {c[1] for c in hand}
    count = Counter(values)
    runs = [[n, n - 1, n - 2] for n in range(14, 3, -1)]
    order = ([[14, 3, 2], *runs] if brag else runs)[::-1]
    if len(count) == 1:
        return 5_000_000 + (99 if brag and values[0] == 3 else values[0])
    if values in order:
        return (4_000_000 if len(suits) == 1 else 3_000_000) + order.index(values)
    digits = [v for v, _ in sorted(count.items(), key=lambda item: (-item[1], -item[0]))]
    number = sum(v * 100 ** (2 - i) for i, v in enumerate(digits))
    return (2_000_000 if len(suits) == 1 else 1_000_000 if len(count) == 2 else 0) + number


@pytest.mark.parametrize("ruleset", KNOWN)
def test_all_hands(ruleset: str) -> None:
    values = GAME.rules(ruleset)
    rules = HandRules(values.ace_low_run, values.threes_top, values.kickers)
    ranks = {hand: rank_hand(hand, rules) for hand in combinations(FRENCH, 3)}
    counts, strengths = KNOWN[ruleset]
    assert len(ranks) == 22_100
    assert Counter(CLASSES[r[0]] for r in ranks.values()) == counts
    assert len(set(ranks.values())) == strengths
    if ruleset != "schwimmen":
        by_first = sorted(ranks, key=ranks.__getitem__)
        other = [second_formula(hand, ruleset == "brag_classic") for hand in by_first]
        assert other == sorted(other)  # the same order, so it is total and transitive
        assert [a == b for a, b in pairwise(other)] == [ranks[a] == ranks[b] for a, b in pairwise(by_first)]


three_cards = st.lists(st.sampled_from(FRENCH), min_size=3, max_size=3, unique=True)


@given(three_cards, three_cards, st.sampled_from(SUITS), st.randoms(use_true_random=False))
def test_order_of_cards_and_suits_never_matter(a: list[str], b: list[str], suits: dict[str, str], rng: Any) -> None:
    rules = HandRules()
    other = [c[0] + suits[c[1]] for c in a]
    rng.shuffle(other)
    assert rank_hand(a, rules) == rank_hand(other, rules)
    assert compare(a, b, rules) == -compare(b, a, rules)


REPORTS = [  # BUGS.md row, report, hand a, hand b, rules, better
    (47, "Jarrrk/HighLife#6200, #6313, #6854", "Kc Qd Jh", "As Kd Jh", HandRules(), 1),
    (48, "chenosaurus/poker-evaluator#4", "As 2c Kc", "Ad 2d Kh", HandRules(), 0),
    (49, "uoftcprg/pokerkit#44", "As 2c 3d", "2s 3c 4d", HandRules(), -1),
    (50, "sneppy/pokerl#1, pokerth/pokerth#369, zooba/deck#12", "As 2c 3d", "Qs Kc Ad", BRAG, 1),
    (51, "goldfire/pokersolver#8", "10h Jc Qd", "9h 9c Ad", HandRules(), 1),
    (54, "UltiMafia/Ultimafia#2936", "8s 8h Kd", "8c 8d 4s", HandRules(), 1),
]


@pytest.mark.parametrize(("row", "report", "a", "b", "rules", "better"), REPORTS, ids=[f"bug-{r[0]}" for r in REPORTS])
def test_reported_rankings(row: int, report: str, a: str, b: str, rules: HandRules, better: int) -> None:
    assert compare(a.split(), b.split(), rules) == better


def test_more_reports() -> None:
    # 52 worldveil/deuces#5, claudijo/poker-ts#5: a tie is no win for the first seat
    assert lowest({"A": ["2s", "7s", "9s"], "B": ["2h", "7h", "9h"], "C": ["As", "Ac", "Ad"]}, HandRules()) == ("A", "B")
    # 53 Datamine/PokerTexter#1: two equal hands do not make the whole table a tie
    assert lowest({"A": ["Ks", "Kh", "2s"], "B": ["Kc", "Kd", "2h"], "C": ["9s", "7h", "2d"]}, HandRules()) == ("C",)
    # 55 ichabod801/t_games#487: an ace does not join kings
    assert classify(["Ks", "Kd", "Ah"], BRAG) == "pair"
    # 56 msharov/bsd-games#7: nothing outside the hand counts, and a hand has three cards
    for hand in (["Ks", "Kd"], ["Ks", "Kd", "Kh", "Kc"], "KsK", ["Ks", "Ks", "Kd"]):
        with pytest.raises(InputError) as e:
            rank_hand(hand, HandRules())
        assert e.value.code == "bad-hand"
    # 51: unknown ids are refused loudly
    for card in ("1h", "11h", "Kx", "joker", "01-bright", ""):
        with pytest.raises(InputError):
            rank_hand([card, "2c", "3d"], HandRules())
    # 78 Datamine/PokerTexter, jxcg/flip7#31: all tied are named
    assert lowest({p: [f"{r}{s}" for r in "964"] for p, s in zip("ABCD", "cdhs", strict=True)}, HandRules()) == ("A", "B", "C", "D")


def test_literal_reading_compares_the_top_card_alone() -> None:
    literal = HandRules(kickers=False)
    assert compare(["2s", "8s", "Kc"], ["3h", "8d", "Kd"], literal) == 0
    assert compare(["2s", "2h", "Kc"], ["2d", "2c", "Ad"], literal) == -1  # a pair's third card breaks the tie in the sheet itself


def test_first_dealer_has_the_lowest_card() -> None:
    assert first_dealer({"A": "9c", "B": "2d", "C": "Ah"}) == ("B",)
    assert first_dealer({"A": "2c", "B": "2d", "C": "Ah"}) == ("A", "B")


# -- a round ---------------------------------------------------------------------------------------------------------

HANDS = {"A": ("As", "Ah", "Ad"), "B": ("9s", "Th", "Jc"), "C": ("2s", "5h", "7c")}


def table(players: str = "ABC", ruleset: str = "classic", dealer: str = "A", **options: Any) -> BusState:
    state = GAME.start(GAME.rules(ruleset), tuple(players), dealer, options)
    return GAME.apply(state, make("deal", cards=("4c", "6d", "8h")))


def after(state: BusState, *events: Event, legal: bool = True) -> BusState:
    for event in events:
        problem = GAME.check(state, event)
        assert not legal or problem is None, (event, problem)
        state = GAME.apply(state, event)
    return state


def followed(state: BusState) -> tuple[BusState, list[tuple[str, str | None]]]:
    out = []
    while more := GAME.follow(state):
        for event in more:
            assert GAME.check(state, event) is None
            state = GAME.apply(state, event)
            out.append((event.kind, event.player))
    return state, out


def shown(state: BusState, hands: dict[str, tuple[str, ...]]) -> BusState:
    return after(state, *(make("show", p, hands[p]) for p in state.inside))


def swap(player: str, took: str, gave: str) -> Event:
    return make("swap", player, (took, gave))


def called(state: BusState) -> BusState:
    """B, left of the dealer, stops at once; the others swap once."""
    return after(state, make("call", "B"), swap("C", "4c", "2s"), swap("A", "2s", "3c"))


def test_the_order_of_play_and_the_last_turns() -> None:
    state = table()
    assert state.inside == ("B", "C", "A")
    assert state.turn == "B"
    state = after(state, swap("B", "4c", "2d"))
    assert (state.turn, state.centre, state.hand_known("B")) == ("C", ("2d", "6d", "8h"), ("4c",))
    state = after(state, make("call", "B"))
    assert state.waiting() == ("C", "A")
    state = after(state, swap("C", "6d", "3d"), swap("A", "3d", "Kd"))
    assert state.showdown
    assert state.turn is None


CHECKS = [  # what is tried after which events, ruleset, problem code
    ((), swap("B", "4c", "2d"), "classic", None),
    ((), swap("C", "4c", "2d"), "classic", "out-of-turn"),
    ((), swap("B", "5c", "2d"), "classic", "illegal-play"),
    ((), swap("B", "4c", "6d"), "classic", "illegal-play"),
    ((), make("swap", "B", ("4c", "6d", "2d", "3d")), "classic", "two-plays"),
    ((), make("swap", "B", ("4c", "6d", "8h", "2d", "3d", "5d")), "classic", "two-plays"),
    ((), make("swap", "B", ("4c", "6d", "8h", "2d", "3d", "5d")), "schwimmen", None),
    ((), make("swap", "B", ()), "classic", "wrong-count"),
    ((), make("swap", "D", ("4c", "2d")), "classic", "not-in-round"),
    ((), make("call", "B"), "classic", None),
    ((), make("call", "C"), "classic", "out-of-turn"),
    ((swap("B", "4c", "2d"), swap("C", "6d", "3d"), swap("A", "8h", "5d")), make("call", "B"), "classic", "call-before-swap"),
    ((swap("B", "4c", "2d"), swap("C", "6d", "3d")), make("call", "B"), "classic", None),         # heard late: C had the last turn
    ((make("call", "B"),), make("call", "C"), "classic", "already-called"),
    ((swap("B", "4c", "2d"),), swap("C", "6d", "4c"), "classic", "illegal-play"),                 # B holds it, all saw it
    ((), make("show", "B", HANDS["B"]), "classic", "show-too-early"),
    ((), make("deal", None, ("2c", "3c", "4d")), "classic", "already-dealt"),
    ((), make("lose_token", "B"), "classic", "not-lowest"),
    ((), make("out", "B"), "classic", "tokens-left"),
    ((), make("win", "B"), "classic", "not-won"),
    ((), make("draw", "B", ("2c",)), "classic", "already-dealt"),
    ((), make("dance", "B"), "classic", "unknown-event"),
]


@pytest.mark.parametrize(("before", "tried", "ruleset", "code"), CHECKS)
def test_what_is_allowed(before: tuple[Event, ...], tried: Event, ruleset: str, code: str | None) -> None:
    found = GAME.check(after(table(ruleset=ruleset), *before), tried)
    assert (found.code if found else None) == code


def test_a_call_without_a_name_is_of_whoever_swapped_last() -> None:
    match = Match("stopbus", players=("A", "B", "C"))
    assert match.command({"command": "deal", "cards": ["4c", "6d", "8h"]}).ok
    assert match.command({"command": "swap", "player": "B", "cards": ["4c", "2d"]}).ok
    assert match.command({"command": "call"}).ok
    assert match.snapshot()["caller"] == "B"


def test_switches_for_the_call() -> None:
    values = {"first_turn_stop": False}
    state = GAME.apply(GAME.start(GAME.rules("classic", values), ("A", "B"), "A", {}), make("deal", cards=("4c", "6d", "8h")))
    assert GAME.check(state, make("call", "B")).code == "call-before-swap"  # type: ignore[union-attr]
    values = {"call_before_swap": True}
    state = GAME.apply(GAME.start(GAME.rules("classic", values), ("A", "B"), "A", {}), make("deal", cards=("4c", "6d", "8h")))
    state = after(state, swap("B", "4c", "2d"), swap("A", "6d", "3d"), make("call", "B"))
    assert state.waiting() == ("A",)


def test_a_showdown_that_contradicts_what_everybody_saw() -> None:
    state = called(table())
    found = GAME.check(state, make("show", "A", ("As", "Ah", "Ad")))
    assert found is not None
    assert (found.code, found.args["missing"]) == ("hand-mismatch", ("2s",))
    assert GAME.check(state, make("show", "A", ("2s", "Ah", "Ad"))) is None
    assert GAME.check(state, make("show", "A", ("2s", "Ah"))).code == "wrong-count"  # type: ignore[union-attr]
    assert GAME.check(state, make("swap", "B", ("6d", "2d"))).code == "round-over"  # type: ignore[union-attr]


def test_the_lowest_loses_a_token_and_the_deal_goes_on_clockwise() -> None:
    state = shown(called(table()), {"A": ("2s", "Ah", "Ad"), "B": ("9s", "Th", "Jc"), "C": ("4c", "5h", "7c")})
    state, events = followed(state)
    assert events == [("lose_token", "C")]
    result = GAME.result(state)
    assert result is not None
    assert (result.winner, result.dealer, result.over) == (None, "B", False)
    assert result.options["tokens"] == {"A": 3, "B": 3, "C": 2}
    assert state.pot == 1
    again = GAME.start(state.rules, ("A", "B", "C"), "B", result.options)
    assert (again.tokens, again.paid, again.inside) == ((3, 3, 2), (0, 0, 1), ("C", "A", "B"))


def test_a_tie_costs_all_who_tie() -> None:
    _, events = followed(shown(called(table()), {"A": ("2s", "9h", "Jd"), "B": ("2h", "9s", "Jc"), "C": ("4c", "Qh", "Qc")}))
    assert sorted(events) == [("lose_token", "A"), ("lose_token", "B")]


def test_the_last_player_in_takes_the_pot() -> None:
    tokens = {"A": 2, "B": 0, "C": 1}
    state = GAME.apply(GAME.start(GAME.rules(), tuple("ABC"), "A", {"tokens": tokens}), make("deal", cards=("4c", "6d", "8h")))
    assert state.inside == ("C", "A")  # B is out
    state = after(state, make("call", "C"), swap("A", "4c", "3d"))
    state, events = followed(shown(state, {"A": ("As", "Ah", "4c"), "C": ("2s", "5h", "7c")}))
    assert events == [("lose_token", "C"), ("out", "C"), ("win", "A")]
    result = GAME.result(state)
    assert result is not None
    assert (result.winner, dict(result.payout), result.over) == ("A", {"B": 3, "C": 3}, True)
    sheet = GAME.score(state)
    assert (sheet.net(), state.pot) == ({"A": 6, "B": -3, "C": -3}, 7)


def test_all_who_are_left_would_go_out_together_so_they_play_on() -> None:
    """A-57: one deciding round; nobody loses a token before it ends."""
    options = {"tokens": {"A": 1, "B": 1, "C": 0}}
    state = GAME.apply(GAME.start(GAME.rules(), tuple("ABC"), "A", options), make("deal", cards=("4c", "6d", "8h")))
    state = after(state, make("call", "B"), swap("A", "4c", "3d"))
    state, events = followed(shown(state, {"A": ("4c", "9h", "Jd"), "B": ("4d", "9s", "Jc")}))
    assert events == []
    result = GAME.result(state)
    assert result is not None
    assert (result.over, result.options["deciding"], result.options["tokens"]) == (False, True, {"A": 1, "B": 1, "C": 0})
    assert GAME.view(state)["tied"] is True


def test_a_tie_of_all_with_tokens_to_spare_is_paid() -> None:
    options = {"tokens": {"A": 1, "B": 2}}
    state = GAME.apply(GAME.start(GAME.rules(), tuple("AB"), "A", options), make("deal", cards=("4c", "6d", "8h")))
    state = after(state, make("call", "B"), swap("A", "4c", "3d"))
    state, events = followed(shown(state, {"A": ("4c", "9h", "Jd"), "B": ("4d", "9s", "Jc")}))
    assert sorted(events) == [("lose_token", "A"), ("lose_token", "B"), ("out", "A"), ("win", "B")]


def test_drawing_for_the_first_deal() -> None:
    match = Match("stopbus", players=("A", "B", "C"))
    for player, card in (("A", "2c"), ("B", "2d"), ("C", "Kh")):
        assert match.command({"command": "draw", "player": player, "cards": [card]}).ok
    assert not match.command({"command": "draw", "player": "C", "cards": ["3c"]}).ok  # only those who tied draw again
    for player, card in (("A", "9c"), ("B", "3d")):
        assert match.command({"command": "draw", "player": player, "cards": [card]}).ok
    assert match.snapshot()["dealer"] == "B"
    assert match.snapshot()["turn"] == "C"


def test_numbers_of_players() -> None:
    for n in (1, 17):
        with pytest.raises(InputError):
            GAME.start(GAME.rules(), tuple(f"P{i}" for i in range(n)), "P0", {})
    state = GAME.start(GAME.rules(), tuple(f"P{i}" for i in range(16)), "P0", {"seed": 1})  # 3 × 16 + 3 = 51
    assert audit(GAME.apply(state, GAME.legal(state)[0])) == ""
    with pytest.raises(InputError):
        GAME.start(GAME.rules(), ("A", "B"), "A", {"tokens": {"A": 1, "B": 0}})


# -- on the table ----------------------------------------------------------------------------------------------------


def follow_on_table(ruleset: str, players: tuple[str, ...], seed: int) -> None:
    """A simulated game laid on a table; what a match reads off it is the game, event by event."""
    steps = list(play_game(GAME, GAME.rules(ruleset), players, seed, policy("stopbus", "sensible")))
    match, top, deal = Match("stopbus", ruleset, players), Tabletop(bus_zones(players)), 1
    match.observe(top.look())
    read: list[tuple[str, str | None, tuple[str, ...]]] = []
    for step in steps:
        if step.deal != deal:
            deal = step.deal
            assert match.command({"command": "next-deal"}).ok
        bus_stage(top, step.event)
        if step.event.kind == "call":
            assert match.command({"command": "call", "player": step.event.player}).ok
        for _ in range(2):
            match.observe(top.look())
    read = [(e["event"], e["player"], tuple(e["cards"])) for e in match.record() if e["event"] != "call"]
    assert read == [(s.event.kind, s.event.player, s.event.cards) for s in steps if s.event.kind != "call"]
    final, result = match.final()["final"], steps[-1].result
    assert result is not None
    assert (final["winner"], final["payout"], final["asked"], final["flags"]) == (result.winner, dict(result.payout), 0, 0)
    json.dumps(match.snapshot())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("ruleset", "players"), [("classic", "ABCD"), ("brag_classic", "ABC"), ("schwimmen", "AB")])
def test_whole_games_read_off_a_table(ruleset: str, players: str, seed: int) -> None:
    follow_on_table(ruleset, tuple(players), seed)


def watched(players: str = "AB") -> tuple[Match, Tabletop]:
    match, top = Match("stopbus", players=tuple(players)), Tabletop(bus_zones(tuple(players)))
    match.observe(top.look())
    bus_stage(top, make("deal", cards=("4c", "6d", "8h")))
    match.observe(top.look())
    return match, top


def test_two_turns_between_two_looks() -> None:
    match, top = watched("ABC")
    bus_stage(top, swap("B", "4c", "2d"))
    bus_stage(top, swap("C", "6d", "3d"))
    match.observe(top.look())
    swaps = [e for e in match.live if e.kind == "swap"]
    assert [(e.player, e.cards[1]) for e in swaps] == [("B", "2d"), ("C", "3d")]
    assert not match.evening.flags


def test_two_cards_at_once_are_flagged_and_taken_as_they_lie() -> None:
    match, top = watched()
    bus_stage(top, make("swap", "B", ("4c", "6d", "2d", "3d")))
    match.observe(top.look())
    snap = match.snapshot()
    assert [f["problem"] for f in snap["flags"]] == ["two-plays"]
    assert sorted(snap["centre"]) == ["2d", "3d", "8h"]


def test_a_swap_out_of_turn_is_flagged() -> None:
    match, top = watched("ABC")
    bus_stage(top, swap("A", "4c", "2d"))
    match.observe(top.look())
    assert [(f["problem"], f["player"]) for f in match.snapshot()["flags"]] == [("out-of-turn", "A")]


def test_a_card_on_its_way_is_waited_for_and_a_new_name_is_no_swap() -> None:
    match, top = watched()
    track = top.find("4c")
    top.take(track)
    assert match.observe(top.look()) == ()
    top.put("2d", "centre")
    assert [e.kind for e in match.observe(top.look())] == ["swap"]
    top.read(top.find("6d"), card="6h", names=(("6h", 0.9), ("6d", 0.1)), sure=True)
    for _ in range(30):
        match.observe(top.look(wait=100))
    assert [e.kind for e in match.events].count("swap") == 1
    assert "6h" in match.snapshot()["centre"]  # by an amendment


def test_out_of_sync_and_back_by_the_table() -> None:
    match, top = watched()
    top.clear("centre")
    for card in ("2c", "3c", "5c"):
        top.put(card, "centre")
    match.watch.before = top.look()  # the swap itself was never seen
    for _ in range(40):
        match.observe(top.look(wait=100))
    assert match.state == "out-of-sync"
    assert [p["problem"] for p in match.snapshot()["out_of_sync"]] == ["centre-differs"]
    assert match.command({"command": "resync", "use": "table"}).ok
    assert sorted(match.snapshot()["centre"]) == ["2c", "3c", "5c"]
    assert match.state == "watching"


def test_hands_stay_secret() -> None:
    """Cards of a hand are in nothing that the table shows; a card that everybody saw taken is."""
    match = Match("stopbus", players=("A", "B"), options={"seed": 3})
    state = match.evening.state
    match.append([match.game.legal(state)[0]], 0)
    told = json.dumps(match.snapshot())
    assert all(f'"{card}"' not in told for hand in state.hidden for card in hand)
    took, gave = match.evening.state.centre[0], state.hidden[1][0]
    assert match.command({"command": "swap", "player": "B", "cards": [took, gave]}).ok
    assert match.snapshot()["players"][1]["known"] == [took]


# -- any events ------------------------------------------------------------------------------------------------------

some_event = st.builds(
    lambda kind, player, cards: Event(kind, player, tuple(cards)),
    st.sampled_from(["deal", "swap", "call", "show", "lose_token", "out", "win", "draw", "resync", "flag"]),
    st.sampled_from(["A", "B", "C", "Z", None]), st.lists(st.sampled_from([*FRENCH[:14], "back", ""]), max_size=6))


@settings(max_examples=150)
@given(st.lists(some_event, max_size=30), st.sampled_from(["classic", "brag_classic", "schwimmen"]))
def test_no_token_is_made_or_lost_whatever_is_logged(events: list[Event], ruleset: str) -> None:
    state = GAME.start(GAME.rules(ruleset), ("A", "B", "C"), "B", {})
    for event in events:
        GAME.check(state, event)
        state = GAME.apply(state, event)
        assert sum(state.tokens) + state.pot == 9
        assert min(state.tokens) >= 0
        GAME.follow(state)
        json.dumps(GAME.view(state))
        assert sum(GAME.score(state).net().values()) == 0


def test_simulated_play_knows_its_hands() -> None:
    state = GAME.start(GAME.rules(), ("A", "B"), "A", {"seed": 8})
    assert audit(state) == ""
    state = GAME.apply(state, GAME.legal(state)[0])
    foreign = next(c for c in FRENCH if c not in state.hidden[1] and c not in state.centre and c not in state.hidden[0])  # type: ignore[index]
    found = GAME.check(state, swap("B", state.centre[0], foreign))
    assert found is not None
    assert (found.code, found.args["reason"]) == ("illegal-play", "not-in-hand")
    state = after(state, make("call", "B"))
    state = after(state, next(e for e in GAME.legal(state) if e.kind == "swap"))
    assert [e.kind for e in GAME.legal(state)] == ["show", "show"]
    assert GAME.check(state, make("show", "A", ("2c", "3c", "5d"))).code == "hand-mismatch"  # type: ignore[union-attr]
    bare = GAME.start(GAME.rules(), ("A", "B"), "A", {})
    assert [e.kind for e in GAME.legal(GAME.apply(bare, make("deal", cards=("4c", "6d", "8h"))))] == ["call"]


def test_a_case_of_no_kind() -> None:
    with pytest.raises(InputError) as e:
        judge({"game": "stopbus", "kind": "swap"})
    assert e.value.code == "unknown-kind"
    brag = {"game": "stopbus", "kind": "classify", "hand": ["As", "2s", "3s"]}
    assert [judge({**brag, **more})["expect"] for more in ({}, {"option": "brag_classic"}, {"ruleset": "brag_classic"})] == [
        "flush", "running flush", "running flush"]


def test_audit_tells_what_is_wrong() -> None:
    state = table()
    assert audit(replace(state, tokens=(3, -1, 3))) == "somebody has less than no token"
    assert audit(replace(state, known=(("4c",), (), ()))) == "a card lies in two places"
    dealt = GAME.start(GAME.rules(), ("A", "B"), "A", {"seed": 1})
    assert audit(replace(dealt, hidden=(("2c",), ("3c", "4c", "5c")))) == "a hand has not three cards"


def test_an_unstable_table_and_a_deal_with_a_doubt_say_nothing() -> None:
    match, top = Match("stopbus", players=("A", "B")), Tabletop(bus_zones(("A", "B")))
    for card in ("4c", "6d"):
        top.put(card, "centre")
    assert match.observe(top.look()) == ()
    top.put("back", "centre", face_up=False)
    assert match.observe(top.look()) == ()
    assert GAME.observe(match.evening.state, top.look(), top.look(stable=False)) == ()
    assert GAME.adopt(match.evening.state, top.look()) == ()


def test_the_next_deal_is_noticed_when_the_cards_lie_anew() -> None:
    match, top = watched("AB")
    match.command({"command": "call", "player": "B"})
    for event in (make("swap", "A", ("4c", "9s")), make("show", "A", ("4c", "Kh", "Kd")), make("show", "B", ("2c", "3d", "5h"))):
        bus_stage(top, event)
        for _ in range(2):
            match.observe(top.look())
    assert match.record()[-1]["event"] == "lose_token"
    bus_stage(top, make("deal", cards=("Tc", "Jd", "Qh")))
    for _ in range(3):
        top.t_ms += 250
        match.observe(top.look())
    assert match.snapshot()["deal"] == 2
    assert match.snapshot()["centre"] == ["Tc", "Jd", "Qh"]


def test_a_call_said_before_its_swap_is_logged_comes_after_it() -> None:
    """The first turn may be a call instead of a swap: what lies there and waits to be logged tells which it was."""
    match, top = watched("ABC")
    bus_stage(top, swap("B", "4c", "2d"))
    match.observe(top.look(stable=False))
    out = match.command({"command": "call", "player": "B"})
    assert [(e.kind, e.player) for e in out.events] == [("swap", "B"), ("call", "B")]
    assert match.snapshot()["last_turns"] == ["C", "A"]


def test_a_turn_is_done_though_the_next_hand_keeps_the_table_from_settling() -> None:
    match, top = watched("ABC")
    bus_stage(top, swap("B", "4c", "2d"))
    assert match.observe(top.look(stable=False)) == ()
    top.hands = ("C",)
    assert [e.kind for e in match.observe(top.look(stable=False, wait=900))] == ["swap"]


@pytest.mark.parametrize(("hands", "want"), [((), ["swap"]), (("B",), [])], ids=["taken", "not yet"])
def test_a_fourth_card_under_the_new_one_was_drawn_from_under_it(hands: tuple[str, ...], want: list[str]) -> None:
    match, top = watched("ABC")
    top.touch("B", "centre")
    top.put("2d", "centre")
    top.read(top.find("4c"), visible=0.35, state="covered")
    top.hands = hands
    assert [e.kind for e in match.observe(top.look(wait=1500))] == want
    assert sorted(match.snapshot()["centre"]) == (["2d", "6d", "8h"] if want else ["4c", "6d", "8h"])


def test_a_card_presumed_under_another_is_none_of_the_centre() -> None:
    match, top = watched("ABC")
    top.put("Qs", "centre", state="covered", visible=0.0, sure=False)
    bus_stage(top, swap("B", "4c", "2d"))
    assert [e.kind for e in match.observe(top.look())] == ["swap"]


def test_of_two_swaps_each_new_card_lies_where_the_one_taken_for_it_lay() -> None:
    match, top = watched("ABC")
    spots = {"4c": 0.0, "6d": 80.0, "8h": 160.0}
    box = lambda x: ((x, 0.0), (x + 60, 0.0), (x + 60, 90.0), (x, 90.0))  # noqa: E731
    for card, x in spots.items():
        top.read(top.find(card), quad=box(x))
    match.watch.before = top.look()
    for player, took, gave in (("B", "8h", "2d"), ("C", "4c", "3d")):
        bus_stage(top, swap(player, took, gave))
        top.read(top.find(gave), quad=box(spots[took]))
    match.observe(top.look())
    assert [(e.player, e.cards) for e in match.live if e.kind == "swap"] == [("B", ("8h", "2d")), ("C", ("4c", "3d"))]


def test_a_doubtful_suit_holds_up_neither_the_deal_nor_the_showdown() -> None:
    """Ace of spades or of clubs? It is logged as the likelier; a hand that shows the other one is no mismatch."""
    match, top = Match("stopbus", players=tuple("AB")), Tabletop(bus_zones(("A", "B")))
    match.observe(top.look())
    bus_stage(top, make("deal", cards=("As", "6d", "8h")))
    top.read(top.find("As"), sure=False, names=(("As", 0.61), ("Ac", 0.38)))
    match.observe(top.look(wait=1600))
    assert match.snapshot()["centre"] == ["As", "6d", "8h"]
    match.command({"command": "call", "player": "B"})
    for event in (swap("A", "As", "9s"), make("show", "A", ("Ac", "Kh", "Kd")), make("show", "B", ("2c", "3d", "5h"))):
        bus_stage(top, event)
        for _ in range(2):
            match.observe(top.look())
    assert match.record()[-1]["event"] == "lose_token"
    assert match.snapshot()["flags"] == []
    assert match.asked == 0


def test_a_doubtful_card_in_a_hand_holds_no_other_hand_up_and_is_asked_about_only_where_it_matters() -> None:
    match, top = watched("ABC")
    match.command({"command": "call", "player": "B"})
    for event in (swap("C", "4c", "9s"), swap("A", "6d", "Ts"), make("show", "A", ("6d", "Kh", "Kd")), make("show", "B", ("2c", "3d", "5h"))):
        bus_stage(top, event)
        if event.player != "A" or event.kind != "show":
            match.observe(top.look())
        else:
            top.read(top.find("Kd"), sure=False, names=(("Kd", 0.55), ("Ks", 0.44)))
    assert [e["player"] for e in match.record() if e["event"] == "show"] == ["B"]
    match.observe(top.look(wait=1600))
    assert [e["player"] for e in match.record() if e["event"] == "show"] == ["B", "A"]  # a pair of kings either way
    assert match.asked == 0
