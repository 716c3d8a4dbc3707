// The page of an order follows what the other side or an admin does. Without it the page is loaded again.

const words = document.body.dataset;
const el = (name, properties = {}, ...children) => {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
};

// keep takes over what was typed, chosen and opened in the part of the page that is replaced.
function keep(from, to) {
  for (const was of from.querySelectorAll("input:not([type=hidden]), textarea, select")) {
    const is = [...to.querySelectorAll(`[name="${was.name}"]`)].find((i) => i.type === was.type && (was.type !== "radio" || i.value === was.value));
    if (!is) continue;
    if (was.type === "radio") is.checked = was.checked;
    else if (was.value !== was.defaultValue) is.value = was.value;
  }
  for (const was of from.querySelectorAll("details[open]")) to.querySelector(`#${was.id}`)?.setAttribute("open", "");
}

async function follow(about) {
  const shown = document.querySelector("main [data-order]");
  if (!shown || about && about !== shown.dataset.order) return;
  const answer = await fetch(location.pathname + location.search, { headers: { "Octavo-Follows": "1" } });
  const now = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main [data-order]");
  if (!now || now.textContent === shown.dataset.text) return;
  const focus = document.activeElement?.id;
  keep(shown, now);
  shown.replaceWith(now);
  show(now);
  document.dispatchEvent(new CustomEvent("octavo:shown", { detail: now }));
  if (focus) now.querySelector(`#${focus}`)?.focus();
}

function show(part) {
  part.dataset.text = part.textContent;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone, at = part.querySelector("[name=at]");
  if (at && "local" in words && zone) { // no zone of the campus is known, and all times are shown in that of the reader
    at.form.append(el("input", { type: "hidden", name: "zone", value: zone }));
    const hint = document.getElementById(at.getAttribute("aria-describedby"));
    for (const note of [hint, ...part.querySelectorAll("[data-zone]")]) note.textContent = zone.split("/").pop().replaceAll("_", " ");
    for (const day of part.querySelectorAll(".slot-day span")) day.remove(); // of GMT: each time says its own
  }
}

document.addEventListener("octavo:notified", (event) => follow(event.detail).catch(() => {}));
const first = document.querySelector("main [data-order]");
if (first) show(first);
