"""Ten thousand malformed cases, rulesets, deck files and logs: an answer or a coded one-line error that names its place.

A fixed seed and budget, so that a failure is found again.
"""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorer import judge
from scorer.cards import FRENCH, HWATU, NUMBERS, load_deck
from scorer.errors import KibitzError
from scorer.game import find_game, game_names
from scorer.match import Match
from scorer.ruleset import RULES_DIR
from scorer.store import Store, read_jsonl_file, to_jsonl
from scorer.table import STATES, Change, Seen, TableState, Zone

ROOT = Path(__file__).parents[2]
SEED = 20240917
CASES, RULESETS, LOGS, DECKS = 6000, 1500, 2000, 500
JUNK: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    7,
    10**9,
    10**30,
    -(2**63),
    1.5,
    1e308,
    "",
    "A",
    "Z",
    "01-bright",
    "01-brigth",
    "joker-2",
    "joker-99",
    "Th",
    "n7",
    "back",
    "\u0000",
    "가",
    "x" * 500,
    [],
    {},
    [[]],
    [None],
    [1, 2],
    ["A", "A"],
    {"A": None},
    {"A": []},
    {"A": -1},
    {"kind": "nagari"},
    [["01-bright"]],
    {"": ""},
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value, as a path."""
    found = [path]
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, v in inner:
        found += places(v, (*path, key))
    return found


def mutate(rng: random.Random, value: Any) -> Any:
    """The value with one to three places changed, removed, doubled or exchanged."""
    value = json.loads(json.dumps(value))
    for _ in range(rng.randint(1, 3)):
        inside = [p for p in places(value) if p]
        if not inside:
            return rng.choice(JUNK)
        path = rng.choice(inside)
        holder = value
        for key in path[:-1]:
            holder = holder[key]
        what = rng.randrange(5)
        if what == 0:
            del holder[path[-1]]
        elif what == 1 and isinstance(holder, list):
            holder.insert(rng.randrange(len(holder) + 1), holder[path[-1]])
        elif what == 2 and isinstance(holder, dict):
            holder[rng.choice(("rules", "id", "A", "extra", "player", "cards"))] = holder[path[-1]]
        elif what == 3 and isinstance(holder[path[-1]], str):
            text = holder[path[-1]]
            at = rng.randrange(len(text) + 1)
            holder[path[-1]] = text[:at] + rng.choice("-0Ax\u00e9") + text[at + rng.randrange(2) :]
        else:
            holder[path[-1]] = json.loads(json.dumps(rng.choice(JUNK)))
    return value


def torn(rng: random.Random, text: str) -> str:
    """The text with a few signs changed, lost or put in."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(("", "=", '"', "[", "]", "\n", "0", "-", "true", "é", "{", "\x00")) + text[at + rng.randrange(3) :]
    return text


def coded(error: KibitzError, *named: str) -> None:
    assert error.code
    assert "\n" not in str(error)
    assert len(str(error)) < 2000
    assert all(n in str(error) for n in named), str(error)


def test_malformed_cases() -> None:
    rng = random.Random(SEED)
    good = [json.loads(line) for f in sorted((ROOT / "tests/data/rules").glob("cases-*.jsonl")) for line in f.read_text().splitlines()]
    lines = []
    for i in range(CASES):
        case = mutate(rng, rng.choice(good))
        line = json.dumps(case)
        lines.append(torn(rng, line).replace("\n", " ") if i % 10 == 0 else line)
    errors = 0
    for line, answer in zip([x for x in lines if x.strip()], judge.judge_lines(lines), strict=True):
        assert "id" in answer, line
        assert judge.as_line(answer), line
        if "error" in answer:
            errors += 1
            assert answer["code"], line
            assert isinstance(answer["error"], str)
            assert "\n" not in answer["error"]
    assert CASES // 4 < errors < CASES, "the mutations must break many cases and leave some whole"


def test_malformed_rulesets(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    presets = [(p.name.split(".")[0], p.read_text()) for p in sorted(RULES_DIR.glob("*.*.toml")) if not p.name.startswith("words.")]
    file = tmp_path / "house.toml"
    errors = 0
    for _ in range(RULESETS):
        game, text = rng.choice(presets)
        file.write_text(torn(rng, text), encoding="utf-8")
        try:
            rules = find_game(game).rules(file)
        except KibitzError as e:
            errors += 1
            coded(e, *([] if e.code == "unknown-ruleset" else [str(file)]))
        else:
            Match(game, file, players=[chr(65 + i) for i in range(rules.players[0])])
    assert RULESETS // 4 < errors < RULESETS


def test_malformed_decks(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    text = (
        'kind = "hwatu"\nsize_mm = [35, 53]\nflipped = ["01-bright"]\ntwins = [["03-junk-a", "03-junk-b"]]\n[worth]\ndragon = 3\n'
        '[copies]\n"01-bright" = 1\n"03-junk-a" = 2\n"03-junk-b" = 1\n'
    )
    file = tmp_path / "deck.toml"
    errors = 0
    for _ in range(DECKS):
        file.write_text(torn(rng, text), encoding="utf-8")
        try:
            load_deck(file)
        except KibitzError as e:
            errors += 1
            coded(e, str(file))
    assert DECKS // 4 < errors < DECKS


def logs() -> list[list[str]]:
    """A short whole log of every game, with corrections in it."""
    rng = random.Random(SEED)
    out = []
    for name in game_names():
        game = find_game(name)
        n = max(2, game.rules("classic").players[0])
        match = Match(name, players=[chr(65 + i) for i in range(n)], options={"seed": 3})
        for _ in range(12):
            legal = game.legal(match.evening.state)
            if legal:
                match.append([rng.choice(legal)], match.seq * 100)
        match.command({"command": "undo"})
        match.command({"command": "redo"})
        match.command({"command": "amend", "seq": 2, "player": "B"})
        out.append(list(to_jsonl(match.events)))
    return out


def test_malformed_logs_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    good, errors = logs(), 0
    file = tmp_path / "game.jsonl"
    with Store(tmp_path / "log.db") as store:
        for i in range(LOGS):
            lines = list(rng.choice(good))
            at = rng.randrange(len(lines))
            kind = i % 4
            if kind == 0:
                lines[at] = json.dumps(mutate(rng, json.loads(lines[at])))
            elif kind == 1:
                lines[at] = torn(rng, lines[at])
            elif kind == 2:
                del lines[at]
            else:
                lines.insert(at, lines[rng.randrange(len(lines))])
            file.write_text("\n".join(lines), encoding="utf-8")
            stored = len(store.sessions()) if i % 50 == 0 else None
            try:
                events = read_jsonl_file(file)
            except KibitzError as e:
                errors += 1
                coded(e, str(file), *([] if e.code in ("bad-log", "unreadable-file") else ["line"]))
            else:
                match = Match.resume(events)  # whatever a log says that has the form of one, it folds and is shown
                json.dumps(match.snapshot())
                assert match.log.refold() == match.evening
            assert stored is None or len(store.sessions()) == stored
        assert store.sessions() == ()
    assert LOGS // 4 < errors < LOGS


@pytest.mark.parametrize("name", game_names())
def test_any_event_is_folded_without_an_error(name: str) -> None:
    """`check` and `apply` take whatever a log may hold."""
    rng = random.Random(SEED)
    game = find_game(name)
    n = max(2, game.rules("classic").players[0])
    players = [chr(65 + i) for i in range(n)]
    match = Match(name, players=players, options={"seed": 5})
    state = match.evening.state
    kinds = [
        "play",
        "flip",
        "capture",
        "steal",
        "deal",
        "swap",
        "call",
        "show",
        "slap",
        "race",
        "spit",
        "layout",
        "refill",
        "adopt",
        "unknown-junk",
        "go",
        "stop",
        "shake",
        "bomb",
        "settle",
        "ppuk",
        "sell",
        "choose",
        "turn",
        "win",
        "over",
        "lose_token",
        "out",
        "joker",
        "chongtong",
        "x",
    ]
    from scorer.events import Event

    for _ in range(1500):
        legal = game.legal(state)
        base = (
            rng.choice(legal).to_dict()
            if legal and rng.random() < 0.5
            else {"event": rng.choice(kinds), "player": rng.choice([*players, None]), "cards": []}
        )
        data = mutate(
            rng, {**base, "cards": base["cards"] or [rng.choice(["01-bright", "Th", "n7", "zzz"])], "pile": 1, "from": "B", "n": 1}
        )
        try:
            event = Event.from_dict(data)
        except KibitzError:
            continue
        game.check(state, event)
        after = game.apply(state, event)
        game.score(after)
        json.dumps(game.view(after))
        game.result(after)
        game.follow(after)
        if rng.random() < 0.3 and game.result(after) is None:
            state = after


def random_table(rng: random.Random, before: TableState, cards: tuple[str, ...], zones: tuple[Zone, ...], track: int) -> TableState:
    """The table some time later: cards come, go, move, are covered, turned, misread, renamed; hands touch piles."""
    seen = list(before.seen)
    changes = list(before.changes)
    n, t_ms = (changes[-1].n if changes else 0), before.t_ms + rng.choice((33, 200, 1500, 5000))
    for _ in range(rng.randint(0, 3)):
        card, zone, n = rng.choice((*cards, "back", "", "zzz")), rng.choice((*(z.name for z in zones), "", "nowhere")), n + 1
        what = rng.randrange(7)
        names = tuple((rng.choice(cards), round(rng.random(), 2)) for _ in range(rng.randint(0, 3)))
        if what < 3 or not seen:
            seen.append(Seen(track + n, card, names, rng.random() < 0.8, zone, face_up=card != "back", order=n))
            changes.append(Change(n, t_ms, "appear", track + n, card, "", zone))
            continue
        i = rng.randrange(len(seen))
        old = seen[i]
        if what == 3:
            seen[i] = replace(old, zone=zone, order=n)
            changes.append(Change(n, t_ms, "move", old.track, old.card, old.zone, zone))
        elif what == 4:
            seen[i] = replace(old, card=card, names=names, sure=rng.random() < 0.5)
        elif what == 5:
            seen[i] = replace(old, state=rng.choice(STATES), face_up=rng.random() < 0.8)
        else:
            changes.append(
                Change(n, t_ms, "touch", to_zone=zone, player=rng.choice(("A", "B", "?", None)), sigma_ms=rng.choice((None, 9.0)))
            )
    return replace(
        before,
        t_ms=t_ms,
        seen=tuple(seen[-40:]),
        changes=tuple(changes[-32:]),
        hands=rng.choice(((), (), ("A",), ("?",))),
        stable=rng.random() < 0.7,
        lost=rng.random() < 0.03,
    )


@pytest.mark.parametrize("name", game_names())
def test_any_table_is_taken_without_an_error(name: str) -> None:
    """Whatever the camera says it sees: events, a question, out of sync, or nothing; the log stays whole, the snapshot is JSON."""
    rng = random.Random(SEED)
    players = ("A", "B") if find_game(name).rules().players[1] > 1 else ("A",)
    kinds = ("floor", "captures", "stock", "hand", "reveal", "spit-pile", "stock-pile", "side-pile", "pile", "centre")
    zones = tuple(
        Zone(
            f"{kind}-{p}-{i}" if kind != "spit-pile" else "LR"[i],
            kind,
            p if kind not in ("floor", "centre", "pile", "spit-pile") else None,
            i,
            "up",
        )
        for kind in kinds
        for p in (players if kind not in ("floor", "centre", "pile", "spit-pile") else ("",))
        for i in range(2)
    )
    cards = {"hwatu": HWATU, "french": FRENCH, "numbers": NUMBERS}[find_game(name).deck]
    for run in range(12):
        match = Match(name, players=players)
        table = TableState(0, zones=zones if run % 4 else ())
        for i in range(60):
            table = random_table(rng, table, cards[:: rng.choice((1, 3))], table.zones, run * 1000)
            match.observe(table)
            if i % 10 == 0:
                asked = match.snapshot()["questions"]
                if asked:
                    match.command({"command": "answer", "question": asked[0]["id"], "key": rng.choice(asked[0]["options"])["key"]})
                if match.state == "out-of-sync":
                    match.command({"command": "resync", "use": rng.choice(("table", "log"))})
                json.dumps(match.snapshot())
        assert match.log.refold() == match.evening
