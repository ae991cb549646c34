"""Spit's log: what is allowed, stalls, races, slaps, layouts, resyncs; public bug reports as rows; any events."""
from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.cards import FRENCH
from scorer.errors import InputError
from scorer.events import Event, make
from scorer.games.simulate import play_game, policy
from scorer.games.spit import GAME, audit, slaps
from scorer.games.spit.piles import PileRules, fits
from scorer.games.spit.state import SpitState, Stock
from scorer.games.spit.touch import Touch, race, slap
from scorer.match import Match
from scorer.ruleset import preset_names


def hands(*rows: tuple[str, str, float]) -> list[Touch]:
    return [Touch(p, t, pile=pile) for p, pile, t in rows]


# -- the log ---------------------------------------------------------------------------------------------------------

TOPS = ("8c", "2c", "3c", "4c", "Ac", "8d", "2d", "4d", "5d", "Ad")


OPENING = (make("layout", None, TOPS, counts=[5, 5]), make("spit", "A", ("7s",), pile="L"), make("spit", "B", ("Js",), pile="R"))


def table(ruleset: str = "classic", **options: Any) -> SpitState:
    """A first layout with known tops, piles 7 (L, A's) and J (R, B's)."""
    state = GAME.start(GAME.rules(ruleset), ("A", "B"), "A", options)
    return after(state, *OPENING)


def after(state: SpitState, *events: Event) -> SpitState:
    for event in events:
        assert GAME.check(state, event) is None, (event, GAME.check(state, event))
        state = GAME.apply(state, event)
        assert audit(state) == ""
    return state


def lay(player: str, card: str, pile: str, t_ms: int = 0) -> Event:
    return Event("play", player, (card,), "camera", make("x", pile=pile).args, t_ms=t_ms)


def stocked(state: SpitState, a: list[Stock], b: list[Stock], spit: tuple[int, int] = (0, 0), **fields: Any) -> SpitState:
    """The state with other stocks; the spit piles hold what is missing to 52."""
    pad = [Stock()] * 5
    rows = (tuple((a + pad)[:5]), tuple((b + pad)[:5]))
    left = sum(s.count for row in rows for s in row) + sum(spit)
    piles = (replace(state.piles[0], under=52 - left - 2, last=None), replace(state.piles[1], last=None))
    return replace(state, stocks=rows, spit_cards=spit, piles=piles, **fields)


def test_a_play_and_what_lies_under_it() -> None:
    state = after(table(), lay("A", "8c", "L"))
    assert (state.piles[0].cards, state.stocks[0][0], state.stock("A")) == (("7s", "8c"), Stock(0, ()), 14)
    assert GAME.view(state)["players"][0]["cards"] == 24
    state = after(state, make("move", "A", ("2c",), index=0), make("turn-up", "A", ("9c",), index=1), lay("A", "9c", "L"))
    assert state.stocks[0][:2] == (Stock(0, ("2c",)), Stock(0, ()))


CHECKS = [
    (lay("A", "8c", "L"), None, None), (lay("A", "8c", "R"), "illegal-play", "does-not-fit"),
    (lay("A", "8d", "L"), "illegal-play", "not-yours"),
    (lay("A", "7s", "L"), "illegal-play", "lies-elsewhere"), (lay("A", "9h", "L"), "illegal-play", "face-down"),
    (make("play", "A", (), pile="L"), "wrong-count", None), (lay("A", "8c", "X"), "not-started", None),
    (lay("C", "8c", "L"), "no-such-player", None),
    (make("spit", "A", ("9h",), pile="L"), "not-stuck", None), (make("spit", "A", ("9h",), pile="X"), "wrong-count", None),
    (make("move", "A", ("8c",), index=1), "no-empty-space", None), (make("move", "A", ("8d",), index=1), "illegal-play", "not-on-top"),
    (make("move", "A", ("8c",), index=9), "no-empty-space", None), (make("turn-up", "A", ("9h",), index=1), "nothing-to-turn", None),
    (make("stall"), "can-still-play", None), (make("slap", None, (), gets={"A": "L", "B": "R"}), "layout-not-over", None),
    (make("layout", None, TOPS, counts=[5, 5]), "layout-not-due", None), (make("win", "A"), "not-won", None),
    (make("refused", "A", ("8c",), pile="L"), None, None), (make("refused", "A", (), pile="L"), "wrong-count", None),
    (make("jump", "A"), "unknown-event", None),
]


@pytest.mark.parametrize(("tried", "code", "reason"), CHECKS)
def test_what_is_allowed(tried: Event, code: str | None, reason: str | None) -> None:
    found = GAME.check(table(), tried)
    assert (found.code if found else None) == code
    if reason:
        assert found is not None
        assert found.args["reason"] == reason


def test_stalls_and_the_lone_spitter() -> None:
    state = stocked(table(), [Stock(0, ("2c",))], [Stock(0, ("4d",))], (0, 3))
    assert [(e.kind, e.arg("next")) for e in GAME.follow(state)] == [("stall", "one-spit")]
    state = GAME.apply(state, GAME.follow(state)[0])
    assert (state.due, state.phase) == (("B",), "spit")
    assert GAME.check(state, make("spit", "A", ("9h",), pile="L")).code == "no-spit-cards"  # type: ignore[union-attr]
    state = after(state, make("spit", "B", ("9h",), pile="L"))  # the choice is B's
    assert state.fixed == "L"
    state = GAME.apply(state, GAME.follow(state)[0])
    found = GAME.check(state, make("spit", "B", ("6h",), pile="R"))
    assert found is not None
    assert (found.code, found.args["pile"]) == ("fixed-pile", "L")
    state = after(state, make("spit", "B", ("Qh",), pile="L"))
    state = GAME.apply(state, GAME.follow(state)[0])
    state = after(state, make("spit", "B", ("5h",), pile="L"))
    assert GAME.follow(state) == ()  # the four of diamonds goes on the five
    assert after(state, lay("B", "4d", "L")).phase == "slap"


def test_a_space_that_uncovers_a_card_comes_before_the_stall() -> None:
    state = stocked(table(), [Stock(1, ("2c",))], [Stock(0, ("4d",))], (1, 1))
    assert GAME.follow(state) == ()
    assert GAME.follow(after(state, make("move", "A", ("2c",), index=1))) == ()  # now a card lies face down
    rules = GAME.rules("classic", {"space_before_stuck": False})
    assert [e.kind for e in GAME.follow(replace(state, rules=rules))] == ["stall"]


def test_the_slap_the_gathering_and_the_next_layout() -> None:
    state = stocked(table(), [Stock(0, ("8c",))], [Stock(3, ("4d",)), Stock(0, ("5d",))], (2, 11))
    state = after(state, lay("A", "8c", "L"))
    assert (state.phase, state.emptied_by) == ("slap", "A")
    small = GAME.view(state)["smaller_pile"]
    assert small == "R"
    state = after(state, make("slap", None, (), verdict="decided", gets={"A": "R", "B": "L"}))
    assert (state.phase, state.owned) == ("layout", (1 + 2, 49))
    assert GAME.check(state, make("layout", None, ("2c", "3c"), counts=[1, 1])).code == "wrong-count"  # type: ignore[union-attr]
    tops = ("2c", "3c", "2d", "3d", "4d", "5d", "6d")
    state = after(state, make("layout", None, tops, counts=[2, 5]))
    assert [s.count for s in state.stocks[0]] == [1, 2, 0, 0, 0]
    assert (state.due, state.spit_cards) == (("B",), (0, 34))  # fewer than fifteen: only B starts a pile
    state = after(state, make("spit", "B", ("9s",), pile="R"))
    assert GAME.check(state, make("spit", "B", ("Ts",), pile="L")).code == "not-stuck"  # type: ignore[union-attr]


def test_with_a_single_pile_who_empties_first_takes_nothing() -> None:
    state = stocked(table(), [Stock(0, ("8c",))], [Stock(3, ("4d",))], (0, 5))
    state = replace(state, piles=(replace(state.piles[0], under=52 - 11),), rules=GAME.rules("classic", {"win_with_two_piles": False}))
    assert state.total == 52
    state = GAME.apply(state, lay("A", "8c", "L"))
    kinds = []
    while more := GAME.follow(state):
        kinds.append(more[0].kind)
        state = GAME.apply(state, more[0])
    assert kinds == ["win"]
    assert (state.winner, state.total) == ("A", 52)


def test_emptying_the_single_pile_with_spit_cards_left() -> None:
    state = stocked(table(), [Stock(3, ("4c",))], [Stock(0, ("8d",))], (0, 5))
    state = replace(state, piles=(replace(state.piles[0], under=52 - 11),))
    state = GAME.apply(state, lay("B", "8d", "L"))
    events = GAME.follow(state)
    assert [(e.kind, dict(e.arg("gets"))) for e in events] == [("gather", {"A": "L"})]
    assert GAME.apply(state, events[0]).owned == (4 + 43, 5)


def test_rid_of_everything_wins_and_the_switch() -> None:
    """The sheet: all spit and layout cards played wins, two spit piles or not."""
    for ruleset, kinds in (({}, ["win"]), ({"win_with_two_piles": False}, [])):
        state = stocked(table(), [Stock(0, ("8c",))], [Stock(3, ("4d",))], (0, 11), rules=GAME.rules("classic", ruleset))
        assert [e.kind for e in GAME.follow(GAME.apply(state, lay("A", "8c", "L")))] == kinds


def test_a_refused_card_goes_back() -> None:
    state = after(table(), lay("A", "8c", "L"))
    back = GAME.apply(state, make("refused", "A", ("8c",), pile="L", reason="beaten"))
    assert (back.piles[0].top, back.stocks[0][0].top) == ("7s", "8c")
    other = GAME.apply(state, make("refused", "B", ("8d",), pile="L", reason="beaten"))
    assert (other.piles, other.stocks) == (state.piles, state.stocks)


def test_a_race_too_close_is_asked_and_either_answer_fits() -> None:
    for first, top, owner in (("A", "8c", 14), ("B", "8d", 15)):
        match = Match("spit", players=("A", "B"))
        for event in [*OPENING, lay("A", "8c", "L", 5000)]:
            match.append([event], 4000)
        match.append([make("race", None, ("8c", "8d"), "auto", pile="L", verdict="too-close", order=["A", "B"], gap_ms=8, sigma_ms=6,
                           second={"player": "B", "t_ms": 5008})], 5008)
        question = match.snapshot()["questions"][0]
        assert (question["kind"], [o["key"] for o in question["options"]]) == ("race-order", ["A", "B"])
        assert match.snapshot()["prompt"] == "answer"
        assert match.command({"command": "answer", "question": question["id"], "key": first}).ok
        state = match.evening.state
        assert (state.piles[0].top, state.stock("A"), state.contest) == (top, owner, None)
        assert not match.snapshot()["questions"]


def test_a_slap_too_close_is_asked_and_can_be_overruled() -> None:
    state = stocked(table(), [Stock(0, ("8c",))], [Stock(3, ("4d",))], (2, 11))
    state = GAME.apply(state, lay("A", "8c", "L"))
    close = slaps.slap_event(state, hands(("A", "L", 1000), ("B", "L", 1010)))
    assert (close.arg("verdict"), dict(close.arg("gets"))) == ("too-close", {})
    waiting = GAME.apply(state, close)
    asked = GAME.questions(waiting)[0]
    assert (asked.kind, [o.key for o in asked.options]) == ("slap-order", ["A:L", "B:L"])
    assert GAME.apply(waiting, asked.options[1].events[0]).gets == (("A", "R"), ("B", "L"))
    plain = slaps.slap_event(state, hands(("A", "L", 1000), ("B", "L", 1060)))
    assert (plain.arg("verdict"), plain.arg("gap_ms"), plain.arg("order"), plain.t_ms) == ("decided", 60, ("A", "B"), 1000)


# -- public reports --------------------------------------------------------------------------------------------------


def again(state: SpitState, event: Event) -> bool:
    """Does the event change nothing once more?"""
    return GAME.apply(state, event) == state


def code(state: SpitState, event: Event) -> str | None:
    found = GAME.check(state, event)
    return found.code if found else None


def ended() -> SpitState:
    """A has played the last card, B's would fit as well."""
    return GAME.apply(stocked(table(), [Stock(0, ("8c",))], [Stock(0, ("Th",))], (0, 0)), lay("A", "8c", "L"))


NINE = {"L": 9, "R": 15}
REPORTS: list[tuple[int, str, Callable[[], Any], Any]] = [  # row of the bug log, report, what is looked at, what is right
    (57, "ekzhang/setwithfriends#2: both of two claims credited",
     lambda: race("7", [Touch("A", 1000, "8"), Touch("B", 1050, "6")]).accepted, ("A",)),
    (58, "ekzhang/setwithfriends#5: no end after the last claims", lambda: [e.player for e in GAME.follow(ended())], ["A"]),
    (58, "ekzhang/setwithfriends#5: a claim after the end", lambda: code(ended(), lay("B", "Th", "R")), "layout-over"),
    (59, "ekzhang/setwithfriends#114: equal within the error",
     lambda: slap(NINE, [Touch("A", 0, pile="L"), Touch("B", 0, pile="L")]).verdict, "too-close"),
    (60, "dozingcat/MousePounce#31: judged against other cards than the pile's",
     lambda: slap(NINE, [Touch("A", 0, pile="A0"), Touch("B", 500, pile="L")]).gets, {"B": "L", "A": "R"}),
    (61, "dozingcat/MousePounce#6: a repeated touch reset the time",
     lambda: slap(NINE, [Touch("A", 0, pile="L"), Touch("B", 60, pile="L"), Touch("A", 90, pile="L")]).gets, {"A": "L", "B": "R"}),
    (62, "benjamintd/codegame.cards#24: one card counted twice",
     lambda: again(after(table(), lay("A", "8c", "L")), lay("A", "8c", "L")), True),
    (63, "OWASP/cornucopia#2502: two presses dealt twice", lambda: again(table(), OPENING[0]), True),
    (63, "OWASP/cornucopia#2502: the second press is refused", lambda: code(table(), OPENING[0]), "layout-not-due"),
    (64, "shlomif/PySolFC#369: refused without a reason", lambda: code(table(), make("move", "A", ("8c",), index=1)), "no-empty-space"),
]


@pytest.mark.parametrize(("row", "report", "seen", "right"), REPORTS, ids=[f"bug-{r[0]}-{n}" for n, r in enumerate(REPORTS)])
def test_reported_bugs(row: int, report: str, seen: Callable[[], Any], right: Any) -> None:
    assert seen() == right, f"row {row}: {report}"


# -- whole games, any events -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", preset_names("spit"))
@pytest.mark.parametrize("how", ["random", "sensible"])
def test_simulated_games_keep_every_invariant(ruleset: str, how: str) -> None:
    winners: Counter[str] = Counter()
    for seed in range(4):
        steps = list(play_game(GAME, GAME.rules(ruleset), ("A", "B"), seed, policy("spit", how)))
        end = steps[-1].state
        assert end.left(end.winner) == 0
        winners[end.winner] += 1
        tops: dict[str, list[str]] = {}
        for step in steps:  # every play fits what lay there
            if step.event.kind == "layout":
                tops = {}
            if step.event.kind in ("spit", "play"):
                pile = tops.setdefault(step.event.arg("pile"), [])
                rules = PileRules(ruleset == "alternate-colours")
                assert step.event.kind == "spit" or fits(pile[-1], step.event.cards[0], rules)
                pile.append(step.event.cards[0])
    assert sum(winners.values()) == 4


def event_of(kind: str, player: str | None, cards: list[str], args: dict[str, Any], t_ms: int) -> Event:
    return Event(kind, player, tuple(cards), "human", make("x", verdict="decided", counts=[5, 5], **args).args, t_ms=t_ms)


some_cards = st.sampled_from([*FRENCH[:16], "back", ""])
some_args = st.fixed_dictionaries({
    "pile": st.sampled_from(["L", "R", "X", None, 3]), "index": st.sampled_from([0, 1, 4, 5, -1, None]),
    "gets": st.sampled_from([{}, {"A": "L", "B": "R"}, {"B": "L"}, {"A": "R", "B": "R"}, "L"]),
    "stocks": st.dictionaries(st.sampled_from("ABZ"), st.lists(some_cards, max_size=6)),
    "piles": st.dictionaries(st.sampled_from("LRX"), some_cards)})
KINDS = ["layout", "spit", "play", "play", "play", "turn-up", "move", "refused", "race", "stall", "slap", "gather", "win", "resync"]
somebody = st.sampled_from(["A", "B", "Z", None])
some_event = st.builds(event_of, st.sampled_from(KINDS), somebody, st.lists(some_cards, max_size=2), some_args, st.integers(0, 9))


@settings(max_examples=200)
@given(st.lists(some_event, max_size=40), st.sampled_from(preset_names("spit")))
def test_52_cards_whatever_is_logged(events: list[Event], ruleset: str) -> None:
    rules = GAME.rules(ruleset)
    state = GAME.start(rules, ("A", "B"), "A", {})
    tops = TOPS if rules.stock_piles == 5 else (*TOPS[:4], *TOPS[5:9])
    for event in [make("layout", None, tops, counts=[rules.stock_piles] * 2), *events]:
        GAME.check(state, event)
        state = GAME.apply(state, event)
        assert audit(state) == ""
        for more in GAME.follow(state):
            assert GAME.check(state, more) is None
        GAME.questions(state)
        json.dumps(GAME.view(state))
        assert sum(t.amount for p in GAME.score(state).players for t in p.terms) == sum(state.left(p) for p in "AB")


def test_options_and_players() -> None:
    assert GAME.start(GAME.rules(), ("A", "B"), "A", {"cards": {"A": 20}}).owned == (20, 32)
    for cards in ({"A": 0}, {"A": 52}, {"A": "x"}, 5):
        assert GAME.start(GAME.rules(), ("A", "B"), "A", {"cards": cards}).owned == (26, 26)
    for players in (("A",), ("A", "B", "C")):
        with pytest.raises(InputError):
            GAME.start(GAME.rules(), players, "A", {})


# -- taking the table as it lies -------------------------------------------------------------------------------------

RESYNCS = [  # stocks told, piles told, tops of the piles after, cards left of A and B
    ({"A": ["", "2c", "3c", "4c", "Ac"]}, {"L": "8c"}, ["8c", "Js"], (24, 25)),              # the eight was played
    ({"A": ["8c", "6h", "3c", "4c", "Ac"]}, {"L": "2c"}, ["2c", "Js"], (24, 25)),            # the two, and the next was turned up
    ({}, {"L": "Js"}, ["7s", "Js"], (25, 25)),  # the right pile would be left bare: not believed
    ({}, {"R": "9h"}, ["7s", "9h"], (24, 25)),                                               # a strange card was spat
    ({"A": ["8c", "2c", "3c", "4c", "9h"]}, {}, ["7s", "Js"], (24, 25)),
    ({"A": ["8c"], "B": 5}, {"X": "2c", "L": "joker", "R": None}, ["7s", "Js"], (25, 25)),
]


@pytest.mark.parametrize(("stocks", "piles", "tops", "left"), RESYNCS)
def test_resync(stocks: dict[str, Any], piles: dict[str, Any], tops: list[str], left: tuple[int, int]) -> None:
    state = GAME.apply(table(), make("resync", None, (), "human", stocks=stocks, piles=piles))
    assert ([p.top for p in state.piles], (state.left("A"), state.left("B"))) == (tops, left)
    assert audit(state) == ""


def test_resync_without_spit_cards_takes_a_card_that_nobody_saw() -> None:
    state = stocked(table(), [Stock(1, ("2c",))], [Stock(0, ("4d",))], (0, 0))
    state = GAME.apply(state, make("resync", None, (), "human", stocks={}, piles={"L": "9h"}))
    assert (state.piles[0].top, state.stocks[0][0], audit(state)) == ("9h", Stock(0, ("2c",)), "")
    last = stocked(table(), [Stock(0, ("8c",))], [Stock(0, ("4d",))], (1, 0))
    emptied = GAME.apply(last, make("resync", None, (), "human", stocks={"A": [""]}, piles={"L": "8c"}))
    assert (emptied.phase, emptied.emptied_by) == ("slap", "A")


def test_more_refusals() -> None:
    state = table()
    one = stocked(state, [Stock(0, ("2c",))], [Stock(0, ("4d",))], (0, 3), owned=(14, 38), own=(("B", "R"),), due=("B",))
    one = replace(one, piles=(replace(one.piles[1], under=one.piles[0].count + one.piles[1].under),), phase="spit")
    codes = [GAME.check(one, make("spit", "B", ("9h",), pile=p)) for p in "LR"]
    assert [c.code if c else None for c in codes] == ["one-pile-only", None]
    under = replace(state, stocks=((Stock(0, ("9c", "8c")), *state.stocks[0][1:]), state.stocks[1]))
    for tried, code in ((lay("A", "9c", "L"), "under-top"), (make("turn-up", "A", ("8d",), index=0), None)):
        found = GAME.check(under, tried)
        assert found is not None
        assert code in (None, found.args.get("reason"))
    over = GAME.apply(stocked(state, [Stock(0, ("8c",))], [Stock(3, ("4d",))], (2, 11)), lay("A", "8c", "L"))
    tries = (lay("B", "4d", "L"), make("spit", "B", ("9h",), pile="L"), make("turn-up", "B", ("9h",), index=0),
             make("move", "B", ("4d",), index=3), make("slap", None, (), gets={"A": "L"}), make("slap", None, (), verdict="void"),
             make("gather", None, (), gets={"A": "L"}))
    codes = [GAME.check(over, tried) for tried in tries]
    assert [c.code if c else None for c in codes] == ["layout-over"] * 4 + ["wrong-count", None, "slap-first"]
    final = GAME.apply(over, make("win", "A"))
    assert GAME.check(final, make("stall")).code == "game-over"  # type: ignore[union-attr]
    assert GAME.apply(final, make("stall")) == final


def test_audit_tells_what_is_wrong() -> None:
    state = table()
    assert audit(replace(state, spit_cards=(9, 10))) == "51 cards lie on the table"
    twice = replace(state, piles=(replace(state.piles[0], cards=("8c",)), state.piles[1]))
    assert audit(twice) == "a card lies in two places"


@pytest.mark.parametrize("name", ["spit", "speed"])
@pytest.mark.parametrize("card", ["back", "", "zz", "01-bright"])
def test_what_is_no_card_never_lands_on_a_pile(name: str, card: str) -> None:
    """Forced into the log it is flagged and folded to nothing: the next play is judged against the card that lies there."""
    m = Match(name, players=("A", "B"))
    if name == "speed":
        assert m.command({"command": "layout", "cards": ["7s", "Js"]}).ok
    else:
        tops = ["2s", "3s", "4s", "5s", "6s", "2h", "3h", "4h", "5h", "6h"]
        assert m.command({"command": "layout", "cards": tops, "counts": [5, 5]}).ok
        for player, first, pile in (("A", "7s", "L"), ("B", "Js", "R")):
            assert m.command({"command": "spit", "player": player, "cards": [card], "pile": pile, "force": True}).ok
            assert m.command({"command": "spit", "player": player, "cards": [first], "pile": pile}).ok
    for kind in ("play", "side-flip" if name == "speed" else "turn_up"):
        m.command({"command": kind, "player": "A", "cards": [card], "pile": "L", "index": 1, "force": True})
    assert [pile["top"] for pile in m.snapshot()["piles"]] == ["7s", "Js"]
    assert m.command({"command": "play", "player": "A", "cards": ["6s" if name == "spit" else "8s"], "pile": "L"}).ok
    assert m.log.refold() == m.evening
