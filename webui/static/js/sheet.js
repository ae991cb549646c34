// One card, close up: what it is, what it is worth, what it completes, and which card it really is (two taps: the card,
// then the right one; three likely names first, the whole deck right below).

import { cardName, deckOf, face, info, SETS, sorted, wholeDeck } from "./cards.js";
import { h, render } from "./dom.js";
import { names } from "./score.js";
import { list, t } from "./words.js";

export class CardSheet {
  constructor(dialog) {
    this.dialog = dialog;
    this.at = null;
    dialog.addEventListener("click", (event) => event.target === dialog && this.close());
    dialog.addEventListener("close", () => {
      this.at = null;
      this.back?.focus?.();
    });
  }

  get open() {
    return this.dialog.open;
  }

  /** at: {card, place, track, others: [[name, confidence], …]} */
  show(at, snapshot, may) {
    this.back = document.activeElement;
    this.at = at;
    this.draw(snapshot, may);
    if (!this.dialog.open) this.dialog.showModal();
    this.dialog.scrollTop = 0;
  }

  close() {
    if (this.dialog.open) this.dialog.close();
  }

  draw(snapshot, may) {
    const { card, place, others = [] } = this.at;
    const name = names(snapshot);
    const likely = others.map(([c]) => c).filter((c) => c && c !== card).slice(0, 3);
    const deck = info(card).deck === "any" ? deckOf(snapshot.game) : info(card).deck;
    const pick = (c, test) => face(c, { act: may ? "correct" : undefined, arg: c, extra: null, key: `${test}-${c}` });
    render(this.dialog,
      h("header", {},
        face(card, {}),
        h("div", {}, h("h2", { id: "sheet-title" }, cardName(card)), h("p", { class: "quiet" }, where(snapshot, card, place, name)), about(card, snapshot, name).map((line) => h("p", {}, line))),
        h("button", { class: "close", type: "button", "data-act": "close-sheet", "aria-label": t("do.close") }, "✕")),
      may ? h("section", { class: "correct" },
        h("h3", {}, t("correct.title")),
        likely.length ? h("div", { class: "likely", "data-test": "likely" }, likely.map((c) => h("div", { class: "choice", "data-key": c }, pick(c, "l"), h("span", {}, cardName(c))))) : null,
        h("h4", {}, t("correct.all")),
        h("div", { class: `deck deck-${deck}`, "data-test": "deck" }, wholeDeck(deck).map((row, i) => h("div", { class: "row", "data-key": `r${i}` }, deck === "hwatu" && i < 12 ? h("span", { class: "month", "aria-hidden": "true" }, String(i + 1)) : null, row.map((c) => pick(c, "d"))))),
      ) : null);
    this.dialog.setAttribute("aria-labelledby", "sheet-title");
  }
}

function where(snapshot, card, place, name) {
  if ((snapshot.players ?? []).some((p) => p.id === place)) return t("card.where.captures", { player: name(place) });
  if (place === "stack") return t("card.where.stack");
  return place === "floor" ? t("card.where.floor") : "";
}

/** Kind, worth, what it completes and what on the floor it takes: for somebody who plays for the first time. */
function about(card, snapshot, name) {
  const i = info(card);
  const lines = [];
  if (i.deck === "hwatu") {
    if (i.kind === "bright") lines.push(t(i.month === 12 ? "card.worth.bright-rain" : "card.worth.bright"));
    if (i.kind === "animal") lines.push(t("card.worth.animal"));
    if (i.kind === "ribbon") lines.push(t("card.worth.ribbon"));
    if (i.kind === "junk") lines.push(t("card.worth.junk"));
    if (i.junk > 1) lines.push(t("card.worth.junk-n", { n: i.junk }));
    for (const [set, cards] of Object.entries(SETS)) {
      if (!cards.includes(card)) continue;
      const have = (snapshot.players ?? []).map((p) => [p, cards.filter((c) => p.captured?.includes(c)).length]).filter(([, n]) => n);
      lines.push([t(`card.set.${set}`), ...have.map(([p, n]) => `${t("card.set.have", { player: name(p.id), n, of: cards.length })}.`)].join(" "));
    }
    const same = sorted(snapshot.floor ?? []).filter((c) => info(c).month === i.month && c !== card);
    const stack = (snapshot.stacks ?? []).find((s) => s.month === i.month && !s.cards.includes(card));
    lines.push(`${t("card.takes")}: ${same.length || stack ? list([...same, ...(stack?.cards ?? [])].map(cardName)) : t("card.takes.none")}.`);
  } else if (i.joker && i.junk) lines.push(t("card.worth.junk-n", { n: i.junk }));
  return lines.filter((line) => line && line !== ".");
}
