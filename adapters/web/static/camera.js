// The camera reads what a field asks for, where the browser can: the barcode of a book, or the code that a buyer shows.
// Without it people type.

const el = (name, properties = {}, ...children) => {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
};

// reads says what of a text in a picture a field wants; null: it is about something else.
const reads = {
  ean_13: (text) => (/^97[89]/.test(text) ? text : null),
  qr_code(text) {
    if (/^[0-9A-Z]{4}-[0-9A-Z]{4}$/.test(text)) return text;
    const query = URL.canParse(text) && new URL(text).searchParams;
    return query && query.get("id") === document.querySelector("[data-order]").dataset.order ? query.get("code") : null;
  },
};

// fill puts in what was read. A form that only asks for the next page needs no further tap.
function fill(input, text) {
  input.value = text;
  if (input.form.method === "get") input.form.requestSubmit();
  else input.form.querySelector("button[type=submit]").focus();
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
  const { format } = input.dataset, detector = new BarcodeDetector({ formats: [format] });
  while (viewer.open) {
    const text = (await detector.detect(video).catch(() => [])).map((c) => reads[format](c.rawValue)).find(Boolean);
    if (text) {
      viewer.close();
      fill(input, text);
    }
    await new Promise(requestAnimationFrame);
  }
}

async function offer(part) {
  const input = part.querySelector("[data-scan]");
  if (!input || !navigator.mediaDevices || !("BarcodeDetector" in window) || !(await BarcodeDetector.getSupportedFormats()).includes(input.dataset.format)) return;
  const button = el("button", { type: "button", className: "small", textContent: input.dataset.scan });
  button.addEventListener("click", () => scan(input).catch(() => (button.textContent = input.dataset.none)));
  input.after(button);
}

document.addEventListener("octavo:shown", (event) => offer(event.detail).catch(() => {}));
offer(document).catch(() => {});
