// More people than play: who watches, what they sell for this deal, and who plays the next one.

import { h } from "./dom.js";
import { t } from "./words.js";

export function sitting(snapshot, { next, may }) {
  const out = snapshot.sitting_out ?? [];
  if (!out.length) return [];
  const [low, high] = snapshot.seats ?? [2, 3];
  const everyone = [...snapshot.players, ...out];
  const chosen = next ?? new Set(snapshot.players.map((p) => p.id));
  const sold = new Set((snapshot.events ?? []).filter((e) => e.event === "sell").map((e) => e.player));
  return [h("section", { class: "panel sitting", "data-test": "sitting" },
    snapshot.result && may
      ? [h("h2", {}, t("sitting.next")),
        h("div", { class: "options" }, everyone.map((p) => h("button", { type: "button", "data-key": p.id, "data-act": "plays-next", "data-arg": p.id, "aria-pressed": String(chosen.has(p.id)), "data-test": `next-${p.id}` }, `${chosen.has(p.id) ? "✓ " : ""}${p.name || p.id}`))),
        h("p", { class: chosen.size < low || chosen.size > high ? "bad" : "quiet" }, t("sitting.count", { low, high, n: chosen.size }))]
      : [h("h2", {}, t("sitting.title")),
        out.map((p) => h("div", { class: "sitter", "data-key": p.id }, h("strong", {}, p.name || p.id), h("span", { class: "quiet" }, t("score.running", { n: p.running ?? 0 })),
          snapshot.sell && may && !sold.has(p.id) ? h("span", { class: "sells" }, t("sitting.sells"), [1, 2, 3, 4, 5].map((n) => h("button", { type: "button", "data-act": "sell", "data-arg": JSON.stringify({ player: p.id, brights: n }), "data-test": `sell-${p.id}-${n}` }, String(n)))) : null))])];
}
