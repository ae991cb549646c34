"""Where everything is wired: source → pipeline → newest state → writer → database → snapshot → pages. `kibitz run` comes here.

Threads: the source's own, the pipeline's (`eyes`), the writer (`keeper`), the web server's. They meet at the `Desk` (commands and
the newest table state), the `Hub` (what pages hear) and the `Stream` (what pages see), and nowhere else.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from scorer.errors import KibitzError
from scorer.match import Match
from scorer.words import in_words, languages
from vision.camera import list_cameras
from vision.frame import Source
from vision.live import PhoneSource
from vision.source import default_source, open_source

from . import create_app, lan, settings
from .archive import Archive, games_file
from .auth import Gate, Tokens, allowed_hosts
from .certificate import certificate
from .desk import Desk
from .enrolling import Enrolling, decks
from .evidence import Evidence
from .eyes import PICTURE, Eyes, Look
from .house import Reply
from .hub import Hub
from .keeper import Keeper
from .probe import probe
from .qr import terminal
from .replay import beside, read_commands, read_table, settings_of
from .server import Server
from .settings import Settings
from .stream import Stream

WAIT_S = 8.0
SAME_EVENING_MS = 12 * 3600 * 1000
NEW_CLOCK, AFRESH = "new-clock", "afresh"  # said by the runtime to its writer, never by a page

MakeLook = Callable[[Settings, Source], Look]


class Runtime:
    """The running house (see `house.House`). `make_look` builds the pipeline for a source and a set-up table."""

    def __init__(self, data: Path, chosen: Settings, make_look: MakeLook, *, keep: bool = True, resume: bool = False) -> None:
        self.hub = Hub()
        self.stream = Stream()
        self.enrolling = Enrolling()
        self.chosen = chosen
        self._data, self._make_look, self._keep, self._resume = data, make_look, keep, resume
        self._desk = Desk()
        self._evidence = Evidence(data / "clips")
        self._eyes = Eyes(self.hub, self.stream, self._desk, passing=self._evidence.note)
        self._keeper = Keeper(data / "games.sqlite", self.hub, self._desk, extras=self._extras, on_events=self._evidence.keep)
        # In the writer's thread; the rest in the thread of whoever asks, since opening a camera takes seconds.
        self._keeper.house_commands = {
            "new-game": self._new_game, "continue": self._continue, "stake": self._stake, "import": self._import,
            "keep-table": self._keep_table, "forget-table": self._forget_table,
            NEW_CLOCK: self._new_clock, PICTURE: self._count, AFRESH: self._afresh,
        }  # fmt: skip
        self._eye_commands = {
            "source": self._source, "reconnect": self._reconnect, "corners": self._table, "zones": self._table, "find-table": self._table,
        }  # fmt: skip
        self._setting_up = threading.Lock()
        self._games: dict[str, list[dict[str, Any]]] = {}  # by language: rulesets do not change while we run
        self._groups = settings.load_groups(data / "tables.json") if keep else ()
        self.archive = Archive(data / "games.sqlite")

    # -- life --------------------------------------------------------------------------------------------------------

    def start(
        self, source: Source | None, *, name: str = "", note: str | None = None, reopen: Callable[[], Source] | None = None,
        script: Sequence[Mapping[str, Any]] = (),
    ) -> None:  # fmt: skip
        """Open the match, then the camera. Raises KibitzError; nothing is left running then."""
        self._keeper.start(self._first_match)
        if source is not None:
            try:
                self._eyes.open(source, self._make_look(self.chosen, source), name=name, note=note, reopen=reopen, script=script)
            except BaseException:
                source.close()
                self.stop()
                raise

    def stop(self) -> None:
        """Stop looking, finish writing, end every stream."""
        self._eyes.close()
        self._keeper.stop()
        self._evidence.close()
        self.enrolling.close()
        self.hub.close()
        self.stream.close()

    def _first_match(self, keeper: Keeper) -> None:
        if self._resume:
            last = next(iter(keeper.sessions()), None)
            if last and last.game == self.chosen.game and keeper.now_ms() - last.last_ms < SAME_EVENING_MS:
                keeper.open_stored(last.id)
                return
        keeper.open_new(_match(self.chosen))

    def _extras(self) -> Mapping[str, Any]:
        rules = self._keeper.match.evening.rules
        return {
            "camera": self._eyes.camera(), "stake": self.chosen.stake, "currency": self.chosen.currency,
            "seats": list(rules.players), "sell": rules.values.get("sell", 0),
        }  # fmt: skip

    # -- House -------------------------------------------------------------------------------------------------------

    def snapshot(self) -> Mapping[str, Any]:
        return self._keeper.published.snapshot

    def command(self, command: Mapping[str, Any]) -> Reply:
        name = str(command.get("command"))
        if name in (NEW_CLOCK, PICTURE, AFRESH):
            return Reply.refused("unknown-command", command=name)
        if name in self._eye_commands:
            with self._setting_up:
                try:
                    return self._eye_commands[name](command)
                except KibitzError as error:
                    return Reply.refused(error.code, message=error.message)
        return self._order(command)

    def _order(self, command: Mapping[str, Any]) -> Reply:
        order = self._desk.order(command)
        return (order.wait(WAIT_S) if order else None) or Reply.busy()

    def history(self) -> Mapping[str, Any]:
        return {"sessions": self.archive.sessions(), "current": self._keeper.published.session}

    def evening(self, session: int) -> Mapping[str, Any] | None:
        return self.archive.evening(session)

    def deal(self, session: int, number: int) -> Mapping[str, Any] | None:
        return self.archive.deal(session, number)

    def export(self, session: int, form: str) -> str | None:
        return self.archive.export(session, form)

    def clip(self, session: int, seq: int) -> Mapping[str, Any] | None:
        return self._evidence.clip(session, seq)

    def clip_picture(self, session: int, seq: int, n: int) -> bytes | None:
        return self._evidence.picture(session, seq, n)

    def setup(self, lang: str) -> Mapping[str, Any]:
        cameras = [{"index": c.index, "name": c.name} for c in list_cameras()]
        look = self._eyes.look
        return {
            "settings": settings.plain(self.chosen), "games": self._games_in(lang), "camera": self._eyes.camera(), "cameras": cameras,
            "zones": look.zones() if look else [], "groups": list(self._groups), "decks": decks(),
        }  # fmt: skip

    def _games_in(self, lang: str) -> list[dict[str, Any]]:
        if lang not in self._games:
            self._games[lang] = settings.games(lang)
        return self._games[lang]

    def probe(self, source: str) -> Mapping[str, Any]:
        return probe(source)

    def picture_taken(self, jpeg: bytes) -> Reply:
        phone = self._eyes.source
        if not isinstance(phone, PhoneSource):
            return Reply.refused("not-chosen")
        return Reply.done() if phone.push(jpeg) else Reply.refused("torn-picture")

    def held(self) -> Mapping[str, Any]:
        look = self._eyes.look
        if look is None:
            raise KibitzError("no-source", "no camera is open: choose one in Set-up")
        with self._setting_up:  # a look takes a good part of a second: one at a time
            return look.held()

    def rules(self, lang: str) -> Mapping[str, Any]:
        match = self._keeper.match
        said = in_words(match.game, match.evening.rules, lang if lang in languages() else "en")
        return {
            "game": match.game.name, "ruleset": said.ruleset, "title": said.title, "intro": list(said.intro),
            "sections": [
                {"heading": s.heading, "sentences": [{"key": x.key, "text": x.text, "house": x.house} for x in s.sentences]}
                for s in said.sections
            ],
        }  # fmt: skip

    def report(self, note: str) -> Mapping[str, Any]:
        session = self._keeper.published.session
        chosen = self.chosen
        table = {"game": chosen.game, "ruleset": chosen.ruleset, "players": list(chosen.players), "dealer": chosen.dealer}
        name = f"{time.strftime('%Y%m%d-%H%M%S')}-{session}"
        folder = self._evidence.report(
            self._data / "reports" / name, self.archive.export(session, "jsonl") or "", {**table, **(chosen.table or {})}, note
        )
        return {"folder": str(folder)}

    # -- commands that concern the house; each runs in the writer's thread -----------------------------------------

    def _new_game(self, keeper: Keeper, command: Mapping[str, Any]) -> Reply:
        chosen = self.chosen.merged(command)
        match = _match(chosen)
        look = self._look_for(chosen)
        keeper.open_new(match)
        self._begin(chosen, look)
        return Reply.done(session=keeper.session)

    def _continue(self, keeper: Keeper, command: Mapping[str, Any]) -> Reply:
        session = command.get("session")
        if not isinstance(session, int) or isinstance(session, bool):
            return Reply.refused("bad-command", key="session")
        keeper.open_stored(session)
        evening = keeper.match.evening
        names = tuple(str(evening.names.get(p, "")) for p in evening.seats)
        game, ruleset = keeper.match.game.name, evening.rules.name
        chosen = replace(self.chosen, game=game, ruleset=ruleset, players=evening.seats, names=names, active=())
        self._begin(chosen, self._look_for(chosen))
        return Reply.done(session=session)

    def _look_for(self, chosen: Settings) -> Look | None:
        """A pipeline for another game on the same source: it has other zones and other cards."""
        source = self._eyes.source
        return None if source is None else self._make_look(chosen, source)

    def _begin(self, chosen: Settings, look: Look | None) -> None:
        self._choose(chosen)
        if look is not None:
            self._eyes.renew(look)

    def _new_clock(self, keeper: Keeper, command: Mapping[str, Any]) -> Reply:
        keeper.new_clock()
        return Reply.done()

    def _afresh(self, keeper: Keeper, command: Mapping[str, Any]) -> Reply:
        keeper.open_new(_match(self.chosen))
        return Reply.done(session=keeper.session)

    def _count(self, keeper: Keeper, command: Mapping[str, Any]) -> Reply:
        """Another photograph: a deal of its own, with what lies there taken as it is."""
        if not keeper.match.untouched:
            keeper.tell({"command": "next-deal", "abandon": True})
        keeper.look(command["sighting"])
        return keeper.tell({"command": "resync", "use": "table"})

    def _import(self, keeper: Keeper, command: Mapping[str, Any]) -> Reply:
        from scorer.store import read_jsonl

        text = command.get("text")
        if not isinstance(text, str):
            return Reply.refused("bad-command", key="text")
        events = read_jsonl(text.splitlines(), "the file")
        return Reply.done(session=keeper.add(events, str(command.get("title", ""))[:80]))

    def _stake(self, keeper: Keeper, command: Mapping[str, Any]) -> Reply:
        stake, currency = command.get("stake"), command.get("currency", "")
        if not _is_stake(stake):
            return Reply.refused("bad-command", key="stake")
        if not isinstance(currency, str) or len(currency) > 8:
            return Reply.refused("bad-command", key="currency")
        self._choose(replace(self.chosen, stake=stake, currency=currency))
        return Reply.done()

    def _keep_table(self, keeper: Keeper, command: Mapping[str, Any]) -> Reply:
        """Game, house rules, people and stake of a group, under a name. `stake` and `currency` are checked as when they are set."""
        chosen = self.chosen.merged(command)
        stake, currency = command.get("stake"), command.get("currency", "")
        if not _is_stake(stake) or not isinstance(currency, str) or len(currency) > 8:
            return Reply.refused("bad-command", key="stake")
        return self._set_groups(settings.with_group(self._groups, command.get("name"), replace(chosen, stake=stake, currency=currency)))

    def _forget_table(self, keeper: Keeper, command: Mapping[str, Any]) -> Reply:
        return self._set_groups(settings.with_group(self._groups, command.get("name"), None))

    def _set_groups(self, groups: tuple[dict[str, Any], ...]) -> Reply:
        self._groups = groups
        if self._keep:
            settings.write_whole(self._data / "tables.json", groups)
        return Reply.done()

    def _choose(self, chosen: Settings) -> None:
        self.chosen = chosen
        if self._keep:
            settings.save(self._data / "settings.json", chosen)

    # -- commands that concern the camera; each in the thread of whoever asks, one at a time -------------------------

    def _source(self, command: Mapping[str, Any]) -> Reply:
        spec = command.get("source")
        if not isinstance(spec, str) or not 0 < len(spec) <= 500:
            return Reply.refused("bad-command", key="source")
        source = open_any(spec)
        chosen = replace(self.chosen, source=spec)
        try:
            look = self._make_look(chosen, source)
        except KibitzError:
            source.close()
            raise
        self._order({"command": NEW_CLOCK})
        self._choose(chosen)
        self._eyes.open(source, look, name=spec, reopen=lambda: open_any(spec))
        return Reply.done()

    def _reconnect(self, command: Mapping[str, Any]) -> Reply:
        source = self._eyes.source
        if source is None:
            return Reply.refused("no-source")
        if source.live:
            self._order({"command": NEW_CLOCK})
            self._eyes.reconnect()
        else:  # a clip is another evening each time it is played
            self._order({"command": AFRESH})
            self._eyes.reconnect(self._make_look(self.chosen, source))
        return Reply.done()

    def _table(self, command: Mapping[str, Any]) -> Reply:
        look = self._eyes.look
        if look is None:
            return Reply.refused("no-source")
        found = look.command(str(command["command"]), command)
        self._choose(replace(self.chosen, table={**(self.chosen.table or {}), **found}))
        return Reply.done(**found)


def _is_stake(stake: object) -> bool:
    return stake is None or (isinstance(stake, int | float) and not isinstance(stake, bool) and 0 < stake <= 1e9)


def open_any(spec: str) -> Source:
    """A source by its words; `phone` waits for a phone to open the camera page. Raises KibitzError."""
    return PhoneSource() if spec == "phone" else open_source(spec, paced=True)


def _match(chosen: Settings) -> Match:
    return Match(
        chosen.game, chosen.ruleset, chosen.players, chosen.dealer, dict(chosen.options or {}), overrides=chosen.overrides,
        names=chosen.names_by_id() or None, active=chosen.active or None,
    )  # fmt: skip


# -- kibitz run ------------------------------------------------------------------------------------------------------


def main(args: argparse.Namespace) -> int:
    """The command `kibitz run`. Raises KibitzError for what a person can mend; blocks until Ctrl-C."""
    spec = args.source or default_source()
    note = "demo" if args.source is None and spec == "demo" else None
    passing = spec == "demo"  # a demonstration leaves nothing among the family's games
    data = Path(tempfile.mkdtemp(prefix="kibitz-demo-")) if passing else games_file(args.data).parent
    try:
        stored = Settings() if passing else settings.load(data / "settings.json")
        chosen = _asked_for(replace(stored, source=spec), args, spec)
        _match(chosen)  # an unknown ruleset or key is said before anything opens
        return _serve(args, spec, note, data, chosen, keep=not passing)
    finally:
        if passing:
            shutil.rmtree(data, ignore_errors=True)


def _serve(args: argparse.Namespace, spec: str, note: str | None, data: Path, chosen: Settings, *, keep: bool) -> int:
    from .sight import Sights

    def reopen() -> Source:
        return open_any(spec)

    source = reopen()
    house = Runtime(data, chosen, Sights(), keep=keep, resume=keep and source.live)
    tokens = Tokens.load(games_file(args.data).parent / "links.json", settings.PLAYER_IDS) if args.lan else None
    gate = Gate(allowed_hosts((*lan.addresses(), *lan.host_names()) if args.lan else ()), tokens)
    links = _links(tokens, args.port, len(chosen.players))
    app = create_app(house, gate, links=links)
    servers: list[Server] = []
    try:
        servers.append(Server(app, "0.0.0.0" if args.lan else "127.0.0.1", args.port))
        if args.lan:  # a phone's browser gives its camera only to a page that comes encrypted
            pair = certificate(data, (*lan.addresses(), *lan.host_names(), "127.0.0.1", "localhost"))
            servers.append(Server(app, "0.0.0.0", args.port + 1, threads=12, certificate=pair))
    except BaseException:
        source.close()
        for server in servers:
            server.stop()
        raise
    script = read_commands(beside(spec, "commands.jsonl", None))
    house.start(source, name=spec, note=note, reopen=reopen, script=script)
    _greet(spec, note, args.port, links)
    stopping = threading.Event()

    def stop(*_: object) -> None:
        stopping.set()

    before = {s: signal.signal(s, stop) for s in (signal.SIGINT, signal.SIGTERM)}
    serving = [threading.Thread(target=server.serve, name="web", daemon=True) for server in servers]
    for thread in serving:
        thread.start()
    try:
        while not stopping.wait(1.0) and all(thread.is_alive() for thread in serving):
            pass
    finally:
        house.stop()
        for server, thread in zip(servers, serving, strict=True):
            server.stop()
            thread.join(5.0)
        for number, handler in before.items():
            signal.signal(number, handler)
    return 0


def _asked_for(chosen: Settings, args: argparse.Namespace, spec: str) -> Settings:
    """What is stored, overruled by the table.json named or beside the clip, overruled by the command line."""
    path = beside(spec, "table.json", args.table)
    if path is not None:
        chosen = replace(settings_of(read_table(path)), source=spec)
    if args.game and args.game != chosen.game:
        chosen = chosen.merged({"game": args.game})
    if args.ruleset:
        chosen = replace(chosen, ruleset=args.ruleset, overrides=None)
    if args.players and args.players != len(chosen.players):
        chosen = chosen.with_players(args.players).merged({})
    if args.deck_name:
        chosen = replace(chosen, deck_name=args.deck_name)
    return chosen


def _links(tokens: Tokens | None, port: int, seats: int) -> dict[str, str]:
    """Role → address with its token, for the likeliest address of this machine."""
    if tokens is None:
        return {}
    host = next(iter(lan.addresses()), "127.0.0.1")
    roles = [("scorer", "scorer", None), ("viewer", "viewer", None), *((f"seat-{p}", "seat", p) for p in settings.PLAYER_IDS[:seats])]
    links = {key: f"http://{host}:{port}/?t={tokens.token(role, seat)}" for key, role, seat in roles}
    return {**links, "camera": f"https://{host}:{port + 1}/phone?t={tokens.token('camera')}"}


def _greet(spec: str, note: str | None, port: int, links: Mapping[str, str]) -> None:
    say = sys.stdout.write
    if note == "demo":
        say("No camera is connected: the bundled demonstration clip plays.\n")
    if links:
        say(f"Kibitz looks at {spec}. For this machine and whoever keeps the score:\n  {links['scorer']}\n")
        say(f"For everyone else at the table (they may look, not touch):\n  {links['viewer']}\n")
        if sys.stdout.isatty():
            say(f"{terminal(links['viewer'])}\n")
    else:
        say(f"Kibitz looks at {spec}: open http://127.0.0.1:{port}\n")
    say("Ctrl-C ends it.\n")
    sys.stdout.flush()

