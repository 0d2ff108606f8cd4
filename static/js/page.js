// Copy buttons, folds that stay open when their row is replaced, filters that apply at once.
(() => {
  "use strict";

  const fallback = (text) => {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "unseen";
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  };
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return fallback(text);
    }
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (button && (await copy(button.dataset.copy))) {
      const label = button.querySelector("[data-label]");
      const before = label.textContent;
      label.textContent = document.body.dataset.copied;
      setTimeout(() => { label.textContent = before; }, 1500);
    }
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });

  // Whoever stands on a link or a fold of a row stays there when the row is replaced.
  let held = "";
  const hold = () => {
    const focused = document.activeElement;
    const region = focused && focused.closest("[data-region]");
    held = "";
    if (!region) return;
    const link = focused.getAttribute("href");
    const fold = focused.matches("summary") ? focused.parentElement.id : "";
    const inside = link ? `[href="${CSS.escape(link)}"]` : fold ? `#${CSS.escape(fold)} > summary` : "";
    if (inside) held = `#${CSS.escape(region.id)} ${inside}`;
  };
  const give = () => {
    const lost = held && document.activeElement === document.body;
    const again = lost && document.querySelector(held);
    if (again) again.focus({ preventScroll: true });
  };
  document.addEventListener("htmx:beforeSwap", hold);
  document.addEventListener("htmx:wsBeforeMessage", hold);

  // A live row arrives folded: open again what the reader had opened. `toggle` does not bubble.
  const opened = new Set();
  document.addEventListener("toggle", (event) => {
    const fold = event.target;
    if (!fold.id || !fold.isConnected) return;
    if (fold.open) opened.add(fold.id);
    else opened.delete(fold.id);
  }, true);
  const reopen = () => {
    for (const id of opened) {
      const fold = document.getElementById(id);
      if (fold && !fold.open) fold.open = true;
    }
    give();
  };
  document.addEventListener("htmx:afterSettle", reopen);
  document.addEventListener("htmx:wsAfterMessage", reopen);

  document.addEventListener("change", (event) => {
    const form = event.target.form;
    if (form && form.matches("form.filters") && event.target.matches("select")) form.requestSubmit();
  });
})();
