// Addresses copied with one tap; where the browser gives no clipboard (a plain http page) the text is marked to be copied by hand.

import { t } from "./words.js";

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const code = button.parentElement.querySelector("code");
  getSelection().selectAllChildren(code);
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(button.dataset.copy);
    else if (!document.execCommand("copy")) return;
    button.textContent = t("help.copied");
  } catch {
    // Refused: the address stays marked.
  }
});
