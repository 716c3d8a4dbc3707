// The service worker: it shows what the server pushes, and a page without a connection. The server puts before this
// which files that page consists of, and the icon of notifications.
"use strict";

// What is shown offline is what a stranger sees: the device may be shared.
async function install() {
  const cache = await caches.open(version);
  await cache.addAll(files.map((file) => new Request(file, { credentials: "omit", cache: "reload" })));
  await self.skipWaiting();
}

async function activate() {
  for (const name of await caches.keys()) if (name !== version) await caches.delete(name);
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));

async function go(event) {
  try {
    return await event.preloadResponse || await fetch(event.request);
  } catch {
    return await caches.match(files[0]) ?? Response.error();
  }
}

self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request, { origin, pathname, search } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return;
  if (mode === "navigate") event.respondWith(go(event));
  else if (files.includes(pathname + search)) event.respondWith(caches.match(event.request).then((kept) => kept ?? fetch(event.request)));
});

async function show({ title, body, url, tag, unread }) {
  await self.registration.showNotification(title, { body, tag, icon, badge: icon, data: url });
  await self.navigator.setAppBadge?.(unread);
}

self.addEventListener("push", (event) => event.waitUntil(show(event.data.json())));

// A window of ours that shows the page already is used again.
async function open(path) {
  const there = new URL(path, location.origin).href, windows = await self.clients.matchAll({ type: "window" });
  const shown = windows.find((w) => w.url === there);
  return shown ? shown.focus() : self.clients.openWindow(there);
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});
