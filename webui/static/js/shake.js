// A triple that is declared and not laid open: three cards of one month, tapped.

import { cardName, face, info, wholeDeck } from "./cards.js";
import { h, render } from "./dom.js";
import { t } from "./words.js";

export class ShakeSheet {
  constructor(dialog, onTriple) {
    this.dialog = dialog;
    this.onTriple = onTriple;
    this.chosen = [];
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }

  show(player, name, snapshot) {
    this.player = player;
    this.name = name;
    this.chosen = [];
    this.out = new Set([...(snapshot.floor ?? []), ...snapshot.players.flatMap((p) => p.captured ?? []), ...(snapshot.stacks ?? []).flatMap((s) => s.cards)]);
    this.draw();
    this.dialog.showModal();
  }

  /** One card more, or one less; the third of a month is the declaration. */
  tap(card) {
    const month = info(card).month;
    this.chosen = this.chosen.includes(card) ? this.chosen.filter((c) => c !== card) : [...this.chosen.filter((c) => info(c).month === month), card];
    if (this.chosen.length === 3) {
      this.dialog.close();
      this.onTriple(this.player, this.chosen);
    } else this.draw();
  }

  /** Months of which three may still be in a hand. */
  draw() {
    const rows = wholeDeck("hwatu").slice(0, 12).map((row) => row.filter((c) => !this.out.has(c))).filter((row) => row.length >= 3);
    render(this.dialog,
      h("h2", { id: "shake-title" }, t("shake.title", { player: this.name })), h("p", { class: "quiet" }, t("shake.how")),
      h("div", { class: "deck deck-hwatu" }, rows.map((row) => h("div", { class: "row", "data-key": row[0] }, h("span", { class: "month", "aria-hidden": "true" }, String(info(row[0]).month)),
        row.map((c) => face(c, { act: "shake-card", arg: c, key: c, lit: this.chosen.includes(c), label: cardName(c) }))))),
      h("button", { type: "button", "data-act": "close-shake" }, t("do.cancel")));
    this.dialog.setAttribute("aria-labelledby", "shake-title");
  }
}
