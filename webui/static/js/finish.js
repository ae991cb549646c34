// The photo finish: the newest slap or race in words that both sides of the table can read, its pictures, and a way to overrule it.

import { h } from "./dom.js";
import { names } from "./score.js";
import { t } from "./words.js";

const KINDS = new Set(["slap", "race"]);
const NEWEST = 6; // events after which a ruling is old

/** The slap or race that the table still talks about, or null. */
export function newestFinish(snapshot) {
  const events = snapshot?.events ?? [];
  const found = events.slice(-NEWEST).filter((e) => KINDS.has(e.event));
  return found.at(-1) ?? null;
}

export function finishSentence(event, name) {
  const [first] = event.order ?? [];
  const times = event.order?.length > 1 ? t(event.sigma_ms == null ? "finish.gap" : "finish.gap-sure", { n: Math.round(event.gap_ms ?? 0), sigma: Math.round(event.sigma_ms ?? 0) }) : "";
  if (event.verdict === "too-close") return [t("finish.close"), times];
  if (event.event === "race") return [t("finish.first", { player: name(first) }), times];
  const gets = Object.entries(event.gets ?? {}).map(([who, pile]) => t("finish.takes", { player: name(who), pile }));
  return [gets.join(" · ") || t("finish.close"), times];
}

/** The other way of sharing out the piles. */
function swapped(gets) {
  const [[a, pileA], [b, pileB]] = Object.entries(gets);
  return { [a]: pileB, [b]: pileA };
}

export function finish(snapshot, may) {
  const event = newestFinish(snapshot);
  if (!event) return [];
  const [verdict, times] = finishSentence(event, names(snapshot));
  const said = (far) => h("p", { class: far ? "verdict far" : "verdict", "aria-hidden": far ? "true" : undefined, "data-test": far ? undefined : "finish-verdict" }, h("strong", {}, verdict), times ? h("span", {}, times) : null);
  const both = event.event === "slap" && event.verdict === "decided" && Object.keys(event.gets ?? {}).length === 2;
  return [h("section", { class: "finish", "data-key": `finish-${event.seq}`, "data-verdict": event.verdict, "data-test": "finish", "aria-label": t("finish.title") },
    said(true), said(false),
    h("div", { class: "options" },
      h("button", { type: "button", "data-act": "finish-clip", "data-arg": String(event.cause ?? event.seq), "data-test": "finish-clip" }, t("finish.show")),
      may && both ? h("button", { type: "button", "data-act": "overrule", "data-arg": JSON.stringify({ seq: event.seq, gets: swapped(event.gets) }), "data-test": "overrule" }, t("finish.overrule")) : null))];
}
