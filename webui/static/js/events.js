// The last events, questions and flags.

import { cardName, face } from "./cards.js";
import { h } from "./dom.js";
import { finishSentence } from "./finish.js";
import { names, speakable } from "./score.js";
import { first, list, t } from "./words.js";

export function eventSentence(event, name) {
  const { event: kind, player, cards, from, problem, ...rest } = event;
  if (kind === "slap" || kind === "race") return finishSentence(event, name).filter(Boolean).join(", ");
  const said = problem ? first([`problem.${problem}`], speakable(event.args ?? rest, name)) : "";
  return first([`event.${kind}`], { ...speakable(rest, name), player: name(player), from: name(from), cards: list((cards ?? []).map(cardName)), problem: said });
}

const SOURCE_SIGN = { camera: "◉", auto: "⚙", human: "✎" };
const UNSURE = 0.25; // what the camera decided with less margin than this is shown as unsure

const unsure = (e) => e.source === "camera" && typeof e.margin === "number" && e.margin < UNSURE && !e.cards?.includes(e.instead);

/** One tap: the other name where a card had two, else the turn taken back. */
function mend(e) {
  if (e.instead && e.cards?.length === 1) return face(e.instead, { act: "instead", arg: JSON.stringify({ card: e.cards[0], to: e.instead }), label: `${t("do.correct")}: ${cardName(e.instead)}` });
  return e.cause === undefined || e.cause === null ? h("button", { type: "button", "data-act": "take-back", "data-arg": e.seq, "data-test": `take-back-${e.seq}`, title: t("do.undo"), "aria-label": t("do.undo") }, "↶") : null;
}

export function eventList(snapshot, limit, may) {
  const name = names(snapshot);
  const rows = (snapshot.events ?? []).slice(-limit).reverse();
  if (!rows.length) return [h("p", { class: "quiet" }, t("event.none"))];
  return [h("ol", { class: "events" }, rows.map((e) => h("li", { class: e.event === "flag" ? "flagged" : unsure(e) ? "unsure" : "", "data-key": `e${e.seq}`, "data-test": `event-${e.event}` },
    h("span", { class: "source", title: t(`event.${e.source}`) }, SOURCE_SIGN[e.source] ?? ""),
    h("span", {}, eventSentence(e, name)),
    unsure(e) ? h("span", { class: "tools" }, h("span", { class: "mark", title: t("mark.unsure"), role: "img", "aria-label": t("mark.unsure") }, "?"), may ? mend(e) : null) : null)))];
}

export function questions(snapshot, may) {
  const name = names(snapshot);
  return (snapshot.questions ?? []).map((q) => h("section", { class: "question", "data-key": `q${q.id}`, "data-test": "question", "aria-label": t("ask.title") },
    h("p", {}, h("span", { class: "mark", "aria-hidden": "true" }, "?"), first([`ask.${q.kind}`, "ask.other"], { player: name(q.player), ...speakable(q.args, name) })),
    h("div", { class: "options" }, (q.options ?? []).map((o) => h("button", { class: "option", type: "button", disabled: !may, "data-act": "choose", "data-arg": JSON.stringify({ question: q.id, key: o.key }), "data-test": `option-${o.key}` },
      (o.cards ?? []).slice(0, 6).map((c) => face(c)),
      h("span", {}, optionWords(o, name)))))));
}

function optionWords(option, name) {
  const label = option.label ?? option.key;
  const cards = list((option.cards ?? []).map(cardName));
  if (!label || label === option.cards?.[0]) return cards;
  return first([`option.${label}`], { cards, ...speakable(option.args, name) });
}

export function flags(snapshot, may) {
  const name = names(snapshot);
  return (snapshot.flags ?? []).map((f) => h("section", { class: "flag", "data-key": `f${f.seq}`, "data-test": `flag-${f.problem}` },
    h("p", {}, h("span", { class: "mark", "aria-hidden": "true" }, "!"), first([`problem.${f.problem}`], speakable(f.args, name))),
    h("div", { class: "options" }, (f.cards ?? []).map((c) => face(c, { act: may ? "card" : undefined, arg: JSON.stringify({ card: c, place: "" }) })),
      may ? h("button", { type: "button", "data-act": "dismiss", "data-arg": f.seq, "data-test": "dismiss" }, t("do.dismiss")) : null)));
}
