// Keyboard shortcuts, and a place form that submits itself. All pages work without JavaScript.
"use strict";
document.documentElement.classList.add("with-script");

for (const form of document.querySelectorAll("form.place")) {
  form.addEventListener("change", (event) => {
    // Zones belong to a database and an account.
    const zone = form.elements.zone;
    if (zone && ["container", "environment", "database", "as"].includes(event.target.name)) {
      zone.value = "";
    }
    form.requestSubmit();
  });
}

const go = (selector) => document.querySelector(selector)?.click();
const actions = {
  "/": () => document.getElementById("predicate")?.select(),
  "n": () => go("a[rel=next]"),
  "g r": () => go("nav a"),
  "g s": () => go("nav a[href*='/schema']"),
};

let before = "";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const action = actions[before + event.key] ?? actions[event.key];
  before = event.key === "g" ? "g " : "";
  if (!action) return;
  event.preventDefault();
  action();
});
