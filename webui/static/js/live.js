// The connection to the house: the newest snapshot, what happened, and commands. The page is always redrawn from a
// whole snapshot, so a correction can never leave a viewer on an old branch.

const SILENT_MS = 14000; // the server says something at least every 5 s

export class Live extends EventTarget {
  constructor({ outlines = false } = {}) {
    super();
    this.snapshot = null;
    this.connected = false;
    this.wantOutlines = outlines;
    this.heard = performance.now();
    this.source = null;
    setInterval(() => this.watch(), 2000);
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.watch());
    window.addEventListener("online", () => this.open());
  }

  open() {
    this.source?.close();
    const source = new EventSource(`/api/events${this.wantOutlines ? "?outlines=1" : ""}`);
    this.source = source;
    this.heard = performance.now();
    const on = (type, handle) => source.addEventListener(type, (event) => {
      this.heard = performance.now();
      this.setConnected(true);
      handle?.(JSON.parse(event.data));
    });
    on("snapshot", (data) => this.take(data));
    on("log", (data) => this.dispatchEvent(new CustomEvent("log", { detail: data })));
    on("outlines", (data) => this.dispatchEvent(new CustomEvent("outlines", { detail: data })));
    on("beat");
    source.onerror = () => {
      this.setConnected(false);
      // A refusal (for example after the links were renewed) ends the EventSource for good: ask again, gently.
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.source === source && this.open(), 3000);
    };
    return this;
  }

  outlines(want) {
    if (want === this.wantOutlines) return;
    this.wantOutlines = want;
    if (this.source) this.open();
  }

  watch() {
    if (performance.now() - this.heard > SILENT_MS) {
      this.setConnected(false);
      this.open();
    }
  }

  setConnected(yes) {
    if (yes === this.connected) return;
    this.connected = yes;
    this.dispatchEvent(new CustomEvent("connection", { detail: yes }));
  }

  take(snapshot) {
    this.snapshot = snapshot;
    this.dispatchEvent(new CustomEvent("snapshot", { detail: snapshot }));
  }

  /** Send one command; the id makes a repeat after a lost answer harmless. Resolves to {ok, problem?}. */
  async send(command, args = {}) {
    const body = JSON.stringify({ ...args, command, id: newId() });
    for (let attempt = 0; ; attempt += 1) {
      try {
        const answer = await fetch("/api/commands", { method: "POST", headers: { "Content-Type": "application/json" }, body });
        if (answer.status === 503 && attempt < 4) {
          await pause(300 * 2 ** attempt);
          continue;
        }
        const data = await answer.json().catch(() => ({}));
        return { ...data, ok: answer.ok, status: answer.status };
      } catch {
        if (attempt >= 4) return { ok: false, status: 0, problem: { code: "no-connection", args: {} } };
        await pause(300 * 2 ** attempt);
      }
    }
  }
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// crypto.randomUUID is missing on a plain http page, which is what a phone on the home network gets.
export function newId() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((b) => b.toString(16).padStart(2, "0")).join("");
}
