// Set-up in four steps: camera, corners, test cards, game. Every step can be reached again at any time.

import { Corners } from "./corners.js";
import { cardName, face } from "./cards.js";
import { h, render } from "./dom.js";
import { Live } from "./live.js";
import { keepAwake } from "./menu.js";
import { People } from "./people.js";
import { first, t } from "./words.js";
import { Video } from "./video.js";
import { Zones } from "./zones.js";

const $ = (id) => document.getElementById(id);
const STEPS = ["camera", "corners", "cards", "game"];
const live = new Live({ outlines: true }).open();
const video = new Video($("video"), { onTap: () => {} });
const corners = new Corners($("corners"), (points) => { $("save-corners").disabled = points.length !== 4; });
const zones = new Zones($("zones"), (id) => {
  const i = setup.settings.players.indexOf(id);
  return setup.settings.names[i] || id || "";
});
let setup = null;
let people = null;
let tested = [];
let searched = false;

async function load() {
  setup = await (await fetch("/api/setup")).json();
  render($("cameras"), cameraButtons());
  people = new People($("people"), setup);
  people.draw();
  drawSteps();
  if (!$("address").value && /:\/\//.test(setup.settings.source ?? "")) $("address").value = setup.settings.source;
}

function cameraButtons() {
  const now = live.snapshot?.camera?.source ?? setup.camera?.source;
  const usual = [...(setup.cameras ?? []).map((c) => [String(c.index), c.name || t("setup.camera.usb", { n: c.index })]), ...(document.querySelector(".phone-link") ? [["phone", t("setup.camera.phone.choose")]] : []), ["demo", t("setup.camera.demo")]];
  const other = now && !usual.some(([source]) => source === now) ? [[now, t("setup.camera.now", { source: now.replace(/\/\/[^/@]*@/, "//") })]] : [];
  const choices = [...other, ...usual];
  return choices.map(([source, name]) => h("button", { type: "button", class: "choice-row", "data-act": "source", "data-arg": source, "aria-pressed": String(now === source), "data-test": `source-${source}` }, name));
}

function show(step) {
  for (const name of STEPS) {
    $(`step-${name}`).hidden = name !== step;
    document.querySelector(`[data-step="${name}"]`).setAttribute("aria-current", name === step ? "step" : "false");
  }
  video.show(step === "camera" || step === "cards");
  $("video").hidden = !(step === "camera" || step === "cards");
  if (step === "corners") ready.then(() => location.hash === "#corners" && openCorners());
  $("back").hidden = step === STEPS[0];
  $("next").hidden = step === STEPS.at(-1);
  $("next").classList.toggle("strong", step !== "corners");
  $("next").textContent = t(step === "corners" ? "setup.corners.skip" : "setup.next");
  drawSteps();
  document.querySelector(`#step-${step} h2`).focus();
}

/** The corners that are set; where none are, Kibitz looks for the table itself first. */
async function openCorners() {
  const set = setup?.settings.table?.corners_px;
  await corners.load(set);
  if (set || searched || $("corners").classList.contains("empty")) return;
  searched = true;
  say("corners-note", t("setup.corners.looking"));
  const answer = await live.send("find-table");
  if (corners.touched) return say("corners-note", ""); // a person was faster: theirs stay
  if (answer.ok && answer.corners_px) await corners.load(answer.corners_px);
  say("corners-note", t(answer.ok ? "setup.corners.found" : "setup.corners.yours"));
  if (answer.ok) load();
}

/** A check mark on every step that is done: a person who comes back sees where they were. */
function drawSteps() {
  const camera = live.snapshot?.camera;
  const done = { camera: ["ok", "ended"].includes(camera?.state), corners: Boolean(setup?.settings.table?.corners_px), cards: sure() === 5, game: (live.snapshot?.seq ?? 0) > 1 };
  for (const name of STEPS) {
    const link = document.querySelector(`[data-step="${name}"]`);
    const now = link.getAttribute("aria-current") === "step";
    link.querySelector("b").textContent = done[name] && !now ? "✓" : String(STEPS.indexOf(name) + 1);
    link.classList.toggle("done", Boolean(done[name]));
    link.querySelector(".out").textContent = done[name] ? ` (${t("setup.step.done")})` : "";
  }
}

const sure = () => tested.filter((c) => c.state !== "unsure").length;
const step = () => (STEPS.includes(location.hash.slice(1)) ? location.hash.slice(1) : STEPS[0]);
const go = (by) => { location.hash = STEPS[Math.min(Math.max(STEPS.indexOf(step()) + by, 0), STEPS.length - 1)]; };

function say(id, text, bad = false) {
  $(id).textContent = text;
  $(id).classList.toggle("bad", bad);
}

const problemWords = (answer) => {
  const p = answer.problem ?? {};
  return p.args?.message && !["en"].includes(document.documentElement.lang) ? first([`problem.${p.code}`, "setup.failed"], p.args) : p.args?.message ?? first([`problem.${p.code}`, "setup.failed"], p.args ?? {});
};

async function send(command, args, note) {
  say(note, t("setup.working"));
  const answer = await live.send(command, args);
  say(note, answer.ok ? t("setup.done") : problemWords(answer), !answer.ok);
  return answer;
}

async function probe() {
  const source = $("address").value.trim();
  if (!source) return;
  say("camera-note", t("setup.camera.testing"));
  const answer = await fetch("/api/probe", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ source }) });
  const data = await answer.json();
  if (!answer.ok) return say("camera-note", problemWords(data), true);
  say("camera-note", data.frames
    ? t("setup.camera.result", { width: data.size[0], height: data.size[1], fps: data.fps, first: data.first_ms, gap: data.gap_ms, dropped: data.dropped, torn: data.torn })
    : t("setup.camera.silent"), !data.frames);
}

const acts = {
  next: () => go(1),
  back: () => go(-1),
  source: async (arg) => { if ((await send("source", { source: arg }, "camera-note")).ok) load(); },
  address: () => acts.source($("address").value.trim()),
  probe,
  "find-table": async () => {
    const answer = await send("find-table", {}, "corners-note");
    if (answer.ok && answer.corners_px) { await corners.load(answer.corners_px); say("corners-note", t("setup.corners.found")); }
  },
  "new-picture": () => corners.load(corners.points),
  "save-corners": async () => {
    if ((await send("corners", { corners_px: corners.points }, "corners-note")).ok) { await load(); go(1); }
  },
  "save-zones": async () => {
    const drawn = zones.zones.map(({ name, kind, player, index, dir, polygon_px }) => ({ name, kind, player, index, dir, polygon_px }));
    if ((await send("zones", { zones: drawn }, "zones-note")).ok) load();
  },
  "usual-zones": async () => { if ((await send("zones", { zones: [] }, "zones-note")).ok) { await load(); zones.load(setup.zones); } },
  "keep-table": async () => {
    const name = people.group.trim();
    if ((await send("keep-table", { ...people.command(), ...people.stake(), name }, "game-note")).ok) {
      setup.groups = people.groups = (await (await fetch("/api/setup")).json()).groups;
      people.draw();
      say("game-note", t("people.groups.kept", { name }));
    }
  },
  "forget-table": async () => {
    if ((await send("forget-table", { name: people.group }, "game-note")).ok) {
      people.groups = people.groups.filter((g) => g.name !== people.group);
      people.group = "";
      people.draw();
    }
  },
  "test-again": () => { tested = []; drawTested([]); },
  start: async () => {
    const answer = await send("new-game", people.command(), "game-note");
    if (answer.ok) {
      await live.send("stake", people.stake());
      location.assign("/");
    }
  },
};

document.addEventListener("click", (event) => {
  const el = event.target.closest("[data-act]");
  if (el && !el.disabled && acts[el.dataset.act]) acts[el.dataset.act](el.dataset.arg);
});
$("zones-box").addEventListener("toggle", async () => {
  if (!$("zones-box").open) return;
  await load();
  zones.load(setup.zones);
  say("zones-note", setup.zones.length ? "" : t("setup.zones.none"), !setup.zones.length);
});
window.addEventListener("hashchange", () => show(step()));

live.addEventListener("snapshot", ({ detail }) => {
  const camera = detail.camera ?? {};
  const words = camera.state === "lost" ? t("setup.camera.lost") : camera.health?.length ? camera.health.map((c) => first([`health.${c}`])).join(" ") : camera.state === "ok" || camera.state === "ended" ? t("health.good") : t("setup.camera.waiting");
  say("health", words, camera.state === "lost" || Boolean(camera.health?.length));
  if (setup) render($("cameras"), cameraButtons());
  drawSteps();
});

live.addEventListener("outlines", ({ detail }) => {
  video.outlines(detail);
  drawTested(detail.cards.filter((c) => c.zone_kind !== "hand"));
});

function drawTested(cards) {
  const known = new Map(tested.map((c) => [c.id, c]));
  for (const card of cards) if (card.card) known.set(card.id, card);
  tested = [...known.values()].slice(-5);
  render($("tested"), Array.from({ length: 5 }, (_, i) => {
    const c = tested[i];
    return h("li", { class: c ? (c.state === "unsure" ? "unsure" : "good") : "waiting" },
      c ? face(c.card, { state: c.state === "unsure" ? "unsure" : undefined }) : h("span", { class: "card empty" }),
      h("span", {}, c ? `${c.state === "unsure" ? "?" : "✓"} ${cardName(c.card)}` : t("setup.cards.waiting")));
  }));
  say("cards-note", sure() === 5 ? t("setup.cards.all") : t("setup.cards.some", { n: sure() }));
  $("cards-note").classList.toggle("plain", sure() < 5);
  drawSteps();
}

document.addEventListener("visibilitychange", () => video.follow());
drawTested([]);
const ready = load();
show(step());
keepAwake();
