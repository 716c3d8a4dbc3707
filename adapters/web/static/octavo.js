// What pages do beyond links and forms. Every page works without it.
"use strict";

const words = document.body.dataset; // texts in the language of the page

const follows = { headers: { "Octavo-Follows": "1" } }; // the page keeps its message for the reader

const parse = (html) => new DOMParser().parseFromString(html, "text/html");

// leave sends a form as if there were no script, with what its button says.
function leave(form, button) {
  if (button?.name) form.append(Object.assign(document.createElement("input"), { type: "hidden", name: button.name, value: button.value }));
  form.submit();
}

// A form with data-stay is sent in the background: its answer replaces the page, and the
// reader stays where they were.
async function stay(form, submitter) {
  const body = new URLSearchParams(new FormData(form, submitter)); // form.action may be a field of that name
  const answer = await fetch(form.getAttribute("action"), { method: "POST", body });
  const there = new URL(answer.url), writing = form.querySelector("textarea");
  if (!answer.ok && writing) return leave(form, submitter); // was refused, so that the answer has the text
  if (there.pathname !== location.pathname || !answer.ok) return location.assign(there);
  const page = parse(await answer.text());
  for (const part of ["header", "nav.sections", "main"]) document.querySelector(`body > ${part}`)?.replaceWith(page.querySelector(`body > ${part}`) ?? "");
  decorate(document.querySelector("main"));
  document.dispatchEvent(new Event("octavo:replaced"));
  if (writing) document.querySelector("main textarea")?.focus();
  const message = document.querySelector("main [role=status]");
  if (!message) return;
  message.tabIndex = -1;
  message.focus({ preventScroll: true });
  message.classList.add("floating"); // the top of the page may be out of sight
}

document.addEventListener("submit", (event) => {
  const form = event.target, question = event.submitter?.dataset.confirm;
  if (question && !confirm(question)) return event.preventDefault();
  if (form.getAttribute("action")?.endsWith("/logout") && "serviceWorker" in navigator) {
    event.preventDefault();
    Promise.race([forget(), new Promise((done) => setTimeout(done, 1000))]).catch(() => {}).then(() => form.submit());
    return;
  }
  if (!("stay" in form.dataset)) return;
  event.preventDefault();
  stay(form, event.submitter).catch(() => leave(form, event.submitter));
});

// Who signs out leaves no notifications on the device.
async function forget() {
  const worker = await navigator.serviceWorker.getRegistration();
  if (!worker) return;
  for (const shown of await worker.getNotifications()) shown.close();
  await navigator.clearAppBadge?.();
  await (await worker.pushManager?.getSubscription())?.unsubscribe();
}

// A form that another site has sent, and that our page sends again with its cookies.
document.querySelector("form[data-send]")?.submit();

// The number at the bell follows the stream of notifications while the page is visible: a
// browser has few connections, and hidden pages would use them up.
const bell = document.querySelector(".bell");
let stream;

function ring() {
  const bell = document.querySelector(".bell");
  const count = bell.querySelector(".count") ?? bell.appendChild(Object.assign(document.createElement("span"), { className: "count" }));
  count.textContent = Number(bell.dataset.count = Number(bell.dataset.count) + 1).toLocaleString(document.documentElement.lang);
  badge();
}

// An open conversation gets its new messages. The server marks as read what it shows here, and
// only then notifies of the next message: what came while nobody listened is fetched first.
async function catchUp(about) {
  const talk = document.querySelector("main .talk[data-id]");
  if (!talk || about && about !== talk.dataset.id) return;
  const page = parse(await (await fetch(`/conversation?id=${talk.dataset.id}`, follows)).text());
  for (const li of page.querySelectorAll("main .talk[data-id] > li")) {
    if (document.getElementById(li.id)) continue;
    talk.append(li);
    decorate(li);
    talk.parentElement.scrollTop = talk.scrollHeight;
  }
  const header = page.querySelector("body > header");
  if (header) document.querySelector("body > header").replaceWith(header);
}

// tell lets scripts of single pages follow, too: about an order, about none, or about all that may have changed.
const tell = (order) => document.dispatchEvent(new CustomEvent("octavo:notified", { detail: order }));

function listen() {
  if (document.hidden || !bell) return stream?.close();
  stream?.close();
  stream = new EventSource(bell.dataset.stream);
  stream.addEventListener("open", () => {
    catchUp().catch(() => {});
    tell();
  });
  stream.addEventListener("notification", (event) => {
    ring();
    const about = JSON.parse(event.data);
    catchUp(about.conversationId ?? "none").catch(() => {});
    tell(about.orderId ?? "none");
  });
}

// An installed app has the number at its icon, too, and a page for when there is no connection.
function badge() {
  if (bell) navigator.setAppBadge?.(Number(document.querySelector(".bell").dataset.count)).catch(() => {});
}

badge();
if (bell && (matchMedia("(display-mode: standalone)").matches || window.Notification?.permission === "granted")) {
  navigator.serviceWorker?.register("/sw.js").catch(() => {});
}

document.addEventListener("visibilitychange", listen);
listen();

// draw shows a picture in a canvas at most 10 rem high.
async function draw(file) {
  const picture = await createImageBitmap(file), scale = Math.min(1, 320 / picture.height);
  const canvas = Object.assign(document.createElement("canvas"), { width: picture.width * scale, height: picture.height * scale });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas;
}

// preview shows the photos that are chosen in a field.
function preview(input) {
  const shown = Object.assign(document.createElement("div"), { className: "previews" });
  input.after(shown);
  input.addEventListener("change", async () => {
    const pictures = await Promise.allSettled([...input.files].map(draw));
    shown.replaceChildren(...pictures.filter((p) => p.status === "fulfilled").map((p) => p.value));
  });
}

// suggest lists what the text in a field may be the beginning of.
function suggest(input) {
  const list = Object.assign(document.createElement("datalist"), { id: `${input.id}-suggested` });
  input.after(list);
  input.setAttribute("list", list.id);
  input.autocomplete = "off";
  let wait;
  input.addEventListener("input", () => {
    clearTimeout(wait);
    const typed = input.value.trim();
    if ([...list.options].some((o) => o.value === input.value)) return; // one was chosen
    wait = setTimeout(async () => {
      const answer = typed && await fetch(`/api/books/suggest?q=${encodeURIComponent(typed)}`);
      if (answer && !answer.ok || typed !== input.value.trim()) return;
      const found = answer ? (await answer.json()).data : [];
      list.replaceChildren(...found.map((s) => new Option("", s.text)));
    }, 150);
  });
}

// The picture of a book moves from its card to its page.
addEventListener("pageswap", (event) => {
  const to = event.viewTransition && event.activation && new URL(event.activation.entry.url);
  const card = to && document.querySelector(`.books a[href="${CSS.escape(to.pathname + to.search)}"]`)?.closest("li");
  card?.querySelector(".cover")?.style.setProperty("view-transition-name", "cover");
});

// decorate adds what needs a script to a part of the page.
function decorate(part) {
  part.querySelectorAll("input[type=file][data-preview]").forEach(preview);
  part.querySelectorAll("input[data-suggest]").forEach(suggest);
  for (const talk of part.querySelectorAll(".talk")) talk.parentElement.scrollTop = talk.scrollHeight;
  for (const time of part.querySelectorAll("time[datetime*=T]")) {
    const at = new Date(time.dateTime), lang = document.documentElement.lang;
    time.title = at.toLocaleString(lang);
    const how = time.closest(".slots") ? { weekday: "short", hour: "numeric", minute: "2-digit" } : { dateStyle: "medium", timeStyle: "short" };
    if ("local" in words && /\d(:|\sh\s)\d/.test(time.textContent)) time.textContent = at.toLocaleString(lang, how);
  }
}

// Other scripts that put a part into the page say so.
document.addEventListener("octavo:shown", (event) => decorate(event.detail));

decorate(document);
