// Keyboard shortcuts, a place form that submits itself, selection, completion and copying. All
// pages work without JavaScript.
"use strict";
document.documentElement.classList.add("with-script");
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

for (const form of all("form.place")) {
  form.addEventListener("change", (event) => {
    // Zones belong to a database and an account.
    const zone = form.elements.zone;
    if (zone && ["container", "environment", "database", "as"].includes(event.target.name)) {
      zone.value = "";
    }
    form.requestSubmit();
  });
}

// Selection.
const picks = all("tbody .pick input");
const count = document.querySelector("[data-count]");
function showCount() {
  const chosen = picks.filter((pick) => pick.checked).length;
  count.textContent = chosen === 1 ? "1 record selected" : `${chosen} records selected`;
  for (const button of all(".selection button")) button.disabled = chosen === 0;
  for (const pick of picks) pick.closest("tr").setAttribute("aria-selected", pick.checked);
}
if (picks.length && count) {
  const whole = document.querySelector("[data-all]");
  whole.addEventListener("change", () => {
    for (const pick of picks) pick.checked = whole.checked;
    showCount();
  });
  for (const pick of picks) pick.addEventListener("change", showCount);
  showCount();
}

// Completion. A list of words completes only the last word of the predicate.
const predicate = document.getElementById("predicate");
if (document.getElementById("words")) {
  const words = all("#words option").map((option) => option.value);
  predicate.addEventListener("input", () => {
    const [, head, last] = /^(.*?)([\w:]*)$/s.exec(predicate.value);
    const found = last ? words.filter((word) => word.toLowerCase().startsWith(last.toLowerCase())) : words;
    document.getElementById("words").replaceChildren(...found.map((word) => {
      const option = document.createElement("option");
      option.value = head + word;
      return option;
    }));
  });
}
const names = document.createElement("datalist");
names.id = "record-names";
for (const input of all("input[data-names]")) {
  document.body.append(names);
  input.setAttribute("list", names.id);
  let timer = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const query = new URLSearchParams(location.search);
      query.set("prefix", input.value);
      const answer = await fetch(`${document.body.dataset.place}/names?${query}`);
      if (!answer.ok) return;
      names.replaceChildren(...(await answer.json()).map((name) => {
        const option = document.createElement("option");
        option.value = name;
        return option;
      }));
    }, 150);
  });
}

// Lists get another line when the last one is filled.
for (const list of all("[data-grows]")) {
  list.addEventListener("input", () => {
    const last = list.lastElementChild;
    if (last.querySelector("input").value === "") return;
    const next = last.cloneNode(true);
    next.querySelector("input").value = "";
    next.querySelector("input").removeAttribute("id");
    list.append(next);
  });
}

for (const button of all("[data-copy]")) {
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy)
      ?? document.querySelector("[data-testid=did]") ?? document.querySelector("[data-testid=command]");
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    const label = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 1200);
  });
}

// Files can be dropped anywhere on a page with a form for them.
const drop = document.querySelector("form[data-drop]");
if (drop) {
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (!event.dataTransfer.files.length) return;
    drop.querySelector("input[type=file]").files = event.dataTransfer.files;
    drop.requestSubmit();
  });
}

// Live: the page says when its records have changed. It does not change under the user's hands.
if (document.body.hasAttribute("data-live")) {
  const shown = (page) => all("main tbody, main .record", page).map((part) => part.textContent).join();
  const before = shown(document);
  const button = document.getElementById("changed");
  let isAsking = false;
  const events = new EventSource(`${document.body.dataset.place}/commits${location.search}`);
  events.addEventListener("message", () => {
    if (isAsking) return;
    isAsking = true;
    setTimeout(async () => {
      isAsking = false;
      const answer = await fetch(location.href);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      button.hidden = shown(page) === before;
    }, 300);
  });
  button.addEventListener("click", () => location.reload());
  addEventListener("pagehide", () => events.close());
}

// A live page: new events come on top. The browser connects again by itself, and the server goes on
// after the last event.
const live = document.getElementById("live");
if (live) {
  const most = 300;
  const [state, pause] = [document.getElementById("live-state"), document.getElementById("pause")];
  const omitted = document.getElementById("omitted");
  let waiting = "";
  const say = (text, color) => { [state.textContent, state.className] = [text, `chip ${color}`]; };
  function show(rows) {
    const part = document.createElement("template");
    part.innerHTML = rows;
    live.prepend(...[...part.content.children].reverse());
    while (live.rows.length > most) live.lastElementChild.remove();
    document.getElementById("nothing")?.remove();
  }
  const events = new EventSource(live.dataset.events);
  events.addEventListener("open", () => say("live", "good"));
  events.addEventListener("error", () => {
    say(events.readyState === EventSource.CLOSED ? "ended" : "connecting", "bad");
  });
  events.addEventListener("rows", (event) => {
    if (pause.ariaPressed === "true") {
      waiting = (waiting + event.data).slice(-200_000);
      say("paused, with new events", "warn");
    } else {
      show(event.data);
    }
  });
  events.addEventListener("omitted", (event) => {
    const number = omitted.querySelector("b");
    const mark = /\+|more/.test(number.textContent + event.data) ? " or more" : "";
    number.textContent = parseInt(number.textContent, 10) + parseInt(event.data, 10) + mark;
    omitted.hidden = false;
  });
  pause.addEventListener("click", () => {
    pause.ariaPressed = pause.ariaPressed !== "true";
    if (pause.ariaPressed === "true") return say("paused", "warn");
    say("live", "good");
    show(waiting.slice(waiting.indexOf("<tr>")));
    waiting = "";
  });
  addEventListener("pagehide", () => events.close());
}

// Keys.
const go = (selector) => document.querySelector(selector)?.click();
let row = -1;
function move(step) {
  const links = all("tbody a[data-testid=record]");
  if (!links.length) return;
  row = Math.max(0, Math.min(links.length - 1, row + step));
  links[row].focus();
}
const actions = {
  "/": () => predicate?.select(),
  "n": () => go("a[rel=next]"),
  "c": () => go("[data-key=c]"),
  "i": () => go("[data-key=i]"),
  "e": () => go("[data-key=e]"),
  "u": () => go("[data-testid=undo]"),
  "p": () => go("#pause"),
  "r": () => go("#changed:not([hidden])"),
  "j": () => move(1),
  "k": () => move(-1),
  "x": () => document.activeElement.closest("tr")?.querySelector(".pick input")?.click(),
  "?": () => go("footer a[href$='/keys']"),
  "g r": () => go("nav a"),
  "g s": () => go("nav a[href*='/schema']"),
  "g l": () => go("nav a[href$='/live'], nav a[href*='/live?']"),
  "g c": () => go("nav a:last-of-type"),
};

let before = "";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input:not([type=checkbox]), textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const action = actions[before + event.key] ?? actions[event.key];
  before = event.key === "g" ? "g " : "";
  if (!action) return;
  event.preventDefault();
  action();
});
