"""TableState: JSON round trip, zones, the journal."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.cards import HWATU
from scorer.errors import InputError
from scorer.table import CHANGE_KINDS, STATES, ZONE_KINDS, Change, Seen, TableState, Zone, face_up, seen_from, zone_from

mm = st.floats(-2000, 2000, allow_nan=False).map(lambda v: round(v, 1))
points = st.lists(st.tuples(mm, mm), max_size=4).map(tuple)
share = st.floats(0, 1).map(lambda v: round(v, 3))
names = st.sampled_from(HWATU)
seen = st.builds(
    Seen,
    track=st.integers(1, 99),
    card=names,
    names=st.lists(st.tuples(names, share), max_size=3).map(tuple),
    sure=st.booleans(),
    zone=st.sampled_from(["floor", "captures-A", ""]),
    quad=points,
    visible=share,
    state=st.sampled_from(STATES),
    face_up=st.booleans(),
    order=st.integers(0, 500),
)
zones = st.builds(
    Zone,
    name=st.text(min_size=1, max_size=8),
    kind=st.sampled_from(ZONE_KINDS),
    player=st.none() | st.just("A"),
    index=st.integers(0, 5),
    dir=st.none() | st.just("up"),
    polygon_mm=points,
)
changes = st.builds(
    Change,
    n=st.integers(1, 999),
    t_ms=st.integers(0, 10**7),
    kind=st.sampled_from(CHANGE_KINDS),
    track=st.none() | st.integers(1, 9),
    card=names,
    from_zone=st.just("floor"),
    to_zone=st.just(""),
    player=st.none() | st.just("B"),
    sigma_ms=st.none() | st.floats(0, 50),
)
tables = st.builds(
    TableState,
    t_ms=st.integers(0, 10**8),
    seen=st.lists(seen, max_size=5).map(tuple),
    hands=st.lists(st.sampled_from("AB?"), max_size=2).map(tuple),
    stable=st.booleans(),
    changes=st.lists(changes, max_size=4).map(tuple),
    zones=st.lists(zones, max_size=3).map(tuple),
    lost=st.booleans(),
)


@given(tables)
def test_round_trip(table: TableState) -> None:
    assert TableState.from_dict(json.loads(json.dumps(table.to_dict()))) == table


ZONES = (
    Zone("floor", "floor"),
    Zone("captures-A", "captures", "A"),
    Zone("second", "captures", "A", 1),
    Zone("captures-B", "captures", "B"),
)
TABLE = TableState(
    5,
    (
        Seen(1, "01-bright", zone="floor", order=3),
        Seen(2, "02-junk-a", zone="floor", order=1),
        Seen(3, "03-junk-a", zone="captures-A", state="covered"),
        Seen(4, "04-ribbon", zone="floor", state="moving"),
        Seen(5, "back", zone="second", face_up=False),
        Seen(6, "05-ribbon", zone="captures-A", state="gone"),
    ),
    changes=(Change(3, 1, "appear", 1), Change(4, 2, "move", 2)),
    zones=ZONES,
)


def test_queries() -> None:
    assert [s.track for s in TABLE.cards_in("floor")] == [2, 1]
    assert [s.track for s in TABLE.by_kind("captures", "A")] == [3, 5]
    assert TABLE.by_kind("captures", "B") == ()
    assert [z.name for z in TABLE.zones_of("captures", "A")] == ["captures-A", "second"]
    assert TABLE.zone("second") == ZONES[2]
    assert TABLE.zone("none") is None
    assert [c.n for c in TABLE.since(3)] == [4]
    assert (TABLE.track(4) or Seen(0, "")).card == "04-ribbon"
    assert TABLE.track(9) is None
    assert face_up(TABLE.by_kind("captures", "A")) == ("03-junk-a",)


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"t_ms": "5"},
        {"t_ms": True},
        {"t_ms": 1, "seen": 5},
        {"t_ms": 1, "seen": [5]},
        {"t_ms": 1, "seen": [{"track": 1}]},
        {"t_ms": 1, "seen": [{"track": 1, "card": "x", "colour": 2}]},
        {"t_ms": 1, "seen": [{"track": 1, "card": "x", "state": "lost"}]},
        {"t_ms": 1, "seen": [{"track": 1, "card": "x", "names": [1]}]},
        {"t_ms": 1, "seen": [{"track": 1, "card": "x", "quad": [1]}]},
        {"t_ms": 1, "zones": [{"name": "f", "kind": "sky"}]},
        {"t_ms": 1, "zones": [{"name": "f", "kind": "floor", "polygon_mm": "abc"}]},
        {"t_ms": 1, "changes": [{"n": 1}]},
        {"t_ms": 1, "changes": {}},
    ],
)
def test_bad_tables_are_coded(data: Any) -> None:
    with pytest.raises(InputError) as e:
        TableState.from_dict(data, "recorded.jsonl, line 7")
    assert e.value.code == "bad-table"
    assert "recorded.jsonl, line 7" in str(e.value)


def test_single_records() -> None:
    assert zone_from({"name": "L", "kind": "spit-pile", "polygon_mm": [[0, 0], [1, 1]]}).polygon_mm == ((0.0, 0.0), (1.0, 1.0))
    assert seen_from({"track": 1, "card": "Th", "names": [["Th", 0.9], ["9h", 0.05]]}).names[1] == ("9h", 0.05)
    with pytest.raises(InputError):
        seen_from("Th")
    with pytest.raises(InputError):
        zone_from(None)
