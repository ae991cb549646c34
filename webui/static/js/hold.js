// "What card is this?": one card held up to the camera, and what it is. The camera does not count meanwhile.

import { h, render } from "./dom.js";
import { t } from "./words.js";

const AGAIN_MS = 900;

export class Hold {
  constructor(dialog, { onCard, pause, resume }) {
    this.dialog = dialog;
    this.onCard = onCard;
    this.pause = pause;
    this.resume = resume;
    this.running = 0;
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.addEventListener("close", () => this.stop());
  }

  async show(snapshot) {
    this.paused = snapshot.state !== "paused";
    this.running += 1;
    const run = this.running;
    this.say(t("card.hold.looking"));
    this.dialog.showModal();
    if (this.paused) await this.pause();
    while (run === this.running && this.dialog.open) {
      const found = await this.look();
      if (run !== this.running || !this.dialog.open) return;
      if (found?.card) {
        this.dialog.close();
        this.onCard(found);
        return;
      }
      this.say(t("card.hold.none"));
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
  }

  async look() {
    try {
      const answer = await fetch("/api/held", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
      return answer.ok ? await answer.json() : null;
    } catch {
      return null;
    }
  }

  stop() {
    this.running += 1;
    if (this.paused) this.resume();
    this.paused = false;
  }

  say(words) {
    render(this.dialog, h("h2", { id: "hold-title" }, t("do.name-card")), h("p", {}, t("card.hold.how")), h("p", { class: "quiet" }, t("card.hold.pause")),
      h("p", { class: "note", role: "status", "data-test": "hold-note" }, words), h("button", { type: "button", "data-act": "close-hold" }, t("do.close")));
    this.dialog.setAttribute("aria-labelledby", "hold-title");
  }
}
