"""Short games of Go-Stop in which somebody plays wrongly once: what the referee must flag, acted out on a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from datasets.simulate import Stage, World
from datasets.simulate_deal import PlayedDeal, play_deal
from datasets.simulate_gostop import Case, Event, GoStopScene, Habits
from scorer.cards import info, is_card
from vision.zones import default_seats

KINDS = (
    "junk-not-given", "junk-too-many", "pair-not-taken", "wrong-month", "stack-split", "out-of-turn", "flip-missing", "two-plays", "illegal-play",
)  # fmt: skip
EARLIEST = 2  # turns before the mistake
PLAIN = {"play", "flip", "capture"}
CARD_MM = (35.0, 54.0)


def _month(card: str) -> int:
    return info(card).month or 0 if is_card(card) else 0


def _cards(events: Sequence[Event], kind: str) -> list[str]:
    return [c for e in events if e["event"] == kind for c in e["cards"]]


def _months(events: Sequence[Event]) -> set[int]:
    return {_month(c) for e in events for c in e["cards"]}


class Spoiler:
    """Plays a deal up to a turn, spoils that one, and lets the next player go on."""

    def __init__(self, deal: PlayedDeal, seats: Mapping[str, str], size_mm: tuple[float, float], hard: bool) -> None:
        rng = np.random.default_rng([deal.seed, 61])
        habits = Habits(slam=0.15 if hard else 0.0, jitter=2.0, turn=4.0)
        self.deal, self.turns = deal, [[e.to_dict() for e in t] for t in deal.turns]
        self.scene = GoStopScene(Stage(World(size_mm, CARD_MM), dict(seats), rng), habits, deal.dealer, (*deal.replaced, *deal.stock))
        self.rng = rng

    def spoil(self, kind: str, k: int) -> bool:
        """Act out turns 0 to k, the last one with the mistake, and where it is possible the one after it. False where turn k does not suit."""
        turn = self.turns[k]
        after = self.turns[k + 1] if k + 1 < len(self.turns) else []
        wrong = self._spoiled(kind, turn, k)
        if wrong is None or not after or (kind not in ("out-of-turn", "illegal-play") and self._touched(turn, wrong) & _months(after)):
            return False
        scene = self.scene
        scene.deal(self.deal.floor)
        scene.truth += [dict(e.to_dict()) | {"t_ms": round(scene.dealt_ms)} for e in self.deal.opening]
        for before in self.turns[:k]:
            scene.turn(before)
        player = str(wrong[0]["player"])
        if kind == "illegal-play":
            card = wrong[0]["cards"][0]
            hand = player + "r"
            scene.stage.wait(hand, scene.now + 600)
            end = scene._gather(hand, player, [card])
            scene.now = scene.stage.leave(hand)
            scene.truth.append(dict(wrong[0]) | {"t_ms": round(end)})
        else:
            scene.turn(wrong)
        scene.truth.append({"event": "flag", "problem": kind, "player": player, "cards": [], "t_ms": round(scene.now), "source": "auto"})
        if kind in ("junk-not-given", "pair-not-taken", "stack-split", "flip-missing", "two-plays"):
            scene.turn([e for e in after if e["event"] not in ("go", "stop", "settle", "nagari")])
        return True

    def _touched(self, turn: Sequence[Event], wrong: Sequence[Event]) -> set[int]:
        return _months(turn) | _months(wrong)

    def _floor(self, k: int) -> dict[int, list[str]]:
        """What lies in the centre before turn k, by month."""
        lying = list(self.deal.floor)
        for turn in self.turns[:k]:
            for card in (*_cards(turn, "play"), *_cards(turn, "flip")):
                lying.append(card)
            gained = set(_cards(turn, "capture"))
            lying = [c for c in lying if c not in gained]
        out: dict[int, list[str]] = {}
        for card in lying:
            out.setdefault(_month(card), []).append(card)
        return out

    def _junk(self, k: int, player: str) -> list[str]:
        """Plain junk that a player holds before turn k."""
        held: list[str] = []
        for turn in self.turns[:k]:
            for e in turn:
                if e["event"] == "capture" and e["player"] == player:
                    held += e["cards"]
                if e["event"] == "steal":
                    held = [c for c in held if c not in e["cards"]] + (list(e["cards"]) if e["player"] == player else [])
        return [c for c in held if is_card(c) and info(c).kind == "junk" and "double" not in c]

    def _spoiled(self, kind: str, turn: list[Event], k: int) -> list[Event] | None:
        """The turn with the mistake in it, None where it does not lend itself."""
        kinds = {e["event"] for e in turn}
        play, flip, gained = _cards(turn, "play"), _cards(turn, "flip"), _cards(turn, "capture")
        player = next((str(e["player"]) for e in turn if e["event"] == "play"), "")
        if len(play) != 1 or len(flip) != 1 or not player or any(not _month(c) for c in (*play, *flip)):
            return None
        floor = self._floor(k)
        if kind == "junk-not-given":
            return [e for e in turn if e["event"] != "steal"] if "steal" in kinds and kinds <= PLAIN | {"steal", "jjok", "ttadak", "sweep"} else None
        if kind == "stack-split":
            whole = [c for c in gained if "stack-capture" in kinds and sum(_month(o) == _month(c) for o in gained) == 4 and c not in (*play, *flip)]
            if not whole or "steal" not in kinds or play[0] not in gained or _month(play[0]) != _month(whole[0]):
                return None
            return [e | {"cards": [c for c in e["cards"] if c != whole[0]]} if e["event"] == "capture" else e for e in turn if e["event"] in PLAIN]
        if not kinds <= PLAIN:
            return None
        if kind == "junk-too-many":
            giver = next((p for p in self.deal.players if p != player and self._junk(k, p)), None)
            if giver is None or not gained:
                return None
            return [*turn, {"event": "steal", "player": player, "from": giver, "cards": self._junk(k, giver)[:1]}]
        if kind == "pair-not-taken":
            return [e for e in turn if e["event"] != "capture"] if len(gained) == 2 and play[0] in gained and flip[0] not in gained else None
        if kind == "wrong-month":
            free = [c[0] for m, c in floor.items() if len(c) == 1 and m not in _months(turn)]
            if not gained or len(gained) != 2 or not free:
                return None
            return [e | {"cards": [*e["cards"], free[0]]} if e["event"] == "capture" else e for e in turn]
        if kind == "out-of-turn":
            if len(gained) < 2:
                return None
            players = self.deal.players
            other = players[(players.index(player) + len(players) - 1) % len(players)]
            return [e | {"player": other} for e in turn]
        if kind == "flip-missing":
            if flip[0] in gained:
                return None
            return [e for e in turn if e["event"] != "flip"]
        if kind == "two-plays":
            mine = [c for t in self.turns[k + 2 :] for e in t if e["event"] == "play" and e["player"] == player for c in e["cards"]]
            lone = [c for c in mine if _month(c) and _month(c) not in floor and _month(c) not in _months(turn)]
            if not lone or len(gained) != 2 or play[0] not in gained:
                return None
            return [turn[0], turn[0] | {"cards": lone[:1]}, *turn[1:]] if turn[0]["event"] == "play" else None
        free = [c[0] for m, c in floor.items() if len(c) == 1]
        return [{"event": "capture", "player": player, "cards": free[:1], "source": "camera"}] if free else None


def _tries(kind: str, seed: int, players: int) -> Iterator[tuple[PlayedDeal, int]]:
    names = "ABC"[:players]
    for s in count():
        rng = np.random.default_rng([seed, s, 59])
        deal = play_deal(int(rng.integers(1 << 30)), names, names[int(rng.integers(players))])
        turns = list(range(EARLIEST, len(deal.turns) - 1))
        for k in turns if kind == "stack-split" else [int(k) for k in rng.permutation(turns)[:6]]:
            yield deal, k


def mistaken(kind: str, seed: int, players: int = 2, hard: bool = True) -> Case:
    """A game that ends soon after a mistake of this kind (one of KINDS). The last true event is the flag; there is no final line."""
    if kind not in KINDS:
        raise ValueError(f"no mistake is called {kind!r}: one of {', '.join(KINDS)}")
    size = (780.0, 480.0) if players == 2 else (900.0, 600.0)
    for deal, k in _tries(kind, seed, players):
        seats = default_seats("gostop", deal.players)
        spoiler = Spoiler(deal, seats, size, hard)
        if spoiler.spoil(kind, k):
            scene = spoiler.scene
            table: dict[str, Any] = {"game": "gostop", "ruleset": "classic", "players": list(deal.players), "dealer": deal.dealer, "deck": "hwatu",
                                     "size_mm": list(size), "seats": [{"player": p, "edge": e} for p, e in seats.items()]}  # fmt: skip
            return Case(scene.stage.world, scene.commands, scene.truth, table, scene)
    raise AssertionError("unreachable")
