// The seconds before an event: a strip of pictures with a slider, played at the speed it happened.

import { h, render } from "./dom.js";
import { outlined } from "./video.js";
import { t } from "./words.js";

export class Clip {
  constructor(dialog) {
    this.dialog = dialog;
    this.timer = 0;
    dialog.addEventListener("close", () => clearTimeout(this.timer));
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }

  async show(session, seq) {
    const answer = await fetch(`/api/clips/${session}/${seq}`);
    const data = answer.ok ? await answer.json() : { frames: [] };
    this.frames = data.frames.map((f) => ({ ...f, src: `/clips/${session}/${seq}/${f.n}.jpg` }));
    if (!this.frames.length) render(this.dialog, h("p", {}, t("history.no-clip")), this.closer());
    else {
      render(this.dialog, h("div", { class: "screen" }, h("img", { class: "clip-picture", alt: t("history.clip") }), h("svg:svg", { class: "outlines", viewBox: "0 0 16 9", "aria-hidden": "true" })),
        h("input", { type: "range", min: 0, max: this.frames.length - 1, value: 0, "aria-label": t("history.clip.time"), "data-test": "clip-slider" }),
        h("div", { class: "field-row" }, h("button", { type: "button", class: "play" }, t("history.clip.play")), this.closer()));
      this.image = this.dialog.querySelector("img");
      this.svg = this.dialog.querySelector("svg");
      this.slider = this.dialog.querySelector("input");
      this.slider.addEventListener("input", () => { clearTimeout(this.timer); this.at(Number(this.slider.value)); });
      this.dialog.querySelector(".play").addEventListener("click", () => this.play(0));
      for (const f of this.frames) new Image().src = f.src;
      this.play(0);
    }
    this.dialog.showModal();
  }

  closer() {
    const button = h("button", { type: "button" }, t("do.close"));
    button.addEventListener("click", () => this.dialog.close());
    return button;
  }

  at(i) {
    const { src, size, cards } = this.frames[i];
    this.image.src = src;
    this.svg.setAttribute("viewBox", `0 0 ${size?.[0] || 16} ${size?.[1] || 9}`);
    render(this.svg, outlined(cards ?? [], size?.[0] || 16));
    this.slider.value = i;
  }

  play(i) {
    clearTimeout(this.timer);
    this.at(i);
    if (i + 1 < this.frames.length) this.timer = setTimeout(() => this.play(i + 1), Math.min(Math.max(this.frames[i + 1].t_ms - this.frames[i].t_ms, 30), 1000));
  }
}
