// The control of /notifications that lets this browser show notifications.
"use strict";

const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

const able = () => "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

async function worker() {
  await navigator.serviceWorker.register("/sw.js");
  return navigator.serviceWorker.ready;
}

async function current() {
  return (await navigator.serviceWorker.getRegistration())?.pushManager.getSubscription();
}

async function call(path, body) {
  const answer = await fetch(`/api/user/${path}`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error((await answer.json()).data.error);
}

// chosen returns what the server has for a subscription of this browser, by the hash of its address: nothing after its
// session has ended, or while somebody else is signed in.
async function chosen(box, subscription) {
  if (!subscription) return undefined;
  const hash = text(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(subscription.endpoint)));
  return JSON.parse(box.dataset.known)[hash];
}

function show(box, state) {
  for (const part of box.querySelectorAll("[data-when]")) part.hidden = !part.dataset.when.split(" ").includes(state);
}

async function refresh(box) {
  if (!able()) return show(box, "unable");
  if (Notification.permission === "denied") return show(box, "blocked");
  const subscription = await current(), kinds = await chosen(box, subscription);
  if (!kinds) return show(box, "off");
  show(box, "on");
  for (const input of box.querySelectorAll("[name=kinds]")) input.checked = input.value.split(" ").some((kind) => kinds.includes(kind));
  if (text(subscription.options.applicationServerKey) !== box.dataset.key) await turnOn(box); // the server has another key now
}

// again shows the page as it is now, with the control open.
function again() {
  location.hash = "push";
  location.reload();
}

async function turnOn(box) {
  const kinds = [...box.querySelectorAll("[name=kinds]:checked")].flatMap((input) => input.value.split(" "));
  if (!kinds.length) return turnOff(box);
  if (await Notification.requestPermission() !== "granted") return again();
  const { pushManager } = await worker(), kept = await pushManager.getSubscription();
  if (kept && text(kept.options.applicationServerKey) !== box.dataset.key) await kept.unsubscribe();
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(box.dataset.key) });
  const { endpoint, keys } = subscription.toJSON();
  await call("addPushSubscription", { endpoint, keys, kinds });
  again();
}

async function turnOff() {
  const subscription = await current();
  if (subscription) {
    await call("removePushSubscription", { endpoint: subscription.endpoint });
    await subscription.unsubscribe();
  }
  again();
}

function start() {
  const box = document.querySelector("#push");
  if (!box) return;
  box.open ||= location.hash === "#push";
  const failed = box.querySelector("[role=alert]");
  const attempt = (what) => what(box).catch((error) => {
    failed.textContent = `${failed.dataset.text} ${error.message}`;
    failed.hidden = false;
  });
  box.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(event.submitter?.value === "off" ? turnOff : turnOn);
  });
  attempt(refresh);
}

document.addEventListener("octavo:replaced", start);
start();
