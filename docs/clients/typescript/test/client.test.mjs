// Needs OCTAVO_URL, the address of a server in development, and the compiled client in dist.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Me, memoryStore, Octavo, OctavoError, RevokeOtherSessions, Sessions, SignIn, SignOut, SignUp, TokenInfo, VerifyEmail } from "../dist/index.js";

const url = process.env.OCTAVO_URL;
const password = "correct horse battery staple";
const pause = (ms) => new Promise((go) => setTimeout(go, ms));

/** Signs somebody up and returns the address. */
async function member() {
  const email = `${crypto.randomUUID()}@campus.edu`;
  const client = new Octavo({ url, mode: "bearer" });
  await client.run(SignUp, { email, password });
  for (let tries = 0; tries < 1000; tries++, await pause(20)) {
    const [mail] = await (await fetch(`${url}/dev/mail.json?to=${email}`)).json();
    if (mail?.code) {
      await client.run(VerifyEmail, { email, code: mail.code });
      return email;
    }
  }
  assert.fail("no code was mailed");
}

/** A store with a session whose access token is no longer valid. */
async function staleStore(email) {
  const store = memoryStore();
  await new Octavo({ url, mode: "bearer", store }).run(SignIn, { email, password });
  store.set({ ...store.get(), accessToken: "expired" });
  return store;
}

const isRefresh = (init) => JSON.parse(init.body).operationName === "RefreshSession";

/** A fetch that counts refreshes. */
function counting(inner = fetch) {
  const counted = (address, init) => {
    if (isRefresh(init)) counted.refreshes++;
    return inner(address, init);
  };
  counted.refreshes = 0;
  return counted;
}

/** A browser's cookies: tabs that share them send with the same fetch. */
function browser() {
  const cookies = new Map();
  const send = async (address, init) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(address, { ...init, headers: { ...init.headers, ...(cookie && { Cookie: cookie }) } });
    for (const line of response.headers.getSetCookie()) {
      const [name, value] = line.split(";")[0].split("=");
      value ? cookies.set(name, value) : cookies.delete(name);
    }
    return response;
  };
  return { cookies, send };
}

/** The part of navigator.locks that the client uses. */
function useLocks() {
  const held = new Map();
  const request = async (name, ...rest) => {
    const [options, work] = rest.length === 2 ? rest : [{}, rest[0]];
    if (options.ifAvailable && held.has(name)) return work(null);
    while (held.has(name)) await held.get(name);
    let release;
    held.set(name, new Promise((go) => { release = go; }));
    try {
      return await work({ name });
    } finally {
      held.delete(name);
      release();
    }
  };
  Object.defineProperty(globalThis, "navigator", { value: { locks: { request } }, configurable: true });
}
afterEach(() => { Object.defineProperty(globalThis, "navigator", { value: undefined, configurable: true }); });

/** Tabs of one browser that is signed in by cookies, whose access token has expired. */
async function tabs(count, send = (inner) => inner) {
  const b = browser();
  await new Octavo({ url, mode: "cookies", fetch: b.send }).run(SignIn, { email: await member(), password });
  b.cookies.set("octavo_access", "expired");
  const counted = counting(send(b.send));
  return { counted, clients: Array.from({ length: count }, () => new Octavo({ url, mode: "cookies", fetch: counted })) };
}

const calls = (clients) => Promise.all(clients.flatMap((client) => Array.from({ length: 5 }, () => client.run(Me, {}))));

/** Holds refreshes back until the server has answered so many other requests. */
function holding(others) {
  let release;
  const answered = new Promise((go) => { release = go; });
  return (inner) => async (address, init) => {
    if (isRefresh(init)) {
      await answered;
      return inner(address, init);
    }
    const response = await inner(address, init);
    if (--others === 0) release();
    return response;
  };
}

for (const mode of ["bearer", "cookies"]) {
  test(`somebody signs in and out with ${mode}`, async () => {
    const email = await member();
    const client = new Octavo({ url: `${url}/`, mode, fetch: mode === "cookies" ? browser().send : fetch });
    await assert.rejects(client.run(SignIn, { email, password: "another horse" }), (error) => error instanceof OctavoError && error.code === "INVALID_CREDENTIALS");
    await client.run(SignIn, { email, password });
    assert.equal((await client.run(Me, {})).me.email, email);
    const { me } = await client.run(Sessions, {});
    assert.equal(me.sessions.length, 1);
    const token = await client.accessToken();
    assert.equal(typeof token, mode === "bearer" ? "string" : "undefined");
    await client.run(SignOut, {});
    await assert.rejects(client.run(Me, {}), { code: "UNAUTHENTICATED" });
    if (token) assert.equal((await client.run(TokenInfo, { token })).tokenInfo.active, false);
  });
}

test("calls in parallel refresh once", async () => {
  const counted = counting();
  const client = new Octavo({ url, mode: "bearer", store: await staleStore(await member()), fetch: counted });
  await Promise.all(Array.from({ length: 30 }, () => client.run(Me, {})));
  assert.equal(counted.refreshes, 1);
});

test("a token is renewed before it expires", async () => {
  const store = await staleStore(await member());
  store.set({ ...store.get(), expiresAt: Date.now() + 5000 });
  const token = await new Octavo({ url, mode: "bearer", store }).accessToken();
  assert.notEqual(token, "expired");
});

test("tabs that share cookies refresh once", async () => {
  useLocks();
  const { clients, counted } = await tabs(3, holding(15));
  await calls(clients);
  assert.equal(counted.refreshes, 1);
});

test("tabs that share a store refresh once", async () => {
  useLocks();
  const store = await staleStore(await member());
  const counted = counting(holding(15)(fetch));
  await calls(Array.from({ length: 3 }, () => new Octavo({ url, mode: "bearer", store, fetch: counted })));
  assert.equal(counted.refreshes, 1);
});

test("tabs of a browser without locks stay signed in", async () => {
  const { clients, counted } = await tabs(3, holding(15));
  await calls(clients);
  assert.equal(counted.refreshes, 3);
});

test("a tab refreshes itself if the one that it waited for could not", async () => {
  useLocks();
  let failures = 1;
  const { clients } = await tabs(2, (inner) => {
    const held = holding(10)(inner);
    return async (address, init) => {
      const response = await held(address, init);
      if (isRefresh(init) && failures-- > 0) throw new TypeError("the tab is closed");
      return response;
    };
  });
  const results = await Promise.allSettled(clients.map((client) => calls([client])));
  assert.deepEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});

test("an ended session is forgotten", async () => {
  const email = await member();
  const store = memoryStore();
  let signedOut = 0;
  const client = new Octavo({ url, mode: "bearer", store, onSignedOut: () => { signedOut++; } });
  await client.run(SignIn, { email, password });
  const other = new Octavo({ url, mode: "bearer" });
  await other.run(SignIn, { email, password });
  assert.equal((await other.run(RevokeOtherSessions, {})).revokeOtherSessions, 1);
  const results = await Promise.allSettled([client.run(Me, {}), client.run(Me, {})]);
  assert.deepEqual(results.map(({ reason }) => reason.code), ["UNAUTHENTICATED", "UNAUTHENTICATED"]);
  assert.equal(signedOut, 1);
  assert.equal(store.get(), undefined);
  await client.run(SignIn, { email, password });
  assert.equal((await client.run(Me, {})).me.email, email);
});

const answering = (body, status = 200) => new Octavo({ url: "http://octavo.test", mode: "bearer", fetch: async () => new Response(body, { status }) });

test("a failure has a code and says when to try again", async () => {
  const limited = answering(JSON.stringify({ errors: [{ message: "Too many.", extensions: { code: "RATE_LIMITED", retryAfter: 7 } }] }));
  await assert.rejects(limited.run(Me, {}), { name: "OctavoError", code: "RATE_LIMITED", retryAfter: 7, message: "Too many." });
  await assert.rejects(answering("<html>Bad Gateway</html>", 502).run(Me, {}), { code: "NO_ANSWER" });
  await assert.rejects(answering("{}").run(Me, {}), { code: "NO_ANSWER" });
  const offline = new Octavo({ url, mode: "bearer", fetch: async () => { throw new TypeError("fetch failed"); } });
  await assert.rejects(offline.run(Me, {}), { code: "NO_ANSWER" });
});

test("where the server asks for a fresh proof, nothing is refreshed", async () => {
  const store = await staleStore(await member());
  let sent = 0;
  const body = JSON.stringify({ errors: [{ message: "Again.", extensions: { code: "UNAUTHENTICATED", reason: "REAUTHENTICATE" } }] });
  const client = new Octavo({ url, mode: "bearer", store, fetch: async () => { sent++; return new Response(body); } });
  await assert.rejects(client.run(Me, {}), { code: "UNAUTHENTICATED" });
  assert.equal(sent, 1);
});

test("a call can be aborted and times out", async () => {
  const never = (_, { signal }) => new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason)));
  const awake = setInterval(() => {}, 1000); // the timers of signals do not keep Node running
  try {
    await assert.rejects(new Octavo({ url, mode: "bearer", fetch: never }).run(Me, {}, AbortSignal.timeout(1)), { name: "TimeoutError" });
    await assert.rejects(new Octavo({ url, mode: "bearer", fetch: never, timeout: 1 }).run(Me, {}), { code: "NO_ANSWER" });
  } finally {
    clearInterval(awake);
  }
});
