// Scores, payout and multipliers, from a snapshot to elements.

import { cardName, face, info, sorted } from "./cards.js";
import { h } from "./dom.js";
import { first, has, list, t } from "./words.js";

export const SEAT_SIGNS = ["●", "■", "▲", "◆", "★", "⬟", "✚"];

export function names(snapshot) {
  const table = Object.fromEntries((snapshot.players ?? []).map((p) => [p.id, p.name || p.id]));
  return (id) => (id == null ? "" : table[id] ?? String(id));
}

/** Arguments of a code, made speakable: players by name, cards by name. */
export function speakable(args, name) {
  const out = {};
  for (const [key, value] of Object.entries(args ?? {})) {
    if (Array.isArray(value)) out[key] = list(value.map((v) => (typeof v === "string" && isCard(v) ? cardName(v) : name(v))));
    else if (typeof value === "string") out[key] = isCard(value) ? cardName(value) : name(value);
    else out[key] = value;
  }
  return out;
}

const isCard = (text) => info(text).deck !== "any" || /^(joker|back)/.test(text);

/** The number that decides the game, and its unit. */
export function decides(snapshot, player) {
  switch (snapshot.game) {
    case "stopbus": return { value: player.tokens ?? player.total, unit: (n) => t("score.lives", { n }) };
    case "thegame": return { value: player.hand ?? player.total, unit: () => t("score.cards-left") };
    case "spit":
    case "speed": return { value: player.stock ?? player.total, unit: () => t("score.in-stock") };
    default: return { value: player.total, unit: (n) => t("score.points", { n }) };
  }
}

export function seat(index) {
  return h("span", { class: `seat seat-${index % 7}`, "aria-hidden": "true" }, SEAT_SIGNS[index % 7]);
}

export function scoreBar(snapshot, { chosen, may }) {
  const name = names(snapshot);
  return snapshot.players.map((p, index) => {
    const { value, unit } = decides(snapshot, p);
    const facts = [
      p.goes ? t("score.go.n", { n: p.goes }) : "",
      p.stops ? t("score.stop.n", { n: p.stops }) : "",
      p.shakes ? t("score.shake.n", { n: p.shakes }) : "",
      p.bombs ? t("score.bomb.n", { n: p.bombs }) : "",
      snapshot.game === "gostop" && p.junk !== undefined ? t("score.junk.n", { n: p.junk }) : "",
      p.spit_cards !== undefined ? t("term.spit-cards", { amount: p.spit_cards }) : "",
      snapshot.game === "speed" ? t("table.hand.n", { n: p.hand ?? 0 }) : "",
      p.match_points ? t("score.player-points", { n: p.match_points }) : "",
      p.hand_class ? first([`hand.${p.hand_class.replaceAll(" ", "-")}`]) : "",
      p.out ? t("score.out") : "",
      snapshot.caller === p.id ? t("score.called") : "",
      snapshot.lowest?.includes(p.id) ? t("score.lowest") : "",
      ["gostop", "stopbus"].includes(snapshot.game) && p.running !== undefined && p.running !== null ? t("score.running", { n: p.running }) : "",
    ].filter(Boolean);
    const spread = p.range && p.range[0] !== p.range[1];
    return h("section", {
      class: ["player", snapshot.turn === p.id && "turn", p.eligible && "eligible", chosen === p.id && "chosen", !may && "watch-only"].filter(Boolean).join(" "),
      "data-key": p.id, "data-test": `player-${p.id}`, "aria-label": t("score.player", { player: name(p.id), n: value }),
    },
    h("button", { class: "who", type: "button", "data-act": "player", "data-arg": p.id, "aria-pressed": String(chosen === p.id) },
      seat(index), h("span", { class: "name" }, name(p.id)),
      snapshot.dealer === p.id ? h("span", { class: "tag" }, t("table.dealer")) : null,
      snapshot.turn === p.id ? h("span", { class: "tag turn-tag" }, t("table.turn")) : null),
    h("p", { class: "big" },
      h("span", { class: "value", "data-test": `points-${p.id}` }, String(value ?? 0)),
      h("span", { class: "unit" }, unit(value)),
      spread ? h("span", { class: "range", title: t("score.range.why") }, t("score.range", { low: p.range[0], high: p.range[1] })) : null),
    h("p", { class: "facts", "data-test": `facts-${p.id}` }, facts.map((fact) => h("span", {}, fact))),
    h("div", { class: "small-buttons" },
      h("button", { class: "why", type: "button", "data-act": "why", "data-arg": p.id, "data-test": `why-${p.id}`, "aria-label": t("why.title", { player: name(p.id), n: value ?? 0 }) }, t("do.why")),
      snapshot.game === "gostop" && may && snapshot.turn === p.id && !p.eligible && (p.hand ?? 0) >= 3 && !snapshot.result ? h("button", { class: "shake", type: "button", "data-act": "shake", "data-arg": p.id, "data-test": `shake-${p.id}` }, t("do.shake")) : null),
    snapshot.game === "stopbus" && may && snapshot.turn === p.id && !snapshot.caller ? h("div", { class: "decide one" }, h("button", { class: "stop", type: "button", "data-act": "call", "data-arg": p.id, "data-test": `call-${p.id}` }, t("do.call"))) : null,
    p.eligible && may ? h("div", { class: "decide" },
      h("button", { class: "go", type: "button", "data-act": "go", "data-arg": p.id, "data-test": `go-${p.id}` }, t("do.go")),
      h("button", { class: "stop", type: "button", "data-act": "stop", "data-arg": p.id, "data-test": `stop-${p.id}` }, t("do.stop"))) : null,
    p.eligible && !may ? h("p", { class: "decide" }, h("span", { class: "tag strong" }, t("score.eligible"))) : null);
  });
}

export function termSentence(term, name, prefix = "term") {
  const args = { n: term.cards?.length ?? 0, amount: term.amount, ...speakable(term.args, name) };
  if (args.factor !== undefined && has(`mult.${term.label}`)) return t("pay.term.times", { name: t(`mult.${term.label}`), factor: args.factor });
  return first([`${prefix}.${term.label}`, `term.${term.label}`, `mult.${term.label}`], args);
}

export function pointLines(snapshot, lit) {
  const name = names(snapshot);
  return snapshot.players.map((p, index) => h("details", { class: "lines", "data-key": `lines-${p.id}`, open: true },
    h("summary", {}, seat(index), h("span", {}, name(p.id)), h("b", { class: "sum" }, String(p.total ?? 0))),
    p.terms?.length
      ? h("ul", {}, p.terms.map((term, i) => h("li", { "data-key": `${p.id}-${term.label}-${i}` },
        h("button", { class: "line", type: "button", "data-act": "light", "data-arg": JSON.stringify(term.cards ?? []), "aria-pressed": String(lit.key === `${p.id}-${term.label}-${i}`), "data-light": `${p.id}-${term.label}-${i}`, "data-test": `term-${p.id}-${term.label}` },
          h("span", {}, termSentence(term, name)), h("b", {}, String(term.amount))), itsCards(lit, `${p.id}-${term.label}-${i}`, term.cards))))
      : h("p", { class: "quiet" }, t("score.lines.none"))));
}

/** The cards of the line that is lit, under it: on a phone the drawn table is out of sight. */
function itsCards(lit, key, cards) {
  return lit.key === key && cards?.length ? h("div", { class: "lit-cards" }, sorted(cards).map((c) => face(c, { key: c }))) : null;
}

/** A multiplier is told by sign and word: earned ✓, within reach ◐, not yet ○. */
const SIGN = { earned: "✓", possible: "◐", "not-yet": "○" };

export function reasonSentence(m, name) {
  const args = { player: name(m.player), against: name(m.against), factor: m.factor, ...speakable(m.reason?.args, name) };
  if (m.state !== "earned" && has(`reason.${m.reason?.code}.open`)) return t(`reason.${m.reason.code}.open`, args);
  return has(`reason.${m.reason?.code}`) ? t(`reason.${m.reason.code}`, args) : first([`reason.${m.key}.${m.state}`, `reason.${m.reason?.code ?? m.key}`], args);
}

export function multipliers(snapshot, lit) {
  const name = names(snapshot);
  const order = { earned: 0, possible: 1, "not-yet": 2 };
  const rows = [...(snapshot.multipliers ?? [])].map((m, i) => ({ ...m, i })).sort((a, b) => order[a.state] - order[b.state] || a.i - b.i);
  if (!rows.length) return [h("p", { class: "quiet" }, t("mult.none"))];
  const row = (m) => {
    const key = `${m.key}-${m.player}-${m.against ?? ""}-${m.i}`;
    return h("li", { class: `mult ${m.state}`, "data-key": key, "data-test": `mult-${m.key}-${m.player}${m.against ? `-${m.against}` : ""}` },
      h("button", { class: "line", type: "button", "data-act": "light", "data-arg": JSON.stringify(m.cards ?? []), "data-light": key, "aria-pressed": String(lit.key === key) },
        h("span", { class: "sign", "aria-hidden": "true" }, SIGN[m.state]),
        h("span", { class: "text" },
          h("strong", {}, first([`mult.${m.key}`])), " ",
          h("span", { class: "state-word" }, `${name(m.player)}${m.against ? ` · ${t("mult.against", { against: name(m.against) })}` : ""} · ${t(`mult.${m.state}`)}`),
          h("span", { class: "reason" }, reasonSentence(m, name))),
        h("b", { class: "factor" }, `×${m.factor}`)), itsCards(lit, key, m.cards));
  };
  const near = rows.filter((m) => m.state !== "not-yet");
  const far = rows.filter((m) => m.state === "not-yet");
  return [
    near.length ? h("ul", { class: "mults" }, near.map(row)) : h("p", { class: "quiet" }, t("mult.none")),
    far.length ? h("details", { "data-key": "far", "data-test": "mult-far" }, h("summary", {}, t("mult.more", { n: far.length })), h("ul", { class: "mults" }, far.map(row))) : null,
  ];
}

function amount(term) {
  const sign = term.amount > 0 ? "+" : term.amount < 0 ? "−" : "±";
  return `${sign}${Math.abs(term.amount)}`;
}

export function payout(snapshot, lit) {
  const name = names(snapshot);
  const over = snapshot.result;
  const who = snapshot.if_stopped;
  const title = over ? t("pay.result") : t("pay.title");
  const body = [];
  if (over && !over.winner && snapshot.game !== "gostop") return [];
  if (over && !over.winner) body.push(h("p", { class: "verdict" }, t("pay.result.nagari")));
  else if (over) body.push(h("p", { class: "verdict" }, t("pay.result.winner", { player: name(over.winner) })));
  const payments = over?.payments?.length ? over.payments
    : who?.payments?.length ? who.payments
    : over?.payout ? Object.entries(over.payout).map(([from, n]) => ({ from, to: over.winner, amount: n, terms: [] })) : [];
  if (!payments.length) body.push(h("p", { class: "quiet", "data-test": "payout-none" }, over || who ? t("pay.nobody") : t("pay.none")));
  for (const [i, pay] of payments.entries()) {
    body.push(h("div", { class: "payment", "data-key": `${pay.from}-${pay.to}`, "data-test": `payout-${pay.from}`, "data-amount": String(pay.amount) },
      h("p", { class: "pay" }, h("span", {}, t("pay.sentence", { from: name(pay.from), to: name(pay.to), n: "" }).trim()), h("b", { class: "chips" }, String(pay.amount))),
      pay.terms?.length ? h("details", { "data-key": `why-${i}` }, h("summary", {}, t("pay.why")),
        h("ul", {}, pay.terms.map((term, j) => h("li", {},
          h("button", { class: "line", type: "button", "data-act": "light", "data-arg": JSON.stringify(term.cards ?? []), "data-light": `pay-${i}-${j}`, "aria-pressed": String(lit.key === `pay-${i}-${j}`) },
            h("span", {}, termSentence(term, name, "pay.term")), h("b", {}, amount(term))), itsCards(lit, `pay-${i}-${j}`, term.cards))))) : null));
  }
  return [h("h2", {}, title), ...body];
}
