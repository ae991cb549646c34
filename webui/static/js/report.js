// "Report a mistake": the last seconds, the record and the versions in one folder on the machine that runs Kibitz.

import { h } from "./dom.js";
import { first, t } from "./words.js";

export class Report {
  constructor(dialog) {
    this.dialog = dialog;
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }

  show() {
    const note = h("textarea", { id: "report-note", rows: 3, maxlength: 2000, "data-test": "report-text" });
    const answer = h("p", { class: "note", role: "status", "data-test": "report-answer" });
    const save = h("button", { type: "button", class: "strong", "data-test": "report-save" }, t("do.save"));
    const close = h("button", { type: "button" }, t("do.close"));
    close.addEventListener("click", () => this.dialog.close());
    save.addEventListener("click", async () => {
      save.disabled = true;
      answer.textContent = await send(note.value);
      save.hidden = true;
    });
    this.dialog.replaceChildren(h("h2", { id: "report-title" }, t("do.report")), h("p", { class: "quiet" }, t("report.what")),
      h("label", { class: "field", for: "report-note" }, t("report.note"), note), answer, h("div", { class: "field-row" }, close, save));
    this.dialog.setAttribute("aria-labelledby", "report-title");
    this.dialog.showModal();
    note.focus();
  }
}

async function send(note) {
  try {
    const answer = await fetch("/api/report", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ note }) });
    const data = await answer.json();
    return answer.ok ? t("report.saved", { folder: data.folder }) : first([`problem.${data.problem?.code}`]);
  } catch {
    return t("problem.no-connection");
  }
}
