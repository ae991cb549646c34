// Card names as people say them, and card faces.

import { h } from "./dom.js";
import { has, t } from "./words.js";

const SUITS = { c: "♣", d: "♦", h: "♥", s: "♠" };
const KIND_ORDER = ["bright", "animal", "ribbon", "junk-double", "junk"];
export const GROUPS = ["bright", "animal", "ribbon", "junk"];
export const SETS = {
  godori: ["02-animal", "04-animal", "08-animal"],
  hongdan: ["01-ribbon", "02-ribbon", "03-ribbon"],
  cheongdan: ["06-ribbon", "09-ribbon", "10-ribbon"],
  chodan: ["04-ribbon", "05-ribbon", "07-ribbon"],
};

export function info(card) {
  const hwatu = /^(\d\d)-(bright|animal|ribbon|junk-double|junk)(-[abc])?$/.exec(card ?? "");
  if (hwatu) {
    const kind = hwatu[2];
    return { deck: "hwatu", month: Number(hwatu[1]), mm: hwatu[1], kind, group: kind.startsWith("junk") ? "junk" : kind, junk: kind === "junk-double" ? 2 : kind === "junk" ? 1 : 0 };
  }
  const number = /^n(\d{1,3})$/.exec(card ?? "");
  if (number) return { deck: "numbers", number: Number(number[1]) };
  const french = /^([2-9TJQKA])([cdhs])$/.exec(card ?? "");
  if (french) return { deck: "french", rank: french[1] === "T" ? "10" : french[1], suit: french[2] };
  const joker = /^joker(?:-(\d|red|black))?$/.exec(card ?? "");
  if (joker) return { deck: "any", joker: true, group: "junk", kind: "joker", junk: Number(joker[1]) || 0 };
  return { deck: "any", back: card === "back", group: "junk", kind: "bonus", junk: 0 };
}

export const merged = (card) => card.replace(/^(\d\d-junk)-[abc]$/, "$1");

export function cardName(card) {
  if (!card) return t("card.unknown");
  const i = info(card);
  if (i.deck === "hwatu") {
    const motif = `motif.${i.mm}-${i.kind}`;
    const args = { flower: t(`flower.${i.mm}`), kind: t(`kind.${i.kind}`), n: i.month, motif: has(motif) ? t(motif) : "" };
    return t(has(motif) ? "card.full.motif" : "card.full", args);
  }
  if (i.deck === "numbers") return t("card.number", { n: i.number });
  if (i.deck === "french") return t("card.french", { rank: has(`rank.${i.rank}`) ? t(`rank.${i.rank}`) : i.rank, suit: t(`suit.${i.suit}`) });
  if (i.joker) return i.junk ? t("card.joker.n", { n: i.junk }) : t("card.joker");
  return i.back ? t("card.back") : card;
}

export function shortName(card) {
  if (!card) return "?";
  const i = info(card);
  if (i.deck === "hwatu") return t("card.short", { n: i.month, kind: t(`kind.${i.kind}`) });
  if (i.deck === "numbers") return String(i.number);
  if (i.deck === "french") return `${i.rank}${SUITS[i.suit]}`;
  return cardName(card);
}

/** What can stand where no picture exists: month or rank, and a sign of the kind. Drawn by the style sheet, so that it is no text. */
function plain(card) {
  const i = info(card);
  const sign = { bright: "光", animal: "◆", ribbon: "❘", junk: "·", "junk-double": "··" };
  const [big, small, kind] = i.deck === "hwatu" ? [i.month, sign[i.kind], `plain-${i.group}`]
    : i.deck === "french" ? [i.rank, SUITS[i.suit], "dh".includes(i.suit) ? "red" : "black"]
      : i.deck === "numbers" ? [i.number, "", "number"] : [i.back ? "" : i.joker ? "★" : "?", i.junk ? `×${i.junk}` : "", ""];
  return h("span", { class: `plain ${kind}`, "data-big": String(big), "data-small": small });
}

const DECKS = { gostop: "hwatu", thegame: "numbers", spit: "french", speed: "french", stopbus: "french" };
let inPlay = "hwatu";

/** Which deck's back and jokers to show: that of the game being played. */
export const playing = (game) => (inPlay = DECKS[game] ?? inPlay);
export const deckOf = (game) => DECKS[game] ?? "hwatu";

/** One card face. `act` makes it a button; `state` is settled, unsure or covered; `lit` highlights, `dim` steps back. */
export function face(card, { act, arg, key, lit, dim, state, label, extra } = {}) {
  const name = label ?? cardName(card);
  const i = info(card);
  const deck = i.deck === "any" ? inPlay : i.deck;
  const classes = ["card", deck, lit && "lit", dim && "dim", state && state !== "settled" && state];
  const art = card ? h("img", { src: `/cards/${deck}/${card}.svg`, alt: "", draggable: "false" }) : null;
  const mark = state && state !== "settled" ? h("span", { class: "mark", "aria-hidden": "true" }, state === "unsure" ? "?" : "⋯") : null;
  const title = state && state !== "settled" ? `${name}, ${t(`mark.${state}`)}` : name;
  const attrs = { class: classes.filter(Boolean).join(" "), "data-card": card, "data-key": key, title };
  const inside = [plain(card), art, mark, extra];
  if (act) return h("button", { ...attrs, type: "button", "data-act": act, "data-arg": arg ?? card, "aria-label": title }, ...inside);
  return h("span", { ...attrs, role: "img", "aria-label": title }, ...inside);
}

export function sorted(cards) {
  const rank = (c) => {
    const i = info(c);
    if (i.deck === "hwatu") return i.month * 10 + KIND_ORDER.indexOf(i.kind);
    if (i.deck === "french") return 1000 + "cdhs".indexOf(i.suit) * 20 + "23456789TJQKA".indexOf(i.rank === "10" ? "T" : i.rank);
    if (i.deck === "numbers") return 2000 + i.number;
    return 9000 + i.junk;
  };
  return [...cards].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

const JUNK_ABC = { "01": "ab", "02": "ab", "03": "ab", "04": "ab", "05": "ab", "06": "ab", "07": "ab", "08": "ab", "09": "ab", 10: "ab", 11: "ab", 12: "" };
const OF_MONTH = {
  "01": ["bright", "ribbon"], "02": ["animal", "ribbon"], "03": ["bright", "ribbon"], "04": ["animal", "ribbon"], "05": ["animal", "ribbon"], "06": ["animal", "ribbon"],
  "07": ["animal", "ribbon"], "08": ["bright", "animal"], "09": ["animal", "ribbon"], 10: ["animal", "ribbon"], 11: ["bright", "junk-double"], 12: ["bright", "animal", "ribbon", "junk-double"],
};

/** Every card of a deck, in rows of a month or suit. */
export function wholeDeck(deck, bonus = []) {
  if (deck === "french") return [..."cdhs"].map((s) => [..."23456789TJQKA"].map((r) => r + s)).concat([["joker"]]);
  if (deck === "numbers") return Array.from({ length: 10 }, (_, row) => Array.from({ length: 10 }, (_, n) => `n${row * 10 + n + 1}`));
  const rows = Array.from({ length: 12 }, (_, m) => String(m + 1).padStart(2, "0")).map((mm) => [
    ...OF_MONTH[mm].map((k) => `${mm}-${k}`), ...[...JUNK_ABC[mm]].map((x) => `${mm}-junk-${x}`),
  ]);
  const jokers = bonus.length ? bonus : ["joker-2", "joker-3"];
  return [...rows, jokers];
}
