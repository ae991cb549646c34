// "Why?" on a score: every line it is made of with its cards, what multiplies it, what is still missing.

import { face, sorted } from "./cards.js";
import { h, render } from "./dom.js";
import { decides, names, reasonSentence, termSentence } from "./score.js";
import { first, list, t } from "./words.js";

export class Why {
  constructor(dialog) {
    this.dialog = dialog;
    this.player = null;
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.addEventListener("close", () => {
      this.player = null;
      this.back?.focus?.();
    });
  }

  show(player, snapshot) {
    this.back = document.activeElement;
    this.player = player;
    this.draw(snapshot);
    if (!this.dialog.open) this.dialog.showModal();
    this.dialog.scrollTop = 0;
  }

  /** Again with every snapshot while it is open: the score may move under the reader's eyes. */
  draw(snapshot) {
    const p = snapshot.players.find((x) => x.id === this.player);
    if (!p) return this.dialog.close();
    const name = names(snapshot);
    const { value, unit } = decides(snapshot, p);
    const gostop = snapshot.game === "gostop";
    const earned = (snapshot.multipliers ?? []).filter((m) => m.player === p.id && m.state === "earned");
    const terms = p.terms ?? [];
    render(this.dialog,
      h("header", {}, h("h2", { id: "why-title" }, t("why.title", { player: name(p.id), n: `${value ?? 0} ${unit(value)}` })),
        h("button", { class: "close", type: "button", "data-act": "close-why", "aria-label": t("do.close") }, "✕")),
      terms.length
        ? h("ul", { class: "why-lines" }, terms.map((term, i) => h("li", { "data-key": `${term.label}-${i}`, "data-test": `why-${term.label}` },
          h("p", { class: "reason-line" }, h("span", {}, termSentence(term, name)), h("b", {}, String(term.amount))),
          term.cards?.length ? h("div", { class: "lit-cards" }, sorted(term.cards).map((c) => face(c, { key: c }))) : null)))
        : h("p", { class: "quiet" }, t("score.lines.none")),
      terms.length > 1 ? h("p", { class: "sum-line" }, `${terms.map((term) => term.amount).join(" + ").replaceAll("+ -", "− ")} = ${p.total ?? 0}`) : null,
      p.range && p.range[0] !== p.range[1] ? h("p", {}, t("score.range", { low: p.range[0], high: p.range[1] }), ". ", t("score.range.why")) : null,
      gostop && p.goes ? h("p", {}, t("why.go", { n: p.goes })) : null,
      gostop && snapshot.target ? h("p", { class: "quiet" }, t("why.stop", { n: snapshot.target })) : null,
      p.hand_class ? h("p", {}, first([`hand.${p.hand_class.replaceAll(" ", "-")}`])) : null,
      earned.length ? [h("h3", {}, t("why.factors")), h("ul", {}, earned.map((m, i) => h("li", { class: "reason-line", "data-key": `m${i}` }, h("span", {}, h("strong", {}, first([`mult.${m.key}`])), " ", m.against ? t("mult.against", { against: name(m.against) }) : "", " · ", reasonSentence(m, name)), h("b", {}, `×${m.factor}`))))] : null,
      gostop ? missing(p) : null,
      h("p", {}, h("a", { href: "/help#rules" }, t("why.rules"))));
    this.dialog.setAttribute("aria-labelledby", "why-title");
  }
}

/** Kinds of which there are some, and too few to score. */
function missing(p) {
  const scored = new Set((p.terms ?? []).map((term) => term.label));
  const held = { bright: 0, animal: 0, ribbon: 0 };
  for (const card of p.captured ?? []) for (const kind of Object.keys(held)) if (card.endsWith(`-${kind}`)) held[kind] += 1;
  const short = Object.entries(held).filter(([kind, n]) => n && !scored.has(kind)).map(([kind, n]) => t(`term.${kind}`, { n }));
  if (p.junk && !scored.has("junk")) short.push(t("term.junk", { n: p.junk }));
  return short.length ? h("p", { class: "quiet" }, t("why.grow", { what: list(short) })) : null;
}
