from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator

import pytest

from webui.hub import Hub, HubFull


def messages(reader: Iterator[bytes], count: int) -> list[dict[str, object]]:
    """The next `count` messages that are no beats and no retry line."""
    found = []
    while len(found) < count:
        text = next(reader).decode()
        fields = dict(line.split(": ", 1) for line in text.strip().split("\n"))
        if "event" in fields and fields["event"] != "beat":
            found.append({"id": fields.get("id"), "event": fields["event"], "data": json.loads(fields["data"])})
    return found


def test_a_snapshot_comes_on_connect_and_log_from_before_does_not() -> None:
    hub = Hub()
    hub.log("log", {"old": 1})
    hub.state("snapshot", {"n": 1})
    hub.state("snapshot", {"n": 2})
    first = messages(hub.subscribe(), 1)[0]
    assert (first["event"], first["data"]) == ("snapshot", {"n": 2})


def test_last_event_id_replays_the_log_that_was_missed_and_the_snapshot() -> None:
    hub = Hub()
    hub.state("snapshot", {"n": 1})
    reader = hub.subscribe()
    seen = messages(reader, 1)[0]
    reader.close()  # type: ignore[attr-defined]
    hub.log("log", {"turn": 1})
    hub.log("log", {"turn": 2})
    hub.state("snapshot", {"n": 3})
    again = messages(hub.subscribe(str(seen["id"])), 3)
    assert [m["data"] for m in again] == [{"turn": 1}, {"turn": 2}, {"n": 3}]


@pytest.mark.parametrize("last", ["", "x", "deadbeef-1", "-5", "²-²", "00000000-99999999999999999999", None])
def test_an_id_of_another_life_gives_the_snapshot_only(last: str | None) -> None:
    hub = Hub()
    hub.log("log", {"turn": 1})
    hub.state("snapshot", {"n": 1})
    reader = hub.subscribe(last)
    assert messages(reader, 1)[0]["event"] == "snapshot"
    hub.log("log", {"turn": 2})
    assert messages(reader, 1)[0]["data"] == {"turn": 2}


def test_a_slow_reader_skips_to_the_newest_state_and_keeps_every_log_in_the_ring() -> None:
    hub = Hub(ring=8)
    hub.state("snapshot", {"n": 0})
    slow = hub.subscribe()
    messages(slow, 1)
    for n in range(1, 101):
        hub.state("snapshot", {"n": n})
    for n in range(3):
        hub.log("log", {"turn": n})
    got = messages(slow, 4)
    assert [m["data"] for m in got] == [{"n": 100}, {"turn": 0}, {"turn": 1}, {"turn": 2}]


def test_publishing_never_waits_for_a_reader() -> None:
    hub = Hub()
    readers = [hub.subscribe() for _ in range(50)]
    for reader in readers:
        next(reader)  # connected, and then never read again
    began = time.monotonic()
    for n in range(500):
        hub.state("snapshot", {"n": n, "cards": ["01-bright"] * 60})
    assert time.monotonic() - began < 2.0


def test_ids_rise_and_carry_the_epoch() -> None:
    hub = Hub()
    hub.state("snapshot", {})
    reader = hub.subscribe()
    ids = [messages(reader, 1)[0]["id"]]
    for n in range(3):
        hub.log("log", {"n": n})
        ids.append(messages(reader, 1)[0]["id"])
    numbers = [int(str(i).rpartition("-")[2]) for i in ids]
    assert numbers == sorted(set(numbers))
    assert all(str(i).startswith(hub.epoch) for i in ids)


def test_a_silent_hub_beats() -> None:
    hub = Hub(heartbeat_s=0.05)
    reader = hub.subscribe()
    assert next(reader).startswith(b"retry")
    assert next(reader) == b"event: beat\ndata: {}\n\n"


def test_a_reader_of_other_types_still_gets_its_beat() -> None:
    hub = Hub(heartbeat_s=0.1)
    reader = hub.subscribe(types=frozenset({"snapshot"}))
    next(reader)
    stop = threading.Event()

    def chatter() -> None:
        while not stop.wait(0.01):
            hub.state("outlines", {"cards": []}, volatile=True)

    thread = threading.Thread(target=chatter)
    thread.start()
    try:
        began = time.monotonic()
        assert next(reader).startswith(b"event: beat")
        assert time.monotonic() - began < 1.0
    finally:
        stop.set()
        thread.join()


def test_outlines_have_no_id_and_late_comers_get_the_newest() -> None:
    hub = Hub()
    hub.state("snapshot", {})
    hub.state("outlines", {"frame": 1}, volatile=True)
    reader = hub.subscribe()
    assert [m["event"] for m in messages(reader, 2)] == ["snapshot", "outlines"]
    hub.state("outlines", {"frame": 2}, volatile=True)
    assert messages(reader, 1)[0] == {"id": None, "event": "outlines", "data": {"frame": 2}}


def test_what_is_private_reaches_its_seat_only() -> None:
    hub = Hub()
    hub.state("snapshot", {"practice": None}, {"A": {"practice": ["01-bright"]}})
    assert b"01-bright" in list(zip(range(2), hub.subscribe(seat="A"), strict=False))[1][1]
    for seat in ("B", None):
        assert b"01-bright" not in list(zip(range(2), hub.subscribe(seat=seat), strict=False))[1][1]


def test_places_are_bounded_and_given_back() -> None:
    hub = Hub(max_clients=2)
    first, second = hub.subscribe(), hub.subscribe()
    with pytest.raises(HubFull):
        hub.subscribe()
    first.close()  # type: ignore[attr-defined]
    first.close()  # type: ignore[attr-defined]
    third = hub.subscribe()
    assert hub.clients == 2
    del second, third
    assert hub.clients == 0


def test_close_ends_every_reader() -> None:
    hub = Hub()
    reader = hub.subscribe()
    next(reader)
    threading.Timer(0.05, hub.close).start()
    assert list(reader) == []
