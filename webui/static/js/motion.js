// Shaking the phone takes the last thing back: off until somebody asks for it, since a phone on a table is knocked.

import { prefs } from "./prefs.js";

const HARD = 18; // m/s² beyond gravity: a deliberate shake, not a knock
const TURNS = 4; // changes of direction within the window
const WINDOW_MS = 900;
const REST_MS = 1500;

/** Told of accelerations (m/s² without gravity, ms), says when they make a shake. */
export class Shaking {
  constructor() {
    this.swings = [];
    this.rest = 0;
  }

  felt(x, y, z, ms) {
    const size = Math.hypot(x, y, z);
    if (size < HARD || ms < this.rest) return false;
    const axis = [x, y, z].reduce((best, v, i, all) => (Math.abs(v) > Math.abs(all[best]) ? i : best), 0);
    const sign = Math.sign([x, y, z][axis]) * (axis + 1);
    this.swings = this.swings.filter((s) => ms - s.ms <= WINDOW_MS);
    if (this.swings.at(-1)?.sign !== sign) this.swings.push({ sign, ms });
    if (this.swings.length < TURNS) return false;
    this.swings = [];
    this.rest = ms + REST_MS;
    return true;
  }
}

export const canFeel = () => window.isSecureContext && "DeviceMotionEvent" in window;

/** iOS asks its owner; it must be asked from a tap. */
export async function mayFeel() {
  if (!canFeel()) return false;
  if (typeof DeviceMotionEvent.requestPermission !== "function") return true;
  return (await DeviceMotionEvent.requestPermission().catch(() => "denied")) === "granted";
}

export function watchShaking(onShake) {
  if (!canFeel()) return;
  const shaking = new Shaking();
  window.addEventListener("devicemotion", (event) => {
    const a = event.acceleration;
    if (prefs.shakeUndo && a && shaking.felt(a.x ?? 0, a.y ?? 0, a.z ?? 0, event.timeStamp)) onShake();
  });
}
