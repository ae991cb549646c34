// Regions of the table over a still picture: every corner can be dragged, or moved with the arrow keys.

import { h, render } from "./dom.js";
import { first } from "./words.js";

export class Zones {
  constructor(box, name) {
    this.canvas = box.querySelector("canvas");
    this.svg = box.querySelector("svg");
    this.box = box;
    this.name = name;
    this.zones = [];
    this.svg.addEventListener("pointerdown", (event) => this.grab(event));
    this.svg.addEventListener("keydown", (event) => this.key(event));
  }

  async load(zones) {
    this.zones = zones.map((z) => ({ ...z, polygon_px: z.polygon_px.map((p) => [...p]) }));
    const answer = await fetch("/frame.jpg");
    if (!answer.ok) return;
    const picture = await createImageBitmap(await answer.blob());
    this.canvas.width = picture.width;
    this.canvas.height = picture.height;
    this.canvas.getContext("2d").drawImage(picture, 0, 0);
    this.svg.setAttribute("viewBox", `0 0 ${picture.width} ${picture.height}`);
    this.box.classList.toggle("empty", !zones.length);
    this.draw();
  }

  words(zone) {
    return first([`setup.zone.${zone.kind}`], { player: this.name(zone.player), name: zone.kind === "pile" ? zone.index + 1 : zone.name });
  }

  draw() {
    const size = this.canvas.width / 60;
    render(this.svg, this.zones.map((zone, i) => {
      const points = zone.polygon_px;
      const [x, y] = [0, 1].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
      return h("svg:g", { class: `zone zone-${zone.kind}`, "data-key": zone.name },
        h("svg:polygon", { points: points.map((p) => p.join(",")).join(" ") }),
        h("svg:text", { x, y, "font-size": size, "text-anchor": "middle" }, this.words(zone)),
        points.map((p, j) => h("svg:circle", { cx: p[0], cy: p[1], r: size * 0.7, tabindex: 0, role: "slider", "aria-label": `${this.words(zone)} ${j + 1}`, "aria-valuetext": p.map(Math.round).join(", "), "aria-valuenow": Math.round(p[0]), "data-zone": i, "data-point": j, "data-key": `c${j}`, "data-test": `zone-${zone.name}-${j}` })));
    }));
  }

  move(el, x, y) {
    const [i, j] = [Number(el.dataset.zone), Number(el.dataset.point)];
    this.zones[i].polygon_px[j] = [Math.round(x * 10) / 10, Math.round(y * 10) / 10];
    this.draw();
  }

  grab(event) {
    const el = event.target.closest("circle");
    if (!el) return;
    event.preventDefault();
    el.focus();
    el.setPointerCapture(event.pointerId);
    const scale = this.canvas.width / this.canvas.clientWidth;
    const box = this.canvas.getBoundingClientRect();
    const drag = (e) => this.move(el, (e.clientX - box.left) * scale, (e.clientY - box.top) * scale);
    el.addEventListener("pointermove", drag);
    for (const end of ["pointerup", "pointercancel"]) el.addEventListener(end, () => el.removeEventListener("pointermove", drag), { once: true });
  }

  key(event) {
    const el = event.target.closest("circle");
    const by = event.shiftKey ? 10 : 1;
    const [dx, dy] = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, -by], ArrowDown: [0, by] }[event.key] ?? [0, 0];
    if (!el || (!dx && !dy)) return;
    event.preventDefault();
    const [x, y] = this.zones[Number(el.dataset.zone)].polygon_px[Number(el.dataset.point)];
    this.move(el, x + dx, y + dy);
  }
}
