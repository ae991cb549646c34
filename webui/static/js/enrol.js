// Enrolment: a photograph of the deck, the names it got, corrected by dragging or by tapping, and the deck kept under a name.

import { cardName, face, merged, wholeDeck } from "./cards.js";
import { h, render } from "./dom.js";
import { first, list, t } from "./words.js";

const $ = (id) => document.getElementById(id);
const DOUBTFUL = 0.5;
const LONGEST = 2400; // px: a photograph is sent no larger
const HOLD_MS = 250; // a finger that stays so long begins to drag; a shorter touch scrolls or taps
let state = JSON.parse($("enrolling").textContent);
let cards = [];
let bonus = {};
let picture = null;
let chosen = -1;
let adding = false;
let wish = null;

const kind = () => document.querySelector("[name=kind]:checked").value;
const nameOf = (card) => (card in bonus && !/^joker/.test(card) ? card.replaceAll("-", " ") : cardName(card));
const say = (id, text, bad = false) => {
  $(id).textContent = text;
  $(id).classList.toggle("bad", bad);
};
const problemWords = ({ problem = {} }) => first([`enrol.problem.${problem.code}`, `problem.${problem.code}`, "enrol.problem.failed"], problem.args ?? {});

async function ask(path, options) {
  try {
    const answer = await fetch(path, options);
    const data = await answer.json().catch(() => ({}));
    return answer.status === 413 ? { ok: false, problem: { code: "too-large" } } : { ...data, ok: answer.ok };
  } catch {
    return { ok: false, problem: { code: "no-connection", args: {} } };
  }
}
const post = (path, body) => ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

// -- the photograph ----------------------------------------------------------------------------------------------------

/** The file as a JPEG no larger than needed, turned as it was taken. */
async function smaller(file) {
  const source = await createImageBitmap(file, { imageOrientation: "from-image" });
  const scale = Math.min(1, LONGEST / Math.max(source.width, source.height));
  const canvas = Object.assign(document.createElement("canvas"), { width: Math.round(source.width * scale), height: Math.round(source.height * scale) });
  canvas.getContext("2d").drawImage(source, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));
}

async function look(send) {
  say("photo-note", t("enrol.photo.looking"));
  const answer = await send();
  if (!answer.ok) return say("photo-note", problemWords(answer), true);
  await take(answer);
  say("photo-note", t("enrol.photo.found", { n: cards.length }));
  $("found-title").focus();
}

async function take(found) {
  state = found;
  cards = (state.cards ?? []).map((c, i) => ({ ...c, id: i }));
  bonus = { ...(state.bonus ?? {}) };
  chosen = -1;
  picture = null;
  for (const id of ["found", "keep"]) $(id).hidden = !state.photo;
  $("bonus-panel").hidden = !state.photo || !state.most_bonus;
  if (state.photo) {
    document.querySelector(`[name=kind][value=${state.kind}]`).checked = true;
    const image = $("photo").querySelector("img");
    image.src = `/enrol/photo.jpg?${state.photo}`;
    await image.decode().catch(() => {});
    picture = image;
  }
  draw();
}

// -- drawing -----------------------------------------------------------------------------------------------------------

const how = (c) => (!c.card ? "nameless" : c.confidence < DOUBTFUL ? "doubtful" : "settled");

function draw() {
  const svg = $("photo").querySelector("svg");
  if (state.size) svg.setAttribute("viewBox", `0 0 ${state.size[0]} ${state.size[1]}`);
  render(svg, cards.map((c, i) => h("svg:polygon", { points: c.quad.map((p) => p.join(",")).join(" "), class: `${how(c)}${i === chosen ? " chosen" : ""}`, "data-act": "pick", "data-arg": i, "data-key": `q${c.id}` })));
  render($("tiles"), cards.map(tile));
  cards.forEach((c, i) => crop(document.querySelector(`[data-tile="${i}"] canvas`), c.quad));
  render($("said"), remarks());
  drawBonus();
  render($("decks"), (state.decks ?? []).map((d) => h("li", { "data-key": d.name }, `${d.name} · ${t(`enrol.kind.${d.kind}`)}`)));
  $("kept").hidden = !(state.decks ?? []).length;
}

function tile(c, i) {
  const words = c.card ? nameOf(c.card) : t("enrol.nameless");
  const doubt = how(c) === "doubtful" ? `, ${t("enrol.doubtful")}` : "";
  return h("button", { type: "button", class: `tile ${how(c)}`, "data-act": "pick", "data-arg": i, "data-tile": i, "data-key": `t${c.id}`, "data-card": c.card, "data-test": `tile-${i}`, "aria-label": `${t("enrol.card", { n: i + 1 })}: ${words}${doubt}` },
    h("canvas", { width: 88, height: 132, "aria-hidden": "true" }),
    c.card ? face(c.card, { label: words }) : h("span", { class: "none", "aria-hidden": "true" }, "?"),
    h("span", { class: "label", "aria-hidden": "true" }, how(c) === "doubtful" ? `? ${words}` : words));
}

/** The card out of the photograph: the middle of its quad, turned upright. */
function crop(canvas, quad) {
  if (!canvas || !picture) return;
  const [a, b, , d] = quad;
  const { width, height } = canvas;
  const c = canvas.getContext("2d");
  const middle = [0, 1].map((k) => quad.reduce((sum, p) => sum + p[k], 0) / 4);
  const wide = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
  const high = Math.hypot(d[0] - a[0], d[1] - a[1]) || 1;
  c.setTransform(1, 0, 0, 1, 0, 0);
  c.clearRect(0, 0, width, height);
  c.translate(width / 2, height / 2);
  c.scale(width / wide, height / high);
  c.rotate(-Math.atan2(b[1] - a[1], b[0] - a[0]));
  c.drawImage(picture, -middle[0], -middle[1]);
}

function remarks() {
  const held = cards.map((c) => c.card).filter(Boolean);
  const missing = deckCards().filter((c) => !held.includes(c) && !(c in bonus) && !/^joker/.test(c));
  const twice = [...new Set(held.filter((c, i) => held.indexOf(c) !== i))];
  const doubtful = cards.filter((c) => how(c) === "doubtful").map((c) => nameOf(c.card));
  const nameless = cards.filter((c) => !c.card).length;
  const rows = [
    [missing.length, "missing", { n: missing.length, cards: list(missing.slice(0, 12).map(nameOf)) + (missing.length > 12 ? " …" : "") }],
    [twice.length, "twice", { cards: list(twice.map(nameOf)) }],
    [doubtful.length, "look", { n: doubtful.length, cards: list(doubtful.slice(0, 12)) + (doubtful.length > 12 ? " …" : "") }],
    [nameless, "unnamed", { n: nameless }],
    [state.small?.length, "small", { cards: list((state.small ?? []).slice(0, 8).map(nameOf)) }],
  ].filter(([yes]) => yes);
  if (!rows.length && cards.length) return [h("li", { class: "good", "data-key": "all" }, t("enrol.said.all", { n: cards.length }))];
  return rows.map(([, key, args]) => h("li", { class: "warn", "data-key": key, "data-test": `said-${key}` }, t(`enrol.said.${key}`, args)));
}

function deckCards() {
  const rows = wholeDeck(state.kind, Object.keys(bonus)).map((row) => row.map((c) => (c === "joker" ? ["joker-red", "joker-black"] : c)).flat());
  return rows.flat();
}

function drawBonus() {
  const names = Object.keys(bonus);
  render($("bonus"),
    names.map((name, i) => h("div", { class: "row", "data-key": `b-${name}` },
      h("input", { type: "text", value: name, maxlength: 24, "data-bonus": name, "aria-label": t("enrol.bonus.name", { n: i + 1 }), "data-test": `bonus-${i}`, autocomplete: "off" }),
      h("select", { "data-worth": name, "aria-label": t("enrol.bonus.worth", { name }), "data-test": `worth-${i}` }, Array.from({ length: 6 }, (_, n) => h("option", { value: n, selected: bonus[name] === n }, t("enrol.bonus.junk", { n })))),
      h("button", { type: "button", "data-act": "drop-bonus", "data-arg": name, "aria-label": t("enrol.bonus.remove", { name }) }, "✕"))),
    names.length < (state.most_bonus ?? 0) ? h("button", { type: "button", "data-act": "add-bonus", "data-test": "add-bonus" }, `+ ${t("enrol.bonus.add")}`) : null);
}

// -- names -------------------------------------------------------------------------------------------------------------

/** Give card i a name; the card that had it before gets the old one in exchange, so no name is ever lost. */
function give(i, card) {
  const before = cards[i].card;
  const j = card ? cards.findIndex((c, k) => k !== i && c.card === card) : -1;
  if (j >= 0) cards[j] = { ...cards[j], card: before, confidence: before ? 1 : 0 };
  cards[i] = { ...cards[i], card, confidence: card ? 1 : 0 };
  draw();
}

function pick(i) {
  chosen = i;
  draw();
  const c = cards[i];
  const held = new Set(cards.map((x) => x.card));
  const likely = [...new Set((c.others ?? []).map(([name]) => name))].flatMap((name) => deckCards().filter((x) => x === name || merged(x) === name)).filter((x) => x !== c.card).slice(0, 5);
  const missing = deckCards().filter((x) => !held.has(x));
  const row = (names, key) => h("div", { class: "row", "data-key": key }, names.map((x) => {
    const el = face(x, { act: "give", arg: x, key: `${key}-${x}`, label: nameOf(x) });
    if (missing.includes(x)) el.classList.add("missing");
    return el;
  }));
  render($("picker"),
    h("header", {}, h("canvas", { width: 128, height: 192, "aria-hidden": "true" }), h("h2", { id: "picker-title" }, t("enrol.which")),
      h("button", { type: "button", "data-act": "close-picker", "aria-label": t("do.close") }, "✕")),
    c.card ? h("div", { class: "field-row" }, h("button", { type: "button", "data-act": "confirm", class: "strong", "data-test": "confirm" }, t("enrol.confirm", { card: nameOf(c.card) }))) : null,
    likely.length ? [h("h3", {}, t("enrol.likely")), row(likely, "l")] : null,
    missing.length && missing.length < 20 ? [h("h3", {}, t("enrol.missing")), row(missing, "m")] : null,
    h("h3", {}, t("enrol.all")),
    h("div", { "data-test": "deck" }, wholeDeck(state.kind, Object.keys(bonus)).map((names, k) => row(names.flatMap((x) => (x === "joker" ? ["joker-red", "joker-black"] : [x])), `r${k}`))),
    h("div", { class: "field-row" }, h("button", { type: "button", "data-act": "clear", "data-test": "clear" }, t("enrol.clear")), h("button", { type: "button", "data-act": "remove", "data-test": "remove" }, t("enrol.remove"))));
  $("picker").setAttribute("aria-labelledby", "picker-title");
  if (!$("picker").open) $("picker").showModal();
  crop($("picker").querySelector("canvas"), c.quad);
}

$("picker").addEventListener("close", () => {
  const back = document.querySelector(`[data-tile="${chosen}"]`);
  chosen = -1;
  draw();
  back?.focus();
});

/** A card where somebody says that one lies: as large and as turned as the nearest. */
function addAt(x, y) {
  const middle = (q) => [0, 1].map((k) => q.reduce((sum, p) => sum + p[k], 0) / 4);
  const near = cards.map((c) => [Math.hypot(middle(c.quad)[0] - x, middle(c.quad)[1] - y), c.quad]).sort((a, b) => a[0] - b[0])[0]?.[1];
  const shape = near ?? [[-40, -60], [40, -60], [40, 60], [-40, 60]];
  const [mx, my] = near ? middle(near) : [0, 0];
  cards.push({ id: cards.length ? Math.max(...cards.map((c) => c.id)) + 1 : 0, card: "", confidence: 0, others: [], quad: shape.map(([a, b]) => [a - mx + x, b - my + y]) });
  setAdding(false);
  pick(cards.length - 1);
}

function setAdding(yes) {
  adding = yes;
  $("photo").classList.toggle("adding", yes);
  document.querySelector("[data-act=add]").setAttribute("aria-pressed", String(yes));
  if (yes) {
    say("photo-note", "");
    $("photo").scrollIntoView({ block: "center" });
  }
}

// -- dragging a name to another card -------------------------------------------------------------------------------------

let drag = null;
$("tiles").addEventListener("pointerdown", (event) => {
  const from = event.target.closest(".tile");
  if (!from || !cards[from.dataset.tile]?.card || event.button > 0) return;
  drag = { from, i: Number(from.dataset.tile), x: event.clientX, y: event.clientY, ghost: null, touch: event.pointerType !== "mouse" };
  if (drag.touch) drag.timer = setTimeout(() => drag && begin(drag.x, drag.y), HOLD_MS);
});
document.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const far = Math.hypot(event.clientX - drag.x, event.clientY - drag.y);
  if (!drag.ghost && far > 8) {
    if (drag.touch) return end(); // the finger scrolls
    begin(event.clientX, event.clientY);
  }
  if (drag?.ghost) follow(event.clientX, event.clientY);
});
document.addEventListener("touchmove", (event) => drag?.ghost && event.preventDefault(), { passive: false });
document.addEventListener("pointerup", () => {
  if (!drag) return;
  const { ghost, over, i } = drag;
  end();
  if (!ghost) return;
  swallow = true; // the click that follows is no tap
  setTimeout(() => (swallow = false), 50);
  if (over >= 0 && over !== i) give(over, cards[i].card);
});
document.addEventListener("pointercancel", end);
let swallow = false;

function begin(x, y) {
  drag.ghost = h("div", { class: "ghost" }, face(cards[drag.i].card));
  document.body.append(drag.ghost);
  follow(x, y);
}

function follow(x, y) {
  drag.ghost.style.left = `${x}px`;
  drag.ghost.style.top = `${y}px`;
  const el = document.elementFromPoint(x, y)?.closest(".tile, #photo polygon");
  drag.over = el ? Number(el.dataset.tile ?? el.dataset.arg) : -1;
  for (const other of document.querySelectorAll(".tile.over")) other.classList.remove("over");
  document.querySelector(`[data-tile="${drag.over}"]`)?.classList.add("over");
}

function end() {
  if (!drag) return;
  clearTimeout(drag.timer);
  drag.ghost?.remove();
  for (const other of document.querySelectorAll(".tile.over")) other.classList.remove("over");
  drag = null;
}

// -- learning ------------------------------------------------------------------------------------------------------------

async function learn(thorough) {
  const name = $("name").value.trim();
  wish = { photo: state.photo, name, bonus, thorough, cards: cards.map(({ card, quad }) => ({ card, quad })) };
  $("after").hidden = true;
  render($("told"));
  say("keep-note", t("enrol.keep.learning"));
  const answer = await post("/api/enrol/learn", wish);
  if (!answer.ok) return say("keep-note", problemWords(answer), true);
  $("progress").hidden = false;
  follow_learning();
}

async function follow_learning() {
  const now = await ask("/api/enrol");
  if (now.phase === "learning") {
    $("progress").hidden = false;
    $("progress").value = now.share ?? 0;
    setTimeout(follow_learning, 400);
    return;
  }
  $("progress").hidden = true;
  state = { ...state, decks: now.decks ?? state.decks };
  if (now.phase === "failed") say("keep-note", problemWords(now), true);
  if (now.phase !== "done") return;
  say("keep-note", t("enrol.done", { name: now.name, n: now.learned }));
  render($("told"),
    (now.twins ?? []).map((group) => h("li", { class: "warn" }, t("enrol.told.twins", { cards: list(group.map(nameOf)) }))),
    now.hard?.length ? h("li", { class: "warn" }, t("enrol.told.hard", { cards: list(now.hard.map(nameOf)) })) : null);
  $("after").hidden = false;
  document.querySelector("[data-act=thorough]").hidden = Boolean(now.thorough) || !state.photo;
  render($("decks"), (state.decks ?? []).map((d) => h("li", { "data-key": d.name }, `${d.name} · ${t(`enrol.kind.${d.kind}`)}`)));
  $("kept").hidden = false;
}

const acts = {
  frame: () => look(() => post("/api/enrol/frame", { kind: kind() })),
  pick: (arg) => !adding && pick(Number(arg)),
  give: (arg) => { give(chosen, arg); $("picker").close(); },
  confirm: () => { cards[chosen] = { ...cards[chosen], confidence: 1 }; $("picker").close(); },
  clear: () => { give(chosen, ""); $("picker").close(); },
  remove: () => { cards.splice(chosen, 1); chosen = -1; $("picker").close(); },
  "close-picker": () => $("picker").close(),
  add: () => setAdding(!adding),
  learn: () => learn(false),
  thorough: () => learn(true),
  "add-bonus": () => {
    const free = [1, 2, 3, 4, 5, 6].map((n) => `bonus-${n}`).find((n) => !(n in bonus));
    bonus = { ...bonus, [free]: 2 };
    draw();
  },
  "drop-bonus": (arg) => {
    bonus = Object.fromEntries(Object.entries(bonus).filter(([name]) => name !== arg));
    cards = cards.map((c) => (c.card === arg ? { ...c, card: "", confidence: 0 } : c));
    draw();
  },
};

document.addEventListener("click", (event) => {
  if (swallow) return;
  if (adding && event.target.closest("#photo")) {
    const box = $("photo").getBoundingClientRect();
    return addAt(((event.clientX - box.left) / box.width) * state.size[0], ((event.clientY - box.top) / box.height) * state.size[1]);
  }
  const el = event.target.closest("[data-act]");
  if (el && !el.disabled && acts[el.dataset.act]) acts[el.dataset.act](el.dataset.arg);
});
$("file").addEventListener("change", async () => {
  const file = $("file").files[0];
  if (!file) return;
  $("file").value = "";
  look(async () => {
    const jpeg = await smaller(file).catch(() => null);
    if (!jpeg) return { ok: false, problem: { code: "picture-broken" } };
    return ask(`/api/enrol/photo?kind=${kind()}`, { method: "POST", headers: { "Content-Type": "image/jpeg" }, body: jpeg });
  });
});
document.addEventListener("change", ({ target }) => {
  if (target.dataset.worth) bonus = { ...bonus, [target.dataset.worth]: Number(target.value) };
  const old = target.dataset.bonus;
  if (old === undefined) return;
  const made = target.value.trim().toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^[-\d]+|-+$/g, "").slice(0, 24);
  const name = made && (made === old || !(made in bonus)) ? made : old;
  bonus = Object.fromEntries(Object.entries(bonus).map(([n, worth]) => [n === old ? name : n, worth]));
  cards = cards.map((c) => (c.card === old ? { ...c, card: name } : c));
  target.value = name;
  draw();
});

take(state);
if (state.phase === "learning" || state.phase === "done") {
  if (!$("name").value) $("name").value = state.name ?? "";
  follow_learning();
}
