"""Events: JSON round trip; undo, redo and amend resolved in one backward pass, against a forward oracle."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.errors import InputError
from scorer.events import Event, effective, make, resolve
from scorer.frozen import EMPTY, FrozenDict, freeze, thaw

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
arg_names = st.text(min_size=1, max_size=8).filter(
    lambda k: k not in ("seq", "event", "t_ms", "player", "cards", "source", "margin", "ref", "cause")
)
events = st.builds(
    Event,
    kind=st.sampled_from(["play", "flip", "go", "flag"]),
    player=st.none() | st.sampled_from("ABC"),
    cards=st.lists(st.sampled_from(["01-bright", "Th", "n7"]), max_size=3).map(tuple),
    source=st.sampled_from(["camera", "auto", "human"]),
    args=st.dictionaries(arg_names, json_values, max_size=3).map(freeze),
    seq=st.integers(0, 2**40),
    t_ms=st.integers(0, 2**40),
    margin=st.none() | st.floats(0, 1),
    ref=st.none() | st.integers(1, 99),
    cause=st.none() | st.integers(1, 99),
)


@given(events)
def test_round_trip(event: Event) -> None:
    back = Event.from_dict(json.loads(event.to_json()))
    assert back == event
    assert back.to_json() == event.to_json()
    assert hash(back) == hash(event)


def test_the_contract_form() -> None:
    event = make("steal", "A", ["03-junk-a"], "auto", from_="B", margin=0.5)
    assert event.to_dict() == {
        "seq": 0,
        "event": "steal",
        "t_ms": 0,
        "player": "A",
        "cards": ["03-junk-a"],
        "source": "auto",
        "margin": 0.5,
        "from": "B",
    }
    assert event.arg("from") == "B"
    assert event.arg("none", 7) == 7


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "x",
        {},
        {"event": ""},
        {"event": 3},
        {"event": "x" * 65},
        {"event": "go", "player": 3},
        {"event": "go", "player": "x" * 65}, {"event": "go\ud800"}, {"event": "go", "player": "\ud800"}, {"event": "go", "player": "a\nb"},
        {"event": "go", "source": "oracle"},
        {"event": "go", "cards": "01"},
        {"event": "go", "cards": [1]},
        {"event": "go", "seq": -1},
        {"event": "go", "seq": True},
        {"event": "go", "t_ms": 1.5},
        {"event": "go", "t_ms": 2**60},
        {"event": "go", "ref": 0},
        {"event": "go", "cause": "1"},
        {"event": "go", "margin": 2},
        {"event": "go", "margin": "wide"},
        {"event": "go", "pile": object()},
    ],
)
def test_bad_events_are_coded(data: Any) -> None:
    with pytest.raises(InputError) as e:
        Event.from_dict(data, "game.jsonl, line 3")
    assert e.value.code == "bad-event"
    assert "game.jsonl, line 3" in str(e.value)


@given(json_values)
def test_freeze_and_thaw(value: Any) -> None:
    assert thaw(freeze(value)) == value
    assert json.loads(json.dumps(freeze(value))) == value


def test_frozen_dict_cannot_change() -> None:
    d = freeze({"a": [1, {"b": 2}]})
    for change in (
        lambda: d.update(a=1),
        lambda: d.__setitem__("a", 1),
        lambda: d.pop("a"),
        lambda: d.clear(),
        lambda: d.setdefault("c", 1),
    ):
        with pytest.raises(TypeError):
            change()
    assert pickle.loads(pickle.dumps(d)) == d
    assert copy.deepcopy(d) is d
    assert copy.copy(d) is d
    assert hash(d) == hash(freeze({"a": [1, {"b": 2}]}))
    assert freeze({3, 1, 2}) == (1, 2, 3)
    with pytest.raises(TypeError):
        freeze(object())
    assert freeze(EMPTY) is EMPTY


def log_of(*entries: tuple[Any, ...]) -> list[Event]:
    """(kind, ref or None, cause or None) numbered from 1."""
    return [Event(kind, "A", (f"n{i}",), seq=i, ref=ref, cause=cause) for i, (kind, ref, cause) in enumerate(entries, 1)]


@st.composite
def logs(draw: st.DrawFn) -> list[Event]:
    """Logs as Match writes them: a root and its followers stand together; a correction may bring further corrections with it."""
    log: list[Event] = []
    root = 0
    for seq in range(1, draw(st.integers(1, 14)) + 1):
        kind = draw(st.sampled_from(["play", "play", "follow", "undo", "redo", "amend", "more-undo", "more-amend"])) if log else "play"
        corrects = kind not in ("play", "follow")
        goes_on = log and (log[-1].kind in ("undo", "redo", "amend")) == corrects
        cause = root if goes_on and kind in ("follow", "more-undo", "more-amend") else None
        root = root if cause else seq
        ref = draw(st.integers(1, root - 1)) if corrects else None
        log.append(Event(kind.removeprefix("more-"), "A", (f"n{seq}",), seq=seq, ref=ref, cause=cause))
    return log


def oracle(log: list[Event]) -> list[tuple[int, tuple[str, ...]]]:
    """Liveness by its definition, forwards and recursively: an event lives where its cause lives and no live undo means it."""

    def alive(e: Event) -> bool:
        if e.cause is not None and not alive(log[e.cause - 1]):
            return False
        return not any(u.kind in ("undo", "redo") and u.ref == e.seq and alive(u) for u in log[e.seq :])

    def content(e: Event) -> tuple[str, ...]:
        amends = [a for a in log[e.seq :] if a.kind == "amend" and a.ref == e.seq and alive(a)]
        return content(amends[-1]) if amends else e.cards

    return [(e.seq, content(e)) for e in log if e.kind in ("play", "follow") and alive(e)]


@given(logs())
def test_one_backward_pass_equals_the_definition(log: list[Event]) -> None:
    assert [(e.seq, e.cards) for e in effective(log)] == oracle(log)


@given(logs(), st.integers(0, 12))
def test_undo_and_redo_without_end(log: list[Event], presses: int) -> None:
    """Undo of undo of undo …: an odd number of presses takes the event away, an even one brings it back."""
    live = [e.seq for e in effective(log) if e.cause is None]
    if not live:
        return
    longer, ref = list(log), live[-1]
    for n in range(presses):
        longer.append(Event("undo" if n % 2 == 0 else "redo", seq=len(longer) + 1, ref=ref))
        ref = longer[-1].seq
    assert (live[-1] in [e.seq for e in effective(longer)]) == (presses % 2 == 0)


def test_a_turn_goes_as_a_whole() -> None:
    log = log_of(("play", None, None), ("capture", None, 1), ("play", None, None), ("undo", 1, None))
    assert [e.seq for e in effective(log)] == [3]
    assert resolve(log).undos == (4,)


def test_amend_replaces_what_it_names() -> None:
    play = Event("play", "A", ("01-bright",), args=freeze({"pile": "L", "from": "B"}), seq=1)
    cases: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"cards": ["02-ribbon"]}, {"cards": ["02-ribbon"]}),
        ({"player": "B"}, {"player": "B"}),
        ({"pile": "R"}, {"pile": "R"}),
        ({"kind": "flip"}, {"event": "flip"}),
        ({"nobody": True}, {"player": None}),
        ({"none": True}, {"cards": []}),
        ({"drop": ["from"]}, {"from": None}),
    ]
    for given_args, wanted in cases:
        amend = Event.from_dict({"event": "amend", "seq": 2, "ref": 1, "source": "human", **given_args})
        got = effective([play, amend])[0].to_dict()
        assert {k: got.get(k) for k in wanted} == wanted, given_args
        assert got["source"] == "human"
        kept = {"event": "play", "player": "A", "cards": ["01-bright"], "pile": "L", "from": "B"}
        assert {k: v for k, v in got.items() if k in kept and k not in wanted} == {k: v for k, v in kept.items() if k not in wanted}


def test_a_misread_card_is_renamed_from_where_it_was_misread() -> None:
    log = [
        Event("play", "A", ("n1",), seq=1),
        Event("play", "B", ("n2",), seq=2),
        Event("play", "A", ("n1", "n3"), seq=3),
        Event("amend", seq=4, ref=2, args=freeze({"card": "n1", "to": "n9"})),
        Event("play", "B", ("n1",), seq=5),
    ]
    assert [e.cards for e in effective(log)] == [("n1",), ("n2",), ("n9", "n3"), ("n1",)]
    swap = [*log[:3], Event("amend", seq=4, ref=1, args=freeze({"card": "n1", "to": "n2", "swap": True}))]
    assert [e.cards for e in effective(swap)] == [("n2",), ("n1",), ("n2", "n3")]


def test_a_misread_card_is_renamed_within_args_too() -> None:
    log = [
        Event("layout", None, ("5c",), args=freeze({"piles": {"L": "5c", "R": "9h"}, "order": [["5c"], 3, "A"], "x": None}), seq=1),
        Event("amend", seq=2, ref=1, args=freeze({"card": "5c", "to": "5s"})),
    ]
    assert effective(log)[0].args == freeze({"piles": {"L": "5s", "R": "9h"}, "order": [["5s"], 3, "A"], "x": None})


def test_corrections_of_corrections_apply_in_their_order() -> None:
    log = [
        Event("play", "A", ("n1",), seq=1),
        Event("amend", seq=2, ref=1, args=freeze({"card": "n1", "to": "n2"})),
        Event("amend", seq=3, ref=1, args=freeze({"card": "n2", "to": "n3"})),
    ]
    assert effective(log)[0].cards == ("n3",)
    assert effective([*log, Event("undo", seq=4, ref=2)])[0].cards == ("n1",)
    assert effective([*log, Event("undo", seq=4, ref=3)])[0].cards == ("n2",)


def test_missed_events_are_inserted_in_order() -> None:
    def put(seq: int, ref: int, card: str, into: int | None = None) -> Event:
        args: dict[str, Any] = {"insert": {"event": "steal", "player": "A", "cards": [card], "source": "human"}}
        return Event("amend", seq=seq, ref=ref, args=freeze(args | ({"into": into} if into else {})))

    log = [
        Event("play", "A", ("n1",), seq=1),
        Event("capture", "A", ("n2",), seq=2, cause=1),
        Event("play", "B", ("n3",), seq=3),
        put(4, 2, "n4", into=1),
        put(5, 2, "n5"),
        put(6, 1, "n6"),
    ]
    assert [e.cards[0] for e in effective(log)] == ["n1", "n6", "n2", "n4", "n5", "n3"]
    assert [e.cards[0] for e in effective([*log, Event("undo", seq=7, ref=1)])] == ["n6", "n5", "n3"]  # n4 belonged to the turn
    assert [e.cards[0] for e in effective([*log, Event("undo", seq=7, ref=5)])] == ["n1", "n6", "n2", "n4", "n3"]
    renamed = Event("amend", seq=7, ref=1, args=freeze({"card": "n5", "to": "n8"}))
    assert [e.cards[0] for e in effective([*log, renamed])] == ["n1", "n6", "n2", "n4", "n8", "n3"]


@pytest.mark.parametrize(
    "amend",
    [
        Event("amend", seq=2),
        Event("amend", seq=2, ref=9, cards=("n2",)),
        Event("amend", seq=2, ref=1, args=freeze({"insert": 5})),
        Event("amend", seq=2, ref=1, args=freeze({"insert": {"event": "undo", "ref": 1}})),
        Event("undo", seq=2),
        Event("undo", seq=2, ref=7),
    ],
)
def test_senseless_corrections_are_without_effect(amend: Event) -> None:
    assert [e.cards for e in effective([Event("play", "A", ("n1",), seq=1), amend])] == [("n1",)]


def test_frozendict_is_a_dict_for_json() -> None:
    assert json.dumps(FrozenDict(a=1)) == '{"a": 1}'
