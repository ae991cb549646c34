"""What is set up: game, people, table and camera. Kept between evenings, so that the second one starts at once."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from scorer.errors import KibitzError
from scorer.frozen import thaw
from scorer.game import Game, find_game, game_names
from scorer.ruleset import preset_names
from scorer.words import languages, sentence, vocabulary

PLAYER_IDS = ("A", "B", "C", "D", "E", "F", "G")
MAX_NAME = 40


@dataclass(frozen=True, slots=True)
class Settings:
    """names: what people are called, in seat order, as long as `players`; active: who plays the first deal (all, where empty);
    table: the keys of the contract's table.json that were given (corners, zones, seats, size); overrides: rule keys changed from the
    ruleset; stake: what a chip is worth, in `currency` (None: not played for money, which is where it starts)."""

    game: str = "gostop"
    ruleset: str = "classic"
    players: tuple[str, ...] = ("A", "B")
    names: tuple[str, ...] = ("", "")
    active: tuple[str, ...] = ()
    dealer: str | None = None
    options: Mapping[str, Any] | None = None
    overrides: Mapping[str, Any] | None = None
    source: str | None = None
    deck_name: str | None = None
    table: Mapping[str, Any] | None = None
    stake: float | None = None
    currency: str = ""

    def names_by_id(self) -> dict[str, str]:
        return {p: n for p, n in zip(self.players, self.names, strict=False) if n}

    def with_players(self, count: int) -> Settings:
        """The same evening with another number of people."""
        ids = PLAYER_IDS[:count]
        names = (*self.names, *("" for _ in ids))[:count]
        return replace(self, players=ids, names=names, active=(), dealer=ids[0])

    def merged(self, command: Mapping[str, Any]) -> Settings:
        """With what a `new-game` command says. Raises KibitzError naming the key that does not fit."""
        new = self
        game = command.get("game", new.game)
        if game not in game_names():
            raise KibitzError("bad-setup", f"there is no game {str(game)[:40]!r}: choose one of {', '.join(game_names())}", key="game")
        if game != new.game:
            new = replace(new, game=game, ruleset="classic", overrides=None, options=None, table=None)
        names = command.get("names")
        if names is not None:
            short = isinstance(names, list) and all(isinstance(n, str) and len(n) <= MAX_NAME for n in names)
            if not short or not 1 <= len(names) <= len(PLAYER_IDS):
                raise KibitzError("bad-setup", f"names must be 1 to {len(PLAYER_IDS)} short texts: mend them", key="names")
            new = replace(new.with_players(len(names)), names=tuple(" ".join(n.split()) for n in names))
        ruleset = command.get("ruleset", new.ruleset)
        if not isinstance(ruleset, str) or len(ruleset) > 200:
            raise KibitzError("bad-setup", "ruleset must be a name: choose one", key="ruleset")
        low, high = find_game(new.game).rules(ruleset).players
        active = command.get("active", list(new.active))
        if not (isinstance(active, list) and all(p in new.players for p in active) and all(active.count(p) == 1 for p in active)):
            raise KibitzError("bad-setup", "active must be some of the players: mend it", key="active")
        if not active and len(new.players) > high:
            active = list(new.players[:high])
        playing = tuple(active) or new.players
        if not low <= len(playing) <= high:
            number = f"{low} to {high}"
            raise KibitzError("bad-setup", f"{new.game} is played by {number} people, not {len(playing)}: choose who plays", key="players")
        dealer = command.get("dealer", new.dealer if new.dealer in playing else playing[0])
        if dealer not in playing:
            raise KibitzError("bad-setup", "the dealer must be one of those who play: choose again", key="dealer")
        deck = command.get("deck_name", new.deck_name if game == self.game else None)
        if deck is not None and (not isinstance(deck, str) or len(deck) > MAX_NAME):
            raise KibitzError("bad-setup", "deck_name must be the name of an enrolled deck: choose one", key="deck_name")
        for key in ("options", "overrides"):
            if command.get(key) is not None and not isinstance(command[key], dict):
                raise KibitzError("bad-setup", f"{key} must be an object: mend it", key=key)
        return replace(
            new, active=playing if playing != new.players else (), dealer=dealer, ruleset=ruleset, deck_name=deck,
            options=command.get("options", new.options), overrides=command.get("overrides", new.overrides),
        )  # fmt: skip


def plain(settings: Settings) -> dict[str, Any]:
    """JSON form."""
    return asdict(settings)


def games(lang: str = "en") -> list[dict[str, Any]]:
    """Every game with its rulesets, how many can play, and its rule keys with a sentence each, for the set-up page."""
    found = []
    spoken = [vocabulary(language) for language in dict.fromkeys((lang, "en")) if language in languages()]
    for name in game_names():
        game = find_game(name)
        rulesets = []
        for preset in preset_names(name):
            rules = game.rules(preset)
            rulesets.append({"name": preset, "players": list(rules.players), "values": rules.to_dict()["rules"]})
        schema = [
            {"name": k.name, "type": k.type, "default": thaw(k.default), "low": k.low, "high": k.high, "choices": list(k.choices),
             "say": _said(game, k.name, spoken)}
            for k in game.schema
        ]  # fmt: skip
        found.append({"name": name, "players": list(game.players), "deck": game.deck, "rulesets": rulesets, "schema": schema})
    return found


def _said(game: Game, key: str, spoken: list[dict[str, Any]]) -> str:
    """What a rule is about: its sentence as the classic ruleset has it, "" where that says nothing."""
    values = game.rules("classic").values
    for words in spoken:
        say = words.get(game.name, {}).get("say", {}).get(key)
        if say is not None:
            text = sentence(say, key, values)
            return "" if text.startswith(f"{key} = ") else text
    return ""


GROUP_KEYS = ("game", "ruleset", "names", "active", "dealer", "overrides", "stake", "currency")
MOST_GROUPS = 20


def with_group(groups: Sequence[Mapping[str, Any]], name: object, settings: Settings | None) -> tuple[dict[str, Any], ...]:
    """The kept tables with this one among them under its name, or without it (None). Raises KibitzError."""
    if not isinstance(name, str) or not 0 < len(name := " ".join(name.split())) <= MAX_NAME:
        raise KibitzError("bad-setup", f"a kept table needs a name of 1 to {MAX_NAME} letters: give one", key="name")
    others = [dict(g) for g in groups if g["name"] != name]
    if settings is None:
        return tuple(others)
    if len(others) >= MOST_GROUPS:
        raise KibitzError("bad-setup", f"{MOST_GROUPS} tables are kept already: forget one first", key="name")
    kept = {k: v for k, v in asdict(settings).items() if k in GROUP_KEYS}
    return (*sorted([*others, {"name": name, **kept}], key=lambda g: str(g["name"])),)


def load_groups(path: Path) -> tuple[dict[str, Any], ...]:
    """The kept tables; none where there is no file or it is damaged."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        good = [g for g in data if isinstance(g.get("name"), str) and g.get("game") in game_names() and isinstance(g.get("names"), list)]
        return tuple(good)
    except (OSError, ValueError, TypeError, AttributeError):
        return ()


def load(path: Path) -> Settings:
    """The stored settings; the usual ones where there are none or the file is damaged."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        known: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items() if k in Settings.__slots__}
        settings = Settings(**known)
        seats = len(settings.players)
        ok = seats and settings.game in game_names() and settings.players == PLAYER_IDS[:seats] and len(settings.names) == seats
        return settings if ok else Settings()
    except (OSError, ValueError, TypeError, AttributeError):
        return Settings()


def save(path: Path, settings: Settings) -> None:
    """Written whole or not at all. A full disk loses the settings, never the game."""
    write_whole(path, asdict(settings))


def write_whole(path: Path, data: object) -> None:
    """JSON, whole or not at all; a disk that refuses leaves what was there."""
    text = json.dumps(data, ensure_ascii=False, indent=1)
    beside = path.with_suffix(".new")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)
