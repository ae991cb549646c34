// A transparent layer for OBS: ?show=score,last,pay. The page carries the whole state when it loads, so a source that was
// hidden and shown again is right at once.

import { h, render } from "./dom.js";
import { eventSentence } from "./events.js";
import { Live } from "./live.js";
import { decides, names, seat } from "./score.js";
import { tableState } from "./state.js";
import { t } from "./words.js";

const shown = new Set((new URLSearchParams(location.search).get("show") ?? "score,last").split(","));
const live = new Live();

function draw() {
  const snapshot = live.snapshot;
  if (!snapshot?.game) return;
  const name = names(snapshot);
  const state = tableState(snapshot, live.connected);
  const last = [...(snapshot.events ?? [])].reverse().find((e) => !["start", "note"].includes(e.event));
  render(document.getElementById("overlay"),
    shown.has("score") ? h("section", { class: "score" }, snapshot.players.map((p, i) => {
      const { value, unit } = decides(snapshot, p);
      return h("div", { class: snapshot.turn === p.id ? "player turn" : "player", "data-key": p.id }, h("span", { class: "name" }, seat(i), name(p.id)), h("b", { "data-test": `points-${p.id}` }, String(value ?? 0)), h("span", { class: "unit" }, [unit(value), p.goes ? t("score.go.n", { n: p.goes }) : ""].filter(Boolean).join(" · ")));
    })) : null,
    shown.has("last") && last ? h("section", { class: "last", "data-key": "last" }, h("span", { "data-test": "last" }, eventSentence(last, name))) : null,
    shown.has("pay") && snapshot.if_stopped?.payments.length ? h("section", { class: "last", "data-key": "pay" }, snapshot.if_stopped.payments.map((p) => h("span", {}, t("pay.sentence", { from: name(p.from), to: name(p.to), n: p.amount })))) : null,
    ["watching", "over", "hand"].includes(state.name) ? null : h("section", { class: "last state", "data-key": "state" }, state.word));
}

live.addEventListener("snapshot", draw);
live.addEventListener("connection", draw);
live.snapshot = JSON.parse(document.getElementById("snapshot").textContent);
live.connected = true;
draw();
live.open();
