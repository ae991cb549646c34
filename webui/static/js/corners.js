// Four corners of the table, dragged on a still picture, with a magnifier; arrow keys move a corner by one pixel.

const NAMES = ["tl", "tr", "br", "bl"];

export class Corners {
  constructor(box, onChange) {
    this.box = box;
    this.canvas = box.querySelector("canvas.still");
    this.lens = box.querySelector("canvas.lens");
    this.handles = NAMES.map((name) => box.querySelector(`[data-corner="${name}"]`));
    this.outline = box.querySelector("polygon");
    this.onChange = onChange;
    this.points = [];
    this.picture = null;
    this.touched = false;
    this.handles.forEach((handle, i) => {
      handle.addEventListener("pointerdown", (event) => this.grab(event, i));
      handle.addEventListener("keydown", (event) => this.key(event, i));
      handle.addEventListener("focus", () => this.zoom(i));
      handle.addEventListener("blur", () => (this.lens.hidden = true));
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  /** Load the newest frame; corners stay where they were, or stand a little inside the picture. */
  async load(points) {
    const answer = await fetch("/frame.jpg");
    if (!answer.ok) {
      this.box.classList.add("empty");
      return;
    }
    this.box.classList.remove("empty");
    this.picture = await createImageBitmap(await answer.blob());
    const { width, height } = this.picture;
    this.canvas.width = width;
    this.canvas.height = height;
    this.canvas.getContext("2d").drawImage(this.picture, 0, 0);
    this.points = (points?.length === 4 ? points : [[0.12, 0.15], [0.88, 0.15], [0.95, 0.9], [0.05, 0.9]].map(([x, y]) => [x * width, y * height])).map(([x, y]) => [x, y]);
    this.draw();
    this.onChange(this.points);
  }

  draw() {
    if (!this.picture) return;
    const scale = this.canvas.clientWidth / this.canvas.width;
    this.handles.forEach((handle, i) => {
      handle.style.left = `${this.points[i][0] * scale}px`;
      handle.style.top = `${this.points[i][1] * scale}px`;
    });
    this.outline.ownerSVGElement.setAttribute("viewBox", `0 0 ${this.canvas.width} ${this.canvas.height}`);
    this.outline.setAttribute("points", this.points.map((p) => p.join(",")).join(" "));
  }

  move(i, x, y) {
    this.touched = true;
    this.points[i] = [Math.min(Math.max(x, 0), this.canvas.width - 1), Math.min(Math.max(y, 0), this.canvas.height - 1)];
    this.draw();
    this.zoom(i);
    this.onChange(this.points);
  }

  grab(event, i) {
    event.preventDefault();
    const handle = this.handles[i];
    handle.setPointerCapture(event.pointerId);
    handle.focus();
    const scale = this.canvas.clientWidth / this.canvas.width;
    const [x0, y0] = [event.clientX - this.points[i][0] * scale, event.clientY - this.points[i][1] * scale];
    const drag = (e) => this.move(i, (e.clientX - x0) / scale, (e.clientY - y0) / scale);
    const drop = () => {
      handle.removeEventListener("pointermove", drag);
      this.lens.hidden = true;
    };
    handle.addEventListener("pointermove", drag);
    handle.addEventListener("pointerup", drop, { once: true });
    handle.addEventListener("pointercancel", drop, { once: true });
  }

  key(event, i) {
    const by = event.shiftKey ? 10 : 1;
    const [dx, dy] = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, -by], ArrowDown: [0, by] }[event.key] ?? [0, 0];
    if (!dx && !dy) return;
    event.preventDefault();
    this.move(i, this.points[i][0] + dx, this.points[i][1] + dy);
  }

  /** Four times as large, away from the finger: at the top, on the side where the corner is not. */
  zoom(i) {
    if (!this.picture) return;
    const [x, y] = this.points[i];
    const size = this.lens.width / 4;
    const context = this.lens.getContext("2d");
    context.imageSmoothingEnabled = false;
    context.fillStyle = "#000";
    context.fillRect(0, 0, this.lens.width, this.lens.height);
    context.drawImage(this.picture, x - size / 2, y - size / 2, size, size, 0, 0, this.lens.width, this.lens.height);
    context.strokeStyle = "#ffcf4a";
    context.lineWidth = 2;
    const middle = this.lens.width / 2;
    context.beginPath();
    context.moveTo(middle, 0);
    context.lineTo(middle, this.lens.height);
    context.moveTo(0, middle);
    context.lineTo(this.lens.width, middle);
    context.stroke();
    this.lens.classList.toggle("right", x < this.canvas.width / 2);
    this.lens.hidden = false;
  }
}
