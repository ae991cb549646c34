// Evenings → deals → every point's reason, the events, their clips. A past deal can be changed; what follows from it follows.

import { deckOf, face, playing, wholeDeck } from "./cards.js";
import { Clip } from "./clip.js";
import { h, render } from "./dom.js";
import { eventSentence } from "./events.js";
import { Live, newId } from "./live.js";
import { settle } from "./ledger.js";
import { Report } from "./report.js";
import { resultPicture } from "./picture.js";
import { speakable, seat, termSentence } from "./score.js";
import { first, lang, list, t } from "./words.js";

const $ = (id) => document.getElementById(id);
const may = document.body.dataset.role === "scorer";
const live = new Live().open();
const clip = new Clip($("clip"));
const report = new Report($("report"));
const open = new Map(); // deal number → its events, while its details are open
let sessions = [];
let current = 0;
let session = 0;
let evening = null;
let editing = null;

const get = async (path) => {
  const answer = await fetch(path);
  return answer.ok ? answer.json() : null;
};
const name = (id) => (id == null ? "" : evening?.names?.[id] || String(id));
const when = (ms) => new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeStyle: "short" }).format(new Date(ms));
const signed = (n) => (n > 0 ? `+${n}` : n < 0 ? `−${-n}` : "0");

async function load() {
  const history = await get("/api/history");
  if (!history) return;
  ({ sessions, current } = history);
  session ||= Number(new URLSearchParams(location.search).get("session")) || current || sessions[0]?.id;
  evening = session ? await get(`/api/history/${session}`) : null;
  for (const number of [...open.keys()]) open.set(number, (await get(`/api/history/${session}/${number}`))?.events ?? []);
  draw();
}

function draw() {
  render($("sessions"), sessions.map((s) => h("option", { value: s.id, selected: s.id === session, "data-key": `s${s.id}` }, [s.title || first([`game.${s.game}`]), when(s.created_ms), s.id === current ? t("history.now") : ""].filter(Boolean).join(" · "))));
  for (const a of document.querySelectorAll("[data-export]")) a.href = `/export/${session}.${a.dataset.export}`;
  $("continue").hidden = !may || session === current || !evening;
  playing(evening?.game);
  if (!evening) return render($("evening"), h("p", { class: "quiet" }, t("history.none")));
  render($("evening"), ledger(), [...evening.deals].reverse().map(deal));
}

function ledger() {
  const stake = live.snapshot?.stake;
  const currency = live.snapshot?.currency ?? "";
  const money = (n) => (stake ? ` = ${signed(Math.round(n * stake * 100) / 100)} ${currency}` : "");
  const transfers = settle(evening.running);
  return h("section", { class: "panel ledger", "data-test": "ledger" }, h("h2", {}, t("history.ledger")),
    h("ul", { class: "chips-row" }, evening.seats.map((id, i) => h("li", { "data-key": id }, seat(i), h("span", {}, name(id)), h("b", { "data-test": `running-${id}` }, signed(evening.running[id] ?? 0)), stake ? h("span", { class: "quiet" }, money(evening.running[id] ?? 0)) : null))),
    transfers.length ? h("p", {}, t("history.settle"), " ", list(transfers.map(({ from, to, n }) => t("pay.sentence", { from: name(from), to: name(to), n: stake ? `${Math.round(n * stake * 100) / 100} ${currency}`.trim() : n })))) : h("p", { class: "quiet" }, t("history.even")));
}

function deal(d) {
  const shown = open.get(d.deal);
  const title = d.over ? (d.winner ? t("pay.result.winner", { player: name(d.winner) }) : t("pay.result.nagari")) : t("history.unfinished");
  return h("details", { class: "panel deal", "data-key": `d${d.deal}`, "data-deal": d.deal, "data-test": `deal-${d.deal}`, open: Boolean(shown) },
    h("summary", {}, h("strong", {}, t("table.deal", { n: d.deal })), h("span", {}, title), h("span", { class: "quiet" }, d.players.map((p) => `${name(p)} ${d.scores[p]?.total ?? 0}`).join(" · "))),
    h("div", { class: "deal-body" },
      d.players.map((p) => h("section", { "data-key": `p${p}` }, h("h3", {}, t("score.player", { player: name(p), n: d.scores[p]?.total ?? 0 })),
        d.scores[p]?.terms.length ? h("ul", {}, d.scores[p].terms.map((term) => h("li", { class: "reason-line" }, h("span", {}, termSentence(term, name)), h("span", { class: "minis" }, term.cards.slice(0, 10).map((c) => face(c))), h("b", {}, String(term.amount))))) : h("p", { class: "quiet" }, t("score.lines.none")))),
      d.payments.length ? h("section", {}, h("h3", {}, t("pay.result")), d.payments.map((pay) => h("div", { class: "payment" },
        h("p", {}, t("pay.sentence", { from: name(pay.from), to: name(pay.to), n: pay.amount })),
        h("ul", {}, pay.terms.map((term) => h("li", { class: "reason-line" }, h("span", {}, termSentence(term, name, "pay.term")), h("b", {}, signed(term.amount)))))))) : null,
      h("div", { class: "field-row" }, h("button", { type: "button", "data-act": "picture", "data-arg": d.deal }, t("history.picture")), may ? h("button", { type: "button", "data-act": "report" }, t("do.report")) : null),
      h("h3", {}, t("history.events")),
      shown ? h("ol", { class: "events" }, shown.map((e) => event(e))) : h("p", { class: "quiet" }, "…")));
}

function event(e) {
  const editable = may && session === current && !["start", "next-deal"].includes(e.event);
  const root = e.cause === undefined || e.cause === null;
  return h("li", { class: root ? "root" : "caused", "data-key": `e${e.seq}`, "data-test": `event-${e.event}` },
    h("span", {}, eventSentence(e, name)),
    h("span", { class: "tools" },
      root && !["start", "next-deal", "note"].includes(e.event) ? h("button", { type: "button", "data-act": "clip", "data-arg": e.seq, title: t("history.clip"), "aria-label": t("history.clip") }, "▶") : null,
      editable ? h("button", { type: "button", "data-act": "edit", "data-arg": e.seq, "data-test": `edit-${e.seq}`, "aria-label": t("history.change") }, "✎") : null,
      editable && root ? h("button", { type: "button", "data-act": "take-back", "data-arg": e.seq, "data-test": `undo-${e.seq}`, "aria-label": t("history.take-back") }, "↶") : null));
}

// -- changing an event -----------------------------------------------------------------------------------------------

const findEvent = (seq) => [...open.values()].flat().find((e) => e?.seq === seq);

function edit(seq) {
  const e = findEvent(seq);
  if (!e) return;
  editing = { seq, cards: [...e.cards], player: e.player, kind: e.event, slot: null, adding: false };
  drawEditor();
  $("editor").showModal();
}

function drawEditor() {
  const deck = deckOf(evening.game);
  render($("editor"),
    h("h2", {}, editing.adding ? t("history.add") : t("history.change")),
    editing.adding ? h("label", { class: "field" }, t("history.what"), h("select", { id: "edit-kind" }, KINDS.map((k) => h("option", { value: k, selected: k === editing.kind }, first([`kind-of.${k}`, `do.${k}`]))))) : h("p", { class: "quiet" }, eventSentence(findEvent(editing.seq), name)),
    h("label", { class: "field" }, t("history.who"), h("select", { id: "edit-player", "data-test": "edit-player" }, evening.seats.map((p) => h("option", { value: p, selected: p === editing.player }, name(p))))),
    h("p", {}, t("history.cards")),
    h("div", { class: "options" }, editing.cards.map((c, i) => face(c, { act: "slot", arg: i, lit: editing.slot === i, key: `c${i}` })), h("button", { type: "button", "data-act": "slot", "data-arg": editing.cards.length, "aria-label": t("history.add-card"), class: "add-card" }, "+")),
    editing.slot !== null ? h("div", { class: "deck-box" },
      editing.slot < editing.cards.length ? h("button", { type: "button", "data-act": "drop-card" }, t("history.drop-card")) : null,
      h("div", { class: `deck deck-${deck}` }, wholeDeck(deck).map((row, r) => h("div", { class: "row", "data-key": `r${r}` }, row.map((c) => face(c, { act: "pick", arg: c, key: c })))))) : null,
    h("div", { class: "field-row" }, h("button", { type: "button", "data-act": "cancel-edit" }, t("do.cancel")),
      editing.adding ? null : h("button", { type: "button", "data-act": "add-after" }, t("history.add")),
      h("button", { type: "button", class: "strong", "data-act": "save-edit", "data-test": "save-edit" }, t("do.save"))));
}

const KINDS = ["go", "stop", "shake", "play", "flip", "bomb", "joker", "call", "swap"];

async function command(what, args) {
  const answer = await live.send(what, args);
  if (!answer.ok) $("note").textContent = t("problem.refused", { problem: answer.problem?.args?.message ?? first([`problem.${answer.problem?.code}`], speakable(answer.problem?.args, name)) });
  else $("note").textContent = t("setup.done");
  await load();
  return answer;
}

const acts = {
  edit: (arg) => edit(Number(arg)),
  "take-back": (arg) => command("undo", { seq: Number(arg) }),
  clip: (arg) => clip.show(session, Number(arg)),
  slot: (arg) => { editing.slot = editing.slot === Number(arg) ? null : Number(arg); drawEditor(); },
  pick: (arg) => { editing.cards[editing.slot] = arg; editing.slot = null; drawEditor(); },
  "drop-card": () => { editing.cards.splice(editing.slot, 1); editing.slot = null; drawEditor(); },
  "cancel-edit": () => $("editor").close(),
  "add-after": () => { editing = { ...editing, adding: true, kind: "go", cards: [], slot: null }; drawEditor(); },
  "save-edit": async () => {
    const player = $("edit-player").value;
    $("editor").close();
    if (editing.adding) await command("amend", { after: editing.seq, insert: { event: $("edit-kind").value, player, cards: editing.cards } });
    else await command("amend", { seq: editing.seq, player, cards: editing.cards });
  },
  continue: async () => { if ((await command("continue", { session })).ok) location.assign("/"); },
  picture: (arg) => resultPicture(evening, evening.deals.find((d) => d.deal === Number(arg)), name),
  report: () => report.show(),
};

document.addEventListener("click", (event) => {
  const el = event.target.closest("[data-act]");
  if (el && !el.disabled && acts[el.dataset.act]) acts[el.dataset.act](el.dataset.arg);
});

document.addEventListener("toggle", async (event) => {
  const number = Number(event.target.dataset?.deal);
  if (!number) return;
  if (!event.target.open) open.delete(number);
  else if (!open.has(number)) {
    open.set(number, null);
    open.set(number, (await get(`/api/history/${session}/${number}`))?.events ?? []);
    draw();
  }
}, true);

$("sessions").addEventListener("change", (event) => { session = Number(event.target.value); open.clear(); load(); });
async function take(file) {
  if (!file) return;
  const title = encodeURIComponent(file.name.replace(/\.jsonl$/, "").slice(0, 80));
  const answer = await fetch(`/api/import?id=${newId()}&title=${title}`, { method: "POST", headers: { "Content-Type": "application/x-ndjson" }, body: file });
  const data = await answer.json().catch(() => ({}));
  $("note").textContent = answer.ok ? t("setup.done") : t("problem.refused", { problem: data.problem?.args?.message ?? first([`problem.${data.problem?.code}`]) });
  if (answer.ok) { session = data.session; open.clear(); }
  await load();
}

if (may) {
  $("import").addEventListener("change", async (event) => { await take(event.target.files[0]); event.target.value = ""; });
  for (const type of ["dragover", "drop"]) document.addEventListener(type, (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
  document.addEventListener("dragover", () => document.body.classList.add("dropping"));
  for (const type of ["dragleave", "drop"]) document.addEventListener(type, () => document.body.classList.remove("dropping"));
  document.addEventListener("drop", (event) => take(event.dataTransfer?.files[0]));
}

let seen = "";
live.addEventListener("snapshot", ({ detail }) => {
  const now = `${detail.session}-${detail.seq}`;
  if (now !== seen) load();
  seen = now;
});
