// Selling in one go: photos are chosen, cropped, turned and sorted here, before the book is listed, and sent with it. What
// was typed is kept until then. Without it the form is sent first, and photos are added on the page that follows.

const DRAFT = "octavo.draft", MOST = 5, SIDE = 1600;
const tray = document.querySelector("[data-tray]");
const shots = []; // {picture, turn, x, y}: x and y say, from -1 to 1, which part is shown

const el = (name, properties = {}, ...children) => {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
};

// paint draws a shot over all of a canvas of 3 to 4.
function paint(canvas, shot) {
  const { picture, turn } = shot, c = canvas.getContext("2d");
  const [w, h] = turn % 2 ? [picture.height, picture.width] : [picture.width, picture.height];
  const scale = Math.max(canvas.width / w, canvas.height / h);
  c.setTransform(1, 0, 0, 1, canvas.width / 2 - (shot.x * (w * scale - canvas.width)) / 2, canvas.height / 2 - (shot.y * (h * scale - canvas.height)) / 2);
  c.rotate((turn * Math.PI) / 2);
  c.drawImage(picture, (-picture.width * scale) / 2, (-picture.height * scale) / 2, picture.width * scale, picture.height * scale);
}

function cropped(shot) {
  const [w, h] = shot.turn % 2 ? [shot.picture.height, shot.picture.width] : [shot.picture.width, shot.picture.height];
  const height = Math.round(Math.min(SIDE, h, (w * 4) / 3)), canvas = el("canvas", { width: Math.round((height * 3) / 4), height });
  paint(canvas, shot);
  return new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));
}

function move(shot, canvas, x, y) {
  const within = (n) => Math.max(-1, Math.min(1, n));
  shot.x = within(shot.x + x);
  shot.y = within(shot.y + y);
  paint(canvas, shot);
}

function shotItem(shot, i) {
  const words = tray.dataset, canvas = el("canvas", { width: 300, height: 400, tabIndex: 0 });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${words.photo.replace("0", i + 1)}. ${words.move}`);
  paint(canvas, shot);
  canvas.addEventListener("pointermove", (e) => e.buttons && (canvas.setPointerCapture(e.pointerId), move(shot, canvas, -e.movementX / 60, -e.movementY / 60)));
  canvas.addEventListener("keydown", (e) => {
    const by = { ArrowLeft: [-0.2, 0], ArrowRight: [0.2, 0], ArrowUp: [0, -0.2], ArrowDown: [0, 0.2] }[e.key];
    if (by) e.preventDefault(), move(shot, canvas, ...by);
  });
  const tool = (text, label, act, disabled = false) => {
    const b = el("button", { type: "button", textContent: text, title: label, disabled });
    b.setAttribute("aria-label", `${label}: ${words.photo.replace("0", i + 1)}`);
    b.addEventListener("click", () => (act(), show()));
    return b;
  };
  const swap = (other) => ([shots[i], shots[other]] = [shots[other], shots[i]]);
  return el("li", {}, ...(i ? [] : [el("span", { className: "status good cover-mark", textContent: words.cover })]), canvas, el("div", { className: "tools" },
    tool("←", words.left, () => swap(i - 1), i === 0), tool("→", words.right, () => swap(i + 1), i === shots.length - 1),
    tool("↻", words.turn, () => (shot.turn = (shot.turn + 1) % 4)), tool("×", words.remove, () => shots.splice(i, 1))));
}

function show() {
  tray.querySelector(".shots").replaceChildren(...shots.map(shotItem));
  tray.querySelector("input").disabled = shots.length >= MOST;
}

async function take(files) {
  for (const file of [...files].slice(0, MOST - shots.length)) {
    const picture = await createImageBitmap(file).catch(() => null);
    if (picture) shots.push({ picture, turn: 0, x: 0, y: 0 });
  }
  show();
}

function openTray() {
  const input = el("input", { type: "file", accept: "image/*", multiple: true, id: "f-tray" });
  input.addEventListener("change", () => take(input.files).then(() => (input.value = "")));
  tray.className = "tray";
  tray.append(el("label", { htmlFor: "f-tray", textContent: tray.dataset.add }), input, el("ol", { className: "shots" }));
  tray.hidden = false;
}

// replace shows an answer in place of the page, with the photos that are chosen.
async function replace(answer) {
  const main = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("body > main");
  if (!main?.querySelector("[data-tray]")) return location.assign(answer.url);
  main.querySelector("[data-tray]").replaceWith(tray);
  document.querySelector("body > main").replaceWith(main);
  document.dispatchEvent(new CustomEvent("octavo:shown", { detail: main }));
  scrollTo(0, 0);
  main.querySelector("[autofocus]")?.focus();
}

// look fills in the form for an ISBN.
async function look(form) {
  const answer = await fetch(`${form.action}?${new URLSearchParams(new FormData(form))}`, { headers: { "Octavo-Follows": "1" } });
  await replace(answer);
  history.replaceState(null, "", answer.url);
}

// send lists the book or previews it, and sends the photos of a listed one.
async function send(form, submitter) {
  const answer = await fetch(submitter?.formAction ?? form.action, { method: "POST", body: new URLSearchParams(new FormData(form, submitter)), headers: { "Octavo-Follows": "1" } });
  const at = new URL(answer.url);
  if (at.pathname !== "/book/photos") return replace(answer);
  const bar = el("progress", { max: shots.length, value: 0 }), said = el("p", { role: "status" });
  tray.append(said, bar);
  tray.scrollIntoView();
  for (const [i, shot] of shots.entries()) {
    said.textContent = tray.dataset.sending.replace("0", i + 1).replace(/0$|0(?=\D*$)/, shots.length);
    const body = new FormData();
    body.append("id", at.searchParams.get("id"));
    body.append("photo", await cropped(shot), `photo-${i + 1}.jpg`);
    await fetch("/book/photos", { method: "POST", body, headers: { "Octavo-Follows": "1" } });
    bar.value = i + 1;
  }
  location.assign(at);
}

const typed = (form) => Object.fromEntries([...new FormData(form)].filter(([name]) => !["key", "campusMailbox", "paymentUsername"].includes(name)));

// restore fills in what was typed before the page was left.
function restore(form) {
  const draft = JSON.parse(localStorage.getItem(DRAFT) ?? "null");
  if (!draft?.name || location.search || form.elements.name.value) return;
  for (const [name, value] of Object.entries(draft)) if (form.elements[name]) form.elements[name].value = value;
  const anew = el("button", { type: "button", className: "small", textContent: tray.dataset.anew });
  const notice = el("p", { className: "notice row" }, tray.dataset.kept, anew);
  notice.setAttribute("role", "status");
  anew.addEventListener("click", () => {
    localStorage.removeItem(DRAFT);
    form.reset();
    notice.remove();
  });
  tray.before(notice);
}

if (tray) {
  openTray();
  const form = document.getElementById("listing");
  if (form) restore(form);
  document.addEventListener("input", (event) => {
    if (event.target.form?.id === "listing") localStorage.setItem(DRAFT, JSON.stringify(typed(event.target.form)));
  });
  document.addEventListener("submit", (event) => {
    const form = event.target, looks = form.matches('main form[method="get"]');
    if (!shots.length || !looks && form.id !== "listing") return;
    event.preventDefault();
    (looks ? look(form) : send(form, event.submitter)).catch(() => form.submit());
  });
}

if (document.querySelector("[data-listed]")) localStorage.removeItem(DRAFT);

const share = document.querySelector("[data-share]");
if (share) {
  share.hidden = false;
  share.addEventListener("click", () => {
    const link = document.getElementById("share");
    if (navigator.share) return navigator.share({ title: share.dataset.share, url: link.value }).catch(() => {});
    link.select();
    navigator.clipboard?.writeText(link.value);
  });
}
