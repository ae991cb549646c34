// The drawn table: captures by group, the floor by month, stacks and the stock. It works with the video off.

import { face, GROUPS, info, sorted } from "./cards.js";
import { h } from "./dom.js";
import { spit, speed, stopbus, thegame } from "./boards.js";
import { names, seat } from "./score.js";
import { t } from "./words.js";

export function board(snapshot, { lit, may, reads }) {
  const draw = { spit, speed, stopbus, thegame }[snapshot.game] ?? gostop;
  return draw(snapshot, { lit, may, reads, name: names(snapshot) });
}

function cardOf(card, { lit, may, reads }, place, more = {}) {
  const read = reads?.get(`${place}:${card}`);
  return face(card, {
    act: "card", arg: JSON.stringify({ card, place, track: read?.track ?? null }), state: read?.state, key: more.key,
    lit: lit.cards.has(card), dim: lit.cards.size > 0 && !lit.cards.has(card), ...more,
  });
}

function gostop(snapshot, view) {
  const [near, ...far] = snapshot.players.map((p, index) => ({ ...p, index }));
  return [
    h("div", { class: `far far-${far.length}` }, far.map((p) => captures(p, snapshot, view))),
    floor(snapshot, view),
    near ? captures(near, snapshot, view) : null,
  ];
}

function captures(p, snapshot, view) {
  const groups = GROUPS.map((group) => ({ group, cards: sorted(p.captured ?? []).filter((c) => info(c).group === group) })).filter((g) => g.cards.length);
  return h("section", { class: ["captures", snapshot.turn === p.id && "turn"].filter(Boolean).join(" "), "data-key": `cap-${p.id}`, "data-test": `captures-${p.id}`, "aria-label": t("table.captured", { player: view.name(p.id) }) },
    h("h3", {}, seat(p.index), view.name(p.id), p.hand !== undefined && p.hand !== null ? h("span", { class: "quiet" }, t("table.hand.n", { n: p.hand })) : null),
    groups.length ? h("div", { class: "groups" }, groups.map(({ group, cards }) => h("div", { class: "group", "data-key": group },
      h("div", { class: "fan", vars: { "--n": cards.length } }, cards.map((c) => cardOf(c, view, p.id, { key: c }))),
      h("span", { class: "count" }, `${t(`group.${group}`)} ${group === "junk" ? p.junk ?? cards.length : cards.length}`))))
      : h("p", { class: "quiet" }, t("table.nothing-captured")),
    p.unknown_junk ? h("p", { class: "unknown" }, t("table.unknown-junk", { n: p.unknown_junk }),
      view.may ? [-1, 1, 5].map((n) => h("button", { type: "button", "data-act": "unknown-junk", "data-arg": JSON.stringify({ player: p.id, n }), "data-test": `junk-${p.id}-${n}`, "aria-label": t("table.unknown-junk.add", { player: view.name(p.id), n: n > 0 ? `+${n}` : n }) }, n > 0 ? `+${n}` : `−${-n}`)) : null) : null);
}

function floor(snapshot, view) {
  const months = new Map();
  for (const card of sorted(snapshot.floor ?? [])) {
    const key = info(card).mm ?? card;
    if (!months.has(key)) months.set(key, []);
    months.get(key).push(card);
  }
  return h("section", { class: "floor", "aria-label": t("table.floor"), "data-test": "floor" },
    snapshot.stock !== undefined && snapshot.stock !== null ? h("div", { class: "stock" }, face("back", { label: t("table.stock.n", { n: snapshot.stock }) }), h("span", { class: "count", "data-test": "stock" }, String(snapshot.stock))) : null,
    h("div", { class: "loose" },
      [...months].map(([key, cards]) => h("div", { class: "pair", "data-key": `m${key}` }, cards.map((c) => cardOf(c, view, "floor", { key: c })))),
      (snapshot.stacks ?? []).map((s) => h("div", { class: "stack", "data-key": `s${s.month}`, title: s.made_by ? t("table.stack.by", { player: view.name(s.made_by) }) : t("table.stack.deal") },
        s.cards.map((c) => cardOf(c, view, "stack", { key: c })), h("span", { class: "count" }, s.made_by ? view.name(s.made_by) : t("table.stack", { n: s.cards.length })))),
      !months.size && !(snapshot.stacks ?? []).length ? h("p", { class: "quiet" }, t("table.empty")) : null));
}
