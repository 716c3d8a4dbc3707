// The keys of the dashboard: j and k go through a list, x ticks, ? shows them all. Every page works without it.

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

const keys = { j: () => go(1), k: () => go(-1), x: tick, "?": showHelp };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest("input:not([type=checkbox]), textarea, select, dialog, [contenteditable]")) return;
  const act = singleKeys() && keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-keys-help]")) return;
  const drawer = document.getElementById("sections");
  if (drawer.matches(":popover-open")) drawer.hidePopover();
  showHelp();
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-keys-on]")) localStorage.setItem("single-keys", event.target.checked ? "on" : "off");
});

document.documentElement.classList.add("keyed");
