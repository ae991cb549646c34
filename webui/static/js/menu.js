// What every page shares: the menu with language, look, type size, voice and sound, and the screen kept awake.

import { canFeel, mayFeel } from "./motion.js";
import { prefs, set, setLanguage } from "./prefs.js";
import { t } from "./words.js";

const menu = document.getElementById("menu");

export function openMenu(open) {
  if (!menu) return;
  if (open ?? !menu.open) {
    sync();
    menu.showModal();
  } else menu.close();
}

function sync() {
  const hint = document.getElementById("shake-hint");
  if (hint) hint.textContent = canFeel() ? "" : t("menu.shake-undo.hint");
  for (const field of menu.querySelectorAll("[data-pref]")) {
    const value = prefs[field.dataset.pref];
    if (field.type === "checkbox") field.checked = Boolean(value);
    else field.value = value;
  }
}

menu?.addEventListener("change", (event) => {
  const field = event.target;
  if (field.id === "language") return setLanguage(field.value);
  if (!field.dataset.pref) return;
  set(field.dataset.pref, field.type === "checkbox" ? field.checked : field.value);
  if (field.dataset.pref === "awake") keepAwake();
  if (field.dataset.pref === "shakeUndo" && field.checked) mayFeel().then((yes) => { if (!yes) { set("shakeUndo", false); sync(); } });
});
menu?.addEventListener("click", (event) => event.target === menu && menu.close());
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-act=menu]")) openMenu(true);
  if (event.target.closest("[data-act=close-menu]")) openMenu(false);
});

let lock = null;

export async function keepAwake() {
  const hint = document.getElementById("awake-hint");
  if (!("wakeLock" in navigator)) {
    if (hint) hint.textContent = t("menu.awake.hint");
    return;
  }
  try {
    if (prefs.awake && document.visibilityState === "visible") lock ??= await navigator.wakeLock.request("screen");
    else if (lock) await lock.release();
    lock?.addEventListener("release", () => (lock = null), { once: true });
  } catch {
    lock = null; // low battery: the browser refuses, and that is its right
  }
}

document.addEventListener("visibilitychange", keepAwake);
keepAwake();
