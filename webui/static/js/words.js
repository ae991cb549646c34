// Sentences from the language file that the page carries. Same grammar as webui/words.py:
// {name} is an argument; {n|1 card|{n} cards} chooses by number.

const CHOICE = /\{([a-z_]+)\|((?:[^{}|]|\{[a-z_]+\})*)\|((?:[^{}|]|\{[a-z_]+\})*)\}/g;
const SLOT = /\{([a-z_]+)\}/g;

export function fill(sentence, args) {
  const chosen = sentence.replace(CHOICE, (_, name, one, other) => (String(args[name] ?? 0) === "1" ? one : other));
  return chosen.replace(SLOT, (whole, name) => (name in args ? String(args[name]) : whole));
}

const block = document.getElementById("words");
const table = block ? JSON.parse(block.textContent) : {};

export const lang = document.documentElement.lang || "en";
export const has = (key) => key in table;
export const t = (key, args = {}) => (key in table ? fill(table[key], args) : key);

/** The first of the keys that has words, else a code made readable: never a blank. */
export function first(keys, args = {}) {
  const key = keys.find(has);
  return key ? t(key, args) : String(keys[0]).split(".").pop().replaceAll("-", " ");
}

export function list(items) {
  const words = items.filter(Boolean);
  if (words.length < 2) return words.join("");
  return words.slice(0, -1).join(t("list.comma")) + t("list.and") + words.at(-1);
}
