// What this one device prefers. Kept in its own storage; the language is a cookie because the server renders words.

const DEFAULTS = { look: "auto", big: false, voice: "off", sound: false, tick: false, shakeUndo: false, video: "auto", awake: true };

function read() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem("kibitz") ?? "{}") };
  } catch {
    return { ...DEFAULTS };
  }
}

export const prefs = read();

export function set(name, value) {
  prefs[name] = value;
  try {
    localStorage.setItem("kibitz", JSON.stringify(prefs));
  } catch {
    // A private window may refuse storage: the choice then lasts as long as the page.
  }
  apply();
}

export function setLanguage(lang) {
  document.cookie = `lang=${lang}; path=/; max-age=31536000; SameSite=Lax`;
  location.reload();
}

export function apply() {
  const root = document.documentElement;
  if (prefs.look === "auto") delete root.dataset.look;
  else root.dataset.look = prefs.look;
  root.toggleAttribute("data-big", prefs.big);
}

apply();
