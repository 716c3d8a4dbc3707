// Updates the list of deliveries while the page is visible. Without this script, a reload
// does the same.
"use strict";
(() => {
  const region = () => document.getElementById("live");
  const on = document.getElementById("live-on");
  const status = document.getElementById("live-status");
  if (!region() || !("live" in region().dataset)) return;
  on.parentElement.hidden = false;
  const links = (root) => [...root.querySelectorAll("td.id a")].map((a) => a.href);

  // reading reports whether somebody is selecting text in the list.
  const reading = () => {
    const s = getSelection();
    return !s.isCollapsed && region().contains(s.anchorNode);
  };

  function show(html) {
    const next = new DOMParser().parseFromString(html, "text/html").getElementById("live");
    const old = region();
    if (!next || next.innerHTML === old.dataset.shown) return;
    const known = new Set(links(old));
    const fresh = links(next).filter((link) => !known.has(link)).length;
    const focused = old.contains(document.activeElement) && document.activeElement.getAttribute("href");
    const open = old.querySelector("details[open]") !== null;
    const shown = next.innerHTML;
    old.replaceWith(document.adoptNode(next));
    next.dataset.shown = shown;
    if (open && next.querySelector("details")) next.querySelector("details").open = true;
    if (focused) [...next.querySelectorAll("a")].find((a) => a.getAttribute("href") === focused)?.focus({ preventScroll: true });
    if (fresh) status.textContent = fresh === 1 ? "1 new delivery" : fresh + " new deliveries";
  }

  // A server that takes long for an answer is asked less often.
  async function update() {
    let wait = 3000;
    if (on.checked && !document.hidden && !reading()) {
      const began = performance.now();
      try {
        const answer = await fetch(location.href, { redirect: "error" });
        if (answer.ok) show(await answer.text());
        if (status.textContent.startsWith("Not")) status.textContent = "";
      } catch {
        status.textContent = "Not updated: the service did not answer. Reload the page to try again.";
      }
      wait = Math.max(wait, 20 * (performance.now() - began));
    }
    setTimeout(update, wait);
  }
  setTimeout(update, 3000);
})();
