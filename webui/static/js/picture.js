// The result of a deal as a picture to share, drawn here and saved by the browser; it is sent nowhere.

import { termSentence } from "./score.js";
import { t } from "./words.js";

const WIDTH = 1080;

export function resultPicture(evening, deal, name) {
  const lines = deal.players.map((p) => ({ name: name(p), total: deal.scores[p]?.total ?? 0, net: deal.net[p] ?? 0, winner: p === deal.winner, terms: (deal.scores[p]?.terms ?? []).map((x) => `${termSentence(x, name)}  ${x.amount}`) }));
  const height = 330 + lines.reduce((sum, l) => sum + 170 + l.terms.length * 48, 0) + deal.payments.length * 60;
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDTH, height });
  const c = canvas.getContext("2d");
  const font = getComputedStyle(document.body).fontFamily;
  const write = (text, x, y, size, { weight = 400, color = "#1f2421", align = "left" } = {}) => {
    c.font = `${weight} ${size}px ${font}`;
    c.fillStyle = color;
    c.textAlign = align;
    c.fillText(text, x, y, WIDTH - 2 * 70);
  };
  c.fillStyle = "#f7f3ea";
  c.fillRect(0, 0, WIDTH, height);
  c.fillStyle = "#1d5a48";
  c.fillRect(0, 0, WIDTH, 18);
  write(`${t("app.name")} · ${evening.ruleset} · ${t("table.deal", { n: deal.deal })}`, 70, 100, 36, { color: "#5a625c" });
  write(deal.winner ? t("pay.result.winner", { player: name(deal.winner) }) : t("pay.result.nagari"), 70, 190, 68, { weight: 750 });
  let y = 290;
  for (const line of lines) {
    write(line.name, 70, y, 46, { weight: 650, color: line.winner ? "#1c6b45" : "#1f2421" });
    write(String(line.total), WIDTH - 70, y + 10, 92, { weight: 750, align: "right" });
    y += 56;
    for (const term of line.terms) {
      write(term, 100, y, 34, { color: "#5a625c" });
      y += 48;
    }
    y += 74;
  }
  for (const pay of deal.payments) {
    write(t("pay.sentence", { from: name(pay.from), to: name(pay.to), n: pay.amount }), 70, y, 42, { weight: 650 });
    y += 60;
  }
  canvas.toBlob((blob) => {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `kibitz-${deal.deal}.png` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }, "image/png");
}
