// What the page says the table is doing: one state, with icon, word and one action.

import { t } from "./words.js";

/** Order matters: what hides everything else comes first. */
export function tableState(snapshot, connected) {
  const count = snapshot?.questions?.length ?? 0;
  const name = !connected ? "offline"
    : !snapshot?.game ? "none"
    : snapshot.state === "paused" ? "paused"
    : snapshot.camera?.state === "lost" ? "camera-lost"
    : snapshot.state === "out-of-sync" ? "out-of-sync"
    : snapshot.state === "unsure" || count ? "unsure"
    : snapshot.state;
  return { name, n: Math.max(count, 1), word: t(`state.${name}`, { n: Math.max(count, 1) }), why: t(`state.${name}.why`, { n: Math.max(count, 1) }) };
}

export const ACTIONS = {
  watching: ["pause", "do.pause"],
  hand: ["pause", "do.pause"],
  unsure: ["answer", "do.answer"],
  "out-of-sync": ["use-table", "do.use-table"],
  "camera-lost": ["reconnect", "do.reconnect"],
  paused: ["resume", "do.resume"],
  over: ["next-deal", "do.next-deal"],
  offline: ["reload", "do.reconnect"],
  none: ["setup", "do.setup"],
};

// Drawn on a 24 grid; each is told apart by its outline, not by its colour.
const ICONS = {
  watching: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12Zm10 3.2a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4Z",
  hand: "M7 21c-2-2-4-6-4-7.500 0-1 1.300-1.500 2.200-.5L7 15V6.500a1.300 1.300 0 0 1 2.600 0V11 4.300a1.300 1.300 0 0 1 2.600 0V11 5a1.300 1.300 0 0 1 2.600 0v6.500-4a1.300 1.300 0 0 1 2.600 0V15c0 3-1 6-3 6Z",
  unsure: "M9 9a3.200 3.200 0 1 1 4.800 2.800c-1.300.8-1.800 1.400-1.800 2.700M12 18.200v.1M12 22a10 10 0 1 0 0-20 10 10 0 0 0 0 20Z",
  "out-of-sync": "M4 9a8 8 0 0 1 14-3l2 2m0-5v5h-5M20 15a8 8 0 0 1-14 3l-2-2m0 5v-5h5",
  "camera-lost": "M3 3l18 18M9 6h6l2 2h4v11m-4 0H3V8h3",
  paused: "M8 5v14M16 5v14",
  over: "M6 21V4h11l-2 4 2 4H6",
  offline: "M3 3l18 18M5 12a10 10 0 0 1 4-2.500M19 12a10 10 0 0 0-5-2.800M8.500 15.500a5 5 0 0 1 6 0M12 19.500v.1",
  none: "M4 7h10v14H4ZM9 4h11v14",
};

export const iconPath = (name) => ICONS[name] ?? ICONS.none;
