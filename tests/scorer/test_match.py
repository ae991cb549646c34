"""Match on a small game of its own (toy.py): commands, corrections over an evening, the camera's states, the snapshot."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import GAME

from scorer import watch
from scorer.errors import InputError
from scorer.evening import batches, reconcile
from scorer.events import Event, make
from scorer.frozen import FrozenDict, freeze
from scorer.match import Match, Outcome
from scorer.table import Seen, TableState, Zone


def match(players: tuple[str, ...] = ("A", "B", "C"), **more: Any) -> Match:
    return Match(GAME, players=players, **more)


def play(m: Match, *cards: str) -> None:
    for card in cards:
        done = m.command({"command": "lay", "player": m.snapshot()["turn"], "cards": [card]})
        assert done.ok, done


def code(done: Outcome) -> str:
    assert not done.events
    assert done.problem is not None
    return done.problem.code


def consistent(m: Match) -> None:
    """What must hold after anything: the fold equals a fresh one, what follows is all logged, chips add up, JSON holds."""
    assert m.log.refold() == m.evening
    assert [e.seq for e in m.events] == list(range(1, m.seq + 1))
    assert reconcile(GAME, match_start(m), m.live[1:]) == []
    again = Match.resume([Event.from_dict(json.loads(e.to_json())) for e in m.events], GAME)
    assert again.evening == m.evening
    assert again.events == m.events
    snap = m.snapshot()
    assert json.loads(json.dumps(snap)) == snap
    assert sum(p["running"] for p in (*snap["players"], *snap["sitting_out"])) == 0
    for deal in m.history():
        assert sum(deal["net"].values()) == 0


def match_start(m: Match) -> Any:
    from scorer.evening import begin

    return begin(GAME, m.live[0])


def test_a_deal_settles_itself() -> None:
    m = match()
    play(m, "n5", "n9", "n7")
    assert [e.kind for e in m.events] == ["start", "lay", "lay", "lay", "settle"]
    assert m.events[-1].source == "auto"
    assert m.events[-1].cause == 4
    snap = m.snapshot()
    assert snap["state"] == "over"
    assert snap["result"]["winner"] == "B"
    assert snap["result"]["payout"] == {"A": 1, "C": 1}
    assert {p["id"]: p["running"] for p in snap["players"]} == {"A": -1, "B": 2, "C": -1}
    consistent(m)


def test_legality_is_refused_with_its_problem_and_force_takes_it_flagged() -> None:
    m = match()
    assert code(m.command({"command": "lay", "player": "B", "cards": ["n5"]})) == "out-of-turn"
    done = m.command({"command": "lay", "player": "B", "cards": ["n5"], "force": True})
    assert [e.kind for e in done.events] == ["lay", "flag"]
    flags = m.snapshot()["flags"]
    assert [(f["problem"], f["args"]) for f in flags] == [("out-of-turn", {"turn": "A"})]
    assert m.command({"command": "dismiss", "seq": flags[0]["seq"]}).ok
    assert m.snapshot()["flags"] == []
    assert code(m.command({"command": "dismiss", "seq": flags[0]["seq"]})) == "no-such-event"


def test_undo_and_redo_without_end() -> None:
    m = match()
    play(m, "n5", "n9", "n7")
    states = [m.evening.state]
    for _ in range(3):
        assert m.command({"command": "undo"}).ok
        states.append(m.evening.state)
        consistent(m)
    assert states[-1].laid == ()
    assert code(m.command({"command": "undo"})) == "nothing-to-undo"
    for want in reversed(states[:-1]):
        assert m.command({"command": "redo"}).ok
        assert m.evening.state == want
        consistent(m)
    assert code(m.command({"command": "redo"})) == "nothing-to-redo"
    for _ in range(4):
        assert m.command({"command": "undo"}).ok
        assert m.command({"command": "redo"}).ok
    assert m.evening.state == states[0]


def test_taking_out_an_older_event_is_undone_like_any_correction() -> None:
    m = match()
    play(m, "n5", "n9", "n7")
    end = m.evening.state
    assert m.command({"command": "undo", "seq": 2}).ok
    assert [c for _, c in m.evening.state.laid] == ["n9", "n7"]
    assert code(m.command({"command": "redo"})) == "nothing-to-redo"
    assert m.command({"command": "undo"}).ok
    assert m.evening.state == end
    assert m.command({"command": "redo"}).ok
    assert [c for _, c in m.evening.state.laid] == ["n9", "n7"]
    consistent(m)


def test_something_new_ends_redo() -> None:
    m = match()
    play(m, "n5", "n9")
    m.command({"command": "undo"})
    play(m, "n6")
    assert code(m.command({"command": "redo"})) == "nothing-to-redo"
    assert [c for _, c in m.evening.state.laid] == ["n5", "n6"]


def evening_of_three() -> Match:
    """A drawn deal (carry 1), a deal that B wins doubled, a deal that A wins."""
    m = match()
    play(m, "n5", "n9", "n9")
    m.command({"command": "next-deal"})
    play(m, "n5", "n9", "n8")
    m.command({"command": "next-deal"})
    play(m, "n4", "n3", "n20")
    return m


def test_past_deal_amended_dealer_carry_and_totals_follow() -> None:
    """A wrong entry must be correctable after the round is closed, with carry, dealer and totals recomputed (KeepScore,
    golden#9, ScoreBoard#1)."""
    m = evening_of_three()
    assert [(d["dealer"], d["winner"], d["net"]) for d in m.history()] == [
        ("A", None, {"A": 0, "B": 0, "C": 0}),
        ("A", "B", {"A": -2, "B": 4, "C": -2}),
        ("B", "A", {"A": 2, "B": -1, "C": -1}),
    ]
    before = m.history()
    assert m.command({"command": "amend", "seq": 4, "cards": ["n30"]}).ok  # C laid 30, not 9
    assert [(d["dealer"], d["winner"], d["net"]) for d in m.history()] == [
        ("A", "C", {"A": -1, "B": -1, "C": 2}),
        ("C", "B", {"A": -1, "B": 2, "C": -1}),
        ("B", "A", {"A": 2, "B": -1, "C": -1}),
    ]
    settled = [e.arg("payout") for e in m.live if e.kind == "settle"]
    assert settled == [{"A": 1, "B": 1}, {"A": 1, "C": 1}, {"B": 1, "C": 1}]
    consistent(m)
    assert m.command({"command": "undo"}).ok
    assert m.history() == before
    consistent(m)
    assert m.command({"command": "redo"}).ok
    assert m.history()[0]["winner"] == "C"
    consistent(m)


def test_undo_in_a_past_deal_and_a_missed_event() -> None:
    m = evening_of_three()
    assert m.command({"command": "undo", "seq": 4}).ok  # C's card of the first deal was none
    assert m.history()[0]["over"] is False
    consistent(m)
    done = m.command({"command": "amend", "after": 3, "insert": {"event": "lay", "player": "C", "cards": ["n2"]}})
    assert done.ok
    assert [(d["winner"], d["dealer"]) for d in m.history()] == [("B", "A"), ("B", "B"), ("A", "B")]
    consistent(m)
    inserted = done.events[0].seq
    assert m.command({"command": "amend", "seq": inserted, "cards": ["n40"]}).ok  # and it was another card
    assert [(d["winner"], d["dealer"]) for d in m.history()] == [("C", "A"), ("B", "C"), ("A", "B")]
    consistent(m)
    assert m.command({"command": "undo"}).ok
    assert m.history()[0]["winner"] == "B"
    assert m.command({"command": "undo"}).ok
    assert m.history()[0]["over"] is False
    consistent(m)


def test_rules_may_be_corrected_for_the_whole_evening() -> None:
    m = evening_of_three()
    rules = {**m.evening.rules.values, "stake": 10}
    assert m.command({"command": "amend", "seq": 1, "rules": rules}).ok
    assert m.history()[1]["net"] == {"A": -20, "B": 40, "C": -20}
    consistent(m)
    assert code(m.command({"command": "amend", "seq": 1, "rules": {"stake": 1000}})) == "bad-setup"


def test_misread_card() -> None:
    m = match()
    play(m, "n5", "n9")
    assert m.command({"command": "correct", "card": "n5", "to": "n50"}).ok
    assert m.evening.state.laid == (("A", "n50"), ("B", "n9"))
    assert m.command({"command": "correct", "card": "n50", "to": "n9"}).ok  # they were exchanged
    assert m.evening.state.laid == (("A", "n9"), ("B", "n50"))
    consistent(m)
    play(m, "n70")
    assert m.command({"command": "correct", "card": "n70", "to": "n9"}).ok  # whichever of them came first
    assert [c for _, c in m.evening.state.laid] == ["n70", "n50", "n9"]
    consistent(m)
    for bad, why in (
        ({"card": "n3", "to": "n4"}, "card-not-in-play"),
        ({"card": "n9", "to": "Th"}, "unknown-card"),
        ({"to": "n4"}, "bad-command"),
        ({"track": 7, "to": "n4"}, "no-such-track"),
        ({"card": "n9", "to": 4}, "unknown-card"),
    ):
        assert code(m.command({"command": "correct", **bad})) == why
    assert m.command({"command": "correct", "card": "n9", "to": "n9"}) == Outcome()


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (None, "bad-command"),
        ([], "bad-command"),
        ({}, "bad-command"),
        ({"command": 3}, "bad-command"),
        ({"command": "fly"}, "unknown-event"),
        ({"command": "undo", "seq": 99}, "no-such-event"),
        ({"command": "undo", "seq": 1}, "no-such-event"),
        ({"command": "undo", "seq": "x"}, "no-such-event"),
        ({"command": "amend", "seq": 99}, "no-such-event"),
        ({"command": "amend", "seq": True}, "no-such-event"),
        ({"command": "amend", "seq": 2, "kind": "undo"}, "bad-command"),
        ({"command": "amend", "seq": 2, "kind": "start"}, "bad-command"),
        ({"command": "amend", "after": 99, "insert": {"event": "lay"}}, "no-such-event"),
        ({"command": "amend", "after": 2, "insert": 5}, "bad-command"),
        ({"command": "amend", "after": 2, "insert": {"event": "undo"}}, "bad-command"),
        ({"command": "amend", "after": 2, "insert": {"event": "lay", "player": "Z"}}, "bad-command"),
        ({"command": "lay", "player": "Z"}, "no-such-player"),
        ({"command": "lay", "player": "B", "cards": "n5"}, "bad-command"),
        ({"command": "lay", "player": ["B"], "cards": []}, "no-such-player"),
        ({"command": "lay", "t_ms": -1}, "bad-command"),
        ({"command": "lay", "x": object()}, "bad-command"),
        ({"command": "note", "text": "x" * 30_000}, "too-long"),
        ({"command": "unknown-junk", "player": "A", "n": 0}, "bad-command"),
        ({"command": "unknown-junk", "n": 1}, "bad-command"),
        ({"command": "answer", "question": "q", "key": "1"}, "stale-question"),
        ({"command": "next-deal"}, "deal-not-over"),
        ({"command": "next-deal", "abandon": True, "players": ["A"]}, "cannot-seat"),
        ({"command": "next-deal", "abandon": True, "players": [3]}, "bad-command"),
        ({"command": "next-deal", "abandon": True, "players": "AB"}, "bad-command"),
        ({"command": "next-deal", "abandon": True, "options": {"carry": "x"}}, "cannot-seat"),
        ({"command": "resync", "use": "table"}, "no-table"),
        ({"command": "lay", "nested": [[[[1]]]], "player": "C", "cards": ["n5"]}, "out-of-turn"),
    ],
)
def test_refused_commands_append_nothing(command: Any, why: str) -> None:
    m = match()
    play(m, "n5")
    assert code(m.command(command)) == why
    assert m.seq == 2


def test_deeply_nested_command_is_refused() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert code(match().command({"command": "note", "x": deep})) == "bad-command"


def test_next_deal_seats_whom_it_names() -> None:
    m = match(("A", "B", "C", "D"), active=("A", "B", "C"), names={"A": "Ari"})
    snap = m.snapshot()
    assert [p["id"] for p in snap["players"]] == ["A", "B", "C"]
    assert [p["id"] for p in snap["sitting_out"]] == ["D"]
    play(m, "n5", "n9", "n7")
    assert m.command({"command": "next-deal", "players": ["A", "C", "D"]}).ok
    assert m.evening.dealer == "C"  # B won but sits out: the next seat deals
    assert m.command({"command": "note", "player": "D", "name": "Dana"}).ok
    snap = m.snapshot()
    assert [(p["id"], p["name"]) for p in snap["players"]] == [("A", "Ari"), ("C", ""), ("D", "Dana")]
    assert snap["sitting_out"] == [{"id": "B", "name": "", "running": 2}]
    assert m.command(
        {"command": "next-deal", "abandon": True, "players": ["A", "E"], "dealer": "E", "options": {"carry": 3}}
    ).ok  # a new face
    assert (m.evening.dealer, m.evening.state.carry, m.evening.seats) == ("E", 3, ("A", "B", "C", "D", "E"))
    consistent(m)


def test_a_next_deal_amended_to_one_that_cannot_be_seated_is_passed_over() -> None:
    m = match()
    play(m, "n5", "n9", "n7")
    m.command({"command": "next-deal"})
    assert m.command({"command": "amend", "seq": 6, "players": ["A"]}).ok
    assert (m.evening.deal, m.evening.players) == (1, ("A", "B", "C"))
    consistent(m)
    assert m.command({"command": "undo"}).ok
    assert m.evening.deal == 2
    assert m.command({"command": "amend", "seq": 6, "players": 5}).ok  # no list of players: as if it said nothing
    assert m.evening.players == ("A", "B", "C")


def test_commands_that_a_game_does_not_know_name_the_nearest() -> None:
    m = Match("stopbus")
    done = m.command({"command": "cal", "player": "A"})
    assert done.problem is not None
    assert (done.problem.code, done.problem.args["mend"]) == ("unknown-command", "did you mean 'call'?")
    assert code(Match(GAME).command({"command": "lay", "cards": [], "extra": {"deep": [1, None]}})) == "out-of-turn"


def test_bonus_cards_of_the_rules_are_known() -> None:
    m = Match("gostop", overrides={"bonus": {"dragon": 3}, "jokers": 1})
    m.command(
        {
            "command": "deal",
            "cards": ["01-bright", "02-ribbon", "03-ribbon", "04-ribbon", "05-ribbon", "06-ribbon", "07-ribbon", "08-bright"],
        }
    )
    assert m.game.copies(m.evening.state)["dragon"] == 1
    assert m.command({"command": "correct", "card": "01-bright", "to": "dragon"}).problem is None
    assert code(m.command({"command": "correct", "card": "02-ribbon", "to": "tiger"})) == "unknown-card"


def test_questions_of_the_game_are_answered() -> None:
    m = match()
    assert m.command({"command": "unknown-junk", "player": "A", "n": 5}).ok
    asked = m.snapshot()["questions"]
    assert [(q["kind"], [o["key"] for o in q["options"]]) for q in asked] == [("unknown-junk", ["none", "stay"])]
    assert m.asked == 1
    assert code(m.command({"command": "answer", "question": asked[0]["id"], "key": "maybe"})) == "no-such-answer"
    assert m.command({"command": "answer", "question": asked[0]["id"], "key": "stay"}) == Outcome()
    assert m.command({"command": "answer", "question": asked[0]["id"], "key": "none"}).ok
    assert m.snapshot()["questions"] == []
    assert m.final()["final"]["asked"] == 2


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({"players": ()}, "bad-start"),
        ({"players": ("A",)}, "players"),
        ({"players": ("A", "A")}, "bad-start"),
        ({"dealer": "Z"}, "bad-start"),
        ({"active": ("A", "Z")}, "bad-start"),
        ({"options": {"x": object()}}, "bad-start"),
        ({"options": {"carry": "x"}}, "bad-start"),
        ({"game": "tarot"}, "unknown-game"),
        ({"game": "gostp"}, "unknown-game"),
    ],
)
def test_unusable_set_up(bad: dict[str, Any], error: str) -> None:
    args: dict[str, Any] = {"game": GAME, "players": ("A", "B"), **bad}
    with pytest.raises(InputError) as e:
        Match(**args)
    assert e.value.code == error


@pytest.mark.parametrize(
    "events",
    [
        [],
        [make("lay", "A", ["n5"])],
        [Event("start", seq=2)],
        [Event("start", seq=1, args=freeze({"players": ["A", "B"]})), Event("lay", seq=3)],
        [Event("start", seq=1)],
        [Event("start", seq=1, args=freeze({"players": ["A", "B"], "rules": 5}))],
        [Event("start", seq=1, args=freeze({"players": ["A", "B"], "options": 5}))],
        [Event("start", seq=1, args=freeze({"players": ["A", "B"], "active": [5]}))],
        [Event("start", seq=1, args=freeze({"players": ["A", "B"], "rules": {"stake": "high"}}))],
        [Event("start", seq=1, args=freeze({"players": ["A", "B"]})), Event("undo", seq=2, ref=1)],
    ],
)
def test_unusable_logs(events: list[Event]) -> None:
    with pytest.raises(InputError):
        Match.resume(events, GAME)


def test_a_log_cut_off_within_a_turn_is_completed() -> None:
    m = match()
    play(m, "n5", "n9", "n7")
    cut = Match.resume(m.events[:-1], GAME)
    assert cut.events == m.events


def test_folding_is_not_quadratic() -> None:
    """A long evening: appending costs one apply, an undo folds from the last checkpoint only."""
    calls = 0

    class Counting(type(GAME)):  # type: ignore[misc]
        def apply(self, state: Any, event: Event) -> Any:
            nonlocal calls
            calls += 1
            return super().apply(state, event)

    m = Match(Counting(), players=("A", "B", "C"))
    for n in range(300):
        play(m, "n5", "n9", f"n{n % 90 + 1}")
        m.command({"command": "next-deal"})
    assert calls <= 300 * 4 * 4
    calls = 0
    m.command({"command": "undo"})
    assert calls < 400


# -- any commands -------------------------------------------------------------------------------------------------------

lay = st.builds(lambda c: {"command": "lay", "cards": [f"n{c}"]}, st.integers(1, 12))
seqs = st.integers(1, 25)
commands = st.one_of(
    lay,
    lay,
    lay,
    st.just({"command": "undo"}),
    st.just({"command": "redo"}),
    st.just({"command": "next-deal"}),
    st.just({"command": "next-deal", "abandon": True}),
    st.builds(lambda s: {"command": "undo", "seq": s}, seqs),
    st.builds(lambda s, c: {"command": "amend", "seq": s, "cards": [f"n{c}"]}, seqs, st.integers(1, 12)),
    st.builds(
        lambda s, c, p: {"command": "amend", "after": s, "insert": {"event": "lay", "player": p, "cards": [f"n{c}"]}},
        seqs,
        st.integers(1, 12),
        st.sampled_from("ABC"),
    ),
    st.builds(lambda a, b: {"command": "correct", "card": f"n{a}", "to": f"n{b}"}, st.integers(1, 12), st.integers(1, 12)),
    st.builds(lambda p, c: {"command": "lay", "player": p, "cards": [f"n{c}"], "force": True}, st.sampled_from("ABC"), st.integers(1, 12)),
)


@settings(max_examples=120, deadline=None)
@given(st.lists(commands, max_size=25))
def test_after_any_commands_the_log_is_consistent(todo: list[dict[str, Any]]) -> None:
    m = match()
    for command in todo:
        seq = m.seq
        if command["command"] == "lay" and "player" not in command:
            command = {**command, "player": m.snapshot()["turn"]}
        done = m.command(command)
        assert done.ok == (done.problem is None)
        assert m.seq == seq + len(done.events)
        if not done.ok:
            assert m.seq == seq
        assert m.log.refold() == m.evening
    consistent(m)
    assert [e for group in batches(m.live) for e in group] == list(m.live)


# -- the camera ---------------------------------------------------------------------------------------------------------

ZONES = (Zone("floor", "floor"), Zone("hand-A", "hand", "A"))


def table(t_ms: int, *cards: Seen | str, **more: Any) -> TableState:
    seen = tuple(c if isinstance(c, Seen) else Seen(i, c, zone="floor", order=i) for i, c in enumerate(cards, 1))
    return TableState(t_ms, seen, zones=ZONES, **more)


def test_settled_cards_become_events() -> None:
    m = match()
    assert m.observe(table(0)) == ()
    assert m.observe(table(100, "n5", stable=False)) == ()
    assert [(e.kind, e.player, e.cards, e.t_ms, e.source) for e in m.observe(table(200, "n5"))] == [("lay", "A", ("n5",), 200, "camera")]
    assert m.observe(table(300, "n5")) == ()
    assert [e.kind for e in m.observe(table(400, "n5", "n9"))] == ["lay"]
    assert m.state == "watching"
    m.observe(table(500, "n5", "n9", hands=("B",), stable=False))
    assert m.state == "hand"
    assert [e.kind for e in m.observe(table(600, "n5", "n9", "n7"))] == ["lay", "settle"]
    assert m.state == "over"
    consistent(m)


def test_a_lost_picture_and_a_pause_stop_commits() -> None:
    m = match()
    m.observe(table(0))
    assert m.observe(table(100, "n5", lost=True)) == ()
    m.command({"command": "pause"})
    assert m.state == "paused"
    assert m.observe(table(200, "n5")) == ()
    m.command({"command": "resume"})
    assert [e.kind for e in m.observe(table(500, "n5"))] == ["lay"]


def test_a_ruling_is_logged_with_its_flag() -> None:
    m = match()
    m.observe(table(0))
    flags = m.observe(table(100, "n5", "n9"))
    assert [(e.kind, e.arg("problem"), e.cards) for e in flags] == [("flag", "two-plays", ("n5", "n9"))]
    assert m.final()["final"]["flags"] == 1


def unsure(track: int, *names: tuple[str, float]) -> Seen:
    return Seen(track, names[0][0], names, sure=False, zone="floor", order=track)


def test_names_are_ranked_by_what_the_rules_allow() -> None:
    """n5 is best by sight but its only copy lies there already; the next name is taken."""
    m = match()
    m.observe(table(0))
    m.observe(table(100, "n5"))
    assert [e.cards for e in m.observe(table(200, "n5", unsure(2, ("n5", 0.5), ("n6", 0.4))))] == [("n6",)]
    assert m.observe(table(500, "n5", unsure(2, ("n5", 0.5), ("n6", 0.4)))) == ()  # the name it was logged under stays


def test_names_that_cannot_be_are_left_out_and_all_of_them_are_tried() -> None:
    """Three unsure cards at once: their names are combined, the likeliest first, no card twice; what cannot be is not thrown away."""
    m = match()
    after = table(100, "n5", *(unsure(i, ("n5", 0.5), ("n6", 0.4), ("n7", 0.3)) for i in (2, 3)))
    tried = [[s.card for s in t.seen] for _, t in watch.variants(table(0), after, {}, m.game.copies(m.evening.state))]
    assert tried == [["n5", "n6", "n7"], ["n5", "n7", "n6"]]
    free = table(100, *(unsure(i, (f"n{i}", 0.5), (f"n{i + 10}", 0.4), (f"n{i + 20}", 0.3)) for i in (2, 3, 4)))
    costs = [cost for cost, _ in watch.variants(table(0), free, {}, m.game.copies(m.evening.state))]
    assert costs == sorted(costs)
    assert len(costs) == watch.MAX_VARIANTS
    twice = table(100, "n5", unsure(2, ("n5", 0.9), ("n5", 0.1)))
    assert [t for _, t in watch.variants(table(0), twice, {}, m.game.copies(m.evening.state))] == [twice]


def test_what_is_no_card_of_this_deck_says_nothing() -> None:
    """A poster, a chip, a card of another game: no event, and the next likeliest name that can be is looked at."""
    m = match()
    m.observe(table(0))
    assert m.observe(table(100, "Th", Seen(2, "zzz", (("01-bright", 0.9),), zone="floor"))) == ()
    mixed = Seen(3, "Th", (("Th", 0.6), ("n5", 0.4)), sure=True, zone="floor", order=3)
    assert [e.cards for e in m.observe(table(400, mixed))] == [("n5",)]


def test_an_ambiguity_is_asked_after_a_while_and_answered_in_two_taps() -> None:
    m = match()
    m.observe(table(0))
    for t in (100, 700):
        assert m.observe(table(t, unsure(1, ("n5", 0.5), ("n6", 0.4)))) == ()
        assert m.state == "watching"
    m.observe(table(100 + watch.ASK_AFTER_MS, unsure(1, ("n5", 0.5), ("n6", 0.4))))
    assert m.state == "unsure"
    asked = m.snapshot()["questions"][0]
    assert (asked["kind"], [o["cards"] for o in asked["options"]]) == ("which-turn", [["n5"], ["n6"]])
    m.observe(table(2000, unsure(1, ("n5", 0.51), ("n6", 0.4))))
    assert m.snapshot()["questions"][0]["id"] == asked["id"]  # the same question keeps its id
    assert code(m.command({"command": "answer", "question": asked["id"], "key": "7"})) == "no-such-answer"
    done = m.command({"command": "answer", "question": asked["id"], "key": "1"})
    assert [(e.kind, e.cards, e.source) for e in done.events] == [("lay", ("n6",), "human")]
    assert m.observe(table(2500, unsure(1, ("n5", 0.5), ("n6", 0.4)))) == ()
    assert m.asked == 1
    assert m.state == "watching"


def test_an_ambiguity_that_clears_up_is_not_counted() -> None:
    m = match()
    m.observe(table(0))
    for t in (100, 1400):
        m.observe(table(t, unsure(1, ("n5", 0.5), ("n6", 0.4))))
    assert m.state == "unsure"
    assert [e.cards for e in m.observe(table(1700, Seen(1, "n6", zone="floor", order=1)))] == [("n6",)]
    assert (m.asked, m.state) == (0, "watching")


def test_an_ambiguity_that_goes_away_is_dropped() -> None:
    m = match()
    m.observe(table(0))
    for t in (100, 1400):
        m.observe(table(t, unsure(1, ("n5", 0.5), ("n6", 0.4))))
    assert m.observe(table(1700)) == ()
    assert (m.asked, m.state) == (0, "watching")


def test_a_surer_name_amends_the_log() -> None:
    m = match()
    m.observe(table(0))
    m.observe(table(100, "n5"))
    assert m.observe(table(300, Seen(1, "n50", zone="floor", order=1))) == ()
    added = m.observe(table(300 + watch.RENAME_AFTER_MS, Seen(1, "n50", zone="floor", order=1)))
    assert [(e.kind, e.source, e.arg("card"), e.arg("to")) for e in added] == [("amend", "camera", "n5", "n50")]
    assert m.evening.state.laid == (("A", "n50"),)
    assert m.observe(table(3000, Seen(1, "n50", zone="floor", order=1))) == ()
    consistent(m)


def test_a_card_misread_as_one_that_lies_elsewhere_keeps_that_one() -> None:
    """The card of track 2 was logged as n5, which track 1 truly is: only what came with track 2 is renamed."""
    m = match()
    m.observe(table(0))
    m.observe(table(100, "n5"))
    m.observe(table(300, "n5", "n5"))
    assert m.evening.state.laid == (("A", "n5"), ("B", "n5"))
    assert m.command({"command": "correct", "track": 2, "to": "n6"}).ok
    assert m.evening.state.laid == (("A", "n5"), ("B", "n6"))
    consistent(m)


def test_a_name_given_by_a_person_wins_over_the_camera() -> None:
    m = match()
    m.observe(table(0))
    m.observe(table(100, "n5"))
    assert m.command({"command": "correct", "track": 1, "to": "n6"}).ok
    assert m.evening.state.laid == (("A", "n6"),)
    for t in range(200, 4000, 300):
        assert m.observe(table(t, "n5")) == ()
    assert m.state == "watching"
    m.observe(table(4200, "n5", Seen(2, "n8", zone="")))
    assert m.command({"command": "correct", "track": 2, "to": "n9"}) == Outcome()  # not in the log yet: only its name
    assert [e.cards for e in m.observe(table(4500, "n5", "n8"))] == [("n9",)]


def test_out_of_sync_is_said_and_resolved_by_the_table_or_the_log() -> None:
    m = match()
    m.observe(table(0))
    m.observe(table(100, "n5"))
    m.observe(table(300))  # the card is gone
    assert m.state == "watching"
    m.observe(table(400 + watch.DESYNC_AFTER_MS))
    assert m.state == "out-of-sync"
    assert [p["problem"] for p in m.snapshot()["out_of_sync"]] == ["wrong-count"]
    assert m.evening.state.laid == (("A", "n5"),)  # nothing changed by itself
    assert code(m.command({"command": "resync", "use": "dice"})) == "bad-command"
    assert m.command({"command": "resync", "use": "log"}).ok
    m.observe(table(8000))
    m.observe(table(8000 + 2 * watch.DESYNC_AFTER_MS))
    assert m.state == "watching"
    m.observe(table(20000, Seen(4, "n8", zone="")))
    m.command({"command": "resync", "use": "table"})
    assert m.evening.state.laid == ()
    consistent(m)


def test_back_in_step_by_itself() -> None:
    m = match()
    m.observe(table(0))
    m.observe(table(100, "n5"))
    for t in (300, 4000):
        m.observe(table(t))
    assert m.state == "out-of-sync"
    m.observe(table(4300, "n5"))
    assert m.state == "watching"
    assert m.snapshot()["out_of_sync"] == []


def test_hidden_hands_stay_hidden() -> None:
    """Cards in a hand are never named, logged or shown."""
    m = match()
    m.observe(table(0, Seen(9, "n77", (("n77", 0.9),), zone="hand-A", order=1)))
    seen = m.watch.latest.seen[0] if m.watch.latest else None
    assert seen is not None
    assert (seen.card, seen.names, seen.face_up) == ("", (), False)
    assert "n77" not in json.dumps(m.snapshot())


def test_a_resumed_match_takes_the_table_as_it_lies() -> None:
    m = match()
    m.observe(table(0))
    m.observe(table(100, "n5"))
    again = Match.resume(m.events, GAME)
    assert again.observe(table(9000, "n5")) == ()
    assert [e.cards for e in again.observe(table(9500, "n5", "n9"))] == [("n9",)]


def test_a_new_deal_starts_from_an_empty_table() -> None:
    m = match()
    play(m, "n5", "n9", "n7")
    m.observe(table(100, "n5", "n9", "n7"))
    m.command({"command": "next-deal"})
    assert m.observe(table(200)) == ()
    assert [e.cards for e in m.observe(table(600, Seen(4, "n5", zone="floor", order=4)))] == [("n5",)]


def test_record_is_the_contracts() -> None:
    m = match()
    play(m, "n5", "n9", "n7")
    assert [e["event"] for e in m.record()] == ["lay", "lay", "lay", "settle"]
    assert m.final()["final"]["players"]["B"] == {"captured": ["n9"], "points": {"laid": 9}, "total": 9}


def test_what_follows_stands_before_a_missed_turn_that_was_put_in_there() -> None:
    """Found by the property above: a turn put in after another one, and then the settlement of that other one."""
    m = match()
    play(m, "n1", "n1")
    assert m.command({"command": "amend", "after": 3, "insert": {"event": "lay", "player": "A", "cards": ["n1"]}}).ok
    assert m.command({"command": "amend", "after": 1, "insert": {"event": "lay", "player": "A", "cards": ["n1"]}}).ok
    assert [e.kind for e in m.live] == ["start", "lay", "lay", "lay", "draw", "lay"]
    consistent(m)


def test_go_stop_a_dead_deal_that_was_none_after_all() -> None:
    """Deal 1 was logged as nagari, deal 2 paid double. It turns out that B had stopped in deal 1: dealer, carry, totals follow."""
    m = Match("gostop", players=("A", "B"))

    def deal() -> None:
        floor = ["01-junk-a", "02-junk-a", "03-junk-a", "04-junk-a", "05-junk-a", "06-junk-a", "07-junk-a", "08-junk-a"]
        m.append([make("deal", m.evening.dealer, floor, "human")], 0)

    def win(player: str) -> None:
        m.append([make("capture", player, ["01-bright", "03-bright", "08-bright", "11-bright", "12-bright"], "human")], 0)

    deal()
    dead = m.append([make("nagari", None, (), "human")], 0)[0]
    assert m.command({"command": "next-deal"}).ok
    assert (m.evening.dealer, m.evening.options["nagari_streak"]) == ("A", 1)
    deal()
    win("A")
    m.append([make("stop", "A", (), "human")], 0)
    doubled = m.history()[1]
    single = doubled["payout"]["B"] // 2
    assert "nagari" in [t["label"] for t in doubled["payments"][0]["terms"]]
    assert m.snapshot()["players"][0]["running"] == 2 * single

    assert m.command({"command": "undo", "seq": dead.seq}).ok
    bright5 = ["01-bright", "03-bright", "08-bright", "11-bright", "12-bright"]
    assert m.command({"command": "amend", "after": 2, "insert": {"event": "capture", "player": "B", "cards": bright5}}).ok
    captured = m.seq
    assert m.command({"command": "amend", "after": captured, "insert": {"event": "stop", "player": "B"}}).ok
    first, second = m.history()
    assert (first["winner"], second["dealer"], second["winner"]) == ("B", "B", "A")
    assert second["payout"] == {"B": single}
    assert "nagari" not in [t["label"] for t in second["payments"][0]["terms"]]
    assert m.evening.options["nagari_streak"] == 0
    assert [p["running"] for p in m.snapshot()["players"]] == [single - first["payout"]["A"], first["payout"]["A"] - single]
    assert [e.arg("payout") for e in m.live if e.kind == "settle"] == [first["payout"], second["payout"]]
    assert m.log.refold() == m.evening
    for _ in range(3):
        assert m.command({"command": "undo"}).ok
    assert m.history()[1] == doubled


@pytest.mark.parametrize("command", [
    {"command": "note", "kind": "memo", "seq": 3, "event": "undo", "source": "x", "ref": 9, "cause": 2, "margin": 7, "seq_": 1, "text": "hm"},
    {"command": "lay", "player": "A", "cards": ["n5"], "seq": -1, "event": "win", "source": "x", "ref": "y", "cause": 1},
    {"command": "amend", "seq": 2, "cards": ["n7"], "event": "go", "source": "x", "ref": 99, "cause": 1, "margin": -1},
])
def test_a_command_cannot_touch_the_fields_of_its_event(command: dict[str, Any]) -> None:
    """Keys named like an event's own fields would make a stored log that cannot be read back: the evening would be lost."""
    m = match()
    play(m, "n5")
    m.command(command)
    again = Match.resume([Event.from_dict(json.loads(e.to_json())) for e in m.events], m.game)
    assert (again.events, again.evening) == (m.events, m.evening)
    forged = Event("note", args=FrozenDict(seq=9, event="win", text="kept"), seq=4)
    assert Event.from_dict(json.loads(forged.to_json())) == Event("note", args=FrozenDict(text="kept"), seq=4)


def test_an_event_is_amended_to_another_kind() -> None:
    m = Match("thegame", players=("A", "B"))
    m.command({"command": "play", "player": "A", "cards": ["n5"], "pile": 0})
    m.command({"command": "play", "player": "A", "cards": ["n9"], "pile": 0})
    assert m.command({"command": "amend", "seq": 3, "kind": "note"}).ok
    assert [e.kind for e in m.live] == ["start", "play", "note"]
    assert m.evening.state.piles[0].top == 5
    assert m.command({"command": "undo"}).ok
    assert m.evening.state.piles[0].top == 9
    for kind in ([], None, "", 5, "x" * 65, "undo", "start"):
        assert code(m.command({"command": "amend", "seq": 3, "kind": kind})) == "bad-command"
    for drop in (3, "pile", None, [1]):
        assert m.command({"command": "amend", "seq": 3, "drop": drop}).ok
        assert m.evening.state.piles[0].top == 9


def test_a_player_named_within_the_args_must_sit_here() -> None:
    m = Match("gostop", players=("A", "B"))
    assert code(m.command({"command": "chongtong", "players": ["A", "\ud800"], "cards": [], "force": True})) == "no-such-player"
