// The table page: everything is drawn from the newest snapshot.

import { board } from "./board.js";
import { cardName, playing } from "./cards.js";
import { Clip } from "./clip.js";
import { h, render } from "./dom.js";
import { eventList, eventSentence, flags, questions } from "./events.js";
import { finish } from "./finish.js";
import { Live } from "./live.js";
import { openMenu } from "./menu.js";
import { watchShaking } from "./motion.js";
import { prefs, set } from "./prefs.js";
import { Hold } from "./hold.js";
import { Report } from "./report.js";
import { multipliers, names, payout, pointLines, scoreBar, speakable } from "./score.js";
import { ShakeSheet } from "./shake.js";
import { sitting } from "./sitting.js";
import { CardSheet } from "./sheet.js";
import { alarm, gong, localListening, speak, tick } from "./speak.js";
import { ACTIONS, iconPath, tableState } from "./state.js";
import { Video } from "./video.js";
import { Why } from "./why.js";
import { first, lang, list, t } from "./words.js";

const $ = (id) => document.getElementById(id);
const role = document.body.dataset.role;
const mySeat = document.body.dataset.seat || null;
const may = role === "scorer";
const live = new Live();
const sheet = new CardSheet($("sheet"));
const shaking = new ShakeSheet($("shake"), (who, cards) => command("shake", { player: who, cards }));
const why = new Why($("why"));
const hold = new Hold($("hold"), { onCard: (found) => openCard({ card: found.card, place: "held", track: null, others: found.others }), pause: () => command("pause"), resume: () => command("resume") });
const report = new Report($("report"));
const clip = new Clip($("clip"));
const view = { lit: { key: "", cards: new Set() }, chosen: mySeat, correcting: false, reads: new Map(), said: null, next: null };

const video = new Video($("video"), { onTap: (c) => openCard({ card: c.card, place: c.player ?? c.zone_kind ?? "floor", track: c.id, others: c.others }) });
if (prefs.video === "auto") prefs.video = matchMedia("(min-width: 900px)").matches ? "both" : "drawn";

function draw() {
  const snapshot = live.snapshot;
  const state = tableState(snapshot, live.connected);
  drawState(state, snapshot);
  if (!snapshot?.game) {
    document.body.classList.add("empty");
    return;
  }
  document.body.classList.remove("empty");
  document.body.dataset.game = snapshot.game;
  playing(snapshot.game);
  document.body.dataset.players = snapshot.players.length;
  render($("scores"), scoreBar(snapshot, { chosen: view.chosen, may: may || (role === "seat") }));
  render($("payout"), payout(snapshot, view.lit));
  render($("ask"), questions(snapshot, may), flags(snapshot, may));
  if (!snapshot.result) view.next = null;
  render($("sitting"), sitting(snapshot, { next: view.next, may }));
  render($("finish"), finish(snapshot, may));
  render($("board"), board(snapshot, { lit: view.lit, may, reads: view.reads }));
  render($("mults"), multipliers(snapshot, view.lit));
  render($("lines"), pointLines(snapshot, view.lit));
  render($("events"), eventList(snapshot, 12, may));
  render($("rules-in-force"), [snapshot.ruleset, snapshot.deal ? t("table.deal", { n: snapshot.deal }) : ""].filter(Boolean).join(" · "));
  for (const id of may ? ["undo", "redo"] : []) $(id).disabled = snapshot[`can_${id}`] === false;
  drawVideo(snapshot);
  if (sheet.open && sheet.at) sheet.draw(snapshot, mayCorrect());
  if (why.player) why.draw(snapshot);
  document.body.classList.toggle("correcting", view.correcting);
  $("table-words").textContent = inWords(snapshot);
}

function drawState(state, snapshot) {
  const [act, word] = ACTIONS[state.name] ?? ACTIONS.none;
  const bar = $("state");
  document.body.dataset.state = state.name;
  const mayAct = may || act === "reload" || act === "answer";
  const notes = [snapshot?.fault ? first([`fault.${snapshot.fault}`]) : "", snapshot?.camera?.note ? first([`camera.${snapshot.camera.note}`]) : "", ...(snapshot?.camera?.health ?? []).filter((c) => c !== "good").map((c) => first([`health.${c}`]))].filter(Boolean);
  render(bar,
    h("svg:svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, h("svg:path", { d: iconPath(state.name) })),
    h("div", { class: "state-text" }, h("strong", { "data-test": "state" }, state.word), h("span", { class: "why" }, [state.why, ...notes].join(" "))),
    mayAct ? h("button", { id: "state-action", type: "button", "data-act": act, "data-test": "state-action" }, t(word)) : null,
    state.name === "out-of-sync" && may ? h("button", { type: "button", class: "second", "data-act": "use-log", "data-test": "use-log" }, t("do.use-log")) : null);
  if (state.name === "out-of-sync") render($("sync"), outOfSync(snapshot));
  else render($("sync"));
}

function outOfSync(snapshot) {
  const name = names(snapshot);
  return (snapshot.out_of_sync ?? []).map((d, i) => h("p", { "data-key": `d${i}` }, [list((d.cards ?? []).map(cardName)), first([`problem.${d.problem}`], speakable(d.args, name))].filter(Boolean).join(": ")));
}

function drawVideo(snapshot) {
  const wanted = prefs.video !== "drawn" && snapshot.camera?.state !== "none";
  $("pictures").dataset.show = wanted ? prefs.video : "drawn";
  for (const tab of document.querySelectorAll("[data-act=picture]")) tab.setAttribute("aria-pressed", String(tab.dataset.arg === $("pictures").dataset.show));
  video.show(wanted);
  live.outlines(wanted && document.visibilityState === "visible");
}

function inWords(snapshot) {
  const name = names(snapshot);
  const players = list(snapshot.players.map((p) => t("score.player", { player: name(p.id), n: p.total ?? 0 })));
  return t("live.summary", { players, floor: snapshot.floor?.length ? list(snapshot.floor.map(cardName)) : t("table.empty") });
}

/** New events are said once: into the live region for screen readers, and aloud where wished. */
function announce(events) {
  const snapshot = live.snapshot;
  if (!snapshot?.players) return;
  const name = names(snapshot);
  const sentences = events.map((e) => eventSentence(e, name));
  if (sentences.length) $("live").textContent = sentences.join(". ");
  for (const event of events) {
    if (event.event === "flag") {
      alarm();
      speak(t("voice.flag", { problem: first([`problem.${event.problem}`]) }));
    } else if (event.event === "slap" || event.event === "race") {
      gong(event.verdict);
      speak(eventSentence(event, name));
    } else speak(eventSentence(event, name), { level: "all" });
  }
}

function announceScores(snapshot) {
  const name = names(snapshot);
  const now = JSON.stringify(snapshot.players.map((p) => p.total));
  if (view.said !== null && view.said.text !== now) {
    tick();
    snapshot.players.forEach((p, i) => {
      if (p.total !== view.said.totals[i]) speak(t("voice.points", { player: name(p.id), n: p.total }));
    });
  }
  view.said = { text: now, totals: snapshot.players.map((p) => p.total) };
  if (snapshot.questions?.length && !view.asked) speak(t("voice.ask"));
  view.asked = Boolean(snapshot.questions?.length);
}

async function command(name, args = {}) {
  const answer = await live.send(name, args);
  if (!answer.ok) {
    const problem = first([`problem.${answer.problem?.code}`], speakable(answer.problem?.args, live.snapshot ? names(live.snapshot) : String));
    toast(t("problem.refused", { problem }), true);
  }
  return answer;
}

let toastTimer = 0;
function toast(text, bad = false) {
  const box = $("toast");
  box.textContent = text;
  box.classList.toggle("bad", bad);
  box.classList.add("shown");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => box.classList.remove("shown"), 4000);
}

function openCard(at) {
  view.correcting = false;
  if (live.snapshot && at.card !== null && at.card !== undefined) sheet.show({ ...at, others: at.others ?? live.snapshot.likely?.[at.card] ?? [] }, live.snapshot, mayCorrect(at));
  draw();
}

/** A card that is held up lies nowhere: it can be named, not corrected. */
const mayCorrect = (at = sheet.at) => may && at?.place !== "held";

function player() {
  const players = live.snapshot?.players ?? [];
  return mySeat ?? view.chosen ?? players.find((p) => p.eligible)?.id ?? live.snapshot?.turn ?? players[0]?.id;
}

const acts = {
  undo: () => command("undo"),
  "finish-clip": (arg) => clip.show(live.snapshot.session, Number(arg)),
  overrule: (arg) => command("amend", { ...JSON.parse(arg), by: "asked" }),
  redo: () => command("redo"),
  "take-back": (arg) => command("undo", { seq: Number(arg) }),
  instead: async (arg) => {
    const { card, to } = JSON.parse(arg);
    if ((await command("correct", { card, to })).ok) toast(t("correct.done", { card: cardName(to) }));
  },
  pause: () => command("pause"),
  resume: () => command("resume"),
  reconnect: () => command("reconnect"),
  "use-table": () => command("resync", { use: "table" }),
  "use-log": () => command("resync", { use: "log" }),
  "next-deal": () => command("next-deal", view.next ? { players: [...live.snapshot.players, ...(live.snapshot.sitting_out ?? [])].map((p) => p.id).sort().filter((id) => view.next.has(id)) } : {}),
  "plays-next": (arg) => {
    view.next ??= new Set(live.snapshot.players.map((p) => p.id));
    if (!view.next.delete(arg)) view.next.add(arg);
    draw();
  },
  sell: (arg) => command("sell", JSON.parse(arg)),
  reload: () => live.open(),
  setup: () => location.assign("/setup"),
  answer: () => document.querySelector("#ask .option")?.focus(),
  go: (arg) => command("go", { player: arg ?? player() }),
  stop: (arg) => command("stop", { player: arg ?? player() }),
  shake: (arg) => live.snapshot?.game === "gostop" && shaking.show(arg ?? player(), names(live.snapshot)(arg ?? player()), live.snapshot),
  "shake-card": (arg) => shaking.tap(arg),
  "close-shake": () => $("shake").close(),
  call: (arg) => command("call", { player: arg ?? player() }),
  spit: () => command("spit"),
  choose: (arg) => command("answer", JSON.parse(arg)),
  dismiss: (arg) => command("dismiss", { seq: Number(arg) }),
  "unknown-junk": (arg) => command("unknown-junk", JSON.parse(arg)),
  player: (arg) => { view.chosen = view.chosen === arg ? mySeat : arg; draw(); },
  card: (arg) => openCard(JSON.parse(arg)),
  "close-sheet": () => sheet.close(),
  correct: async (to) => {
    const { card, track } = sheet.at;
    sheet.close();
    const answer = await command("correct", { card, to, ...(Number.isInteger(track) ? { track } : {}) });
    if (answer.ok) toast(t("correct.done", { card: cardName(to) }));
  },
  "correct-mode": () => { view.correcting = !view.correcting; if (view.correcting) toast(t("correct.mode")); draw(); },
  picture: (arg) => { set("video", arg); draw(); },
  light: (arg, el) => {
    const key = el.dataset.light;
    view.lit = view.lit.key === key ? { key: "", cards: new Set() } : { key, cards: new Set(JSON.parse(arg)) };
    draw();
  },
  keys: () => location.assign("/help"),
  why: (arg) => why.show(arg, live.snapshot),
  "close-why": () => $("why").close(),
  hold: () => hold.show(live.snapshot),
  "close-hold": () => $("hold").close(),
  report: () => report.show(),
};

document.addEventListener("click", (event) => {
  const el = event.target.closest("[data-act]");
  if (!el || el.disabled) return;
  acts[el.dataset.act]?.(el.dataset.arg, el);
});

const KEYS = {
  z: () => acts.undo(), y: () => acts.redo(), g: () => acts.go(), s: () => (({ stopbus: acts.call, spit: acts.spit, speed: acts.spit })[live.snapshot?.game] ?? acts.stop)(), h: () => acts.shake(), n: () => live.snapshot?.state === "over" && acts["next-deal"](),
  w: () => live.snapshot?.players && acts.why(player()),
  c: () => { acts["correct-mode"](); document.querySelector("#board button.card")?.focus(); },
  v: () => acts.picture(prefs.video === "drawn" ? "both" : "drawn"), a: () => acts.answer(), m: () => openMenu(),
  " ": () => (live.snapshot?.state === "paused" ? acts.resume() : acts.pause()), "?": () => acts.keys(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, select, textarea") || (event.key === " " && event.target.closest("button, summary, a"))) return;
  const digit = Number(event.key);
  if (digit >= 1 && digit <= 7 && live.snapshot?.players?.[digit - 1]) acts.player(live.snapshot.players[digit - 1].id);
  else if (KEYS[event.key.toLowerCase()] && (may || "?vmaw".includes(event.key.toLowerCase()))) KEYS[event.key.toLowerCase()]();
  else if (event.key === "Escape") { view.lit = { key: "", cards: new Set() }; view.correcting = false; draw(); }
  else return;
  event.preventDefault();
});

live.addEventListener("snapshot", ({ detail }) => {
  draw();
  if (detail.players) announceScores(detail);
});
live.addEventListener("log", ({ detail }) => announce(detail.events));
live.addEventListener("outlines", ({ detail }) => {
  view.reads = new Map(detail.cards.filter((c) => c.card).map((c) => [`${c.player ?? (c.zone_kind === "floor" ? "floor" : c.zone)}:${c.card}`, { track: c.id, state: c.state }]));
  video.outlines(detail);
});
live.addEventListener("connection", draw);
document.addEventListener("visibilitychange", draw);

async function offerListening() {
  if (!may || !["en", "ko"].includes(lang)) return;
  const ears = await localListening(lang);
  if (!ears) return;
  $("listen").hidden = false;
  acts.listen = () => ears.start();
  ears.onresult = (event) => {
    const heard = event.results[0][0].transcript.toLowerCase();
    const what = /stop|스톱|스탑/.test(heard) ? "stop" : /\bgo\b|고/.test(heard) ? "go" : null;
    if (!what) return;
    const who = player();
    $("confirm-text").textContent = `${names(live.snapshot)(who)}: ${t(`do.${what}`)}?`;
    $("confirm-yes").dataset.act = what;
    $("confirm-yes").dataset.arg = who;
    $("confirm").showModal();
  };
}

document.addEventListener("click", (event) => event.target.closest("#confirm button") && $("confirm").close());
const start = document.getElementById("snapshot");
if (start) live.snapshot = JSON.parse(start.textContent);
live.connected = true;
draw();
live.open();
offerListening();
if (may) watchShaking(() => acts.undo());
