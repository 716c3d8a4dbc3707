// The page of an order follows what the other side or an admin does, and the seller's camera reads the code that the buyer
// shows. Without it the page is loaded again, and the code is typed.

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

// codeIn returns the code in what a picture of this order says.
function codeIn(text) {
  if (/^[0-9A-Z]{4}-[0-9A-Z]{4}$/.test(text)) return text;
  const query = URL.canParse(text) && new URL(text).searchParams;
  return query && query.get("id") === document.querySelector("[data-order]").dataset.order ? query.get("code") : null;
}

async function scan(input) {
  const camera = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  const video = el("video", { playsInline: true, muted: true, srcObject: camera });
  const close = el("button", { type: "button", className: "close", textContent: "×" });
  close.setAttribute("aria-label", input.dataset.close);
  const viewer = document.body.appendChild(el("dialog", { className: "viewer camera" }, video, close));
  viewer.addEventListener("close", () => {
    camera.getTracks().forEach((track) => track.stop());
    viewer.remove();
  });
  close.addEventListener("click", () => viewer.close());
  viewer.showModal();
  await video.play();
  const detector = new BarcodeDetector({ formats: ["qr_code"] });
  while (viewer.open) {
    const code = (await detector.detect(video).catch(() => [])).map((c) => codeIn(c.rawValue)).find(Boolean);
    if (code) {
      input.value = code;
      viewer.close();
      input.form.querySelector("button[type=submit]").focus();
    }
    await new Promise(requestAnimationFrame);
  }
}

async function show(part) {
  part.dataset.text = part.textContent;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone, at = part.querySelector("[name=at]");
  if (at && "local" in words && zone) { // no zone of the campus is known, and all times are shown in that of the reader
    at.form.append(el("input", { type: "hidden", name: "zone", value: zone }));
    const hint = document.getElementById(at.getAttribute("aria-describedby"));
    for (const note of [hint, ...part.querySelectorAll("[data-zone]")]) note.textContent = zone.split("/").pop().replaceAll("_", " ");
    for (const day of part.querySelectorAll(".slot-day span")) day.remove(); // of GMT: each time says its own
  }
  const input = part.querySelector("[data-qr]");
  if (!input || !navigator.mediaDevices || !("BarcodeDetector" in window) || !(await BarcodeDetector.getSupportedFormats()).includes("qr_code")) return;
  const button = el("button", { type: "button", className: "small", textContent: input.dataset.qr });
  button.addEventListener("click", () => scan(input).catch(() => (button.textContent = input.dataset.none)));
  input.after(button);
}

document.addEventListener("octavo:notified", (event) => follow(event.detail).catch(() => {}));
const first = document.querySelector("main [data-order]");
if (first) show(first).catch(() => {});
