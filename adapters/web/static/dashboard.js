// The keys of the dashboard: j and k go through a list, x ticks, Ctrl-K searches, ? shows them all. Every page works without it.

const singleKeys = () => localStorage.getItem("single-keys") !== "off"; // who dictates may turn them off

// rows are the links of the list on the page, one for each row.
const rows = () => [...document.querySelectorAll("main [data-keys] > li")].map((li) => li.querySelector(":is(h2, h3) a")).filter(Boolean);

function go(by) {
  const all = rows(), at = all.findIndex((a) => a.closest("li").contains(document.activeElement));
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by))];
  next?.focus();
  next?.closest("li").scrollIntoView({ block: "nearest" });
}

const tick = () => document.activeElement?.closest("[data-keys] > li")?.querySelector("input[type=checkbox]")?.click();

function showHelp() {
  const help = document.getElementById("keys");
  help.querySelector("[data-keys-on]").checked = singleKeys();
  help.showModal();
}

// The search of the dashboard in a dialog: it shows what its page shows.
function find() {
  const dialog = document.getElementById("find");
  if (dialog && !dialog.open) dialog.showModal(), dialog.querySelector("input").select();
}

let asked; // the last question
async function look(input) {
  const q = input.value.trim(), shown = input.closest("dialog").querySelector(".results");
  asked = q;
  if (!q) return shown.replaceChildren();
  const answer = await fetch(`${input.form.action}?q=${encodeURIComponent(q)}`);
  if (!answer.ok || asked !== q) return;
  const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main [data-found]");
  shown.replaceChildren(...(found ? [found] : []));
  shown.dataset.of = q;
}

let wait;
document.addEventListener("input", (event) => {
  if (!event.target.matches("#find input")) return;
  clearTimeout(wait);
  wait = setTimeout(() => look(event.target).catch(() => {}), 150);
});

// In the dialog arrows go through what was found, and Enter in the field opens the first of it.
document.addEventListener("keydown", (event) => {
  const dialog = event.target.closest?.("#find");
  if (!dialog) return;
  const links = [...dialog.querySelectorAll(".results a")], input = dialog.querySelector("input"), at = links.indexOf(document.activeElement);
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by) event.preventDefault(), (links[at + by] ?? (by < 0 ? input : links.at(-1)))?.focus();
});

document.addEventListener("submit", (event) => {
  const input = event.target.closest("#find")?.querySelector("input");
  const shown = document.querySelector("#find .results"), first = shown?.querySelector("a");
  if (!input || document.activeElement !== input || !first || shown.dataset.of !== input.value.trim()) return; // leads to the page
  event.preventDefault();
  first.click();
});

const keys = { "/": find, j: () => go(1), k: () => go(-1), x: tick, "?": showHelp };

document.addEventListener("keydown", (event) => {
  if (event.key === "k" && (event.ctrlKey || event.metaKey) && document.getElementById("find")) return event.preventDefault(), find();
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest("input:not([type=checkbox]), textarea, select, dialog, [contenteditable]")) return;
  const act = singleKeys() && keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

document.addEventListener("click", (event) => {
  const asks = event.target.closest("[data-keys-help]"), finds = event.target.closest("[data-find]");
  if (!asks && !finds || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const drawer = document.getElementById("sections");
  if (drawer.matches(":popover-open")) drawer.hidePopover();
  if (finds) find();
  else showHelp();
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-keys-on]")) localStorage.setItem("single-keys", event.target.checked ? "on" : "off");
});

document.documentElement.classList.add("keyed");
