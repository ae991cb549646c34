// The camera's picture with outlines over it. The motion JPEG is read part by part, so that the picture and the outlines of
// the very same frame are drawn together; it runs only while the page is visible and the camera is shown.

import { shortName } from "./cards.js";
import { h, render } from "./dom.js";

export class Video {
  constructor(box, { onTap }) {
    this.box = box;
    this.canvas = box.querySelector("canvas");
    this.svg = box.querySelector("svg");
    this.recent = new Map();
    this.frame = null;
    this.abort = null;
    this.onTap = onTap;
    this.svg.addEventListener("click", (event) => {
      const id = event.target.closest("[data-track]")?.getAttribute("data-track");
      const card = this.cards?.find((c) => String(c.id) === id);
      if (card) this.onTap(card);
    });
    document.addEventListener("visibilitychange", () => this.follow());
  }

  get wanted() {
    return this.on && document.visibilityState === "visible";
  }

  show(on) {
    this.on = on;
    this.follow();
  }

  follow() {
    if (this.wanted && !this.abort) this.run();
    if (!this.wanted && this.abort) {
      this.abort.abort();
      this.abort = null;
    }
  }

  async run() {
    const abort = new AbortController();
    this.abort = abort;
    while (this.wanted && this.abort === abort) {
      try {
        const answer = await fetch("/video.mjpg", { signal: abort.signal });
        if (answer.ok) await this.read(answer.body.getReader());
      } catch {
        // The stream ends when the page is hidden, the server stops or the network goes: the last picture stays.
      }
      this.box.classList.add("stale");
      if (this.wanted && this.abort === abort) await new Promise((done) => setTimeout(done, 1000));
    }
  }

  async read(reader) {
    const decoder = new TextDecoder();
    let data = new Uint8Array(0);
    let head = null;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      data = join(data, value);
      for (;;) {
        if (!head) {
          const end = find(data);
          if (end < 0) break;
          head = headers(decoder.decode(data.subarray(0, end)));
          data = data.subarray(end + 4);
        }
        const length = Number(head["content-length"]);
        if (data.length < length + 2) break;
        if (length) await this.paint(data.slice(0, length), head);
        data = data.subarray(length + 2);
        head = null;
      }
    }
  }

  async paint(jpeg, head) {
    const picture = await createImageBitmap(new Blob([jpeg], { type: "image/jpeg" })).catch(() => null);
    if (!picture) return;
    if (this.canvas.width !== picture.width || this.canvas.height !== picture.height) {
      this.canvas.width = picture.width;
      this.canvas.height = picture.height;
    }
    this.canvas.getContext("2d").drawImage(picture, 0, 0);
    picture.close();
    this.frame = Number(head["x-frame"]);
    this.box.classList.remove("stale", "empty");
    this.draw();
  }

  outlines(data) {
    this.recent.set(data.frame, data);
    while (this.recent.size > 16) this.recent.delete(this.recent.keys().next().value);
    this.draw();
  }

  draw() {
    const data = this.recent.get(this.frame) ?? [...this.recent.values()].at(-1);
    if (!data) return;
    const [width, height] = data.size;
    this.cards = data.cards;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    render(this.svg, outlined(data.cards, width));
  }
}

/** Names that find room: what is not sure first, then the cards nearest the viewer; a name over another name helps nobody. */
function labels(cards, size) {
  const taken = [];
  const shown = new Map();
  const order = [...cards].sort((a, b) => (b.state === "unsure") - (a.state === "unsure") || foot(b)[1] - foot(a)[1]);
  for (const card of order) {
    const text = label(card);
    if (!text) continue;
    const [x, y] = foot(card);
    const box = [x - text.length * size * 0.34, y - size * 0.65, x + text.length * size * 0.34, y + size * 0.6];
    if (taken.some((o) => box[0] < o[2] && o[0] < box[2] && box[1] < o[3] && o[1] < box[3])) continue;
    taken.push(box);
    shown.set(card.id, text);
  }
  return shown;
}

const foot = (card) => [card.quad.reduce((sum, p) => sum + p[0], 0) / 4, Math.max(...card.quad.map((p) => p[1]))];

function label(card) {
  if (card.zone_kind === "hand" || card.card === "back") return "";
  const name = card.state === "unsure" && !card.card ? "?" : shortName(card.card);
  const sign = card.state === "unsure" ? "? " : card.state === "covered" ? "⋯ " : "";
  return `${sign}${name === "?" && sign ? "" : name}`.trim();
}

/** Outlines with their names for a picture of `width` pixels: SVG elements. */
export function outlined(cards, width) {
  const size = Math.max(width / 46, 12);
  const texts = labels(cards, size);
  return cards.map((c) => outline(c, size, texts.get(c.id) ?? ""));
}

function outline(card, size, text) {
  const points = card.quad.map((p) => p.map((v) => Math.round(v * 10) / 10).join(",")).join(" ");
  const [x, y] = foot(card);
  return h("svg:g", { class: `outline ${card.state}`, "data-key": `t${card.id}`, "data-track": card.id },
    h("svg:polygon", { points, "vector-effect": "non-scaling-stroke" }),
    text ? h("svg:g", { transform: `translate(${Math.round(x)} ${Math.round(y + size * 0.2)})` },
      h("svg:rect", { x: -text.length * size * 0.34, y: -size * 0.85, width: text.length * size * 0.68, height: size * 1.25, rx: size * 0.3 }),
      h("svg:text", { "font-size": size, "text-anchor": "middle" }, text)) : null);
}

function join(a, b) {
  if (!a.length) return b;
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}

/** Where the empty line that ends a part's head begins, or -1. */
function find(data) {
  for (let i = 0; i + 3 < data.length; i += 1) if (data[i] === 13 && data[i + 1] === 10 && data[i + 2] === 13 && data[i + 3] === 10) return i;
  return -1;
}

const headers = (text) => Object.fromEntries(text.split("\r\n").map((line) => line.split(/:\s*/, 2)).filter((pair) => pair.length === 2).map(([k, v]) => [k.toLowerCase(), v]));
