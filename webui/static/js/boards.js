// The drawn tables of Spit, Speed, Stop the Bus and The Game.

import { face } from "./cards.js";
import { h } from "./dom.js";
import { seat } from "./score.js";
import { first, has, list, t } from "./words.js";

const act = (view, card, place) => (card && card !== "back" ? { act: "card", arg: JSON.stringify({ card, place }), lit: view.lit.cards.has(card), dim: view.lit.cards.size > 0 && !view.lit.cards.has(card) } : {});

function row(p, index, view, ...inside) {
  return h("section", { class: "captures", "data-key": `row-${p.id}`, "data-test": `row-${p.id}` }, h("h3", {}, seat(index), view.name(p.id)), ...inside);
}

/** What the table waits for, large: it is read from both sides. */
function prompt(snapshot, view) {
  const key = `prompt.${snapshot.prompt ?? snapshot.phase ?? ""}`;
  if (!has(key)) return null;
  const due = Array.isArray(snapshot.due) ? list(snapshot.due.map(view.name)) : "";
  return h("p", { class: "prompt", "data-test": "prompt" }, t(key), due ? h("span", {}, due) : null,
    snapshot.prompt === "spit" && view.may ? h("button", { type: "button", "data-act": "spit", "data-test": "spit" }, t("do.spit")) : null);
}

function pile(p, view, words) {
  const top = p.cards?.at(-1) ?? (typeof p.top === "string" ? p.top : null);
  const name = p.name ?? String((p.index ?? 0) + 1);
  return h("div", { class: "pile", "data-key": `pile-${name}`, "data-test": `pile-${name}` },
    top ? face(top, act(view, top, name)) : h("span", { class: "card place" }),
    h("span", { class: "count" }, words));
}

function middle(label, ...inside) {
  return h("section", { class: "floor centre", "aria-label": label, "data-test": "centre" }, ...inside);
}

function around(snapshot, rows, centre, view) {
  const [near, ...far] = rows;
  return [h("div", { class: `far far-${far.length}` }, far), prompt(snapshot, view), centre, near];
}

function stockPiles(piles, view, place) {
  return h("div", { class: "piles" }, (piles ?? []).map((s) => h("div", { class: "pile", "data-key": `s${s.index}` },
    s.up.length ? face(s.up.at(-1), act(view, s.up.at(-1), place)) : s.down ? face("back", { label: t("card.back") }) : h("span", { class: "card place" }),
    h("span", { class: "count" }, s.down ? `+${s.down}` : ""))));
}

export function spit(snapshot, view) {
  const rows = snapshot.players.map((p, i) => row(p, i, view, h("div", { class: "with-spit" }, stockPiles(snapshot.stock_piles?.[p.id], view, p.id),
    h("div", { class: "pile spit-stack" }, p.spit_cards ? face("back", { label: t("term.spit-cards", { amount: p.spit_cards }) }) : h("span", { class: "card place" }), h("span", { class: "count" }, t("term.spit-cards", { amount: p.spit_cards ?? 0 }))))));
  const centre = middle(t("table.centre"), h("div", { class: "loose wide" }, (snapshot.piles ?? []).map((p) => pile(p, view, `${t("table.pile", { name: p.name })} · ${p.count}${snapshot.smaller_pile === p.name ? ` · ${t("table.smaller")}` : ""}`))));
  return around(snapshot, rows, centre, view);
}

export function speed(snapshot, view) {
  const rows = snapshot.players.map((p, i) => row(p, i, view, h("p", { class: "quiet" }, [t("table.hand.n", { n: p.hand ?? 0 }), t("term.stock-cards", { amount: p.stock ?? 0 }), p.refill ? t("table.draw", { n: p.refill }) : ""].filter(Boolean).join(" · "))));
  const side = (name) => h("div", { class: "pile", "data-key": `side-${name}` }, snapshot.side_piles?.[name] ? face("back", { label: t("table.side", { n: snapshot.side_piles[name] }) }) : h("span", { class: "card place" }), h("span", { class: "count" }, t("table.side", { n: snapshot.side_piles?.[name] ?? 0 })));
  const [left, right] = snapshot.piles ?? [];
  const centre = middle(t("table.centre"), h("div", { class: "loose wide" }, side("L"), left ? pile(left, view, String(left.count)) : null, right ? pile(right, view, String(right.count)) : null, side("R")));
  return around(snapshot, rows, centre, view);
}

export function stopbus(snapshot, view) {
  const rows = snapshot.players.map((p, i) => {
    const cards = p.shown?.length ? p.shown : [...(p.known ?? []), ...Array(Math.max(0, (p.hand ?? 0) - (p.known?.length ?? 0))).fill("back")];
    return row(p, i, view, h("div", { class: "piles" }, cards.map((c, n) => face(c, { ...act(view, c, p.id), key: `${c}-${n}` }))),
      h("p", { class: "tokens", "aria-label": t("table.tokens", { n: p.tokens ?? 0 }) }, "●".repeat(Math.max(0, p.tokens ?? 0)) || t("score.out")));
  });
  const centre = middle(t("table.centre"), h("div", { class: "loose wide" }, (snapshot.centre ?? []).map((c) => face(c, { ...act(view, c, "centre"), key: c }))),
    snapshot.pot ? h("p", { class: "quiet" }, t("table.pot", { n: snapshot.pot })) : null,
    snapshot.last_turns?.length ? h("p", { class: "quiet" }, t("table.last-turns", { players: list(snapshot.last_turns.map(view.name)) })) : null);
  return around({ ...snapshot, due: null }, rows, centre, view);
}

export function thegame(snapshot, view) {
  const rows = snapshot.players.map((p, i) => row(p, i, view, h("p", { class: "quiet" }, t("table.hand.n", { n: p.hand ?? 0 }), snapshot.turn === p.id && snapshot.must_play ? ` · ${t("table.must-play", { n: snapshot.must_play })}` : "", snapshot.turn === p.id && snapshot.refill ? ` · ${t("table.draw", { n: snapshot.refill })}` : "")));
  const centre = middle(t("table.centre"),
    h("div", { class: "stock" }, face("back", { label: t("table.stock.n", { n: snapshot.draw_pile ?? 0 }) }), h("span", { class: "count", "data-test": "stock" }, String(snapshot.draw_pile ?? 0))),
    h("div", { class: "loose wide" }, (snapshot.piles ?? []).map((p) => pile(p, view, h("span", {}, `${p.dir === "up" ? "▲" : "▼"} ${t(`table.pile.${p.dir}`)}`, p.trick ? h("em", {}, t("table.trick", { card: p.trick.slice(1) })) : null)))),
    h("p", { class: "quiet" }, t("table.left", { n: snapshot.left ?? 0 }), snapshot.outcome ? ` · ${first([`outcome.${snapshot.outcome}`])}` : "", snapshot.rating === "good" ? ` · ${t("table.good")}` : ""));
  return around(snapshot, rows, centre, view);
}
